#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Writes a capture for selftests/compare/run: connections on which the rules of keywords.rules hold,
just fail, or are evaded.

    keywords.py CAPTURE

Each text is a connection of its own, sent whole and once more cut in two. All rules meet all
connections.
"""
import gzip
import struct
import sys
import zlib

CLIENT, SERVER = b"\x0a\x00\x00\x02", b"\x0a\x00\x00\x01"

TEXTS = [
    b"abcd", b"xabcd", b"xxabcd", b"xxxabcd", b"xxabcdxx", b"abcdx", b"ABCD", b"aBcd longer text",
    b"abxcd", b"abxxcd", b"abxxxcd", b"ab ab cd", b"cdxab", b"cdab", b"abab", b"ab", b"abcdabcd",
    b"LEN\x03xxxend", b"LEN\x04xxxend", b"LEN\x06xxend", b"LEN\x01\x02", b"LEN\x02\x01",
    b"LEN\xff", b"LEN\x07xxxend", b"NUM101", b"NUM099", b"NUM01a", b"NUM1a", b"NUM", b"one two",
    b"two", b"one", b"x" * 3000 + b"abcd", b"cdab cd ab", b"NUM-05", b"NUM+99", b"NUM\t 7",
    b"NUM0x1", b"NUM 1a",
]

# flowbits: the segments of a connection, those that begin with "<" from the server
BITS = [
    [b"six ten"], [b"ten six"], [b"nine", b"ten"], [b"six", b"nine", b"ten"], [b"ten"],
    [b"six", b"tog", b"ten"], [b"tog", b"ten"], [b"six", b"off", b"ten"], [b"six off ten"],
    [b"off", b"ten"], [b"nine", b"<ten"], [b"<ten", b"nine"], [b"ten", b"six"],
    [b"<six", b"ten"], [b"<six", b"<ten"], [b"<tog", b"ten"], [b"<six", b"tog", b"ten"],
    [b"six", b"<tog", b"ten"], [b"six", b"<tog", b"<ten"], [b"six", b"<off", b"ten"],
    [b"<six", b"off", b"ten"], [b"hi", b"<six", b"<off", b"ten"], [b"<six off ten"],
]


def request(line, *headers, body=b""):
    """A request; a body brings its length."""
    length = (b"Content-Length: %d" % len(body),) if body else ()
    return b"\r\n".join((line,) + headers + length) + b"\r\n\r\n" + body


H = b"Host: example.com"
REQUESTS = [
    request(b"GET /a/b HTTP/1.1", H), request(b"GET /a/b HTTP/1.0"),
    request(b"POST /a/b HTTP/1.1", H, body=b"hello"), request(b"PO /a/b HTTP/1.1", H),
    request(b"GET /a/bc HTTP/1.1", H), request(b"GET /x/../a/b HTTP/1.1", H),
    request(b"GET /a%20b HTTP/1.1", H), request(b"GET /%2e%2e/a HTTP/1.1", H),
    request(b"GET /%252e HTTP/1.1", H), request(b"GET /a//b HTTP/1.1", H),
    request(b"GET /a/./b HTTP/1.1", H), request(b"GET /a%2fb HTTP/1.1", H),
    request(b"GET /A/B HTTP/1.1", H), request(b"GET /a/b?q=12 HTTP/1.1", H),
    request(b"GET /a/b?q=123 HTTP/1.1", H), request(b"GET /a/b#f HTTP/1.1", H),
    request(b"GET /a\\b HTTP/1.1", H), request(b"GET /a+b HTTP/1.1", H),
    request(b"GET http://example.com/a/b HTTP/1.1", H),
    request(b"GET / HTTP/1.1", b"Host: EXAMPLE.com"),
    request(b"GET / HTTP/1.1", b"Host: a.example.com"),
    request(b"GET / HTTP/1.1", b"Host: badexample.com"),
    request(b"GET / HTTP/1.1", b"host:example.com"),
    request(b"GET / HTTP/1.1", H, b"User-Agent: ld"),
    request(b"GET / HTTP/1.1", H, b"User-Agent: old"),
    request(b"GET / HTTP/1.1", H, b"User-Agent: curl/7"),
    request(b"GET / HTTP/1.1", H, b"Cookie: a=1"),
    request(b"GET / HTTP/1.1", H, b"Cookie: a=1", b"Cookie: b=2"),
    request(b"GET / HTTP/1.1", H, b"X-A: 1", b"X-B: 2"),
    request(b"GET / HTTP/1.1", H, b"X-A:  1", b"X-B: 2"), request(b"GET / HTTP/1.1", H, b"x-a:1"),
    request(b"GET / HTTP/1.1", H, b"X-A: 1", b"Y: 2", b"X-A: 3"),
    request(b"GET / HTTP/1.1", H, b"X-A:\r\n 1"),
    request(b"GET / HTTP/1.1", H, b"Referer: http://r/", b"Accept: */*"),
    request(b"GET / HTTP/1.1", H, b"Accept-Encoding: gzip", b"Accept-Language: en",
            b"Connection: Close"),
    request(b"GET / HTTP/1.1", H, b"User-Agent: ld", b"User-Agent: curl"),
    request(b"POST / HTTP/1.1", H, b"Content-Type: text/plain", body=b"hello world"),
    request(b"POST / HTTP/1.1", H,
            b"Transfer-Encoding: chunked") + b"5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n",
    request(b"GET /x HTTP/1.1", H) + request(b"GET /a/b HTTP/1.1", H),
    # what libhtp makes of odd lines
    request(b"get /a/b HTTP/1.1", H), request(b"GET\t/a/b\tHTTP/1.1", H),
    request(b"GET /a/b", H), request(b"GET  /a/b  HTTP/1.1", H),
    request(b"GET /a/b c HTTP/1.1", H), request(b"\r\nGET /a/b HTTP/1.1", H),
    request(b" GET /a/b HTTP/1.1", H), request(b"GET /a/b HTTP/1.1 x", H),
    request(b"GET /a/b XTTP/1.1", H),
    request(b"GET /a/b HTTP/1.1", H).replace(b"\r", b""),
    # paths
    request(b"GET /a/.. HTTP/1.1", H), request(b"GET /a/. HTTP/1.1", H),
    request(b"GET /a/b/./ HTTP/1.1", H), request(b"GET ./a/b HTTP/1.1", H),
    request(b"GET /a%c0%afb HTTP/1.1", H), request(b"GET /a%e0%80%afb HTTP/1.1", H),
    request(b"GET /a%u2215b HTTP/1.1", H), request(b"GET /a%uff0fb HTTP/1.1", H),
    request(b"GET /\xe9\xc3 HTTP/1.1", H), request(b"GET /%ed%a0%80 HTTP/1.1", H),
    request(b"GET ftp://example.com/a/b HTTP/1.1", b"Host: x"),
    request(b"GET http://u@Example.com:80/a/b HTTP/1.1", b"Host: x"),
    request(b"GET x:/a/b HTTP/1.1", H), request(b"GET /a/b#c?d%20e HTTP/1.1", H),
    # headers
    request(b"GET / HTTP/1.1", H, b"X-A: 1\r\n 2", b"X-B: 2"),
    request(b"GET / HTTP/1.1", H, b"X-A: 1\t", b"X-B: 2"),
    request(b"GET / HTTP/1.1", H, b"User-Agent: l\r\n d"),
    request(b"GET / HTTP/1.1", H, b"no colon", b"X-Behind: 2"),
    request(b"GET / HTTP/1.1", H, b"X\0A: 1"), request(b"GET / HTTP/1.1", H, b"Set-Cookie: a=1"),
    request(b"GET / HTTP/1.1", b"Host: [::1]:80"), request(b"GET / HTTP/1.1", b"Host:"),
    # bodies
    request(b"POST /a/b HTTP/1.1", H, b"Content-Length: 9", body=b"hello"),
    request(b"POST /a/b HTTP/1.1", H, b"Transfer-Encoding: gzip, chunked")
    + b"05;x=y\r\nhello\r\n0\r\n\r\n",
]


def packed(how, body):
    """An answer with a compressed body."""
    return (b"HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n"
            % (how, len(body)) + body)


ANSWERS = [
    b"HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Length: 12\r\n\r\n<html>secret",
    b"HTTP/1.1 404 Not Found\r\nLocation: /new\r\nContent-Length: 8\r\n\r\n x<html>",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3\r\n<ht\r\n9\r\nml>secret\r\n0\r\n\r\n",
    b"HTTP/1.0 200 OK\r\n\r\n<html>secret",
    packed(b"gzip", gzip.compress(b"<html>" + b"abcdefgh" * 900 + b"secret", mtime=0)),
    packed(b"gzip", gzip.compress(b"<html>secret", mtime=0))[:-9],
    packed(b"deflate", zlib.compress(b"<html> no such word")),
    b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html>secret.",
    b"HTTP/1.1  404  Not Found\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.1 404\r\n\r\n<html>secret",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nServer: nginx\r\n\r\n<html>secret",
    b"HTTP/1.1 200 OK\r\nX-A: 1\r\n 2\r\nCookie: a=1\r\nno colon\r\n\r\n<html>secret",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n c \r\n<html>secret\r\n0\r\n\r\n",
]

# behind a body: its own where they come with it, else the beginning of another message
STRAYS = [
    request(b"POST /a/b HTTP/1.1", H, b"Content-Length: 3") + b"hello",
    request(b"POST /a/b HTTP/1.1", H) + b"hello",
    request(b"POST /a/b HTTP/1.1", H) + b"hello\r\n" + request(b"GET /second HTTP/1.1", H),
    request(b"POST /a/b HTTP/1.1", H, b"Content-Length: 2", b"X-A: 1") + b"heGET /x HTTP/1.1\r\n\r\n",
]
STRAY_ANSWERS = [b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>secret"]

# a request goes on behind its answer
CONTINUED = [
    [request(b"POST /a/b HTTP/1.1", H, b"Expect: 100-continue", b"Content-Length: 5"),
     b"<HTTP/1.1 100 Continue\r\n\r\n", b"hello",
     b"<HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n<html>secret"],
    [b"hi there", b"<ok", b"abcd"], [b"hi there", b"<ok", b"ab cd"],
]


def query(name, flags=b"\x01\x00"):
    """A DNS query for a name."""
    labels = b"".join(bytes([len(part)]) + part for part in name.split(b"."))
    return b"\x12\x34" + flags + b"\0\x01\0\0\0\0\0\0" + labels + b"\0\0\x01\0\x01"


def over_tcp(*names):
    """DNS queries behind each other, as TCP has them."""
    return b"".join(struct.pack("!H", len(text)) + text for text in map(query, names))


NAMES = [
    b"example.com", b"a.example.com", b"badexample.com", b"EXAMPLE.com", b"example.com.org",
    b"com.example", b"x",
]


class Capture:
    """Connections of one client, each from a port of its own."""

    def __init__(self):
        self.packets, self.port = [], 10000

    def ip(self, protocol, data, answer):
        """A packet; the addresses' order gives its direction."""
        source, target = (SERVER, CLIENT) if answer else (CLIENT, SERVER)
        self.packets.append(struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(data), 1, 0, 64,
                                        protocol, 0, source, target) + data)

    def tcp(self, port, turns):
        """A connection from its handshake to its end; turns: (answer, segments)."""
        self.port += 1
        seq = [1000, 5000]

        def segment(answer, flags, data=b""):
            ends = (port, self.port) if answer else (self.port, port)
            self.ip(6, struct.pack("!HHIIBBHHH", *ends, seq[answer], seq[not answer], 0x50, flags,
                                   8192, 0, 0) + data, answer)
            seq[answer] += len(data) + (flags & 3 != 0)

        segment(False, 2)
        segment(True, 0x12)
        segment(False, 0x10)
        for answer, segments in turns:
            for data in segments:
                segment(answer, 0x18, data)
                segment(not answer, 0x10)
        segment(False, 0x11)
        segment(True, 0x11)
        segment(False, 0x10)

    def udp(self, port, data):
        """A datagram to the server."""
        self.port += 1
        self.ip(17, struct.pack("!HHHH", self.port, port, 8 + len(data), 0) + data, False)

    def write(self, name):
        """As raw IP."""
        with open(name, "wb") as out:
            out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
            for number, packet in enumerate(self.packets):
                out.write(struct.pack("<IIII", 1700000000 + number // 100, number % 100,
                                      len(packet), len(packet)) + packet)


