#!/usr/bin/python3 -S
# SPDX-License-Identifier: GPL-2.0
"""
What the command line tool would never do to /dev/nfac, for the tests.

    device.py commit NAME [FILE] [--cut N] [--flip WORD] [--chunk N] [--twice]
        stage FILE (nothing without it) and commit it; prints the error's name and
        the kernel's sentence, or "ok"
    device.py stage FILE        stage it, print "staged", and wait to be killed
    device.py hold              open the device, print "open", and wait
    device.py ioctl             arguments that must be refused: a line for each
    device.py attach NAME FIELD=VALUE...   prints the id or the error's name
    device.py attach NAME -     the same for each line of stdin
    device.py events N [FILE]   read N events, print packet, pattern, lost of each;
                                reads nothing before FILE is there
    device.py read              errors of read()
    device.py counts NAME       counts of patterns as the device gives them, and requests for them
                                that must be refused: a line for each
    device.py handed            open, give up all capabilities, and try each ioctl, read(),
                                write() and poll()
"""

import ctypes
import errno
import os
import select
import struct
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
VERSION = 1
HEAD = struct.Struct("=II")
COMMIT = struct.Struct("=II32sIIQQ128s")
NAME = struct.Struct("=II32sII")
ATTACH = struct.Struct("=II32sIIIiHH16H16s16sIIIIIIII8III")
# without its last fields, from the protocols that are allowed on
ATTACH_SIZE_MIN = ATTACH.size - 40
DETACH = struct.Struct("=IIII")
SET = struct.Struct("=II32s32sIIIIQQQQQ")
COUNTS = struct.Struct("=II32sQIIIIQQ3072s")
COUNT = struct.Struct("=IIQQ")
EVENT = struct.Struct("=IIQqqQIIIIIIHHBBBB16s16s32sII")


def number(nr, size, direction=3):
    return direction << 30 | size << 16 | 0xAC << 8 | nr


def ioctl(fd, request, pointer):
    """Name of the error, or "ok"."""
    if LIBC.ioctl(fd, ctypes.c_ulong(request), pointer) < 0:
        return errno.errorcode[ctypes.get_errno()]
    return "ok"


# of those that have an argument
IOC = {
    "COMMIT": (1, COMMIT), "UNLOAD": (3, NAME), "ATTACH": (4, ATTACH),
    "DETACH": (5, DETACH), "GET_SET": (6, SET), "GET_ATTACH": (7, ATTACH),
    "SUBSCRIBE": (8, NAME), "VERIFY": (9, NAME), "GET_COUNTS": (10, COUNTS),
}
DISCARD = number(2, 0, 0)


def call(fd, what, data):
    """The ioctl's answer: (error's name or "ok", bytes)."""
    nr, layout = IOC[what]
    buf = ctypes.create_string_buffer(bytes(data), max(len(data), layout.size))
    return ioctl(fd, number(nr, layout.size), buf), buf.raw


def name_of(text):
    return os.fsencode(text)


def commit_bytes(name, flags=0, size=None, version=VERSION):
    return COMMIT.pack(size or COMMIT.size, version, name_of(name), flags, 0, 0, 0, b"")


def attach_bytes(name, **fields):
    """struct nfac_ioc_attach with everything zero that is not named."""
    get = fields.get
    ports = [0] * 16
    if "port" in fields:
        ports[0] = fields["port"]
    for i, port in enumerate(fields.get("ports", ())):
        ports[i] = port
    return ATTACH.pack(
        get("size", ATTACH.size), get("version", VERSION), name_of(name),
        get("id", 0), get("flags", 2), get("hook", 0), get("priority", -190),
        get("protocol", 0), get("nports", 0), *ports,
        name_of(get("iif", "")), name_of(get("oif", "")),
        get("mark", 0), get("mark_mask", 0), get("ct_mark", 0), get("ct_mask", 0),
        get("when_mark", 0), get("when_mask", 0), get("ct_label", 0), get("pad", 0),
        *get("allow", [0] * 8), get("candidate_mark", 0), get("candidate_mask", 0))


def open_device(flags=os.O_RDWR):
    return os.open("/dev/nfac", flags)


def option(args, name, default=None):
    if name not in args:
        return default
    at = args.index(name)
    value = args[at + 1]
    del args[at:at + 2]
    return int(value, 0)


def stage(fd, data, chunk):
    for at in range(0, len(data), chunk):
        os.write(fd, data[at:at + chunk])


def do_commit(args):
    cut = option(args, "--cut")
    flip = option(args, "--flip")
    chunk = option(args, "--chunk", 1 << 20)
    twice = "--twice" in args
    if twice:
        args.remove("--twice")
    fd = open_device()
    if len(args) > 1:
        with open(args[1], "rb") as file:
            data = bytearray(file.read())
        if cut is not None:
            data = data[:cut]
        if flip is not None:
            data[4 * flip] ^= 1
        try:
            stage(fd, data, chunk)
        except OSError as err:
            print("write:", errno.errorcode[err.errno])
            return
    if twice:
        call(fd, "COMMIT", commit_bytes(args[0]))
    result, answer = call(fd, "COMMIT", commit_bytes(args[0]))
    fault = COMMIT.unpack(answer[:COMMIT.size])[7].split(b"\0")[0].decode()
    print(result + (": " + fault if fault else ""))


def do_stage(args):
    fd = open_device()
    with open(args[0], "rb") as file:
        data = file.read()
    stage(fd, data, 1000)
    print("staged", flush=True)
    while True:
        time.sleep(100)


def do_hold(_):
    open_device()
    print("open", flush=True)
    while True:
        time.sleep(100)


