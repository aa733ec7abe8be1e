#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
nfac scan beside ripgrep, ugrep and GNU grep -F: CPU time of the whole process.

    scan.py [--nfac TOOL] [--cache FOLDER] [--rounds N] [--only TEXT] [--json FILE]

Texts are a log of 200 MB, made of the requests in ../data, and a tree of 5,000 files with 22 MB of
it. The programs take turns in each round, and print into a file in memory. In the first round
they have to print the same lines; GNU grep's are the reference. nfac scan and ripgrep have a
thread for each CPU; threads that share a memory take more CPU time for the same work, so nfac
scan takes part with one thread, too. --only leaves out cells whose name
has not that text in it.
"""
import argparse
import gzip
import json
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "../data")
LOG_BYTES = 200_000_000
TREE_FILES, FILE_BYTES = 5000, 4400
ATTACKS = 1000          # one line in this many is of an attack
VERSION = 1             # of the texts: another one is generated anew
MANY = 100_000
NFAC, NFAC_1 = "nfac scan", "nfac scan -j1"
# a program that takes longer than this, in seconds of CPU, has two rounds only
SLOW = 4


def payloads(name):
    """The TCP payloads of a capture of Ethernet frames, IPv4 without options."""
    with gzip.open(os.path.join(DATA, name)) as capture:
        data = capture.read()
    at = 24
    while at < len(data):
        size = struct.unpack_from("<I", data, at + 8)[0]
        frame = data[at + 16:at + 16 + size]
        at += 16 + size
        if frame[12:14] == b"\x08\x00" and frame[23] == 6:
            head = 14 + (frame[14] & 15) * 4
            yield frame[head + (frame[head + 12] >> 4) * 4:]


def requests(name):
    """First lines and user agents of a capture's requests."""
    for payload in payloads(name):
        head = payload.split(b"\r\n\r\n")[0].split(b"\r\n")
        if b" HTTP/1." not in head[0] or head[0].startswith(b"HTTP"):
            continue
        agent = [line[12:] for line in head if line.lower().startswith(b"user-agent: ")]
        line = bytes(c if 32 <= c < 127 else 63 for c in head[0])
        yield line, bytes(c if 32 <= c < 127 else 63 for c in (agent or [b"-"])[0])


def write_log(path):
    """An access log; the same bytes on each machine."""
    rng = random.Random(1)
    benign = list(requests("benign-http.pcap.gz"))
    attacks = list(requests("crs-attacks.pcap.gz"))
    hosts = [b"%d.%d.%d.%d" % tuple(rng.randrange(1, 255) for _ in range(4)) for _ in range(3000)]
    written, second = 0, 0
    with open(path + ".new", "wb") as log:
        while written < LOG_BYTES:
            line, agent = rng.choice(attacks if rng.randrange(ATTACKS) == 0 else benign)
            second += rng.randrange(2)
            entry = b'%s - - [%02d/Nov/2026:%02d:%02d:%02d +0000] "%s" %d %d "-" "%s"\n' % (
                rng.choice(hosts), 1 + second // 86400 % 30, second // 3600 % 24,
                second // 60 % 60, second % 60, line, rng.choice((200, 200, 200, 304, 404)),
                rng.randrange(100, 90000), agent)
            written += log.write(entry)
    os.rename(path + ".new", path)


def write_tree(path, log):
    """Files of whole lines of the log, a hundred in a folder."""
    shutil.rmtree(path + ".new", ignore_errors=True)
    with open(log, "rb") as lines:
        for number in range(TREE_FILES):
            folder = f"{path}.new/{number // 100:02}"
            os.makedirs(folder, exist_ok=True)
            with open(f"{folder}/{number:04}.txt", "wb") as file:
                size = 0
                while size < FILE_BYTES:
                    size += file.write(lines.readline())
    os.rename(path + ".new", path)


def write_words(folder):
    """Lists of 1, 10, 2,358 and 100,000 words. Return: their paths."""
    with open(os.path.join(DATA, "words-2358.txt"), encoding="ascii") as file:
        words = file.read().split("\n")[:-1]
    rng = random.Random(2)
    letters = "abcdefghijklmnopqrstuvwxyz"
    more = {"".join(rng.choices(letters, k=rng.randrange(8, 20))) for _ in range(2 * MANY)}
    lists = {1: ["/etc/passwd"], 10: ["/etc/passwd", ".htaccess"] + words[100::280][:8], len(words): words,
             MANY: words + sorted(more)[:MANY - len(words)]}
    paths = {}
    for count, some in lists.items():
        paths[count] = f"{folder}/words-{count}"
        with open(paths[count], "w", encoding="ascii") as file:
            file.write("\n".join(some) + "\n")
    return paths


