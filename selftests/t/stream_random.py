#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Generated connections against a search over the reassembled stream; see raw_tcp.py.

    stream_random.py SET.nfac COUNT SEED WORD...

COUNT connections in four parts of equal size: in order with retransmissions, and out of
order with each policy. The search is `nfac scan` over all streams behind one another,
with bytes between them that are in no pattern.
"""

import collections
import os
import random
import sys

import queue_parity
import raw_tcp
from raw_tcp import (ACK, DROP, FIN, GAP_DROP, GAP_PASS, PSH, STREAM, Attachment, Connection,
                  Receiver, Wire, is_)

BLOB, COUNT, SEED = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
WORDS = [word.encode() for word in sys.argv[4:]]
BETWEEN = b"\xff" * 64
BATCH = 8       # connections at once
R = random.Random(SEED)
W = Wire()


def text():
    """Words, parts of words, and noise made of their letters; or noise alone."""
    out = b""
    if R.random() < 0.25:
        return bytes(R.choices(b"atkned-.\0", k=R.randrange(20, 400)))
    while len(out) < R.randrange(20, 400):
        word = R.choice(WORDS)
        out += R.choice((
            word, word, word[:R.randrange(len(word))], word[R.randrange(len(word)):],
            bytes(R.choices(b"atckned-.\0", k=R.randrange(12)))))
    return out


def pieces(data):
    """Cuts: (offset, bytes), in order."""
    at = 0
    most = R.choice((1, 2, 5, 40, 400))
    while at < len(data):
        size = R.randint(1, most)
        yield at, data[at:at + size]
        at += size


def resend(data, sent):
    """Some range of what was sent, perhaps with new bytes behind it."""
    start = R.randrange(max(sent, 1))
    return start, data[start:min(len(data), R.randint(start + 1, start + 60))]


class Stream:
    """One connection, and the segments that it sends, one for each call."""

    def __init__(self, disorder):
        isn = R.choice((R.randrange(1 << 32), (1 << 32) - R.randrange(300)))
        self.data = text()
        self.connection = Connection(W, isn=isn, v6=not disorder and R.random() < 0.3)
        self.begun = R.random() < 0.8 or disorder
        self.segments = self.plan(disorder)
        if disorder:
            self.disorder()
        self.sent = []

    def plan(self, disorder):
        out, sent = [], 0
        for at, data in pieces(self.data):
            out.append((at, data))
            sent = max(sent, at + len(data))
            if not disorder and R.random() < 0.25:
                out.append(resend(self.data, sent))
                sent = max(sent, out[-1][0] + len(out[-1][1]))
        return out

    def disorder(self):
        for _ in range(R.randrange(1, 6)):
            one, two = (R.randrange(len(self.segments)) for _ in range(2))
            kind = R.random()
            if kind < 0.6:
                self.segments[one], self.segments[two] = self.segments[two], self.segments[one]
            elif kind < 0.8 and len(self.segments) > 1:
                self.segments.pop(one)
            else:
                self.segments.insert(two, self.segments[one])

    def send(self, segment):
        self.connection.send(*segment, flags=ACK | (PSH if R.random() < 0.5 else 0))
        self.sent.append(segment)


def interleave(streams):
    """Every stream's segments in its own order, the streams mixed."""
    for s in streams:
        if s.begun:
            s.connection.syn()
    todo = {s: collections.deque(s.segments) for s in streams}
    while todo:
        s = R.choice(list(todo))
        if not todo[s]:
            del todo[s]
            continue
        s.send(todo[s].popleft())


def oracle(streams):
    """For each stream the matches that `nfac scan` finds in it."""
    where, whole = [], b""
    for s in streams:
        where += [(s, len(whole))] * (len(s.data) + len(BETWEEN))
        whole += s.data + BETWEEN
    found = {s: collections.Counter() for s in streams}
    for pattern, offset in raw_tcp.scan(BLOB, whole):
        s, base = where[offset]
        found[s][(pattern, offset - base)] += 1
    return found


def collect(attachment, streams, into):
    """Events of a batch, by stream."""
    ports = {s.connection.port: s for s in streams}
    for event in attachment.events():
        into[ports[event[12]]][(event[6], event[4])] += 1
    for s in streams:
        s.connection.send(len(s.data), flags=FIN | ACK)


