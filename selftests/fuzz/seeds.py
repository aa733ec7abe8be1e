#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
What the corpora begin with: seeds.py FOLDER

Small inputs of each kind that the readers know, taken from the tests' data and from the
packets of the captures' tests. Blobs and the differential target need none: they make
their own.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "../data")
CAPTURES = os.path.join(HERE, "../../userspace-loader/tests/make_captures.py")

sys.path.insert(0, os.path.join(HERE, "../compare"))
import keywords  # noqa: E402  pylint: disable=wrong-import-position

PLAIN = [
    b"etc/passwd\n\\x41\\\\\\n\\t\\r\\0\nlast",
    b"crlf\r\nends\r\n\r\n",
    b"\\x4\nbad", b"\\q\n", b"\\", b"\xef\xbb\xbfmark\n", b"a\na\na\n", b" space \n\ttab\n",
]
CRS = [b"# comment\nphrase\n  indented \n\n", b"#\n", b"UPPER lower\r\n"]
RULE = ('alert tcp $HOME_NET any -> any [80,443,8000:8080] (msg:"a; b"; flow:established;'
        ' content:"GET |20 2f|"; offset:0; depth:9; nocase; http_uri; content:!"no"; '
        'fast_pattern; distance:1; within:4; sid:7; rev:1;)\n')
SURICATA = [
    RULE.encode(),
    RULE.replace("tcp", "udp").replace("[80,443,8000:8080]", "!53").encode(),
    b'alert dns any any -> any any (dns.query; content:"evil.com"; bsize:8; sid:1;)\n',
    b'alert http any any -> any any (http.host; dotprefix; content:".evil"; endswith; sid:2;)\n',
    b'alert ip any [1:2] -> any any (content:"|41 42|c\\"\\;"; startswith; to_lowercase; sid:3;)\n',
    b'drop tcp any any <> any any (content:"abc"; pcre:"/x;y/"; noalert; sid:4;)\n#x\n',
    b'alert tcp any any -> any any (content:"a"; \\\n sid:5;)\n',
    b'alert tls any any => any [50 : 60, 80] (frame:tls.pdu; content:"|4 1, 42|"; depth:2; sid:6;)\n',
    b'alert smb any any -> any !1:9 (file.name; absent:or_else; content:"a"; SID:8;;)alert\n',
]


def write(folder, seeds):
    os.makedirs(folder, exist_ok=True)
    for number, seed in enumerate(seeds):
        with open(os.path.join(folder, f"seed-{number:03}"), "wb") as file:
            file.write(seed)


def lines(name, count, width=400):
    with open(os.path.join(DATA, name), "rb") as file:
        every = [line for line in file if 1 < len(line) < width]
    return random.sample(every, min(count, len(every)))


def main():
    corpus = sys.argv[1]
    random.seed(1)
    write(os.path.join(corpus, "plain"), PLAIN + [b"".join(lines("words-2358.txt", 9))])
    write(os.path.join(corpus, "crs"),
          CRS + [b"".join(lines("crs/" + n, 6)) for n in ("unix-shell.data", "ssrf.data")])
    rules = [r for n in ("exploit", "scan", "user_agents")
             for r in lines(f"et/emerging-{n}.rules", 6, 900)]
    write(os.path.join(corpus, "suricata"), SURICATA + rules)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, CAPTURES, folder], check=True)
        captures, packets = [], []
        for name in sorted(os.listdir(folder)):
            if ".pcap" not in name:
                continue
            with open(os.path.join(folder, name), "rb") as file:
                captures.append(file.read()[:8192])
        with open(os.path.join(folder, "raw.pcap"), "rb") as file:
            data = file.read()
        at = 24
        while at < len(data):
            length = struct.unpack_from("<I", data, at + 8)[0]
            packets.append(bytes([len(packets) % 4]) + data[at + 16:at + 16 + length])
            at += 16 + length
    # pcapng: a section, an interface, a packet
    packet = packets[0][1:] + bytes(-(len(packets[0]) - 1) % 4)
    captures.append(
        struct.pack("<IIIHHqI", 0x0a0d0d0a, 28, 0x1a2b3c4d, 1, 0, -1, 28) +
        struct.pack("<IIHHII", 1, 20, 101, 0, 65535, 20) +
        struct.pack("<IIIIIII", 6, 32 + len(packet), 0, 0, 0, len(packets[0]) - 1,
                    len(packets[0]) - 1) + packet + struct.pack("<I", 32 + len(packet)))
    write(os.path.join(corpus, "capture"), captures)
    write(os.path.join(corpus, "payload"), packets)
    # the third kind: payloads for the parsers, over TCP as a stream, and over UDP
    name = "a.example".encode()
    hello = (b"\x03\x03" + bytes(32) + b"\0\0\x02\x13\x01\x01\0" +
             struct.pack("!HHHHBH", 18, 0, 14, 12, 0, 9) + name)
    message = b"\x01" + struct.pack("!I", len(hello))[1:] + hello
    tls = b"\x16\x03\x01" + struct.pack("!H", len(message)) + message
    texts = keywords.REQUESTS + keywords.ANSWERS + [tls, b"SSH-2.0-OpenSSH_9.2 Debian\r\n"]
    write(os.path.join(corpus, "rules"),
          [b"\x02\x02\0" + text for text in texts] +
          [b"\x02\x09\0" + keywords.query(n) for n in keywords.NAMES] +
          [b"\x01" + random.randbytes(24) + b"aAbBabab" * 4 for _ in range(20)])
    for name in ("blob", "differential"):
        write(os.path.join(corpus, name), [b""])


main()
