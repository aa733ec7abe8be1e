#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Captures through an attachment and through a queue; see raw_tcp.py, queue_parity.py.

    queue_capture.py [--streams] CAPTURE.pcap...      by packets; and by streams
"""

import struct
import sys

import queue_parity
from raw_tcp import L2, STREAM, Attachment, Wire, is_

BURST = 100     # packets until both have reported what they found


def frames(name):
    with open(name, "rb") as file:
        data = file.read()
    at = 24
    while at < len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        yield L2 + data[at + 16 + len(L2):at + 16 + length]
        at += 16 + length


def main():
    wire, names = Wire(), sys.argv[1:]
    ways = [(0, "packets")]
    if names[0] == "--streams":
        ways.append((STREAM, "streams"))
        names.pop(0)
    for name in names:
        for flags, how in ways:
            sent = found = 0
            with Attachment(wire, "s", flags) as attachment:
                for frame in frames(name):
                    wire.send(frame)
                    sent += 1
                    if sent % BURST == 0:
                        found += len(attachment.events())
                found += len(attachment.events())
                matches = attachment.figure("matches") - wire.ends + attachment.first
            is_(f"{name.rsplit('/', 1)[-1]}, by {how}: {sent} packets, {found} events", matches,
                found)
    queue_parity.verdict()


if __name__ == "__main__":
    main()
