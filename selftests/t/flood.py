#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Many packets of mixed shapes: flood.py PACKETS [HOST4 HOST6]

UDP over IPv4 and IPv6, with and without a pattern, short and long, in fragments, as one
large packet that a card is to cut up, and TCP at full rate. Prints how many were sent
at the least.
"""

import ctypes
import socket
import sys
import threading

LIBC = ctypes.CDLL(None, use_errno=True)
UDP_SEGMENT = 103
BATCH = 120


class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_char_p), ("len", ctypes.c_size_t)]


class Head(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("namelen", ctypes.c_uint32),
                ("iov", ctypes.POINTER(Iovec)), ("iovlen", ctypes.c_size_t),
                ("control", ctypes.c_void_p), ("controllen", ctypes.c_size_t),
                ("flags", ctypes.c_int)]


class Message(ctypes.Structure):
    _fields_ = [("head", Head), ("len", ctypes.c_uint)]


TEXTS = [b"", b"a", b"attack", b"here is an attack" * 3, b"nothing of note " * 20,
         b"x" * 1400, b"GET / HTTP/1.1\r\n" + b"y" * 900 + b"attack", b"attac" * 250,
         b"z" * 4000, b"nothing" * 500 + b"attack"]


def batch():
    """An array for sendmmsg(), and what it points to."""
    messages = (Message * BATCH)()
    keep = []
    for number in range(BATCH):
        # one in twelve goes in fragments
        text = TEXTS[number % 8] if number % 12 else TEXTS[8 + number // 12 % 2]
        vector = Iovec(text, len(text))
        keep.append(vector)
        messages[number].head.iov = ctypes.pointer(vector)
        messages[number].head.iovlen = 1
    return messages, keep


def flood(family, host, count):
    messages, keep = batch()
    done = 0
    with socket.socket(family, socket.SOCK_DGRAM) as s, \
         socket.socket(family, socket.SOCK_DGRAM) as large:
        s.connect((host, 9999))
        large.connect((host, 9999))
        large.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 1200)
        while done < count:
            sent = LIBC.sendmmsg(s.fileno(), messages, BATCH, 0)
            # an answer by ICMP is reported as an error, once
            done += max(sent, 0)
            try:
                large.send(b"segment " * 7000)
                done += 1
            except OSError:
                pass
    return done, keep


def stream(host, size):
    with socket.create_server((host, 8081)) as listener:
        got = []

        def receive():
            s, _ = listener.accept()
            while part := s.recv(1 << 16):
                got.append(len(part))

        thread = threading.Thread(target=receive)
        thread.start()
        with socket.create_connection((host, 8081)) as s:
            s.sendall(b"nothing of note " * (size // 16))
        thread.join()


def main(count, host4="10.0.0.1", host6="fd00::1"):
    sent = flood(socket.AF_INET, host4, count * 2 // 3)[0]
    sent += flood(socket.AF_INET6, host6, count - count * 2 // 3)[0]
    print(sent)
    # within this namespace, where nothing is dropped
    stream("127.0.0.1", 4 << 20)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
