# SPDX-License-Identifier: GPL-2.0
"""
TCP as it should not be, for the tests of streams: segments made by hand on the
client's end of ns_pair, the attachment and what arrives at the server's end.

Runs in the server's namespace (server /usr/bin/python3 ...). Everything is sent from
one process on one CPU, so that packets arrive in the order in which they were sent;
a datagram that matches is the end of what was sent.
"""

import ctypes
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import device  # noqa: E402  pylint: disable=wrong-import-position
import queue_parity  # noqa: E402  pylint: disable=wrong-import-position

END = b"the-end-of-what-was-sent"
DROP, REPORT, MARK, STREAM, SKIP_DROP = 1, 2, 4, 1 << 5, 1 << 6
RAW, GAP_DROP, GAP_PASS, PICKUP = 1 << 9, 1 << 11, 1 << 12, 1 << 14
BUDGET_MATCH, BUDGET_PASS, CANDIDATE = 1 << 19, 1 << 20, 1 << 24
FIN, SYN, RST, PSH, ACK, URG = 1, 2, 4, 8, 16, 32
SETS = "/sys/class/misc/nfac/sets/"
PARAMETERS = "/sys/module/nfac/parameters/"
L2 = bytes.fromhex("020000000001" "020000000002")
V4 = socket.inet_aton("10.0.0.2") + socket.inet_aton("10.0.0.1")
V6 = (socket.inet_pton(socket.AF_INET6, "fd00::2")
      + socket.inet_pton(socket.AF_INET6, "fd00::1"))


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def frame(proto, transport, v6=False, at=None, ident=0, frag=0):
    """An IP packet in its frame; @at: where the transport's checksum belongs."""
    if at is not None:
        pseudo = (V6 + struct.pack("!IHBB", len(transport), 0, 0, proto) if v6 else
                  V4 + struct.pack("!BBH", 0, proto, len(transport)))
        value = checksum(pseudo + transport[:at] + b"\0\0" + transport[at + 2:])
        transport = transport[:at] + struct.pack("!H", value) + transport[at + 2:]
    if v6:
        return (L2 + b"\x86\xdd"
                + struct.pack("!IHBB", 6 << 28, len(transport), proto, 64) + V6 + transport)
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(transport), ident, frag, 64, proto, 0) + V4
    head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    return L2 + b"\x08\x00" + head + transport


class Wire:
    """The client's end; with NFAC_QUEUE a copy of all goes to the queue's namespace."""

    def __init__(self, device_name="veth0"):
        libc = ctypes.CDLL(None, use_errno=True)
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        names = [device_name] + ["copy"] * bool(os.environ.get("NFAC_QUEUE"))
        self.sockets = []
        with open("/proc/self/ns/net", "rb") as here, \
                open("/run/netns/client", "rb") as there:
            assert libc.setns(there.fileno(), 0x40000000) == 0
            for name in names:
                one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
                one.bind((name, 0))
                self.sockets.append(one)
            assert libc.setns(here.fileno(), 0x40000000) == 0
        self.end = frame(17, struct.pack("!HHHH", 9, 9, 8 + len(END), 0) + END, at=6)

        self.ends = 0
        self.sent = None    # what a capture would hold, if one is wanted

    def send(self, data):
        if self.sent is not None:
            self.sent.append((time.time(), data))
        for one in self.sockets:
            one.send(data)

    def send_end(self):
        self.ends += 1
        self.send(self.end)


