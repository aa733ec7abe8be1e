#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Cases of evasion.sh, one function each; see raw_tcp.py.

    evasion.py CASE...
"""

import socket
import struct
import subprocess
import sys

import raw_tcp
from raw_tcp import (ACK, DROP, FIN, GAP_DROP, RAW, SKIP_DROP, STREAM, URG, V4, Attachment,
                  Connection, Receiver, Wire, frame, is_)

ATTACK, TAC, LONG = 2, 3, 4
NEEDLE = b"needle-in-the-pile"
HIT = [(TAC, 2), (ATTACK, 0)]
W = Wire()


def attach(flags=0, **fields):
    return Attachment(W, "s", STREAM | flags, **fields)


def nft(*words):
    subprocess.run(["nft", *words], check=True)


def transport(packet, v6=False):
    return packet[14 + (40 if v6 else 20):]


def fragments(packet, size, v6=False, ident=[0]):   # pylint: disable=dangerous-default-value
    """The packet in pieces of @size bytes, a multiple of 8."""
    data = transport(packet, v6)
    ident[0] += 1
    out = []
    for at in range(0, len(data), size):
        more = at + size < len(data)
        piece = data[at:at + size]
        if v6:
            head = struct.pack("!BBHI", 6, 0, at | more, ident[0])
            out.append(frame(44, head + piece, True))
        else:
            out.append(frame(6, piece, ident=ident[0], frag=at // 8 | more << 13))
    return out


def overlapping(packet, evil, v6=False):
    """Two copies of the same place, the second with other bytes, then the rest."""
    out = fragments(packet, 24, v6)
    other = fragments(evil, 24, v6)
    for i, piece in enumerate(other):
        # the same datagram as @packet
        if v6:
            other[i] = piece[:58] + out[0][58:62] + piece[62:]
        else:
            head = piece[14:18] + out[0][18:20] + piece[20:24] + b"\0\0" + piece[26:34]
            head = head[:10] + struct.pack("!H", raw_tcp.checksum(head)) + head[12:]
            other[i] = piece[:14] + head + piece[34:]
    return [out[0], out[1], other[1]] + out[2:]


def send_all(packets):
    for packet in packets:
        W.send(packet)


def split(c, cut, make):
    """A needle in two segments, each made into packets by @make."""
    send_all(make(c.packet(0, NEEDLE[:cut] if cut else b"")))
    send_all(make(c.packet(cut, NEEDLE[cut:])))


def case_fragments_alone():
    """Nothing puts them together: each is counted, none passes with --skip drop."""
    for v6 in (False, True):
        with attach() as a:
            packets = fragments(Connection(W, v6=v6).packet(0, NEEDLE), 8, v6)
            send_all(packets)
            is_(f"IPv{'6' if v6 else '4'}: fragments that no hook puts together: counted",
                ([], len(packets)), (a.found(), a.figure("skipped_fragment")))
            c, bad = Connection(W, v6=v6), Connection(W, v6=v6)
            packets = overlapping(c.packet(0, b"x" * 64), bad.packet(0, NEEDLE * 3), v6)
            before = a.figure("skipped_fragment")
            send_all(packets)
            is_("overlapping ones too", ([], len(packets)),
                (a.found(), a.figure("skipped_fragment") - before))
        with attach(SKIP_DROP) as a:
            r = Receiver()
            c = Connection(W, v6=v6).syn()
            packets = fragments(c.packet(0, NEEDLE), 16, v6)
            send_all(packets)
            a.found()
            is_("--skip drop: nothing arrives", (b"", len(packets)),
                (r.stream(c), a.figure("dropped_packets")))


def case_fragments_input():
    """The hook input is behind the receiver's reassembly; with IPv6 before it."""
    with attach(hook=1) as a:
        split(Connection(W).syn(), 9, lambda packet: fragments(packet, 8))
        is_("IPv4: at the hook input they are whole", [(LONG, 0)], a.found())
        packets = fragments(Connection(W, v6=True).packet(0, NEEDLE), 24, True)
        send_all(packets)
        is_("IPv6: there they are not yet: counted", ([], len(packets)),
            (a.found(), a.figure("skipped_fragment")))


