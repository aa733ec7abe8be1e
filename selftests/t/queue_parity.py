# SPDX-License-Identifier: GPL-2.0
"""
A queue next to an attachment: `nfac queue` in a namespace of its own that gets a copy
of every frame, with the attachment's options. Its events must be the module's, one by
one and field by field, and so must be its counters. Where the attachment follows streams
and does nothing else, `nfac scan --stream` of what was sent is a third one.

NFAC_QUEUE names the set's file.
"""

import io
import json
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile

DROP, REPORT, MARK, STREAM, SKIP_DROP = 1, 2, 4, 1 << 5, 1 << 6
GAP_DROP, GAP_PASS, PICKUP = 1 << 11, 1 << 12, 1 << 14
BUDGET_MATCH, BUDGET_PASS, CANDIDATE = 1 << 19, 1 << 20, 1 << 24
PARAMETERS = "/sys/module/nfac/parameters/"
OPTIONS = {DROP: ["--drop"], STREAM: ["--stream"], SKIP_DROP: ["--skip", "drop"],
           GAP_DROP: ["--gap", "drop"], GAP_PASS: ["--gap", "pass"],
           PICKUP: ["--pickup"], BUDGET_MATCH: ["--budget", "match"],
           BUDGET_PASS: ["--budget", "pass"]}
PROTOCOLS = {6: "tcp", 17: "udp"}

# a match of `nfac scan --json` in the module's form
SCANNED = ("id", "offset", "length", "stream_offset", "payload", "proto", "src", "sport", "dst",
           "dport")
# of all twins
compared = {"attachments": 0, "events": 0, "counters": 0, "scanned": 0}
different = []


def parameter(name):
    with open(PARAMETERS + name, encoding="ascii") as file:
        return file.read().strip()


def address(event, which):
    family, raw = event[14], event[18 + which]
    return socket.inet_ntop(family, raw if family == socket.AF_INET6 else raw[:4])


def of_module(event):
    """The fields that both have, of device.EVENT.unpack()."""
    return {
        "offset": event[3], "stream_offset": event[4], "packet": event[5], "id": event[6],
        "length": event[7], "payload": event[8], "mark": event[9], "sport": event[12],
        "dport": event[13], "proto": PROTOCOLS.get(event[15], event[15]),
        "hook": ("prerouting", "input", "forward", "output", "postrouting")[event[16]],
        "verdict": ("reported", "dropped", "marked")[event[17]], "src": address(event, 0),
        "dst": address(event, 1), "set": event[20].split(b"\0")[0].decode(),
    }


def capture(file, frames):
    file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 1 << 18, 1))
    for when, data in frames:
        file.write(struct.pack("<IIII", int(when), 0, len(data), len(data)) + data)
    file.flush()


def scanned(match):
    # a string takes a tenth of a dictionary's memory
    return json.dumps([match[key] for key in SCANNED])