def run(count, flags, disorder, after=None):
    streams, got = [], collections.defaultdict(collections.Counter)
    with Attachment(W, "s", STREAM | flags, protocol=0) as a:
        while len(streams) < count:
            batch = [Stream(disorder) for _ in range(min(BATCH, count - len(streams)))]
            interleave(batch)
            if after:
                after(batch)
            collect(a, batch, got)
            streams += batch
        figures = {name: a.figure(name) for name in (
            "skipped_gap", "flow_evictions", "skipped_table_full", "dropped_packets",
            "retransmitted_bytes")}
    return streams, got, oracle(streams), figures


def first_wrong(streams, good):
    """The first stream for which it does not hold."""
    for s in streams:
        if not good(s):
            return s.connection.port, s.connection.isn, s.data, s.sent
    return None


def in_order(count):
    streams, got, want, figures = run(count, 0, False)
    n = sum(sum(c.values()) for c in want.values())
    is_(f"{count} connections in order, {n} matches, {figures['retransmitted_bytes']} bytes "
        "sent again: nothing missed, nothing twice", None,
        first_wrong(streams, lambda s: got[s] == want[s]))
    is_("no gap, no direction evicted, none refused", (0, 0, 0),
        (figures["skipped_gap"], figures["flow_evictions"], figures["skipped_table_full"]))


def gap_restart(count):
    streams, got, want, figures = run(count, 0, True)
    is_(f"{count} out of order, restart, {figures['skipped_gap']} behind a gap: "
        "nothing is found that is not there", None,
        first_wrong(streams, lambda s: not set(got[s]) - set(want[s])))

    def within(s):
        """All matches within a single segment, or within bytes that came in order."""
        for pattern, offset in want[s]:
            end = offset + len(WORDS[pattern - 2])
            if any(at <= offset and end <= at + len(data) for at, data in s.sent) and \
                    (pattern, offset) not in got[s]:
                return False
        return True

    is_("a match within one segment is found", None, first_wrong(streams, within))


def gap_pass(count):
    streams, got, want, figures = run(count, GAP_PASS, True)

    def before(s):
        """All matches before the gap, none behind it; how many segments are behind."""
        have, behind, blind = 0, 0, False
        for at, data in s.sent:
            blind = blind or at > have
            behind += blind
            if not blind:
                have = max(have, at + len(data))
        s.behind = behind
        return got[s] == collections.Counter({
            (pattern, offset): n for (pattern, offset), n in want[s].items()
            if offset + len(WORDS[pattern - 2]) <= have})

    is_(f"{count} out of order, pass: all matches before the gap, none behind", None,
        first_wrong(streams, before))
    is_("each segment behind one is counted", sum(s.behind for s in streams),
        figures["skipped_gap"])


def gap_drop(count):
    """A sender that sends again what was not taken; with and without --drop."""
    refused = [0]

    def again(batch):
        for s in batch:
            have = 0
            for at, data in s.sent:
                if at <= have:
                    have = max(have, at + len(data))
                else:
                    refused[0] += 1
            for at, data in pieces(s.data[have:]):
                s.send((have + at, data))

    streams, got, want, figures = run(count // 2, GAP_DROP, True, again)
    is_(f"{count // 2} out of order, drop, and sent again: nothing missed, nothing twice",
        None, first_wrong(streams, lambda s: got[s] == want[s]))
    is_("each segment behind a gap is dropped, and counted", (refused[0], refused[0]),
        (figures["skipped_gap"], figures["dropped_packets"]))

    receiver = Receiver()
    passed = {}

    def take(batch):
        again(batch)
        for s in batch:
            # a sender without an answer sends all of it again, and again
            for segment in list(pieces(s.data)) + s.sent[:]:
                s.send(segment)
            receiver.drain()
        for s in batch:
            passed[s] = receiver.stream(s.connection)

    streams, got, want, _ = run(count - count // 2, GAP_DROP | DROP, True, take)
    for s in streams:
        s.whole, s.data = s.data, passed[s]
    found = oracle(streams)
    hit = sum(bool(c) for c in want.values())
    is_(f"{count - count // 2} with --drop, {hit} with matches: no pattern arrives", None,
        first_wrong(streams, lambda s: not found[s]))
    is_("and a stream without a match arrives whole", None,
        first_wrong(streams, lambda s: want[s] or passed[s] == s.whole))


def main():
    part = COUNT // 4
    print(f"{COUNT} connections, seed {SEED}")
    in_order(part + COUNT % 4)
    gap_restart(part)
    gap_pass(part)
    gap_drop(part)
    if os.environ.get("NFAC_QUEUE"):
        queue_parity.verdict()


if __name__ == "__main__":
    assert os.environ["NFAC"]
    main()
