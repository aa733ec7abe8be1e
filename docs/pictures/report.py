#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Draws the pictures of `nfac report`, light and dark: report.py [FOLDER]

Searches the captures of selftests/data, whose connections it spreads over one day, for the rules
beside them, and lets headless Chromium (Debian's package chromium) draw the page. Without FOLDER
the pictures go next to this file; FOLDER also gets the page and the capture.
"""
import gzip
import json
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parent.parent
DATA = TREE / "selftests" / "data"
DAY = 86400
BEGIN = 1700006400                      # 2023-11-15 00:00:00 UTC
# hours of a day by how much of the honest traffic they have, and bursts of attacks: hour, width, share
HONEST = [2, 1, 1, 1, 1, 2, 4, 8, 13, 16, 17, 15, 13, 15, 16, 15, 14, 12, 11, 10, 9, 7, 5, 3]
BURSTS = [(3.2, 0.3, 3), (10.7, 1.5, 2), (21.4, 0.2, 5)]
SIZE = (1160, 1130)


def connections(name):
    """Packets of a capture by connection: lists of (offset in microseconds, frame)."""
    raw = gzip.decompress((DATA / name).read_bytes())
    found, at = {}, 24
    while at < len(raw):
        seconds, micros, length, _ = struct.unpack_from("<4I", raw, at)
        frame = raw[at + 16:at + 16 + length]
        at += 16 + length
        # Ethernet, IPv4 without options: both ends, the lower first
        ends = sorted([frame[26:30] + frame[34:36], frame[30:34] + frame[36:38]])
        packets = found.setdefault(b"".join(ends), [])
        now = seconds * 1000000 + micros
        packets.append((now - packets[0][2] if packets else 0, frame, packets[0][2] if packets else now))
    return [[(offset, frame) for offset, frame, _ in packets] for packets in found.values()]


def make_capture(path):
    """One day of both captures, the same at each run."""
    rng = random.Random(1)
    packets = []
    for name, attack in (("benign-http.pcap.gz", False), ("crs-attacks.pcap.gz", True)):
        for connection in connections(name):
            if attack:
                hour, width, _ = rng.choices(BURSTS, [b[2] for b in BURSTS])[0]
                start = rng.gauss(hour, width) % 24 * 3600
            else:
                start = (rng.choices(range(24), HONEST)[0] + rng.random()) * 3600
            packets += [(int(start * 1000000) + offset, frame) for offset, frame in connection]
    packets.sort(key=lambda p: p[0])
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for when, frame in packets:
            f.write(struct.pack("<4I", BEGIN + when // 1000000, when % 1000000, len(frame), len(frame)) + frame)


def chromium(page, *options):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                               f"--user-data-dir={profile}", f"--window-size={SIZE[0]},{SIZE[1]}", *options, page.as_uri()],
                              check=True, timeout=120, capture_output=True, text=True).stdout


def main():
    with tempfile.TemporaryDirectory() as temporary:
        to = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
        work = to if len(sys.argv) > 1 else Path(temporary)
        capture, page = work / "one-day.pcap", work / "report.html"
        make_capture(capture)
        rules = [o for path in sorted((DATA / "et").glob("*.rules")) for o in ("-p", str(path))]
        subprocess.run([TREE / "userspace-loader" / "nfac", "report", "--stream", "--format", "suricata", "-q", *rules,
                        "--title", "Emerging Threats: web rules", "-o", page, "one-day.pcap"], check=True, cwd=work,
                       stderr=subprocess.DEVNULL)
        # what Chromium makes of it is what is written: no element more or less
        tags = page.read_text(encoding="utf-8").count("<td")
        assert chromium(page, "--dump-dom").count("<td") == tags, "Chromium reads another page"
        for form, scheme in (("light", 1), ("dark", 0)):
            chromium(page, f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={to / f'report-{form}.png'}")
        print(json.dumps({"cells": tags, "pictures": str(to)}))


main()
