#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Frames made by hand, from the device veth0 of the namespace that this runs in, or from another one.

    frames.py [--dev NAME] [--to MAC] FRAME [TEXT] [/ FRAME [TEXT]]...

A frame is the name of one below. Its datagram goes from 10.0.0.2:1000 to 10.0.0.1:9999, or between
the same hosts of fd00::. A segment of TCP goes from 10.0.0.2:1000 to 10.0.0.77:80, a host that
does not answer: segment:SEQ, or with the name of another frame in front: vlan-segment:SEQ.
"""

import socket
import struct
import sys

V4 = socket.inet_aton("10.0.0.2"), socket.inet_aton("10.0.0.1")
V6 = (socket.inet_pton(socket.AF_INET6, "fd00::2"), socket.inet_pton(socket.AF_INET6, "fd00::1"))
ABSENT = socket.inet_aton("10.0.0.77")
SOURCE = bytes.fromhex("020000000002")
IPV4, IPV6 = b"\x08\x00", b"\x86\xdd"


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def ip4(protocol, body, daddr=V4[1], fragment=0, wrong=0):
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), 1, fragment, 64, protocol, 0) + V4[0] + daddr
    return head[:10] + struct.pack("!H", checksum(head) ^ wrong) + head[12:] + body


def ip6(protocol, body):
    return struct.pack("!IHBB", 6 << 28, len(body), protocol, 64) + V6[0] + V6[1] + body


def datagram(text):
    return struct.pack("!HHHH", 1000, 9999, 8 + len(text), 0) + text


def udp4(text):
    return ip4(17, datagram(text))


def udp6(text):
    body = datagram(text)
    pseudo = V6[0] + V6[1] + struct.pack("!II", len(body), 17)
    return ip6(17, body[:6] + struct.pack("!H", checksum(pseudo + body)) + body[8:])


def segment(number, text, flags=0x18, wrong=0):
    head = struct.pack("!HHIIBBHHH", 1000, 80, number, 1, 0x50, flags, 8192, 0, 0)
    pseudo = V4[0] + ABSENT + struct.pack("!BBH", 0, 6, len(head) + len(text))
    head = head[:16] + struct.pack("!H", checksum(pseudo + head + text)) + head[18:]
    return ip4(6, head + text, ABSENT, wrong=wrong)


def kind(packet):
    return IPV6 if packet[0] >> 4 == 6 else IPV4


def tags(*ids, tag=b"\x81\x00"):
    return b"".join(tag + struct.pack("!H", i) for i in ids)


def ppp(packet):
    return (b"\x00\x57" if packet[0] >> 4 == 6 else b"\x00\x21") + packet


def pppoe(packet, session=1):
    return b"\x88\x64" + struct.pack("!BBHH", 0x11, 0, session, len(packet) + 2) + ppp(packet)


# What follows the two addresses.
WRAPS = {
    "plain": lambda p: kind(p) + p,
    "vlan": lambda p: tags(10) + kind(p) + p,
    "vlan11": lambda p: tags(11) + kind(p) + p,
    "qinq": lambda p: tags(20, tag=b"\x88\xa8") + tags(10) + kind(p) + p,
    "tags4": lambda p: tags(1, 2, 3, 4) + kind(p) + p,
    "tags18": lambda p: tags(*range(1, 19)) + kind(p) + p,
    "pppoe": pppoe,
    "vlanpppoe": lambda p: tags(10) + pppoe(p),
    "mpls": lambda p: b"\x88\x47" + bytes.fromhex("00010040" "00020140") + p,
    # a header that does not end, and a type that is not the packet's
    "cut": lambda p: b"\x88\x47" + bytes.fromhex("00010040" "00020040"),
    "mismatch": lambda p: (IPV4 if kind(p) == IPV6 else IPV6) + p,
    "arp": lambda p: b"\x08\x06" + bytes(28),
}


def frame(name, text):
    wrap, _, packet = name.rpartition("-")
    packet, _, number = packet.partition(":")
    made = {
        "udp4": lambda: udp4(text),
        "udp6": lambda: udp6(text),
        "fragment": lambda: ip4(17, datagram(text), fragment=0x2000),
        "wrongsum": lambda: ip4(17, datagram(text), wrong=0x0101),
        "syn": lambda: segment(int(number) - 1, b"", 0x02),
        "segment": lambda: segment(int(number), text),
        "badsegment": lambda: segment(int(number), text, wrong=0x0101),
    }[packet]()
    return WRAPS[wrap or "plain"](made)


def main():
    args = sys.argv[1:]
    device, to = "veth0", "020000000001"
    while args[0].startswith("--"):
        if args[0] == "--dev":
            device = args[1]
        else:
            to = args[1].replace(":", "")
        args = args[2:]
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as wire:
        wire.bind((device, 0))
        for one in " ".join(args).split(" / "):
            name, _, text = one.partition(" ")
            wire.send(bytes.fromhex(to) + SOURCE + frame(name, text.encode()))


main()
