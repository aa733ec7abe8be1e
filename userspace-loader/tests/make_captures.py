#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes the captures of capture.sh in a folder: make_captures.py FOLDER

The needle is in payloads where it must be found, and in headers, padding, fragments
and foreign protocols where it must not. "want" lists packet and offset of each that must.
"""
import gzip
import os
import struct
import sys

NEEDLE = b"needle"
SRC4, DST4 = bytes([10, 0, 0, 2]), bytes([10, 0, 0, 1])
SRC6, DST6 = bytes(15) + b"\2", bytes(15) + b"\1"
packets = []        # (IP packet or None, where the needle is or None, name)


def tcp(payload, options=b""):
    words = 5 + len(options) // 4
    return struct.pack(">HHIIBBHHH", 4000, 80, 1, 1, words << 4, 0x18, 512, 0, 0) + options + payload


def udp(payload, length=None):
    return struct.pack(">HHHH", 4000, 53, 8 + len(payload) if length is None else length, 0) + payload


def ip4(protocol, body, options=b"", fragment=0, total=None):
    words = 5 + len(options) // 4
    total = words * 4 + len(body) if total is None else total
    head = struct.pack(">BBHHHBBH4s4s", 0x40 | words, 0, total, 1, fragment, 64, protocol, 0,
                       SRC4, DST4) + options
    # a kernel that receives it checks the header's checksum
    check = sum(struct.unpack(f">{words * 2}H", head))
    check = (check & 0xffff) + (check >> 16)
    check = ~((check & 0xffff) + (check >> 16)) & 0xffff
    return head[:10] + struct.pack(">H", check) + head[12:] + body


def ip6(protocol, body, length=None):
    return struct.pack(">IHBB16s16s", 6 << 28, len(body) if length is None else length, protocol, 64,
                       SRC6, DST6) + body


def add(packet, at=None):
    packets.append((packet, at))


text = b"one " + NEEDLE
add(ip4(6, tcp(text)), 4)
add(ip4(17, udp(text)), 4)
add(ip6(6, tcp(text)), 4)
add(ip6(17, udp(text)), 4)
add(ip4(6, tcp(text, b"\x01" * 4 + b"NEEDLE\0\0".lower())), 4)          # TCP options
add(ip4(6, tcp(text), b"\x01" * 8), 4)                                  # IP options
add(ip4(6, tcp(b"short")) + NEEDLE)                                     # padding
add(ip4(17, udp(b"short" + NEEDLE, 13)))                                # past UDP's length
add(ip4(6, tcp(text), fragment=0x2000))                                 # first fragment
add(ip4(6, text, fragment=0x0004))                                      # a later one
add(ip6(44, struct.pack(">BBHI", 6, 0, 0x0001, 7) + tcp(text)))         # IPv6 fragment
add(ip6(44, struct.pack(">BBHI", 6, 0, 0x0000, 7) + tcp(text)), 4)      # one that is whole
add(ip6(0, bytes([60, 0]) + bytes(6) + bytes([43, 0]) + bytes(6) +
        bytes([6, 0]) + bytes(6) + tcp(text)), 4)                       # three extension headers
add(ip6(51, bytes([6, 1]) + bytes(10) + tcp(text)), 4)                  # authentication header
deep = b"".join(bytes([60, 0]) + bytes(6) for _ in range(20)) + tcp(text)
add(ip6(60, deep))                                                      # too many of them
add(ip4(1, b"\x08\0\0\0\0\0\0\0" + text))                               # ICMP
add(ip4(6, tcp(text)[:15]))                                             # TCP header cut
add(ip4(6, tcp(text), total=10))                                        # lying total length
add(ip4(6, tcp(text), total=0), 4)                                      # segmentation offload
add(ip4(6, tcp(b"")))                                                   # no payload
add(ip4(6, tcp(NEEDLE * 2)), 0)
add(b"\x00" * 40)                                                       # no IP at all
add(ip6(6, tcp(text)[:19], 19))
add(ip4(17, udp(text, 4000)))                                           # UDP length past the packet


def ethernet(packet):
    kind = b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00" if packet[0] >> 4 == 4 else b"\x08\x06"
    return b"\2\0\0\0\0\1\2\0\0\0\0\2" + kind + packet


def tagged(packet, *tags):
    frame = ethernet(packet)
    return frame[:12] + b"".join(struct.pack(">HH", t, 7) for t in tags) + frame[12:]


def ppp(packet):
    return {4: b"\x00\x21", 6: b"\x00\x57"}.get(packet[0] >> 4, b"\xc0\x21") + packet


def pppoe(packet):
    return struct.pack(">BBHH", 0x11, 0, 1, len(packet) + 2) + ppp(packet)


def cooked(link, packet):
    """As LINUX_SLL2 has it: the frame's type comes first."""
    frame = LINKS[link][1](packet)
    return frame[12:14] + bytes(18) + frame[14:]


def llc(packet):
    return b"\xaa\xaa\3\0\0\0" + ethernet(packet)[12:]


def wifi(packet, control=b"\x08\x02", more=b""):
    """A data frame from an access point; more: what follows its sequence control."""
    return control + bytes(22) + more + llc(packet)