def do_ioctl(_):
    fd = open_device()

    def answer(text, what, data):
        print(f"{text}: {call(fd, what, data)[0]}")

    answer("version 2", "GET_SET", SET.pack(SET.size, 2, b"", b"", *[0] * 9))
    answer("too short", "GET_SET", SET.pack(16, 1, b"", b"", *[0] * 9))
    answer("huge", "GET_SET", SET.pack(1 << 30, 1, b"", b"", *[0] * 9))
    answer("longer, zero", "UNLOAD",
           NAME.pack(NAME.size + 8, 1, b"nosuch", 0, 0) + bytes(8))
    answer("longer, not zero", "UNLOAD",
           NAME.pack(NAME.size + 8, 1, b"nosuch", 0, 0) + b"\1" * 8)
    answer("unknown flag", "UNLOAD", NAME.pack(NAME.size, 1, b"nosuch", 1, 0))
    answer("unload of nothing", "UNLOAD", NAME.pack(NAME.size, 1, b"nosuch", 0, 0))
    answer("verify of nothing", "VERIFY", NAME.pack(NAME.size, 1, b"nosuch", 0, 0))
    answer("subscribe to nothing", "SUBSCRIBE", NAME.pack(NAME.size, 1, b"nosuch", 0, 0))
    answer("detach of nothing", "DETACH", DETACH.pack(DETACH.size, 1, 77, 0))
    print("unknown ioctl:", ioctl(fd, number(99, 8), ctypes.create_string_buffer(8)))
    print("bad pointer:", ioctl(fd, number(6, SET.size), ctypes.c_void_p(8)))


def do_attach(args):
    fd = open_device()
    for words in map(str.split, sys.stdin) if args[1:] == ["-"] else [args[1:]]:
        fields = {}
        for word in words:
            key, value = word.split("=", 1)
            fields[key] = value if key in ("iif", "oif") else int(value, 0)
        result, answer = call(fd, "ATTACH", attach_bytes(args[0], **fields))
        print(struct.unpack_from("=I", answer, 40)[0] if result == "ok" else result)


def do_events(args):
    fd = open_device()
    call(fd, "SUBSCRIBE", NAME.pack(NAME.size, 1, b"", 0, 0))
    print("listening", flush=True)
    want = int(args[0])
    while args[1:] and not os.path.exists(args[1]):
        time.sleep(0.05)
    while want > 0:
        data = os.read(fd, EVENT.size * 64 + 7)
        assert len(data) % EVENT.size == 0, len(data)
        for event in EVENT.iter_unpack(data):
            assert event[0] == EVENT.size
            print("packet", event[5], "pattern", event[6], "lost", event[1], flush=True)
            want -= 1


def do_read(_):
    fd = open_device(os.O_RDWR | os.O_NONBLOCK)
    for size in (EVENT.size - 1, EVENT.size):
        try:
            os.read(fd, size)
        except OSError as err:
            print(size, errno.errorcode[err.errno])
    result, _ = call(fd, "SUBSCRIBE", NAME.pack(NAME.size, 1, b"", 0, 0))
    print("subscribed twice:", result)


def counts_bytes(name, cursor=0, generation=0, flags=0, size=COUNTS.size, version=VERSION):
    return COUNTS.pack(size, version, name_of(name), cursor, generation, 77, 77, flags, 77, 77,
                       b"\xa5" * 3072)


def do_counts(args):
    fd = open_device()
    name = args[0]
    cursor = generation = 0
    while True:
        result, answer = call(fd, "GET_COUNTS", counts_bytes(name, cursor, generation))
        if result != "ok":
            print(result)
            break
        _, _, _, cursor, generation, got, slots, flags, _, uncounted, entries = COUNTS.unpack(answer)
        for at in range(128):
            ident, pad, hits, seen = COUNT.unpack_from(entries, at * COUNT.size)
            if at < got:
                print("id", ident, "hits", hits, "age", int(time.time()) - seen, "pad", pad)
            elif (ident, pad, hits, seen) != (0, 0, 0, 0):
                print("rubbish behind the entries")
        if got < 128:
            print("slots", slots, "uncounted", uncounted, "generation", generation, "flags", flags)
            break
    for text, data in (("another load", counts_bytes(name, 1 << 32, generation + 1)),
                       ("past the end", counts_bytes(name, (1 << 64) - 1, generation)),
                       ("no such set", counts_bytes("nosuch")), ("no name", counts_bytes("")),
                       ("a flag", counts_bytes(name, flags=1)),
                       ("too short", counts_bytes(name, size=COUNTS.size - 8)),
                       ("version 2", counts_bytes(name, version=2))):
        print(f"{text}: {call(fd, 'GET_COUNTS', data)[0]}")


def do_handed(_):
    """PR_CAP_AMBIENT does not help: setuid away from 0 drops every capability."""
    fd = open_device(os.O_RDWR | os.O_NONBLOCK)
    os.setuid(65534)
    for what, (_, layout) in sorted(IOC.items()):
        data = HEAD.pack(layout.size, VERSION) + bytes(layout.size - 8)
        print(what, call(fd, what, data)[0])
    print("DISCARD", ioctl(fd, DISCARD, None))
    for what, tried in (("read", lambda: os.read(fd, EVENT.size)),
                        ("write", lambda: os.write(fd, b"x"))):
        try:
            tried()
            print(what, "ok")
        except OSError as err:
            print(what, errno.errorcode[err.errno])
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    print("poll", "EPERM" if poller.poll(0) == [(fd, select.POLLERR)] else "ok")


if __name__ == "__main__":
    if len(sys.argv) < 2 or "do_" + sys.argv[1] not in globals():
        sys.exit(__doc__)
    globals()["do_" + sys.argv[1]](sys.argv[2:])
