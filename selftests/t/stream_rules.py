#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Cases of stream_rules.sh; see raw_tcp.py.

    stream_rules.py KEYWORDS.rules
"""

import os
import re
import sys

from raw_tcp import (ACK, BUDGET_MATCH, BUDGET_PASS, CANDIDATE, DROP, FIN, GAP_DROP, PSH,
                     SKIP_DROP, STREAM, Attachment, Connection, Receiver, Wire, is_)

sys.path.insert(0, os.path.dirname(sys.argv[1]))
import keywords  # noqa: E402  pylint: disable=wrong-import-position,import-error

W = Wire()

# Their rules are about one packet, or about a place that counts in each packet, too.
OF_PACKETS = re.compile(r"dsize|flags:|no_stream|offset:|depth:|startswith|endswith|isdataat|"
                        r"seq:|ack:|window:|id:|ttl:|fragbits|ip_proto|stream_size|from_beginning")


def sids_of_streams(name):
    """The rules that hold over a stream alone."""
    sids = {2, 3, 4}
    with open(name, encoding="utf-8") as rules:
        for line in rules:
            sid = re.search(r"[; ]sid:(\d+);", line)
            body = re.sub(r"http\.|tls\.|dns\.", "buffer.", line)
            if sid and "buffer." in body or sid and not OF_PACKETS.search(line):
                sids.add(int(sid.group(1)))
    return sids


def attach(flags=0, **fields):
    return Attachment(W, "rules", STREAM | flags, **fields)


def send(text, cuts):
    """A connection with the text, cut at these places; HTTP's answers are the server's."""
    c = Connection(W).open(500000)
    server = Connection(W, isn=499999, port=c.port)
    server.ack = c.isn + 1
    places = [0] + list(cuts) + [len(text)]
    for start, end in zip(places, places[1:]):
        flags = ACK | PSH | (FIN if end == len(text) else 0)
        if text.startswith(b"HTTP/"):
            server.back(start, flags, text[start:end])
        else:
            c.send(start, text[start:end], flags=flags)
    return c


def found(a, text, cuts=(), sids=frozenset((2, 3, 4, 5))):
    send(text, cuts)
    return {pattern for pattern, _ in a.found() if pattern in sids}


def own(a):
    return [pattern for pattern, _ in a.found() if pattern < 100]


def dropped(a):
    """Without the datagrams that end what was sent: a rule drops them, too."""
    return a.figure("dropped_packets") - (a.ends - a.first)


def all_cuts(text):
    step = 1 if os.environ.get("NFAC_CUTS") else max(1, len(text) // 9)
    for place in range(1, len(text), step):
        yield (place,)
    yield tuple(range(1, len(text), 1 if len(text) < 400 else 97))


def case_keywords(sids):
    """Each rule on each text, whole and cut."""
    texts = keywords.TEXTS + keywords.REQUESTS + keywords.ANSWERS
    held = set()
    with attach() as a:
        for number, text in enumerate(texts):
            whole = found(a, text, (), sids)
            held |= whole
            wrong = []
            for cuts in all_cuts(text):
                cut = found(a, text, cuts, sids)
                if cut != whole:
                    wrong.append((cuts[:3], f"missed {sorted(whole - cut)}, wrong {sorted(cut - whole)}"))
            is_(f"text {number}, {text[:24]!r}: cut, the same rules hold", [], wrong[:4])
        is_("no connection was evicted", 0, a.figure("flow_evictions"))
    is_("of the rules that hold over streams, most held", True, len(held) > len(sids) // 2)


def case_own():
    with attach() as a:
        text = b"a first-half of something and its second-half here"
        is_("two contents in two segments", {2}, found(a, text, (20,)))
        is_("in the wrong order", set(),
            found(a, b"a second-half of something and its first-half here", (20,)))
        is_("encoded, cut", {3},
            found(a, b"GET /x%2f..%2f%65tc/passwd HTTP/1.1\r\nHost: a\r\n\r\n", (13, 19)))
        for cut in (2, 4, 8, 12, 30, 40):
            is_(f"method, URI and header, cut at {cut}", {4},
                found(a, b"POST /login HTTP/1.1\r\nHost: a\r\nX-Bad: 1\r\n\r\n", (cut,)))
        c = Connection(W).open()
        parts = (b"POST /other HTTP/1.1\r\nHost: a\r\nX-Bad: 1\r\n\r\n",
                 b"GET /login HTTP/1.1\r\nHost: a\r\n\r\n",
                 b"POST /login HTTP/1.1\r\nHost: a\r\n", b"X-Bad: 1\r\n\r\n",
                 b"GET /login HTTP/1.1\r\nHost: a\r\nX-Bad: 1\r\n\r\n")
        place, seen = 0, []
        for part in parts:
            c.send(place, part)
            place += len(part)
            seen.append(own(a))
        is_("each message by itself, each once", [[], [], [], [4], []], seen)
        c = Connection(W).open()
        head = b"POST /login HTTP/1.1\r\nHost: a\r\nX-Long: "
        c.send(0, head)
        place = len(head)
        for _ in range(5):
            c.send(place, b"y" * 1000)
            place += 1000
        c.send(place, b"\r\nX-Bad: 1\r\n\r\n")
        is_("a head longer than the window: not evaluated", [], own(a))
        is_("and counted", True, a.figure("skipped_budget") > 0)
        place += 14
        c.send(place, b"POST /login HTTP/1.1\r\nHost: a\r\n")
        c.send(place + 31, b"X-Bad: 1\r\n\r\n")
        is_("the next request is", [4], own(a))


def case_many_headers():
    head, last = b"POST /login HTTP/1.1\r\nHost: a\r\n", b"X-Bad: 1\r\n\r\n"
    for number, name, held in ((200, "as many as servers take", True), (300, "more", False)):
        lines = b"".join(b"h%d: x\r\n" % i for i in range(number))
        with attach() as a:
            is_(f"{number} headers, {name}", {4} if held else set(),
                found(a, head + lines + last))
            is_("counted where they are too many", int(not held), a.figure("skipped_budget"))
        with attach(DROP) as a:
            send(head + lines + last, ())
            a.found()
            is_("and dropped either way", 1, dropped(a))
            send(b"PUT" + head[4:] + lines + last, ())
            a.found()
            is_("but not where the method is another one", 1, dropped(a))


def case_drop():
    with attach(DROP | GAP_DROP) as a:
        c = Connection(W).open()
        c.send(0, b"a first-half of it, ")
        c.send(20, b"and the second-half")
        is_("the segment that completes a rule is reported once", [2], own(a))
        is_("and dropped", 1, dropped(a))
        c.send(20, b"and the second-half")
        c.send(20, b"and the ")
        c.send(20, b"and the second-half and more")
        a.found()
        is_("and again when it is retransmitted, in part or with more", 4, dropped(a))
        c.send(0, b"a first-half of it, ")
        a.found()
        is_("what was before it is not", 4, dropped(a))


class Talk:
    """A connection whose both sides send."""

    def __init__(self):
        self.client = Connection(W).open(500000)
        self.server = Connection(W, isn=499999, port=self.client.port)
        self.server.ack = self.client.isn + 1
        self.places = [0, 0]

    def say(self, text, answer=False):
        """The next bytes of a side."""
        if answer:
            self.server.back(self.places[1], ACK | PSH, text)
        else:
            self.client.send(self.places[0], text)
        self.places[answer] += len(text)
        self.client.ack = 500000 + self.places[1]
        self.server.ack = self.client.isn + 1 + self.places[0]
        return self


def case_flowbits():
    with attach() as a:
        Talk().say(b"bit-ask")
        is_("a bit that is not set", [], own(a))
        Talk().say(b"bit-on").say(b"bit-ask")
        is_("set and tested in one direction", [7], own(a))
        Talk().say(b"bit-ask bit-on")
        is_("both in one packet, whatever their order in it", [7], own(a))
        Talk().say(b"bit-on", True).say(b"bit-ask")
        is_("set by the server, tested in the client's direction", [7], own(a))
        t = Talk().say(b"bit-on").say(b"bit-ask", True)
        is_("set by the client, tested in the server's direction", [7], own(a))
        t.say(b"bit-off", True).say(b"bit-ask")
        is_("unset by the server", [], own(a))
        t.say(b"bit-off").say(b"bit-may").say(b"bit-ask")
        is_("set by a rule that was not checked in full: inexact", [(11, 1)],
            [(e[6], e[21]) for e in a.events() if e[6] < 100])
        Talk().say(b"bit-ask")
        is_("another connection has none of its bits", [], own(a))
        t = Talk()
        t.client.send(0, b"a ")
        t.client.send(9, b" b")
        t.client.send(2, b"bit-on ")
        t.client.send(11, b"bit-ask")
        is_("set in a segment that fills a gap", [7], own(a))
        port = t.client.port
        t.client.send(18, flags=ACK | FIN)
        t.client = Connection(W, isn=900000, port=port).open(700000)
        t.client.send(0, b"bit-ask")
        is_("the next connection between the same ports has none", [], own(a))
    with attach(DROP) as a:
        Talk().say(b"bit-may").say(b"bit-ask")
        own(a)
        is_("an inexact one drops nothing", 0, dropped(a))
        Talk().say(b"bit-on", True).say(b"bit-ask")
        own(a)
        is_("an exact one drops", 1, dropped(a))


def case_inexact():
    """The rules behind the hook drop what has the mark 1/1: those of stream_rules.sh."""
    with attach(DROP) as a:
        c = Connection(W).open()
        c.send(0, b"may-be 1")
        c.send(0, b"may-be 1")
        is_("an inexact rule reports once", [12], own(a))
        is_("and drops neither copy", 0, dropped(a))
    receiver = Receiver()
    with attach(CANDIDATE, candidate_mark=1, candidate_mask=1) as a:
        c = Connection(W).open()
        c.send(0, b"harmless")
        c.send(8, b"may-be 1")
        is_("a candidate has its mark", [(12, 1, 1)],
            [(e[6], e[9], e[21]) for e in a.events() if e[6] < 100])
        c.send(8, b"may-be 1")
        c.send(8, b"may-be 1 and more")
        is_("its copies are reported no more", [], own(a))
        is_("but have the mark: none passed", b"harmless", receiver.stream(c))
        c = Connection(W).open()
        c.send(0, b"bit-on")
        c.send(6, b"bit-ask")
        is_("a rule that was checked in full has no such mark", [(7, 0, 0)],
            [(e[6], e[9], e[21]) for e in a.events() if e[6] < 100])
        is_("and passed", b"bit-onbit-ask", receiver.stream(c))


def ways(a):
    """Which rules of a direction hold, and whether inexactly."""
    return sorted((e[6], e[21]) for e in a.events() if e[6] in (13, 14))


def case_flow():
    """The namespace has no conntrack: direction and state are those that the flow saw."""
    with attach() as a:
        t = Talk().say(b"which-way")
        is_("the client sends: the rule to the server, exactly", [(13, 0)], ways(a))
        t.say(b"which-way", True)
        is_("the server sends: the one to the client", [(14, 0)], ways(a))
        Connection(W).send(0, b"which-way")
        is_("without a SYN either may hold", [(13, 1), (14, 1)], ways(a))
        c = Connection(W).syn()
        c.send(0, b"which-way")
        is_("without the SYN's answer the state is not known", [(13, 1)], ways(a))


def case_crowd():
    crowd = b" ".join(b"crowd-%d" % i for i in range(5000, 5300))
    for flags, drops in ((SKIP_DROP, 1), (DROP | BUDGET_PASS, 0)):
        with attach(flags) as a:
            send(crowd, ())
            is_(f"flags {flags:#x}: more anchors than there is room for", [], own(a))
            is_("counted", 1, a.figure("skipped_budget"))
            is_("dropped with --skip drop", drops, a.figure("dropped_packets") -
                (a.ends - a.first if flags & DROP else 0))


def case_budget():
    text = b"costly " + b"xy" * 700
    with attach() as a:
        is_("a rule past the budget does not hold", set(), found(a, text))
        is_("and is counted", 1, a.figure("skipped_budget"))
    with attach(BUDGET_MATCH) as a:
        send(text, ())
        is_("with --budget match it does, inexactly", [(5, 1)],
            [(e[6], e[21]) for e in a.events() if e[6] == 5])
    for flags, drops in ((DROP, 1), (DROP | BUDGET_PASS, 0)):
        with attach(flags) as a:
            send(text, ())
            a.found()
            is_(f"with flags {flags:#x} {drops} is dropped", drops, dropped(a))


def main():
    sids = sids_of_streams(sys.argv[1])
    case_own()
    case_drop()
    case_many_headers()
    case_budget()
    case_crowd()
    case_flow()
    case_flowbits()
    case_inexact()
    case_keywords(sids)


main()
