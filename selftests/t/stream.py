#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Cases of stream.sh, one function each; see raw_tcp.py.

    stream.py SET.nfac CASE...      (all of them without a CASE)
"""

import os
import sys

import queue_parity
import raw_tcp
from raw_tcp import (ACK, DROP, FIN, GAP_DROP, GAP_PASS, MARK, PICKUP, RST, SKIP_DROP, STREAM,
                  SYN, URG, Attachment, Connection, Receiver, Wire, is_)

ATTACK, TAC, LONG = 2, 3, 4
WORD = b"attack"
HIT = [(TAC, 2), (ATTACK, 0)]       # in the order of their ends
SIGNATURE = b"\x13\x12" + bytes(16) + b"\1\1"     # RFC 2385
W = Wire()
BLOB = sys.argv[1]


def at(offset):
    return [(pattern, start + offset) for pattern, start in HIT]


def attach(flags=0, **fields):
    return Attachment(W, "s", STREAM | flags, **fields)


def case_cuts():
    """A pattern cut in two and three, at every position, byte by byte."""
    for v6 in (False, True):
        with attach() as a:
            missed = []
            for cut in range(1, 6):
                c = Connection(W, v6=v6).syn()
                c.send(0, WORD[:cut])
                c.send(cut, WORD[cut:])
                if a.found() != HIT:
                    missed.append(cut)
            is_(f"IPv{'6' if v6 else '4'}: two segments, cut at every position", [], missed)
            for one in range(1, 5):
                for two in range(one + 1, 6):
                    c = Connection(W, v6=v6).syn()
                    c.send(0, WORD[:one])
                    c.send(one, WORD[one:two])
                    c.send(two, WORD[two:])
                    if a.found() != HIT:
                        missed.append((one, two))
            is_("three segments, cut at every position", [], missed)
            c = Connection(W, v6=v6)
            text = b"GET /" + WORD + b"/" + WORD + b" HTTP/1.1\r\n"
            for i in range(len(text)):
                c.send(i, text[i:i + 1])
            is_("one byte a segment, picked up without a SYN", at(5) + at(12), a.found())
            is_("nothing was sent again, nothing was missing", (0, 0),
                a.figures("retransmitted_bytes", "skipped_gap"))


def case_offsets():
    with attach() as a:
        c = Connection(W).syn()
        c.send(0, b"0123456789att")
        c.send(13, b"ack and more")
        events = a.events()
        is_("offset from the segment, negative where it began before",
            [(TAC, -1), (ATTACK, -3)], [(e[6], e[3]) for e in events])
        is_("and from the stream's first byte", [(TAC, 12), (ATTACK, 10)],
            [(e[6], e[4]) for e in events])


def case_again():
    """Bytes sent again are not scanned again, in part or in whole."""
    with attach() as a:
        c = Connection(W).syn()
        c.send(0, b"..att")
        c.send(0, b"..att")
        c.send(2, b"att")
        c.send(5, b"ack")
        c.send(5, b"ack")
        c.send(0, b"..attack")
        is_("sent again in part and in whole: reported once", at(2), a.found())
        is_("what came again is counted", 5 + 3 + 3 + 8, a.figure("retransmitted_bytes"))
        c.send(4, b"tack attack")
        is_("part old, part new: the new part is scanned", at(9), a.found())
        is_("bytes are counted once", 15, a.figure("bytes") - 2 * len(raw_tcp.END))
        c = Connection(W).syn()
        c.send(0, b"att")
        c.send(0, b"xyzack")
        is_("other bytes at an old place: the first ones count", HIT, a.found())
        c = Connection(W).syn()
        c.send(0, b"xyz")
        c.send(0, b"attack")
        is_("and the later ones do not", [], a.found())
        c = Connection(W).syn()
        c.send(0, b"x" * 100 + b"att")
        c.send(102, b"t")
        c.send(102, b"")
        c.send(103, b"ack")
        is_("a keepalive, with a byte and without", at(100), a.found())
        c.send(106, b"a")
        for _ in range(3):
            c.send(106, b"a")
        c.send(107, b"ttack")
        is_("zero-window probes", at(106), a.found())


def case_gaps():
    """Out of order and missing, with each policy."""
    with attach() as a:
        c = Connection(W).syn()
        c.send(0, b"att")
        c.send(10, b"attack")
        c.send(16, b"..att")
        c.send(21, b"ack")
        is_("restart: a match behind a gap is found", at(10) + at(18), a.found())
        is_("the gap is counted once", 1, a.figure("skipped_gap"))
        c.send(3, b"attack.")
        is_("what fills it is scanned, not taken for old", at(3), a.found())
        is_("and counted", 2, a.figure("skipped_gap"))
        c.send(3, b"attack.")
        is_("what is sent again is not found again, or found", True,
            a.found() in ([], at(3)))
        c = Connection(W)
        c.send(100, b"start of what we see")
        c.send(90, b"attack...." + b"start of")
        is_("before what we saw first", at(-10), a.found())
        c.send(120, b" attack")
        is_("and the stream goes on", at(21), a.found())
    with attach(GAP_PASS) as a:
        c = Connection(W).syn()
        c.send(0, b"attack")
        c.send(10, b"attack")
        c.send(6, b"attack")
        c.send(16, b"attack")
        is_("pass: found before the gap alone", HIT, a.found())
        is_("each segment that was not scanned is counted", 3, a.figure("skipped_gap"))
        other = Connection(W).syn()
        other.send(0, b"attack")
        is_("another connection is scanned", HIT, a.found())
    with attach(GAP_PASS | SKIP_DROP) as a:
        r = Receiver()
        c = Connection(W).syn()
        c.send(0, b"good ")
        c.send(10, b"behind")
        c.send(5, b"after")
        a.found()
        is_("pass, and --skip drop: dropped from the gap on", (b"good ", 2),
            (r.stream(c), a.figure("dropped_packets")))
    with attach(GAP_DROP) as a:
        r = Receiver()
        c = Connection(W).syn()
        c.send(0, b"att")
        c.send(6, b"...")
        c.send(3, b"ack")
        is_("drop: in order after all, and found", HIT, a.found())
        is_("what came too early was dropped", (1, 1, b"attack"),
            (*a.figures("skipped_gap", "dropped_packets"), r.stream(c)))
        c.send(6, b"...")
        c.send(9, b"attack")
        is_("what comes again in order passes", (at(9), b"attack...attack"),
            (a.found(), r.stream(c)))
        c.send(-1, b"\0")
        c.send(-20, b"twenty bytes before..")
        a.found()
        is_("a segment before a stream's first byte does not", 3, a.figure("skipped_gap"))
        c = Connection(W).syn()
        c.send(-1, b"\0")
        c.send(-1, b"\0")
        c.send(0, b"attack")
        is_("a keepalive before there is any does", (HIT, 3),
            (a.found(), a.figure("skipped_gap")))


def case_wrap():
    with attach() as a:
        missed = []
        for isn in range(0xffffffff - 8, 0xffffffff + 1):
            c = Connection(W, isn=isn).syn()
            c.send(0, b"..att")
            c.send(3, b"tta")
            c.send(5, b"ack..")
            if a.found() != at(2):
                missed.append(hex(isn))
        is_("sequence numbers that wrap, at every byte", [], missed)
        c = Connection(W, isn=0x7ffffff0).syn()
        for i in range(0, 48, 3):
            c.send(i, (b"att", b"ack")[i // 3 % 2])
        is_("and that change their sign", sum((at(i) for i in range(0, 48, 6)), []), a.found())
        is_("without a gap", 0, a.figure("skipped_gap"))


def case_drop():
    """What was dropped once is dropped each time."""
    for gap, name in ((0, "restart"), (GAP_DROP, "gap drop")):
        with attach(DROP | gap) as a:
            r = Receiver()
            c = Connection(W).syn()
            c.send(0, b"..att")
            c.send(5, b"ack..")
            is_(f"{name}: the segment that completes the pattern is dropped", (at(2), b"..att"),
                (a.found(), r.stream(c)))
            ends = W.ends
            c.send(10, b"later")
            c.send(5, b"ack..")
            c.send(0, b"..attack..later")
            c.send(2, b"attack")
            c.send(7, b"k")
            c.send(5, b"ac")
            c.send(7, b"k..later")
            is_("in whatever pieces it is sent again, and reported once", ([], b"..att"),
                (a.found(), r.stream(c)))
            # the end's mark matches too
            is_("each time", 7 + 1 + W.ends - ends, a.figure("dropped_packets"))
    with attach(DROP | GAP_DROP) as a:
        r = Receiver()
        c = Connection(W).syn()
        c.send(0, b"GET ")
        c.send(4, b"harmless attack")
        c.send(4, b"tac /etc/passwd")
        c.send(4, b"tac")
        c.send(10, b"bytes behind it")
        c.send(19, b"other")
        a.found()
        is_("gap drop: other bytes instead of what was dropped are, too", b"GET ", r.stream(c))
        c.send(19, flags=RST)
        c.send(4, flags=SYN)
        c.send(4, b"tac")
        a.found()
        is_("and behind an end that the receiver does not take", b"GET ", r.stream(c))
    with attach(MARK, mark=1, mark_mask=1) as a:
        r = Receiver()
        c = Connection(W).syn()
        c.send(0, b"..att")
        for _ in range(3):
            c.send(5, b"ack..")
        c.send(10, b"later")
        c.send(0, b"..attack..later")
        a.found()
        is_("the same where a rule drops by the mark", b"..att", r.stream(c))


def case_syn():
    """SYN, FIN and RST, in their place and out of it."""
    with attach(GAP_DROP) as a:
        r = Receiver()
        c = Connection(W).syn()
        c.send(0, b"att")
        c.send(5000, flags=SYN)
        c.send(7000, flags=RST)
        c.send(7000, flags=FIN | ACK)
        c.send(7000, flags=RST | ACK, data=b"x")
        c.send(3, b"ack")
        is_("out of their place they change nothing", HIT, a.found())
        is_("one direction is followed", 1, a.figure("flows"))
        missed = []
        for flags in (FIN, SYN | RST, SYN | FIN, SYN | FIN | ACK):
            c = Connection(W).syn()
            c.send(0, b"att")
            c.send(3, flags=flags)
            c.send(3, flags=SYN)
            c.send(3, b"ack")
            if a.found() != HIT:
                missed.append(flags)
        is_("nor do those in their place that no receiver takes", [], missed)
        c = Connection(W).syn()
        c.send(0, b"attack")
        a.found()
        before = a.figure("flows")
        c.send(6, flags=FIN | ACK)
        a.found()
        is_("a FIN ends it", before - 1, a.figure("flows"))
        again = Connection(W, isn=77777, port=c.port).syn()
        again.send(0, b"att")
        again.send(3, b"ack")
        is_("the same ports again", HIT, a.found())
        again.send(6, flags=RST)
        a.found()
        is_("an RST ends it", before - 1, a.figure("flows"))
        c = Connection(W).syn()
        c.send(0, b"att")
        c.send(3, b"ack", flags=FIN | ACK)
        is_("data with the FIN", HIT, a.found())
        before = a.figure("skipped_gap")
        c = Connection(W)
        c.send(0, b"att", flags=SYN)
        a.found()
        is_("gap drop: a SYN with data must come without", (before + 1, b""),
            (a.figure("skipped_gap"), r.stream(c)))
        for where, want in (1, []), (0, HIT):
            c = Connection(W).syn()
            c.back(0, flags=SYN | ACK)
            c.send(0, b"data")
            c.back(where, flags=RST)
            again = Connection(W, isn=5000, port=c.port).syn()
            again.send(0, b"att")
            again.send(3, b"ack")
            is_(f"the same ports after the server's RST, {where} behind its place", want,
                a.found())
    with attach() as a:
        c = Connection(W)
        c.send(0, b"att", flags=SYN)
        c.send(3, b"ack")
        is_("data with the SYN, taken", HIT, a.found())
        c = Connection(W)
        c.send(0, b"good day", flags=SYN)
        c.send(0, b"attac")
        c.send(5, b"k...")
        is_("data with the SYN, not taken: what comes instead is scanned", HIT, a.found())
        is_("neither is a gap", 0, a.figure("skipped_gap"))


def case_bad():
    """Segments that no receiver takes are not the first copy of anything."""
    with attach(GAP_DROP) as a:
        missed = []
        for name, more in (("checksum", {"bad": True}), ("no ACK", {"flags": 0}),
                           ("RST", {"flags": RST | ACK, "bad": True}),
                           ("checksum, signed", {"bad": True, "options": SIGNATURE})):
            for v6 in (False, True):
                c = Connection(W, v6=v6).syn()
                c.send(0, b"att")
                c.send(3, b"xyz", **more)
                c.send(3, b"ack")
                if a.found() != HIT:
                    missed.append((name, v6))
        is_("bytes that no receiver takes do not replace others", [], missed)
        c = Connection(W).syn()
        c.send(0, b"attack.", bad=True)
        is_("but they are scanned by themselves", [ATTACK, TAC],
            sorted(pattern for pattern, _ in a.found()))


def case_urgent():
    with attach() as a:
        c = Connection(W).syn()
        c.send(0, b"attXack", flags=ACK | URG, urgent=4)
        is_("an urgent byte in a pattern", [TAC, ATTACK], [p for p, _ in a.found()])
        c = Connection(W).syn()
        c.send(0, b"attack", flags=ACK | URG, urgent=4)
        is_("one that is a part of the pattern, where it is read in line", HIT, a.found())
        c = Connection(W).syn()
        c.send(0, b"at", flags=ACK | URG, urgent=4)
        c.send(2, b"tXack")
        is_("one that was announced a segment before", [TAC, ATTACK],
            [p for p, _ in a.found()])
        c = Connection(W).syn()
        c.send(0, b"attX", flags=ACK | URG, urgent=4)
        c.send(4, b"ack")
        is_("one at a segment's end", [TAC, ATTACK], [p for p, _ in a.found()])
        c = Connection(W).syn()
        c.send(0, b"X", flags=ACK | URG, urgent=1)
        c.send(1, b"attack attack", flags=ACK | URG, urgent=7)
        is_("none is found twice", at(1) + at(8), a.found())


def case_swap():
    with attach() as a:
        c, other = Connection(W).syn(), Connection(W).syn()
        c.send(0, b"att")
        a.found()
        raw_tcp.load("s", BLOB)
        c.send(3, b"ack attack")
        other.send(0, b"attack")
        is_("a set loaded anew in the middle: what follows is found", at(7) + HIT, a.found())
        is_("the restart is counted, for the stream under way alone", 1,
            a.figure("flow_restarts"))
        c.send(0, b"attack attack")
        is_("what is sent again is still old", [], a.found())


def case_attachments():
    with attach() as one:
        c = Connection(W).syn()
        c.send(0, b"a")
        is_("what began is under way", [], one.found())
        with attach(priority=-180) as two:
            c.send(1, b"t")
            is_("and goes on", [], one.found())
            with attach(GAP_DROP | PICKUP, priority=-170) as three:
                c.send(2, b"tack")
                c.send(6, b" attack")
                is_("attached before its first byte", HIT + at(7), one.found())
                is_("in the middle", [(TAC, 1), (TAC, 8), (ATTACK, 6)], two.found())
                is_("later", [(TAC, 0), (TAC, 7), (ATTACK, 5)], three.found())
            c.send(13, b" att")
        c.send(17, b"ack")
        is_("one that others came to and went from", at(14), one.found())
    with attach() as a:
        c.send(20, b" attack")
        is_("attached anew", at(1), a.found())
        is_("nothing is left of the others", 1, a.figure("flows"))


def case_table():
    """A table of one bucket, fifteen places: every direction collides with every other."""
    with open(raw_tcp.PARAMETERS + "flows_max", "r+", encoding="ascii") as file:
        was = file.read().strip()
        file.write("15")
    # the server's direction takes no slots; raw_tcp's end goes to port 9
    to = {"nports": 2, "ports": (80, 9)}
    with attach(report=True, **to) as a:
        many = [Connection(W, isn=i * 77).open() for i in range(15)]
        for i in range(6):
            for c in many:
                c.send(i, WORD[i:i + 1])
        is_("fifteen at once, byte by byte", 15 * [TAC] + 15 * [ATTACK],
            sorted((p for p, _ in a.found()), reverse=True))
        is_("none was evicted", (15, 0), a.figures("flows", "flow_evictions"))
        late = Connection(W).syn()
        late.send(0, b"att")
        late.send(3, b"ack attack")
        is_("a sixteenth is scanned by the segment alone", [TAC, ATTACK],
            [p for p, _ in a.found()])
        is_("and counted", 2, a.figure("skipped_table_full"))
        many[3].send(6, flags=FIN | ACK)
        late.send(13, b" att")
        late.send(17, b"ack")
        is_("it takes the place of one that was closed", [TAC, ATTACK],
            [p for p, _ in a.found()])
        is_("which is no eviction", (15, 0), a.figures("flows", "flow_evictions"))
        c = many[0]
        c.send(6, b"att")
        for i in range(40):
            Connection(W).syn()
        c.send(9, b"ack")
        is_("a flood of SYNs evicts none that is assured", at(6), a.found())
    with attach(**to) as a:
        c = Connection(W).open()
        c.send(0, b"att")
        for i in range(40):
            Connection(W).syn()
        c.send(3, b"ack")
        is_("nor where there was room", HIT, a.found())
        is_("but each other", 40 - 14, a.figure("flow_evictions"))
    with attach(SKIP_DROP, **to) as a:
        r = Receiver()
        for i in range(15):
            Connection(W).open().send(0, b"live")
        late = Connection(W).syn()
        late.send(0, b"unfollowed")
        a.found()
        is_("--skip drop: a sixteenth is dropped, SYN and all", (b"", 2),
            (r.stream(late), a.figure("dropped_packets")))
    with open(raw_tcp.PARAMETERS + "flow_idle", "w", encoding="ascii") as file:
        file.write("0")
    with attach(**to) as a:
        for i in range(15):
            Connection(W).open().send(0, b"live")
        late = Connection(W).syn()
        late.send(0, b"att")
        late.send(3, b"ack")
        is_("one that was silent for flow_idle gives its place", HIT, a.found())
        is_("and that is counted", 1, a.figure("flow_evictions"))
    for name, value in (("flow_idle", "120"), ("flows_max", was)):
        with open(raw_tcp.PARAMETERS + name, "w", encoding="ascii") as file:
            file.write(value)


def case_large():
    with attach() as a:
        # a queue hands out 65531 bytes at most
        for size in (60000, 65491 if os.environ.get("NFAC_QUEUE") else 65495):
            c = Connection(W).syn()
            text = bytes(b"." * (size - 3)) + b"att"
            c.send(0, text)
            c.send(size, b"ack" + text[3:])
            c.send(2 * size, b"ack")
            is_(f"segments of {size} bytes", at(size - 3) + at(2 * size - 3), a.found())


def main():
    cases = sys.argv[2:] or [name[5:] for name in globals() if name.startswith("case_")]
    for name in cases:
        globals()["case_" + name]()
    if os.environ.get("NFAC_QUEUE"):
        queue_parity.verdict()


if __name__ == "__main__":
    assert os.environ["NFAC"] and ACK
    main()