class Connection:
    """The client's direction of one connection; offsets are from the first byte."""

    port = 1024
    ack = 1

    def __init__(self, wire, isn=1000, v6=False, port=None):
        if port is None:
            Connection.port = Connection.port % 65000 + 1
            port = Connection.port
        self.wire, self.isn, self.v6, self.port = wire, isn, v6, port

    def packet(self, offset, data=b"", flags=ACK, urgent=0, options=b"", bad=False):
        seq = self.isn + offset + (not flags & SYN)
        head = struct.pack("!HHIIBBHHH", self.port, 80, seq & 0xffffffff, self.ack & 0xffffffff,
                           (5 + len(options) // 4) << 4, flags, 8192, 0, urgent)
        packet = frame(6, head + options + data, self.v6, 16)
        if bad:
            packet = packet[:-1] + bytes([packet[-1] ^ 0x20])
        return packet

    def send(self, offset, data=b"", flags=ACK, **more):
        self.wire.send(self.packet(offset, data, flags, **more))

    def back(self, offset, flags, data=b""):
        """The server's direction, IPv4: what is swapped leaves the checksums as they are."""
        p = self.packet(offset, data, flags=flags)
        self.wire.send(p[:26] + p[30:34] + p[26:30] + p[36:38] + p[34:36] + p[38:])

    def syn(self):
        self.send(0, flags=SYN)
        return self

    def open(self, server=500000):
        """A connection that both sides agree to, IPv4; @server: its first byte's number."""
        self.syn()
        answer = Connection(self.wire, isn=server - 1, port=self.port)
        answer.ack = self.isn + 1
        answer.back(0, SYN | ACK)
        self.ack = server
        self.send(0)
        return self


class Attachment:
    """The server's end."""

    def __init__(self, wire, name, flags=0, report=True, **fields):
        self.wire, self.first, self.ends = wire, wire.ends, wire.ends
        if os.environ.get("NFAC_NO_STREAM"):    # to see the tests fail
            flags &= ~(STREAM | GAP_DROP | GAP_PASS | PICKUP)
        self.fd = device.open_device(os.O_RDWR | os.O_NONBLOCK)
        result, answer = device.call(self.fd, "ATTACH", device.attach_bytes(
            name, flags=flags | (REPORT if report else 0), **fields))
        if result != "ok":
            raise OSError(result)
        self.id = struct.unpack_from("=I", answer, 40)[0]
        self.folder = f"{SETS}{name}/attachments/{self.id}/"
        device.call(self.fd, "SUBSCRIBE",
                    device.NAME.pack(device.NAME.size, 1, b"", 0, 0))
        self.twin = None
        if os.environ.get("NFAC_QUEUE"):
            self.twin = queue_parity.Twin(name, flags, self.figure, **fields)
            wire.sent = self.twin.sent

    def figure(self, name):
        with open(self.folder + name, encoding="ascii") as file:
            return int(file.read())

    def figures(self, *names):
        return tuple(self.figure(name) for name in names)

    def events(self):
        """All that came from what was sent so far, as EVENT.unpack() gives it."""
        found = self.module_events()
        if self.twin:
            self.twin.compare(found, self.ends - self.first)
        return found

    def module_events(self):
        self.wire.send_end()
        found = []
        while True:
            if not select.select([self.fd], [], [], 20)[0]:
                raise TimeoutError("the end of what was sent did not come")
            for event in device.EVENT.iter_unpack(os.read(self.fd, device.EVENT.size * 256)):
                assert event[1] == 0, "events were lost"
                if event[10] != self.id:
                    continue
                if event[6] != 1:
                    found.append(event)
                    continue
                self.ends += 1
                if self.ends == self.wire.ends:
                    return found

    def found(self):
        """(pattern, offset in the stream) of each."""
        return [(event[6], event[4]) for event in self.events()]

    def detach(self):
        if self.twin:
            self.twin.end()
        device.call(self.fd, "DETACH",
                    device.DETACH.pack(device.DETACH.size, 1, self.id, 0))
        os.close(self.fd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.detach()


class Receiver:
    """What gets past the hook, as a receiver puts it together: the first copy counts."""

    def __init__(self, v6=False):
        self.v6 = v6
        self.socket = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET,
                                    socket.SOCK_RAW, socket.IPPROTO_TCP)
        self.socket.setsockopt(socket.SOL_SOCKET, 33, 1 << 24)  # SO_RCVBUFFORCE
        self.socket.setblocking(False)
        self.segments = {}

    def drain(self):
        while True:
            try:
                data = self.socket.recv(1 << 17)
            except BlockingIOError:
                return
            tcp = data if self.v6 else data[(data[0] & 15) * 4:]
            port, dport, seq = struct.unpack_from("!HHI", tcp)
            if dport == 80:
                self.segments.setdefault(port, []).append((seq, tcp[(tcp[12] >> 4) * 4:]))

    def stream(self, connection, size=1 << 20):
        """The bytes from the first on, without a gap."""
        self.drain()
        have = {}
        for seq, data in self.segments.get(connection.port, []):
            first = (seq - connection.isn - 1) & 0xffffffff
            for i, byte in enumerate(data):
                if first + i < size:
                    have.setdefault(first + i, byte)
        end = 0
        while end in have:
            end += 1
        return bytes(have[i] for i in range(end))


def load(name, blob):
    fd = device.open_device()
    with open(blob, "rb") as file:
        device.stage(fd, file.read(), 1 << 20)
    result, _ = device.call(fd, "COMMIT", device.commit_bytes(name))
    os.close(fd)
    assert result == "ok", result


def scan(blob, text):
    """nfac scan: (pattern, offset) of each match."""
    out = subprocess.run([os.environ["NFAC"], "scan", "--json", "-s", blob, "-"],
                         input=text, stdout=subprocess.PIPE, check=False)
    assert out.returncode in (0, 1), out.returncode
    lines = map(json.loads, out.stdout.splitlines())
    return [(line["id"], line["offset"]) for line in lines]


def is_(desc, want, got):
    """A result for the script that runs us (results in stream.sh)."""
    if want == got:
        print("pass", desc)
    else:
        print("fail", desc, "| wanted", want, "got", got)
    sys.stdout.flush()
    return want == got
