#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes a list of domain names and packets that ask for names in it, beside it and below it

domains.py list FILE COUNT [SEED]     COUNT names, a line each
domains.py traffic FILE PCAP PACKETS  half of PACKETS are DNS queries, half TLS ClientHellos; on
    stdout, for each packet that a name of the list matches, "PACKET ID", by the definition: the
    name itself is in the list, or a name that it is below
"""
import random
import socket
import struct
import sys

SYLLABLES = ("ba ti ko ra net sho p web data cloud my in fo mail ser ver cd n x lo me tra ck ads "
             "pix el").split()
ENDS = "com net org de io co.uk fr info xyz ru".split()


def name(pick):
    labels = ["".join(pick.choice(SYLLABLES) for _ in range(pick.randint(2, 5)))]
    if pick.random() < .3:
        labels[0] += str(pick.randint(0, 999))
    if pick.random() < .4:
        labels.insert(0, pick.choice(["www", "cdn", "ads", "track", "img", "api"]))
    return ".".join(labels + [pick.choice(ENDS)])


def write_list(path, count, seed):
    pick = random.Random(seed)
    names = {}
    while len(names) < count:
        names[name(pick)] = None
    with open(path, "w") as f:
        f.writelines(n + "\n" for n in names)


def requested(pick, names):
    """A name in the list, below it, beside it, above it, or another; letters of either case."""
    one = pick.choice(names)
    kind = pick.randrange(8)
    if kind == 1:
        one = pick.choice(["a.", "x-1.", "deep.er."]) + one
    elif kind == 2:
        one = "x" + one
    elif kind == 3:
        one += ".evil"
    elif kind == 4:
        one = one[1:]
    elif kind == 5:
        one = one[:-1]
    elif kind == 6:
        one = one.split(".", 1)[1]
    elif kind == 7:
        one = name(pick)
    return "".join(c.upper() if pick.random() < .2 else c for c in one.strip("."))


def matches(ids, one):
    labels = one.lower().split(".")
    parts = (".".join(labels[i:]) for i in range(len(labels)))
    return sorted(ids[p] for p in parts if p in ids)


ADDRESSES = socket.inet_aton("10.0.0.2") + socket.inet_aton("10.0.0.1")


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return struct.pack("!H", ~total & 0xffff)


def ethernet(protocol, body):
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), 0, 0, 64, protocol, 0) + ADDRESSES
    return bytes(12) + b"\x08\0" + head[:10] + checksum(head) + head[12:] + body


def query(number, one):
    labels = b"".join(bytes([len(part)]) + part.encode() for part in one.split("."))
    data = struct.pack("!6H", number & 0xffff, 0x100, 1, 0, 0, 0) + labels + b"\0\0\x01\0\x01"
    return ethernet(17, struct.pack("!4H", 1024 + number % 60000, 53, 8 + len(data), 0) + data)


def hello(number, one):
    host = one.encode()
    sni = b"\0\0" + struct.pack("!HHBH", len(host) + 5, len(host) + 3, 0, len(host)) + host
    body = (b"\x03\x03" + bytes(32) + b"\0\0\x02\x13\x01\x01\0" + struct.pack("!H", len(sni)) + sni)
    body = b"\x01" + len(body).to_bytes(3, "big") + body
    data = b"\x16\x03\x01" + struct.pack("!H", len(body)) + body
    tcp = struct.pack("!HHIIBBHHH", 1024 + number % 60000, 443, 1, 1, 0x50, 0x18, 8192, 0, 0)
    value = checksum(ADDRESSES + struct.pack("!HH", 6, len(tcp + data)) + tcp + data)
    return ethernet(6, tcp[:16] + value + tcp[18:] + data)


def write_traffic(path, capture, packets):
    pick = random.Random(1)
    with open(path) as f:
        names = f.read().split()
    ids = {one: number for number, one in enumerate(names, 1)}
    with open(capture, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for number in range(1, packets + 1):
            one = requested(pick, names)
            data = (query if number % 2 else hello)(number, one)
            f.write(struct.pack("<IIII", number, 0, len(data), len(data)) + data)
            for found in matches(ids, one):
                print(number, found)


if sys.argv[1] == "list":
    write_list(sys.argv[2], int(sys.argv[3]), int((sys.argv + ["1"])[4]))
else:
    write_traffic(sys.argv[2], sys.argv[3], int(sys.argv[4]))
