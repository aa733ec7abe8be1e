#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Puts TCP segments on a wire: segments.py INTERFACE MAC, and a line of stdin for each

PORT OFFSET FLAGS [TEXT]: OFFSET from the stream's first byte; FLAGS of S, A, F, R, and b
for a checksum that is wrong.
"""
import socket
import struct
import sys
import time

ISN = 0xfffffff0    # they wrap
BITS = {"F": 1, "S": 2, "R": 4, "A": 16, "b": 0}
ENDS = socket.inet_aton("10.9.0.1") + socket.inet_aton("10.9.0.2")


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def packet(port, offset, flags, text):
    seq = ISN + offset + ("S" not in flags)
    tcp = struct.pack("!HHIIBBHHH", port, 80, seq & 0xffffffff, 1, 5 << 4,
                      sum(BITS[f] for f in flags), 8192, 0, 0) + text
    value = checksum(ENDS + struct.pack("!BBH", 0, 6, len(tcp)) + tcp)
    tcp = tcp[:16] + struct.pack("!H", value ^ ("b" in flags)) + tcp[18:]
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + ENDS
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + tcp


def main():
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    s.bind((sys.argv[1], 0))
    ethernet = bytes.fromhex(sys.argv[2].replace(":", "")) + b"\2\0\0\0\0\2\x08\0"
    for number, line in enumerate(sys.stdin):
        words = line.rstrip("\n").split(" ", 3)
        text = words[3].encode() if len(words) > 3 else b""
        s.send(ethernet + packet(int(words[0]), int(words[1]), words[2], text))
        if number % 50 == 49:
            time.sleep(0.01)


main()
