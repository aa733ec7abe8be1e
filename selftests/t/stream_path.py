#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Cases of stream_path.sh, one function each; see raw_tcp.py.

    stream_path.py SET.nfac CASE...
"""

import ctypes
import fcntl
import os
import select
import socket
import struct
import sys
from socket import inet_pton

import device
import raw_tcp
from raw_tcp import GAP_DROP, REPORT, STREAM, Attachment, Connection, Receiver, Wire, is_

FORWARD, OUTPUT, POSTROUTING = 2, 3, 4
ATTACK, TAC = 2, 3
HIT = [(TAC, 2), (ATTACK, 0)]       # in the order of their ends
SOL_PACKET, PACKET_VNET_HDR = 263, 15
NEEDS_CSUM = 1
UDP_SEGMENT = 103
SIOCETHTOOL, ETHTOOL_SGRO = 0x8946, 0x2c


def stands_in(w, attachments, v6=False, how=None):
    """Of each attachment: what is found where other bytes came first, with a wrong checksum."""
    c = Connection(w, v6=v6).syn()
    c.send(0, b"att")
    (how or w.send)(c.packet(3, b"xyz", bad=True))
    c.send(3, b"ack")
    return [a.found() for a in attachments]


def case_forward():
    raw_tcp.V4 = inet_pton(socket.AF_INET, "10.0.0.2") + inet_pton(socket.AF_INET, "10.0.1.2")
    raw_tcp.V6 = inet_pton(socket.AF_INET6, "fd00::2") + inet_pton(socket.AF_INET6, "fd01::2")
    w = Wire()
    for hook, name in ((FORWARD, "forward"), (POSTROUTING, "postrouting")):
        with Attachment(w, "s", STREAM | GAP_DROP, hook=hook) as one:
            is_(f"{name}: bytes of a wrong checksum replace none", [[HIT], [HIT]],
                [stands_in(w, [one], v6) for v6 in (False, True)])
            with Attachment(w, "s", STREAM | GAP_DROP, hook=hook, priority=-189) as two:
                is_("nor behind another attachment", [[HIT, HIT], [HIT, HIT]],
                    [stands_in(w, [one, two], v6) for v6 in (False, True)])


def case_partial():
    raw_tcp.V4 = inet_pton(socket.AF_INET, "10.0.0.2") + inet_pton(socket.AF_INET, "10.0.0.1")
    w, raw = Wire(), Wire()
    raw.sockets[0].setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)

    def elsewhere(packet):
        raw.send(struct.pack("<BBHHHH", NEEDS_CSUM, 0, 0, 0, 34, 18) + packet)

    with Attachment(w, "s", STREAM | GAP_DROP) as a:
        is_("a checksum to be written in another place leaves TCP's wrong", [HIT],
            stands_in(w, [a], how=elsewhere))
        # this machine trusts the sender's request, others do not: to assume either is wrong
        r, before = Receiver(), a.figures("skipped_gap", "dropped_packets")
        c = Connection(w).syn()
        c.send(0, b"att")
        elsewhere(c.packet(3, b"ack", bad=True))
        a.found()
        after = a.figures("skipped_gap", "dropped_packets")
        is_("what only some receivers take is a gap", ((1, 1), b"att"),
            (tuple(y - x for x, y in zip(before, after)), r.stream(c)))


def gro_off(name):
    """Segments that are held back to be merged are overtaken by the datagram at the end."""
    value = ctypes.create_string_buffer(struct.pack("II", ETHTOOL_SGRO, 0))
    request = struct.pack("16sP16x", name.encode(), ctypes.addressof(value))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, SIOCETHTOOL, request)


def case_tunnel():
    gro_off("vxlan0")
    raw_tcp.V4 = inet_pton(socket.AF_INET, "10.0.2.2") + inet_pton(socket.AF_INET, "10.0.2.1")
    w = Wire("vxlan0")
    with Attachment(w, "s", STREAM | GAP_DROP, iif="vxlan0") as a:
        is_("out of a tunnel, whose own checksum is right", [HIT], stands_in(w, [a]))


def case_segments():
    """In the client's namespace: datagrams of 100 bytes, in one packet of the tunnel's."""
    fd = device.open_device(os.O_RDWR | os.O_NONBLOCK)
    result, answer = device.call(fd, "ATTACH", device.attach_bytes("s", flags=REPORT, hook=OUTPUT,
                                                                   oif="veth0"))
    assert result == "ok", result
    device.call(fd, "SUBSCRIBE", device.NAME.pack(device.NAME.size, 1, b"", 0, 0))
    large = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    large.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 100)
    lines = []
    for at in (10, 47):
        large.sendto(b"." * at + b"attack" + b"." * (294 - at), ("10.0.2.1", 9999))
        events = []
        while not any(e[6] == ATTACK for e in events) and select.select([fd], [], [], 3)[0]:
            events += device.EVENT.iter_unpack(os.read(fd, device.EVENT.size * 64))
        lines.append(f"{at} {'found' if any(e[6] == ATTACK for e in events) else 'missed'}")
    device.call(fd, "DETACH", device.DETACH.pack(device.DETACH.size, 1,
                                                 struct.unpack_from("=I", answer, 40)[0], 0))
    print(", ".join(lines))


if __name__ == "__main__":
    for case in sys.argv[2:]:
        globals()["case_" + case]()