def radiotap(frame, fields=b"", present=0):
    return struct.pack("<BBHI", 0, 0, 8 + len(fields), present) + fields + frame


def nflog(packet, order="<", before=((1, bytes(4)), (10, b"needle\0"))):
    """netfilter's log: a prefix that is not searched, then the packet."""
    frame = struct.pack(">BBH", 2, 0, 7)
    for kind, value in (*before, (9, packet)):
        frame += struct.pack(order + "HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)
    return frame


LINKS = {
    "ethernet": (1, ethernet),
    "vlan": (1, lambda p: tagged(p, 0x8100)),
    "qinq": (1, lambda p: tagged(p, 0x88a8, 0x8100)),
    "pppoe": (1, lambda p: tagged(p, 0x8100)[:16] + b"\x88\x64" + pppoe(p)),
    "mpls": (1, lambda p: ethernet(p)[:12] + bytes.fromhex("8847" "00010040" "00020140") + p),
    "raw": (101, lambda p: p),
    "sll": (113, lambda p: bytes(14) + ethernet(p)[12:]),
    "sll2": (276, lambda p: cooked("ethernet", p)),
    "sll2qinq": (276, lambda p: cooked("qinq", p)),
    "sll2pppoe": (276, lambda p: b"\x88\x64" + bytes(18) + pppoe(p)),
    "sll2mpls": (276, lambda p: cooked("mpls", p)),
    "null": (0, lambda p: b"\2\0\0\0" + p),
    "ppp": (9, lambda p: b"\xff\x03" + ppp(p)),
    "pppbare": (9, ppp),
    "pppshort": (9, lambda p: ppp(p)[ppp(p)[0] == 0:]),
    "serial": (50, lambda p: b"\xff\x03" + ppp(p)),
    "pppether": (51, pppoe),
    "wifi": (105, wifi),
    "wifiqos": (105, lambda p: wifi(p, b"\x88\x02", bytes(2))),
    "wifibridge": (105, lambda p: wifi(p, b"\x88\x83", bytes(12))),
    "radiotap": (127, lambda p: radiotap(wifi(p))),
    "radiotappad": (127, lambda p: radiotap(wifi(p, b"\x88\x02", bytes(4)), bytes(8) + b"\x20", 3)),
    "radiotapmore": (127, lambda p: radiotap(wifi(p, b"\x88\x02", bytes(4)),
                                             struct.pack("<I", 0) + b"\x20", 0x80000002)),
    "nflog": (239, nflog),
    "nflogbig": (239, lambda p: nflog(p, ">")),
}


def main():
    folder = sys.argv[1]
    for name, (link, wrap) in LINKS.items():
        with open(os.path.join(folder, name + ".pcap"), "wb") as f:
            f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, link))
            for number, (packet, _) in enumerate(packets):
                frame = wrap(packet)
                f.write(struct.pack("<IIII", number, 0, len(frame), len(frame)) + frame)
    with open(os.path.join(folder, "ethernet.pcap"), "rb") as f:
        data = f.read()
    with gzip.GzipFile(os.path.join(folder, "zipped.pcap.gz"), "wb", mtime=0) as f:
        f.write(data)
    # of each link type the first packet, cut everywhere before the IP header has a byte
    for name, (link, wrap) in LINKS.items():
        with open(os.path.join(folder, name + "-short.pcap"), "wb") as f:
            f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, link))
            frame = wrap(packets[0][0])
            count = len(frame) - len(packets[0][0]) + 1
            for size in range(count):
                f.write(struct.pack("<IIII", 0, 0, size, len(frame)) + frame[:size])
        with open(os.path.join(folder, name + "-short.count"), "w") as f:
            print(count, file=f)
    # a frame of the one version's type with the other one's packet: no receiver takes it
    with open(os.path.join(folder, "mismatch.pcap"), "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for packet in packets[0][0], packets[2][0]:
            frame = ethernet(packet)
            frame = frame[:12] + (b"\x08\x00" if frame[12:14] != b"\x08\x00" else b"\x86\xdd") + packet
            f.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)
    with open(os.path.join(folder, "cut.pcap"), "wb") as f:
        f.write(data[:-5])
    with open(os.path.join(folder, "cut.pcap.gz"), "wb") as f, \
         open(os.path.join(folder, "zipped.pcap.gz"), "rb") as g:
        f.write(g.read()[:-20])
    with open(os.path.join(folder, "link.pcap"), "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 195))
    # 60 bytes of each frame are there
    with open(os.path.join(folder, "snap.pcap"), "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 60, 1))
        frame = ethernet(ip4(6, tcp(b"needle, needle")))
        f.write(struct.pack("<IIII", 0, 0, 60, len(frame)) + frame[:60])
    with open(os.path.join(folder, "want"), "w") as f:
        for number, (packet, at) in enumerate(packets, 1):
            while at is not None:
                f.write(f"{number} {at}\n")
                # the one packet with two
                at = at + 6 if packet.endswith(NEEDLE * 2) and at == 0 else None


if __name__ == "__main__":
    main()