def cuts(text):
    """The text whole, and in two."""
    half = len(text) // 2
    return ([text[i:i + 1400] for i in range(0, len(text), 1400)],
            [text[:half], text[half:half + 1400], text[half + 1400:]] if half else [text])


def main():
    """The capture."""
    capture = Capture()
    for text in TEXTS:
        for segments in cuts(text):
            capture.tcp(7, [(False, [part for part in segments if part])])
        if len(text) < 1400:
            capture.udp(7, text)
    for segments in BITS:
        capture.tcp(7, [(text[:1] == b"<", [text]) for text in segments])
    for segments in CONTINUED:
        capture.tcp(80 if len(segments) > 3 else 7,
                    [(text[:1] == b"<", [text.removeprefix(b"<")]) for text in segments])
    for text in ANSWERS[:2]:
        turns = [(False, [REQUESTS[0]]), (True, [text])]
        capture.tcp(80, turns + [(False, [request(b"GET /second HTTP/1.1", H)])])
    for text in REQUESTS + STRAYS:
        for segments in cuts(text):
            capture.tcp(80, [(False, segments), (True, [ANSWERS[0]])])
    for text in ANSWERS + STRAY_ANSWERS:
        for segments in cuts(text):
            capture.tcp(80, [(False, [REQUESTS[0]]), (True, segments)])
    for name in NAMES:
        capture.udp(53, query(name))
        for texts in (over_tcp(name), over_tcp(b"first.org", name), over_tcp(name, b"x", b"y")):
            for segments in cuts(texts):
                capture.tcp(53, [(False, segments)])
    capture.udp(53, query(NAMES[0], b"\x01\x40"))
    capture.write(sys.argv[1])


if __name__ == "__main__":
    main()
