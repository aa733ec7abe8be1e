#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Cases of decode.sh and queue_agree.sh; see raw_tcp.py. The set: 1 the end's mark, 2 ../etc/passwd,
3 union select, 4 plain.
"""

import sys

from raw_tcp import ACK, DROP, PSH, STREAM, Attachment, Connection, Wire, is_

W = Wire()

REQUESTS = [
    (2, 6, b"f.php?%2e%2e%2fetc%252fpass%77d HTTP/1.1"),
    (2, 2, b"/x..%c0%afetc%u002fpasswd&"),
    (3, 2, b"q=union+sel%65ct "),
    (3, 2, b"q=%u0075nion%2520select "),
]


def attach(flags=STREAM, **fields):
    return Attachment(W, "s", flags, **fields)


def send(text, cuts):
    c = Connection(W).open()
    places = [0] + list(cuts) + [len(text)]
    for start, end in zip(places, places[1:]):
        c.send(start, text[start:end], flags=ACK | PSH)
    return c


def case_cuts():
    with attach() as a:
        for pattern, offset, text in REQUESTS:
            cuts = [()] + [(n,) for n in range(1, len(text))] + [range(1, len(text))]
            wrong = []
            for cut in cuts:
                send(text, cut)
                got = a.found()
                if got != [(pattern, offset)]:
                    wrong.append((list(cut)[:3], got))
            is_(f"{text!r}: found once, at its place, wherever it is cut", [], wrong[:3])
        is_("no connection was evicted", 0, a.figure("flow_evictions"))


def case_far():
    """Bytes between the halves of an encoded pattern, and behind an escape."""
    with attach() as a:
        c = send(b"%2e%2e%2fetc" + b"x" * 3000, ())
        is_("half of a pattern is none", [], a.found())
        c.send(3012, b"/passwd plain")
        is_("also behind other bytes", [4], [pattern for pattern, _ in a.found()])
        send(b"a+b " * 2000 + b"%2e%2e/etc/passwd" + b" 100% " * 3000, ())
        is_("in a packet of many pieces", [(2, 8000)], a.found())


def case_drop():
    with attach(STREAM | DROP) as a:
        send(b"GET /%2e%2e/etc/pass", ())
        is_("a part passes", (0, []), (a.figure("dropped_packets"), a.found()))
    with attach(STREAM | DROP) as a:
        c = send(b"GET /%2e%2e/etc/pass", ())
        dropped = []
        for _ in range(2):
            c.send(20, b"%77d HTTP/1.1")
            a.found()
            # the datagram that ends what was sent is dropped, too
            dropped.append(a.figure("dropped_packets") - (a.ends - a.first))
        is_("what completes it is dropped, also when it is sent again", [1, 2], dropped)


def main():
    for case in (case_cuts, case_far, case_drop):
        print("--", case.__name__)
        case()


if len(sys.argv) == 1:
    main()
