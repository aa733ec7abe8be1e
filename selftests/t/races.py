#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
One of many that get in each other's way: races.py ROLE STOP A B

Goes on until the file STOP is there; prints what it did how often. A and B are blobs.
What another one's work makes impossible is no error (the set is gone, or busy); any
other failure is.
"""

import ctypes
import errno
import itertools
import os
import random
import socket
import struct
import subprocess
import sys
import time

import device
import raw_tcp
from device import call, commit_bytes, open_device

CLONE_NEWNET = 0x40000000
TEXTS = (b"here is an attack", b"GET /etc/passwd HTTP/1.1\r\n", b"nothing " * 150,
         b"attac", b"attack" * 200)
STREAM, GAP_DROP = raw_tcp.STREAM, raw_tcp.GAP_DROP


def name(text):
    return device.NAME.pack(device.NAME.size, 1, text, 0, 0)


def commit(fd, text, blob):
    os.write(fd, blob)
    return call(fd, "COMMIT", commit_bytes(text))[0]


def swap(stopped, blobs):
    """The set in force changes all the time."""
    done = 0
    fd = open_device()
    while not stopped():
        result = commit(fd, "s", blobs[done % 2])
        assert result == "ok", result
        done += 1
    return done


def come_and_go(stopped, blobs):
    """A set that is loaded, attached, and taken away again."""
    done = 0
    fd = open_device()
    while not stopped():
        assert commit(fd, "t", blobs[done % 2]) == "ok"
        result, answer = call(fd, "ATTACH", device.attach_bytes("t", hook=1, flags=2))
        assert result == "ok", result
        assert call(fd, "UNLOAD", name(b"t"))[0] == "EBUSY"
        number = struct.unpack_from("=I", answer, 40)[0]
        assert call(fd, "DETACH", device.DETACH.pack(device.DETACH.size, 1, number, 0))[0] == "ok"
        assert call(fd, "UNLOAD", name(b"t"))[0] == "ok"
        done += 1
    return done


def attach(stopped, _):
    """Attachments of the set that is being swapped, streams among them."""
    done = 0
    fd = open_device()
    while not stopped():
        flags = (2, 2 | STREAM, 1)[done % 3]
        result, answer = call(fd, "ATTACH", device.attach_bytes(
            "s", hook=(0, 1)[done // 3 % 2], flags=flags, priority=-190 + done % 5,
            protocol=6 if flags & STREAM else 0))
        assert result == "ok", result
        number = struct.unpack_from("=I", answer, 40)[0]
        assert call(fd, "DETACH", device.DETACH.pack(device.DETACH.size, 1, number, 0))[0] == "ok"
        done += 1
    return done


def follow(stopped, _):
    """Streams are followed for a moment: packets have the flow table when it goes."""
    done = 0
    fd = open_device()
    while not stopped():
        result, answer = call(fd, "ATTACH", device.attach_bytes(
            "s", flags=2 | STREAM | (0, GAP_DROP)[done % 2], protocol=6))
        assert result == "ok", result
        number = struct.unpack_from("=I", answer, 40)[0]
        for _ in range(10):
            time.sleep(0.01)
            with open(f"{raw_tcp.SETS}s/attachments/{number}/flows", encoding="ascii") as file:
                file.read()
        assert call(fd, "DETACH", device.DETACH.pack(device.DETACH.size, 1, number, 0))[0] == "ok"
        done += 1
    return done


def read(stopped, _):
    """Readers come, read a little, and go."""
    done = 0
    while not stopped():
        fd = open_device(os.O_RDWR | os.O_NONBLOCK)
        assert call(fd, "SUBSCRIBE", name(b"" if done % 2 else b"s"))[0] == "ok"
        done += 1
        for _ in range(10):
            try:
                done += len(os.read(fd, 64 * device.EVENT.size)) // device.EVENT.size
            except BlockingIOError:
                pass
        os.close(fd)
    return done


def look(stopped, _):
    """sysfs, the listing, and the scrub."""
    done = 0
    fd = open_device()
    while not stopped():
        for folder, _, files in os.walk("/sys/class/misc/nfac/sets"):
            for one in files:
                try:
                    with open(os.path.join(folder, one), encoding="ascii") as file:
                        done += len(file.read()) > 0
                except OSError:
                    # gone in between, or for writing only
                    pass
        for what in ("tiles", "slab_bytes", "memory_used"):
            with open("/sys/class/misc/nfac/" + what, encoding="ascii") as file:
                file.read()
        assert call(fd, "VERIFY", name(b"s"))[0] == "ok"
        call(fd, "GET_SET", device.SET.pack(device.SET.size, 1, b"", b"", *[0] * 9))
        call(fd, "GET_ATTACH", device.attach_bytes("", id=0, flags=0))
    return done


def namespaces(stopped, blobs):
    """Namespaces that go while a set is attached and packets pass."""
    done = 0
    libc = ctypes.CDLL(None, use_errno=True)
    while not stopped():
        pid = os.fork()
        if not pid:
            assert libc.unshare(CLONE_NEWNET) == 0
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
            fd = open_device()
            assert commit(fd, "s", blobs[done % 2]) == "ok"
            for hook in (0, 1, 3):
                assert call(fd, "ATTACH", device.attach_bytes("s", hook=hook))[0] == "ok"
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            for text in TEXTS * 3:
                s.sendto(text, ("127.0.0.1", 9))
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        done += 1
    return done


def udp(stopped, _):
    done = 0
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    while not stopped():
        for text in TEXTS * 5:
            s.sendto(text, ("10.0.0.1", 9999))
            done += 1
    return done


def tcp(stopped, _):
    """Connections with a pattern in two halves."""
    done = 0
    while not stopped():
        done += 1
        try:
            with socket.create_connection(("10.0.0.1", 8080), 5) as s:
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                s.send(b"an att")
                s.send(b"ack, and more of it" * 30)
                s.shutdown(socket.SHUT_WR)
                while s.recv(4096):
                    pass
        except OSError:
            # what matches is dropped now and then
            pass
    return done


def segments(stopped, _):
    """Connections whose segments come in any order, and from others as well."""
    done = 0
    frames = []
    for port in range(1, 41):
        c = raw_tcp.Connection(None, port=port)
        frames += [c.packet(0, flags=raw_tcp.SYN), c.packet(0, b"an att"),
                   c.packet(6, b"ack, and more"), c.packet(19, b"x" * 600),
                   c.packet(619, flags=raw_tcp.ACK | raw_tcp.FIN),
                   c.packet(3, b"x" * 100, raw_tcp.ACK | raw_tcp.URG, urgent=9),
                   c.packet(5000, flags=raw_tcp.SYN), c.packet(619, flags=raw_tcp.RST)]
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    s.bind(("veth0", 0))
    while not stopped():
        for one in random.sample(frames, 40):
            try:
                s.send(one)
            except OSError as err:
                if err.errno != errno.ENOBUFS:  # the other end's queue is full
                    raise
            done += 1
    return done


def serve(stopped, _):
    with socket.create_server(("10.0.0.1", 8080)) as listener:
        listener.settimeout(0.5)
        while not stopped():
            try:
                s, _ = listener.accept()
            except OSError:
                continue
            s.settimeout(1)
            try:
                while s.recv(4096):
                    pass
            except OSError:
                pass
            s.close()
    return 1


def main(role, stop, *names):
    blobs = [open(one, "rb").read() for one in names]
    rounds = itertools.count()
    # a thread that starts late does a round all the same
    print(role, globals()[role](lambda: next(rounds) and os.path.exists(stop), blobs))


if __name__ == "__main__":
    main(*sys.argv[1:])
