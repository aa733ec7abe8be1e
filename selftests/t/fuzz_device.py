#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Random calls to /dev/nfac from several processes that share nothing but the sets.

    fuzz_device.py PROCESSES CALLS SEED BLOB...

Each process opens, closes, hands on, writes (blobs, pieces, damaged blobs whose
checksum is right), commits, attaches, reads, polls, maps, and calls ioctls with
arguments that are half right or not at all; some of it while another thread of the
same file does the same. Once they are done each kind of call is made once as it should
be: whatever they left, it works. Prints how often each call was answered how.
"""

import collections
import ctypes
import errno
import glob
import mmap
import os
import random
import select
import socket
import struct
import sys
import threading

import device

NAMES = ["s", "t", "a-longer-name-of-31-bytes-here.", "", ".", "x/y", "\x01", "\xff" * 32]
MASK = (1 << 64) - 1
WORDS = [0, 1, 2, 3, 64, 255, 4096, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]


def checksum(blob):
    """nfac_checksum() of a blob whose checksum field is 0"""
    total = 0
    for (word,) in struct.iter_unpack("<Q", blob):
        total = ((total ^ word) * 0x9e3779b97f4a7c15) & MASK
        total ^= total >> 29
    return total


def damaged(blob):
    """A few words changed, the checksum right."""
    blob = bytearray(blob)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        at = 4 * random.randrange(len(blob) // 4)
        kind = random.randrange(3)
        if kind == 0:
            blob[at + random.randrange(4)] ^= 1 << random.randrange(8)
        elif kind == 1:
            struct.pack_into("<I", blob, at, random.choice(WORDS))
        else:
            other = 4 * random.randrange(len(blob) // 4)
            blob[at:at + 4] = blob[other:other + 4]
    if random.random() < 0.95:
        blob[16:24] = bytes(8)
        struct.pack_into("<Q", blob, 16, checksum(blob))
    return bytes(blob)


def attachments(of="*"):
    """Ids: of all sets, or of one."""
    return [int(os.path.basename(one))
            for one in glob.glob(f"/sys/class/misc/nfac/sets/{of}/attachments/*")]


def detach(fd, one):
    return device.call(fd, "DETACH",
                       device.DETACH.pack(device.DETACH.size, device.VERSION, one, 0))[0]


def by_name(fd, what, text):
    return device.call(fd, what, device.NAME.pack(device.NAME.size, device.VERSION,
                                                  text.encode(), 0, 0))[0]


def attached():
    """One that exists, if any does: blind numbers seldom hit."""
    return random.choice(attachments() or [0])


def name():
    return random.choice(NAMES[:3] if random.random() < 0.8 else NAMES).encode("latin-1")


def attach_argument():
    """Mostly right, for else nothing would ever be attached."""
    flags = random.choice((0, 1, 2, 2, 3, 6, 0x20, 0x22, 0x40, 0x400, random.getrandbits(14)))
    fields = {"flags": flags, "hook": random.choice((0, 1, 2, 3, 4, 4, 77)),
              "priority": random.choice((-190, 0, 100, -300, random.randint(-2**31, 2**31 - 1)))}
    if flags & 4:
        fields.update(mark=1, mark_mask=random.choice((1, 0xff, 0)))
    if flags & 8:
        fields.update(ct_mark=1, ct_mask=1)
    if flags & 0x10:
        fields.update(when_mark=0, when_mask=1)
    if random.random() < 0.2:
        fields.update(flags=flags | 1 << 24, candidate_mark=2, candidate_mask=random.choice((2, 1, 0)))
    if random.random() < 0.2:
        fields.update(protocol=random.choice((0, 6, 17, 255)), nports=random.randrange(20),
                      port=random.getrandbits(16), iif=random.choice(("", "lo", "x" * 16)))
    return device.attach_bytes(name().decode("latin-1").encode("utf-8", "replace")[:31].decode(
        "utf-8", "replace").encode("ascii", "replace").decode(), **fields)


def argument(what):
    layout = device.IOC[what][1]
    kind = random.random()
    if kind < 0.08:
        data = bytearray(os.urandom(layout.size))
    elif what == "ATTACH":
        data = bytearray(attach_argument())
    else:
        data = bytearray(layout.size)
        struct.pack_into("=II", data, 0, layout.size, device.VERSION)
        if what == "DETACH":
            known = random.random() < 0.7
            struct.pack_into("=I", data, 8, attached() if known else random.randrange(200))
        else:
            text = name()
            data[8:8 + len(text)] = text
        if what == "GET_ATTACH":
            struct.pack_into("=I", data, 40, random.randrange(200))
    if random.random() < 0.1:
        at = 4 * random.randrange(len(data) // 4)
        struct.pack_into("=I", data, at, random.choice(WORDS))
    return bytes(data) + bytes(random.choice((0, 0, 0, 8, 4096)))


class Process:
    def __init__(self, blobs):
        self.blobs = blobs
        self.files = []
        self.counts = collections.Counter()

    def file(self):
        return random.choice(self.files) if self.files else None

    def opened(self):
        if len(self.files) > 6:
            os.close(self.files.pop(random.randrange(len(self.files))))
        fd = device.open_device(os.O_RDWR | os.O_NONBLOCK)
        self.files.append(os.dup(fd))
        os.close(fd)

    def write(self):
        blob = random.choice(self.blobs)
        kind = random.random()
        if kind < 0.4:
            blob = damaged(blob)
        elif kind < 0.5:
            blob = os.urandom(random.randrange(1, 5000))
        elif kind < 0.6:
            blob = blob[:random.randrange(1, len(blob))]
        os.write(self.file(), blob)

    def write_bad(self):
        """A length that passes the end of what is mapped."""
        libc = device.LIBC
        libc.write.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
        for address, size in ((8, 100), (2**47 - 4096, 8192)):
            if libc.write(self.file(), address, size) < 0:
                raise OSError(ctypes.get_errno(), "write")

    def ioctl(self):
        what = random.choice(("COMMIT", "COMMIT", "ATTACH", "ATTACH", "DETACH", "UNLOAD",
                              "GET_SET", "GET_ATTACH", "SUBSCRIBE", "VERIFY"))
        result = device.call(self.file(), what, argument(what))[0]
        self.counts[what + " " + result] += 1

    def retire(self):
        """Detaches whatever is, and unloads: by chance alone a set is hardly ever free."""
        text = random.choice("st")
        for one in attachments(text):
            detach(self.file(), one)
        self.counts["UNLOAD " + by_name(self.file(), "UNLOAD", text)] += 1

    def load(self):
        """A whole load, right most of the time, for packets to meet."""
        blob = random.choice(self.blobs)
        fd = self.file()
        device.ioctl(fd, device.DISCARD, None)
        os.write(fd, damaged(blob) if random.random() < 0.6 else blob)
        result = device.call(fd, "COMMIT", device.commit_bytes(random.choice("st")))[0]
        self.counts["load " + result] += 1

    def ioctl_wild(self):
        request = random.choice((random.getrandbits(32), device.number(random.randrange(16), 8),
                                 device.DISCARD))
        pointer = random.choice((None, 8, 2**47 - 4))
        device.ioctl(self.file(), request, ctypes.c_void_p(pointer))

    def read(self):
        data = os.read(self.file(), random.choice((0, 1, 143, 144, 145, 4096, 1 << 20)))
        assert len(data) % device.EVENT.size == 0
        self.counts["events"] += len(data) // device.EVENT.size

    def poll(self):
        poller = select.poll()
        poller.register(self.file())
        poller.poll(0)

    def odd(self):
        kind = random.randrange(4)
        if kind == 0:
            mmap.mmap(self.file(), 4096)
        elif kind == 1:
            os.lseek(self.file(), 10, os.SEEK_SET)
        elif kind == 2:
            os.fsync(self.file())
        else:
            os.readv(self.file(), [bytearray(144), bytearray(1)])

    def sysfs(self):
        for folder, _, files in os.walk("/sys/class/misc/nfac/sets"):
            for one in random.sample(files, min(3, len(files))):
                try:
                    path = os.path.join(folder, one)
                    if one == "scrub":
                        with open(path, "w", encoding="ascii") as file:
                            file.write("1")
                    else:
                        with open(path, encoding="ascii") as file:
                            file.read()
                except OSError:
                    pass

    def packet(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.setblocking(False)
            for _ in range(5):
                text = random.choice(self.blobs)
                at = random.randrange(len(text))
                s.sendto(random.choice((b"attack", b"/etc/passwd", b"")) + text[at:at + 900],
                         ("127.0.0.1", 9999))

    def one(self):
        call = random.choices(
            (self.opened, self.write, self.write_bad, self.ioctl, self.load, self.retire,
             self.ioctl_wild, self.read, self.poll, self.odd, self.sysfs, self.packet),
            (3, 10, 1, 40, 8, 1, 4, 10, 4, 1, 1, 8))[0]
        if not self.files:
            call = self.opened
        try:
            call()
            self.counts[call.__name__] += 1
        except (OSError, ValueError) as err:
            code = getattr(err, "errno", None)
            self.counts[call.__name__ + " " + errno.errorcode.get(code, str(code))] += 1


def process(number, calls, seed, blobs):
    random.seed(seed * 1000 + number)
    me = Process(blobs)
    threads = []
    if number % 2:
        # a second thread on the same files
        threads = [threading.Thread(target=lambda: [me.one() for _ in range(calls // 2)])]
    for thread in threads:
        thread.start()
    for _ in range(calls // (2 if threads else 1)):
        me.one()
    for thread in threads:
        thread.join()
    return me.counts


def orderly(blobs, counts):
    """A set comes, matches, is damaged in the file, and goes: nothing is left to chance."""
    fd = device.open_device(os.O_RDWR | os.O_NONBLOCK)
    for one in attachments():
        detach(fd, one)
    broken = bytearray(blobs[0])
    broken[-1] ^= 1
    for blob in blobs[0], broken:
        os.write(fd, blob)
        result = device.call(fd, "COMMIT", device.commit_bytes("last"))[0]
        counts["COMMIT " + result] += 1
        counts["load " + result] += 1
    counts["SUBSCRIBE " + by_name(fd, "SUBSCRIBE", "last")] += 1
    result, answer = device.call(fd, "ATTACH", device.attach_bytes("last", flags=2, hook=1))
    assert result == "ok", (result, counts)
    counts["ATTACH " + result] += 1
    counts["UNLOAD " + by_name(fd, "UNLOAD", "last")] += 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        s.sendto(b"attack", s.getsockname())
    # on a busy machine the loopback's softirq comes later
    waiting = select.poll()
    waiting.register(fd, select.POLLIN)
    waiting.poll(60000)
    counts["events"] += len(os.read(fd, 4096)) // device.EVENT.size
    counts["VERIFY " + by_name(fd, "VERIFY", "last")] += 1
    counts["DETACH " + detach(fd, struct.unpack_from("=I", answer, 40)[0])] += 1
    counts["UNLOAD " + by_name(fd, "UNLOAD", "last")] += 1
    os.close(fd)


def main(processes, calls, seed, names):
    blobs = [open(one, "rb").read() for one in names]
    children = []
    for number in range(processes):
        out, into = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(out)
            counts = process(number, calls, seed, blobs)
            os.write(into, repr(dict(counts)).encode())
            os._exit(0)
        os.close(into)
        children.append((pid, out))
    total = collections.Counter()
    for pid, out in children:
        text = b""
        while part := os.read(out, 65536):
            text += part
        status = os.waitpid(pid, 0)[1]
        assert status == 0, status
        for key, value in eval(text.decode()).items():
            total[key] += value
    orderly(blobs, total)
    for key, value in sorted(total.items()):
        print(f"{key}: {value}")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:4]), sys.argv[4:])
