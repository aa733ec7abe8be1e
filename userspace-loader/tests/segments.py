#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Puts TCP segments on a wire, or into a capture: segments.py INTERFACE MAC, or
segments.py -w FILE, and a line of stdin for each

PORT OFFSET FLAGS [TEXT]: OFFSET from the stream's first byte; FLAGS of S, A, F, R, and
b for a checksum that is wrong, p for one that is yet to be computed, i for a wrong one in
the IPv4 header, o for none there, m for a signature (RFC 2385), s for the server's
direction, 6 for IPv6, f for a first fragment, u for a datagram instead.

Other lines, for a capture: "time SECONDS" is what its clock shows from here on, "snap
BYTES" what it holds of a frame.
"""
import socket
import struct
import sys
import time

ISN = 0xfffffff0    # they wrap
BITS = {"F": 1, "S": 2, "R": 4, "A": 16}
ENDS = [socket.inet_aton("10.9.0.1"), socket.inet_aton("10.9.0.2")]
ENDS6 = [socket.inet_pton(socket.AF_INET6, end) for end in ("fd09::1", "fd09::2")]


def add(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def checksum(data):
    return ~add(data) & 0xffff


def transport(ports, ends, offset, flags, text):
    if "u" in flags:
        return struct.pack("!4H", *ports, 8 + len(text), 0) + text
    seq = ISN + offset + ("S" not in flags)
    options = b"\x13\x12" + bytes(16) + b"\1\1" if "m" in flags else b""
    tcp = struct.pack("!HHIIBBHHH", *ports, seq & 0xffffffff, 1, 5 + len(options) // 4 << 4,
                      sum(BITS.get(f, 0) for f in flags), 8192, 0, 0) + options + text
    pseudo = b"".join(ends) + struct.pack("!HH", 6, len(tcp))
    value = add(pseudo) if "p" in flags else checksum(pseudo + tcp)
    return tcp[:16] + struct.pack("!H", value ^ ("b" in flags)) + tcp[18:]


def frame(port, offset, flags, text):
    """From the IP header's type on."""
    ends = ENDS6 if "6" in flags else ENDS
    ports = [port, 80]
    if "s" in flags:
        ends, ports = ends[::-1], ports[::-1]
    body = transport(ports, ends, offset, flags, text)
    protocol = 17 if "u" in flags else 6
    if "6" in flags:
        return (b"\x86\xdd" + struct.pack("!IHBB", 6 << 28, len(body), protocol, 64) +
                b"".join(ends) + body)
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), 0, 0x2000 * ("f" in flags), 64,
                       protocol, 0) + b"".join(ends)
    value = 0 if "o" in flags else checksum(head) ^ ("i" in flags)
    return b"\x08\0" + head[:10] + struct.pack("!H", value) + head[12:] + body


def frames():
    """Each with the words that came before it: (frame, {"time": ..., "snap": ...})."""
    said = {"time": 0, "snap": 65535}
    for line in sys.stdin:
        words = line.rstrip("\n").split(" ", 3)
        if words[0] in said:
            said[words[0]] = int(words[1])
            continue
        text = words[3].encode() if len(words) > 3 else b""
        yield frame(int(words[0]), int(words[1]), words[2], text), said


def to_capture(name):
    with open(name, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for data, said in frames():
            data = b"\2\0\0\0\0\1\2\0\0\0\0\2" + data
            part = data[:said["snap"]]
            f.write(struct.pack("<IIII", said["time"], 0, len(part), len(data)) + part)


def to_wire(interface, mac):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    s.bind((interface, 0))
    ethernet = bytes.fromhex(mac.replace(":", "")) + b"\2\0\0\0\0\2"
    for number, (data, _) in enumerate(frames()):
        s.send(ethernet + data)
        if number % 50 == 49:
            time.sleep(0.01)


if sys.argv[1] == "-w":
    to_capture(sys.argv[2])
else:
    to_wire(*sys.argv[1:])
