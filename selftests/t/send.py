#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Packets of odd shapes, from the client of ns_pair to its server, by scapy.

    send.py SHAPE [TEXT]... [/ SHAPE [TEXT]...]...
    send.py -       the same by lines on stdin; says "sent" after each

A SHAPE is the name of a function below, TEXT its payload. One process sends them all:
to start scapy takes longer than all the rest.
"""

import logging
import sys

logging.getLogger("scapy").setLevel(logging.ERROR)
# pylint: disable=wrong-import-position
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP, fragment  # noqa: E402
from scapy.layers.inet6 import (  # noqa: E402
    IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, PadN, fragment6)
from scapy.layers.l2 import Ether  # noqa: E402
from scapy.packet import Raw  # noqa: E402
from scapy.config import conf  # noqa: E402

L2 = Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:01")
V4 = L2 / IP(src="10.0.0.2", dst="10.0.0.1")
V6 = L2 / IPv6(src="fd00::2", dst="fd00::1")
PORTS = {"sport": 1234, "dport": 9999}


def ip_options(text):
    return [L2 / IP(src="10.0.0.2", dst="10.0.0.1", options=[IPOption_NOP()] * 40)
            / UDP(**PORTS) / text]


def tcp_options(text):
    return [V4 / TCP(**PORTS, flags="A", options=[("NOP", None)] * 40) / text]


def syn_data(text):
    return [V4 / TCP(**PORTS, flags="S") / text]


def tcp_empty(_):
    return [V4 / TCP(**PORTS, flags="A")]


def tcp_urgent(text):
    return [V4 / TCP(**PORTS, flags="UA", urgptr=3) / text]


def extensions(text, number=3):
    packet = V6 / IPv6ExtHdrHopByHop(options=[PadN(optdata=b"\0" * 4)])
    for _ in range(number - 1):
        packet = packet / IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0" * 4)])
    return [packet / UDP(**PORTS) / text]


def atomic_fragment(text):
    """A fragment header on what is whole."""
    return [V6 / IPv6ExtHdrFragment(id=7) / UDP(**PORTS) / text]


def trailer(text):
    """Bytes past the IP header's length: padding of the link, not payload."""
    return [Raw(bytes(V4 / UDP(**PORTS) / "x") + text.encode())]


def udp_behind(text):
    """Bytes past the UDP header's length: no receiver reads them."""
    return [V4 / UDP(**PORTS, len=9) / ("x" + text)]


def icmp(text):
    return [V4 / ICMP(type=13) / text]


def sctp(text):
    return [L2 / IP(src="10.0.0.2", dst="10.0.0.1", proto=132)
            / Raw(b"\x04\xd2\x27\x0f" + text.encode())]


def too_deep(text):
    return extensions(text, 9)


def tcp_short(_):
    return [L2 / IP(src="10.0.0.2", dst="10.0.0.1", proto=6) / Raw(b"\0" * 12)]


def tcp_offset(text):
    return [V4 / TCP(**PORTS, flags="A", dataofs=15) / text]


def tcp_offset_low(text):
    return [V4 / TCP(**PORTS, flags="A", dataofs=3) / text]


def udp_lies(text):
    return [V4 / UDP(**PORTS, len=2000) / text]


def udp_lies_low(text):
    return [V4 / UDP(**PORTS, len=3) / text]


def udp_short(_):
    return [L2 / IP(src="10.0.0.2", dst="10.0.0.1", proto=17) / Raw(b"\0" * 5)]


def extension_lies(text):
    return [V6 / IPv6ExtHdrDestOpt(len=200, options=[PadN(optdata=b"\0" * 4)])
            / UDP(**PORTS) / text]


def fragments(text):
    return fragment(V4 / UDP(**PORTS) / (text + "." * 40), fragsize=24)


def fragments6(text):
    return fragment6(V6 / IPv6ExtHdrFragment(id=9) / UDP(**PORTS)
                     / (text + "." * 1300), 700)


def fragments6_behind(text):
    """Their header does not say what the fragments hold: options come first."""
    return fragment6(V6 / IPv6ExtHdrFragment(id=10)
                     / IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0" * 4)])
                     / UDP(**PORTS) / (text + "." * 1300), 700)


def udp6_zero(text):
    """No length of its own: over IPv6 Linux takes it for all that there is."""
    return [V6 / UDP(**PORTS, len=0) / text]


def send(socket, args):
    while args:
        end = args.index("/") if "/" in args else len(args)
        shape, *texts = args[:end]
        for text in texts or [""]:
            for packet in globals()[shape](text):
                socket.send(packet)
        args = args[end + 1:]


def main(args):
    socket = conf.L2socket(iface="veth0")
    if args != ["-"]:
        send(socket, args)
        return
    for line in sys.stdin:
        send(socket, line.split())
        print("sent", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
