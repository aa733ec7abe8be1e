#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Cases of attacks.sh; see raw_tcp.py.

    attacks.py PATTERNS
"""

import socket
import sys
import time

import raw_tcp
from raw_tcp import (ACK, DROP, GAP_DROP, PSH, SKIP_DROP, STREAM, SYN, Attachment, Connection,
                     Receiver, Wire, is_)

W = Wire()
PATTERNS = int(sys.argv[1])
STRICT = DROP | STREAM | GAP_DROP | SKIP_DROP | 1 << 15
HALVES = (b"..atta", b"ck..")
SERVER = socket.inet_aton("10.0.0.1")


def flood(number, flags, receiver):
    """Segments of @number directions from addresses of others; with data two of each."""
    own = raw_tcp.V4
    for i in range(number):
        if i % 50000 == 0:
            raw_tcp.V4 = socket.inet_aton(f"10.9.0.{i // 50000 + 1}") + SERVER
        if i % 1000 == 0:
            receiver.drain()
        c = Connection(W, port=1000 + i % 50000)
        if flags == SYN:
            c.send(0, flags=SYN)
        else:
            c.send(0, b"x")
            c.send(1, b"x")
    raw_tcp.V4 = own
    receiver.drain()
    receiver.segments.clear()


def begin(number, receiver):
    """Connections that have sent the first half of a pattern."""
    opened = []
    for i in range(number):
        c = Connection(W).open()
        c.send(0, HALVES[0], flags=ACK | PSH)
        opened.append(c)
        if i % 100 == 0:
            receiver.drain()
    receiver.drain()
    return opened


def finish(opened, receiver):
    """The second halves. Return: how many patterns arrived, and how many first halves."""
    for i, c in enumerate(opened):
        c.send(len(HALVES[0]), HALVES[1], flags=ACK | PSH)
        if i % 100 == 0:
            receiver.drain()
    streams = [receiver.stream(c, 64) for c in opened]
    return (sum(b"attack" in stream for stream in streams),
            sum(stream.startswith(HALVES[0]) for stream in streams))


def attach():
    return Attachment(W, "s", STRICT, report=False, nports=1, ports=[80] + [0] * 15)


def case_flood():
    with attach() as a:
        r = Receiver()
        opened = begin(PATTERNS, r)
        flood(60000, SYN, Receiver())
        passed, honest = finish(opened, r)
        is_(f"60000 SYNs: of {PATTERNS} patterns none passes", 0, passed)
        is_("and all connections kept their slots", PATTERNS, honest)
        print(f"# evicted {a.figure('flow_evictions')}")


def case_pause():
    with open(raw_tcp.PARAMETERS + "flow_idle", "r+", encoding="ascii") as parameter:
        before = parameter.read()
        parameter.write("1")
        parameter.flush()
        with attach():
            r = Receiver()
            opened = begin(PATTERNS, r)
            time.sleep(1.5)
            for c in opened:
                c.send(len(HALVES[0]) - 1, flags=SYN)
            is_(f"a pause and a SYN: of {PATTERNS} patterns none passes", 0, finish(opened, r)[0])
        parameter.write(before)


def case_exhaustion():
    with attach() as a:
        r = Receiver()
        opened = begin(PATTERNS, r)
        flood(40000, ACK, Receiver())
        passed, honest = finish(opened, r)
        is_(f"80000 segments: of {PATTERNS} patterns none passes", 0, passed)
        is_("and all connections kept their slots", PATTERNS, honest)
        r = Receiver()
        passed, honest = finish(begin(PATTERNS, r), r)
        is_("nor of new connections", 0, passed)
        is_("of which 99 in 100 are served", True, honest >= PATTERNS * 99 // 100)
        print(f"# {honest} of {PATTERNS} served, {a.figure('skipped_table_full')} found no slot")


def case_desynchronisation():
    with attach():
        r = Receiver()
        opened = begin(PATTERNS, r)
        for c in opened:
            c.send(0x30000000, b"x")
        is_(f"a segment far ahead: of {PATTERNS} patterns none passes", 0, finish(opened, r)[0])
        for c in opened:
            c.send(len(HALVES[0]), b"attack")
        is_("nor whole ones behind it", 0,
            sum(b"attack" in r.stream(c, 64) for c in opened))


def main():
    case_flood()
    case_pause()
    case_exhaustion()
    case_desynchronisation()


main()
