#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compares `nfac scan -e` with GNU grep -F on generated texts: grep.py NFAC FOLDER CASES [SEED]

Prints how many commands agreed, and each that does not: what both print, and their statuses. Both
read the same files, or the same standard input in pieces.
"""
import os
import random
import subprocess
import sys

NFAC, FOLDER, CASES = sys.argv[1], sys.argv[2], int(sys.argv[3])
rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
# what a character may be: ASCII, Latin-1, UTF-8
ALPHABETS = {
    "ascii": [c.encode() for c in "aabbABcd_ -.1\t"],
    "latin": [c.encode("latin-1") for c in "ab_ -\u00e9\u00e4\u00df\u00ff\u0080"],
    "utf8": [c.encode() for c in "ab_ -\u00e9\u00e4\u20ac\u00d7\U0001f600"],
    "few": [b"a", b"b"],
}


def characters(alphabet, longest):
    return [rng.choice(alphabet) for _ in range(rng.randrange(longest + 1))]


def line(alphabet, longest):
    return b"".join(characters(alphabet, longest))


def text(alphabet, words, nul):
    longest = rng.choice((3, 12, 60, 400))
    lines = []
    for _ in range(rng.choice((0, 1, 3, 20, 200, 2000))):
        one = characters(alphabet, longest)
        if rng.random() < 0.2:
            one.insert(rng.randrange(len(one) + 1), rng.choice(words))
        lines.append(b"".join(one))
    # one longer than the blocks in which a stream is read
    if rng.random() < 0.04:
        at = rng.randrange(len(lines) + 1)
        lines[at:at] = [b"x" * rng.randrange(1 << 20, 3 << 20) + rng.choice(words) + line(alphabet, longest)]
    whole = b"\n".join(lines) + (b"\n" if lines and rng.random() < 0.8 else b"")
    if nul and whole:
        at = rng.randrange(min(len(whole), 4000))
        whole = whole[:at] + b"\0" + whole[at:]
    return whole


def options(utf8, nul):
    chosen = [o for o in ("-n", "-o", "-v", "-w", "-b") if rng.random() < 0.3]
    if not utf8 and rng.random() < 0.3:
        chosen.append("-i")
    # grep -o -w -x prints an empty line behind a match
    if rng.random() < 0.1 and not ("-o" in chosen and "-w" in chosen):
        chosen.append("-x")
    if rng.random() < 0.15:
        chosen += ["-m", str(rng.choice((0, 1, 2, 5)))]
    how = rng.choice(("", "", "", "-c", "-l", "-L", "-A", "-B", "-C", "-AB"))
    if how in ("-c", "-l", "-L"):
        chosen.append(how)
    elif how and "-o" not in chosen:
        for o in (("-A", "-B") if how == "-AB" else (how,)):
            chosen += [o, str(rng.choice((0, 1, 2, 10)))]
    if nul and rng.random() < 0.5 or not nul and rng.random() < 0.1:
        chosen.append("-a")
    if rng.random() < 0.1:
        chosen.append(rng.choice(("-H", "--no-filename")))
    return chosen


def run(command, stdin, locale):
    got = subprocess.run(command, stdin=stdin, capture_output=True, check=False,
                         env={**os.environ, "LC_ALL": locale}, cwd=FOLDER)
    return got.returncode, got.stdout, b"binary file matches" in got.stderr


def compare(arguments, files, piped, locale):
    """The same arguments for both; with a pipe the first file comes in pieces."""
    results = []
    for command in ([NFAC, "scan"], ["grep", "-F", "--color=never"]):
        if not piped:
            results.append(run(command + arguments + ["text", "other"][:files], None, locale))
            continue
        with subprocess.Popen(["dd", "if=text", "bs=" + piped, "status=none"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, cwd=FOLDER) as dd:
            results.append(run(command + arguments + ["-"], dd.stdout, locale))
            dd.stdout.close()
    return results


agreed = differ = 0
for case in range(CASES):
    name = rng.choice(list(ALPHABETS))
    letters = ALPHABETS[name]
    words = [w for w in (line(letters, rng.choice((1, 2, 4, 9))) for _ in range(rng.choice((1, 2, 5, 20)))) if w]
    words = words or [b"a"]
    nul_inside = rng.random() < 0.15
    for file in "text", "other":
        with open(os.path.join(FOLDER, file), "wb") as f:
            f.write(text(letters, words, nul_inside))
    for _ in range(6):
        files = rng.choice((1, 1, 2))
        given = options(name == "utf8", nul_inside)
        # grep -o -w takes for a word what begins where the match before it ends, and is not a letter
        whole = "-o" in given and "-w" in given
        for w in words:
            if not whole or w[:1].isalnum() or w[:1] == b"_":
                given += ["-e", w]
        if "-e" not in given:
            continue
        # GNU grep takes bytes that are not UTF-8 for a binary file
        where = "C.UTF-8" if name in ("utf8", "ascii") and rng.random() < 0.6 else "C"
        pieces = rng.choice((None, None, "1M", "5000", "7")) if files == 1 else None
        if pieces == "7" and os.path.getsize(os.path.join(FOLDER, "text")) > 100000:
            pieces = None
        # a pipe's first piece alone decides whether it is binary
        if nul_inside and "-a" not in given:
            pieces = None
        ours, greps = compare(given, files, pieces, where)
        if ours == greps:
            agreed += 1
            continue
        differ += 1
        if differ <= 5:
            at = next((i for i, (a, b) in enumerate(zip(ours[1], greps[1])) if a != b), 0)
            print(f"differs at {at}: LC_ALL={where} {given} pieces {pieces} files {files}")
            print(f"  nfac {ours[0]} {ours[2]} {ours[1][max(at - 60, 0):at + 60]}\n  grep {greps[0]} {greps[2]} {greps[1][max(at - 60, 0):at + 60]}")
print(f"{agreed} agreed, {differ} differ")
sys.exit(differ > 0)