def case_fragments_defrag():
    nft("add table inet defrag")
    nft("add chain inet defrag c { type filter hook input priority 0; }")
    nft("add rule inet defrag c ct state new counter")
    with attach(DROP) as a:
        for v6 in (False, True):
            missed = []
            for size in (24, 32, 40) if v6 else (8, 16, 24, 32):
                c = Connection(W, v6=v6).syn()
                split(c, 9, lambda packet, v6=v6, size=size: fragments(packet, size, v6))
                if a.found() != [(LONG, 0)]:
                    missed.append(size)
            is_(f"IPv{'6' if v6 else '4'}: two segments in fragments of all sizes, "
                "put together by conntrack", [], missed)
            c = Connection(W, v6=v6).syn()
            send_all(reversed(fragments(c.packet(0, NEEDLE), 24 if v6 else 8, v6)))
            is_("backwards", [(LONG, 0)], a.found())
        r = Receiver()
        c = Connection(W).syn()
        bad = Connection(W, port=c.port)
        send_all(overlapping(c.packet(0, b"x" * 64), bad.packet(0, NEEDLE * 3)))
        a.found()
        is_("overlapping ones: no pattern arrives", False, b"needle-in" in r.stream(c))
        r = Receiver(v6=True)
        c = Connection(W, v6=True).syn()
        bad = Connection(W, port=c.port, v6=True)
        send_all(overlapping(c.packet(0, b"x" * 64), bad.packet(0, NEEDLE * 3), True))
        a.found()
        is_("nor with IPv6", False, b"needle-in" in r.stream(c))
        is_("none was counted as a fragment", 0, a.figure("skipped_fragment"))
        # RFC 8200: the first one must hold all headers; no receiver takes others
        r = Receiver(v6=True)
        c = Connection(W, v6=True)
        send_all(fragments(c.packet(0, NEEDLE), 8, True))
        is_("IPv6: TCP's header in two fragments: nothing arrives", ([], b""),
            (a.found(), r.stream(c)))
    nft("delete table inet defrag")


