#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A naive search, to compare with: oracle.py file|capture|streams TEXT PATTERNFILE...

Prints "id offset length" for each match in a file, "packet id offset length" for each in
the TCP and UDP payloads of a capture, in the order of ends, longest first, then by id;
"source destination id offset length" in its TCP streams, whose segments are in order.
A pattern file that ends in .data is read as crs, any other as plain without escapes.
"""
import gzip
import socket
import struct
import sys


def read_patterns(names):
    patterns = []
    for name in names:
        with open(name, "rb") as f:
            for line in f.read().split(b"\n"):
                if name.endswith(".data"):
                    line = line.strip(b" \t\n\v\f\r")
                    if line.startswith(b"#"):
                        continue
                if line:
                    patterns.append((len(patterns) + 1, line, name.endswith(".data")))
    return patterns


def search(text, patterns):
    folded = text.lower()
    hits = []
    for number, pattern, nocase in patterns:
        where = folded if nocase else text
        what = pattern.lower() if nocase else pattern
        at = where.find(what)
        while at >= 0:
            hits.append((at + len(what), -len(what), number))
            at = where.find(what, at + 1)
    return [(number, end + length, -length) for end, length, number in sorted(hits)]


def payloads(name):
    """Of an Ethernet capture without VLANs, options of IPv6, or fragments."""
    with (gzip.open if name.endswith(".gz") else open)(name, "rb") as f:
        data = f.read()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at, number = 24, 0
    while at < len(data):
        length = struct.unpack(order + "I", data[at + 8:at + 12])[0]
        frame = data[at + 16:at + 16 + length]
        at += 16 + length
        number += 1
        if frame[12:14] != b"\x08\x00":
            continue
        packet = frame[14:14 + struct.unpack(">H", frame[16:18])[0]]
        segment = packet[(packet[0] & 15) * 4:]
        ends = tuple(f"{socket.inet_ntoa(packet[12 + 4 * i:16 + 4 * i])}:"
                     f"{int.from_bytes(segment[2 * i:2 * i + 2], 'big')}" for i in (0, 1))
        if packet[9] == 6:
            yield number, ends, segment[(segment[12] >> 4) * 4:]
        elif packet[9] == 17:
            yield number, None, segment[8:]


def main():
    kind, text, *names = sys.argv[1:]
    patterns = read_patterns(names)
    if kind == "file":
        with open(text, "rb") as f:
            for hit in search(f.read(), patterns):
                print(*hit)
        return
    known = {}
    if kind == "streams":
        for _, ends, payload in payloads(text):
            if ends:
                known.setdefault(ends, []).append(payload)
        for ends, parts in known.items():
            for hit in search(b"".join(parts), patterns):
                print(*ends, *hit)
        return
    for number, _, payload in payloads(text):
        if payload not in known:
            known[payload] = search(payload, patterns)
        for hit in known[payload]:
            print(number, *hit)


main()