def commands(nfac, words, what, text):
    """By program; each with the options that make it do what GNU grep does."""
    tree = os.path.isdir(text)
    count = ["-c"] if what == "count" else []
    return {
        NFAC: [nfac, "scan", *count, *(["-r"] if tree else []), "-p", words, text],
        NFAC_1: [nfac, "scan", "-j1", *count, *(["-r"] if tree else []), "-p", words, text],
        "ripgrep": ["rg", "--no-config", "-uuu", "-F", *count, "-f", words, text],
        "ugrep": ["ugrep", "-F", *count, *(["-r"] if tree else []), "-f", words, text],
        "grep -F": ["grep", "-F", *count, *(["-r"] if tree else []), "-f", words, text],
    }


def run(command, out):
    """Return: seconds of CPU and of the clock, and the status."""
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    with open(out, "wb") as file:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, env=env)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        elapsed = time.perf_counter() - begin
    return usage.ru_utime + usage.ru_stime, elapsed, process.returncode


def lines(out):
    """What was printed, in an order that threads do not change; ripgrep leaves out counts of 0."""
    with open(out, "rb") as file:
        return sorted(line for line in file.read().split(b"\n")
                      if line != b"0" and not line.endswith(b":0"))


def measure(cell, programs, rounds, out):
    """Interleaved rounds. Return: by program the seconds of each."""
    seconds = {name: [] for name in programs}
    want = None
    for number in range(rounds):
        for name in reversed(programs):
            if number > 1 and seconds[name][0][0] > SLOW:
                continue
            cpu, clock, status = run(programs[name], out)
            if status not in (0, 1):
                sys.exit(f"{cell}: {name} ended with status {status}")
            if number == 0:
                got = lines(out)
                want = want or got
                if got != want:
                    sys.exit(f"{cell}: {name} does not print what GNU grep prints")
            seconds[name].append((cpu, clock))
    return seconds


def report(cell, seconds):
    """A row: least and median CPU time, least elapsed time in brackets; the best of the others by
    nfac's: CPU time, CPU time with one thread, elapsed time."""
    peers = [times for name, times in seconds.items() if name not in (NFAC, NFAC_1)]

    def ratio(name, which):
        best = min(one[which] for times in peers for one in times)
        return f"{best / min(one[which] for one in seconds[name]):.2f}"

    row = [cell]
    for times in seconds.values():
        cpu = [one for one, _ in times]
        row.append(f"{min(cpu):.3f} {statistics.median(cpu):.3f} ({min(c for _, c in times):.3f})")
    row.append(f"{ratio(NFAC, 0)}, {ratio(NFAC_1, 0)}, {ratio(NFAC, 1)}")
    print("| " + " | ".join(row) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nfac", default=os.path.join(HERE, "../../userspace-loader/nfac"))
    parser.add_argument("--cache", default=os.path.join(
        os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "nfac/bench"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    args = parser.parse_args()
    missing = [tool for tool in ("rg", "ugrep", "grep") if not shutil.which(tool)]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}; run selftests/vm/deps bench")
    folder = f"{args.cache}/scan-{VERSION}"
    os.makedirs(folder, exist_ok=True)
    log, tree = f"{folder}/access.log", f"{folder}/tree"
    if not os.path.exists(log):
        write_log(log)
    if not os.path.exists(tree):
        write_tree(tree, log)
    out = f"/dev/shm/nfac-scan-{os.getpid()}"
    results = {}
    print("| search | nfac scan | nfac scan -j1 | ripgrep | ugrep | grep -F | best / nfac |\n"
          "| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    try:
        for count, words in write_words(folder).items():
            for text in (log, tree):
                for what in ("count", "lines"):
                    cell = f"{os.path.basename(text)}, {count:,} words, {what}"
                    if args.only not in cell:
                        continue
                    programs = commands(args.nfac, words, what, text)
                    results[cell] = measure(cell, programs, args.rounds, out)
                    report(cell, results[cell])
    finally:
        if os.path.exists(out):
            os.unlink(out)
    if args.json:
        with open(args.json, "w", encoding="ascii") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