def with_options(packet, options):
    """IPv4 options in its header."""
    head = packet[14:34]
    head = bytes([0x45 + len(options) // 4]) + head[1:2] + \
        struct.pack("!H", len(packet) - 14 + len(options)) + \
        head[4:10] + b"\0\0" + head[12:] + options
    head = head[:10] + struct.pack("!H", raw_tcp.checksum(head)) + head[12:]
    return packet[:14] + head + packet[34:]


def extended(packet, chain):
    """Extension headers of these types, eight bytes each, before TCP."""
    data = transport(packet, True)
    for i, kind in reversed(list(enumerate(chain))):
        following = chain[i + 1] if i + 1 < len(chain) else 6
        if kind == 44:
            head = struct.pack("!BBHI", following, 0, 0, 7)
        elif kind == 43:
            head = struct.pack("!BBBBI", following, 0, 0, 0, 0)
        else:
            head = bytes([following, 0, 1, 4, 0, 0, 0, 0])
        data = head + data
    return [frame(chain[0], data, True)]


def case_headers():
    with attach() as a:
        missed = []
        for chain in ([0], [60], [0, 60], [44], [0, 60, 44, 60]):
            c = Connection(W, v6=True).syn()
            split(c, 9, lambda packet, chain=chain: extended(packet, chain))
            if a.found() != [(LONG, 0)]:
                missed.append(chain)
        is_("IPv6 extension headers before each segment", [], missed)
        c = Connection(W, v6=True).syn()
        send_all(extended(c.packet(0, NEEDLE), [0] + [60] * 8))
        is_("too many of them: counted", ([], 1), (a.found(), a.figure("skipped_too_deep")))

        c = Connection(W).syn()
        c.send(0, NEEDLE[:9], options=b"\1" * 40)
        c.send(9, NEEDLE[9:], options=b"\x08\x0a" + b"\0" * 8 + b"\1\1")
        is_("TCP options", [(LONG, 0)], a.found())

        c = Connection(W).syn()
        split(c, 9, lambda packet: [with_options(packet, b"\1" * 40)])
        is_("IP options", [(LONG, 0)], a.found())


def read_all(server):
    """The bytes of the next connection, up to its end."""
    peer, _ = server.accept()
    peer.settimeout(5)
    text = b""
    while part := peer.recv(100):
        text += part
    return text


def case_pointer():
    """To the system's own receiver: the urgent pointer arrives before the urgent byte."""
    answers = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    server = socket.create_server(("10.0.0.1", 80))
    for one in (answers, server):
        one.settimeout(5)
    # an unused address: a host that has it would answer with an RST
    raw_tcp.V4 = socket.inet_aton("10.0.0.77") + socket.inet_aton("10.0.0.1")
    with attach(DROP | GAP_DROP) as a:
        c = Connection(W).syn()
        while (answer := answers.recv(100))[34:38] != struct.pack("!HH", 80, c.port):
            pass
        c.ack = struct.unpack_from("!I", answer, 38)[0] + 1
        c.send(0, b"needle-in")
        W.send(with_options(c.packet(9, flags=ACK | URG, urgent=1), b"\7\7\4\0\0\0\0\1"))
        c.send(9, b".-the-pile", flags=ACK | FIN)
        is_("an urgent pointer where not all take it does not get through",
            ([], 1, b"needle-in.-the-pile"),
            (a.found(), a.figure("skipped_gap"), read_all(server)))
    raw_tcp.V4 = V4


def tagged(*tags):
    head = b"".join(struct.pack("!HH", proto, vid) for proto, vid in tags)
    return lambda packet: [packet[:12] + head + packet[12:]]


def case_vlan():
    with attach(DROP | GAP_DROP) as a:
        r = Receiver()
        for desc, tags in (("a VLAN", [(0x8100, 5)]), ("QinQ", [(0x88a8, 7), (0x8100, 8)]),
                           ("a priority tag", [(0x8100, 0)])):
            for v6 in (False, True):
                c = Connection(W, v6=v6).syn()
                split(c, 9, tagged(*tags))
                found = a.found()
                is_(f"{desc}, IPv{'6' if v6 else '4'}", [(LONG, 0)], found)
                if not v6:
                    is_("what completes the pattern does not arrive", NEEDLE[:9], r.stream(c))


def case_protocols():
    with attach() as a:
        before = a.figure("skipped_protocol")
        for proto in (136, 132, 33, 47, 253):
            W.send(frame(proto, struct.pack("!HHHH", 1, 80, 8, 0) + NEEDLE))
        is_("UDP-Lite, SCTP, DCCP, GRE and a protocol without a name: counted", ([], 5),
            (a.found(), a.figure("skipped_protocol") - before))
    with attach(RAW) as a:
        for v6 in (False, True):
            for proto in (136, 132, 33, 47, 253):
                W.send(frame(proto, struct.pack("!HHHH", 1, 80, 8, 0) + NEEDLE, v6))
        is_("--raw: all past the IP header", [(LONG, 8)] * 10, a.found())


def case_bad():
    """Headers with wrong lengths: counted, and no segment of a stream."""
    with attach() as a:
        c = Connection(W).syn()
        c.send(0, NEEDLE[:9])
        packet = c.packet(9, NEEDLE[9:])
        W.send(packet[:46] + b"\xf0" + packet[47:])     # data offset past the end
        W.send(packet[:46] + b"\x10" + packet[47:])     # and inside of the header
        c.send(9, NEEDLE[9:])
        is_("a wrong data offset does not move a stream", ([(LONG, 0)], 2),
            (a.found(), a.figure("skipped_truncated")))


def main():
    for name in sys.argv[1:] or [name[5:] for name in globals() if name.startswith("case_")]:
        globals()["case_" + name]()


if __name__ == "__main__":
    main()
