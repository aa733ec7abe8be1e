#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Puts packets on a wire: send.py INTERFACE MAC CAPTURE|udp ADDRESS PORT COUNT

A capture's frames go out with MAC as their destination; or COUNT UDP packets.
"""
import gzip
import socket
import struct
import sys
import time


def frames(name):
    with (gzip.open if name.endswith(".gz") else open)(name, "rb") as f:
        data = f.read()
    at = 24
    while at < len(data):
        length = struct.unpack("<I", data[at + 8:at + 12])[0]
        yield data[at + 16:at + 16 + length]
        at += 16 + length


def main():
    if sys.argv[3] == "udp":
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for _ in range(int(sys.argv[6])):
            s.sendto(b"one needle", (sys.argv[4], int(sys.argv[5])))
        return
    mac = bytes.fromhex(sys.argv[2].replace(":", ""))
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    s.bind((sys.argv[1], 0))
    for number, frame in enumerate(frames(sys.argv[3])):
        s.send(mac + frame[6:])
        # slower than the slowest build reads them
        if number % 50 == 0:
            time.sleep(0.01)


main()