class Twin:
    """One `nfac queue`."""

    def __init__(self, name, flags, figure, **fields):
        command = ["ip", "netns", "exec", "twin", os.environ["NFAC"], "queue", "--num", "7",
                   "--json", "--all-events", "--name", name, "--length", "65536"]
        for flag, words in OPTIONS.items():
            if flags & flag:
                command += words
        if fields.get("nports"):
            command += ["--dport", ",".join(map(str, fields["ports"]))]
        if flags & MARK:
            command += ["--mark", f"{fields['mark']}/{fields['mark_mask']}"]
        if flags & CANDIDATE:
            command += ["--candidate-mark", f"{fields['candidate_mark']}/{fields['candidate_mask']}"]
        if flags & STREAM:
            command += ["--flows", parameter("flows_max"), "--flow-idle", parameter("flow_idle")]
        self.figure = figure
        # for a scan: the frames on the wire, and the events of the module
        # scan reassembles for rules, so it reports them in another order
        third = flags == STREAM and not fields and not os.environ.get("NFAC_RULES")
        self.sent, self.reported = ([], []) if third else (None, None)
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(command + [os.environ["NFAC_QUEUE"]],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stderr.readline()
        assert b"ready" in line, line
        self.ends, self.rest = 0, b""

    def lines(self):
        """As they come; None when nothing does."""
        while True:
            *whole, self.rest = self.rest.split(b"\n")
            yield from map(json.loads, whole)
            if not select.select([self.process.stdout], [], [], 20)[0]:
                yield None
            self.rest += os.read(self.process.stdout.fileno(), 1 << 16)

    def events(self, ends):
        found = []
        for event in self.lines():
            if event is None:
                raise TimeoutError(f"the queue: {self.ends} ends of {ends}")
            if event["id"] != 1:
                found.append(event)
                continue
            self.ends += 1
            if self.ends == ends:
                return found
        return found

    def compare(self, module, ends):
        mine = self.events(ends)
        theirs = [of_module(event) for event in module]
        if self.reported is not None:
            self.reported += map(scanned, theirs)
        mine = [{key: event[key] for key in of} for event, of in zip(mine, theirs)] + \
            mine[len(theirs):]
        compared["events"] += len(theirs)
        for at, (one, other) in enumerate(zip(theirs, mine)):
            if one != other:
                different.append(f"event {at}: module {one}, queue {other}")
                return
        if len(mine) != len(theirs):
            different.append(f"{len(theirs)} events of the module, {len(mine)} of the queue")

    def scan(self):
        """What was sent, as a capture: the same matches, the same counters of streams."""
        with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
            capture(file, self.sent)
            ran = subprocess.run([os.environ["NFAC"], "scan", "--json", "--stream",
                                  "--flows", parameter("flows_max"),
                                  "--flow-idle", parameter("flow_idle"),
                                  "-s", os.environ["NFAC_QUEUE"], file.name],
                                 capture_output=True, check=False)
        mine = [scanned(match) for match in map(json.loads, io.BytesIO(ran.stdout))
                if match["id"] != 1]
        compared["scanned"] += len(mine)
        if mine != self.reported:
            at = next((i for i, (a, b) in enumerate(zip(mine, self.reported)) if a != b), "the end")
            different.append(f"scan: {len(mine)} matches, module {len(self.reported)}, from {at} on")
        figures = ran.stderr.decode().rsplit("streams: ", 1)[-1].split(", ")
        for name, value in (word.split() for word in figures):
            if name in ("skipped_unreadable", "wrong_checksum"):
                continue
            compared["counters"] += 1
            if self.figure(name) != int(value):
                different.append(f"{name}: module {self.figure(name)}, scan {value}")

    def end(self):
        """Nothing is in flight: the module has reported all, the queue has answered."""
        self.process.send_signal(2)
        out, _ = self.process.communicate(timeout=20)
        stats = json.loads((self.rest + out).splitlines()[-1])
        compared["attachments"] += 1
        for name, value in stats.items():
            # the kernel sends neighbour and router solicitations at its own time, and how
            # often a set was loaded is reported of the set
            if name in ("skipped_protocol", "generation"):
                continue
            if name in ("type", "set", "queue_dropped", "user_dropped", "overruns",
                        "without_connection"):
                if value not in (0, "stats", "s"):
                    different.append(f"{name} {value}")
                continue
            compared["counters"] += 1
            theirs = self.figure(name)
            if theirs != value:
                different.append(f"{name}: module {theirs}, queue {value}")
        if self.reported is not None:
            self.scan()


def verdict():
    """A result for the script that runs us."""
    what = (f"{compared['attachments']} attachments: {compared['events']} events of the queue, "
            f"{compared['scanned']} matches of scan --stream and {compared['counters']} counters "
            "are the module's")
    if different or not compared["events"]:
        print("fail", what, "|", len(different), "differ:", "; ".join(different[:3]))
    else:
        print("pass", what)
    sys.stdout.flush()
