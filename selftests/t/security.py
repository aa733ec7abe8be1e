#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Hostile requests to /dev/nfac, for security.sh: none may leak memory or be accepted.

    security.py sizes BLOB    each word of the header huge: prints the answers
    security.py bytes BLOB    arguments full of garbage: prints which of it is returned
    security.py event         one event: prints what is not as it has to be
    security.py fill BLOB     sets, readers and staged blobs until the limit: prints it
"""

import os
import struct
import sys

import device
from device import call, commit_bytes, open_device
from fuzz_device import checksum

GARBAGE = 0xa5


def sealed(blob):
    blob = bytearray(blob)
    blob[16:24] = bytes(8)
    struct.pack_into("<Q", blob, 16, checksum(blob))
    return bytes(blob)


def used():
    with open("/sys/class/misc/nfac/memory_used", encoding="ascii") as file:
        return int(file.read())


def sizes(name):
    """A refusal for want of memory would mean that the size was believed first."""
    with open(name, "rb") as file:
        real = file.read()
    control = open_device()
    before = used()
    answers = {}
    # all words but magic, version and checksum, up to the reserved ones
    for word in (2, 3, *range(6, 56)):
        for value in (0xffffffff, 0x80000000, 0x7fffffc0, 0x04000000):
            blob = bytearray(real)
            struct.pack_into("<I", blob, 4 * word, value)
            fd = open_device()
            try:
                os.write(fd, sealed(blob))
                result = call(fd, "COMMIT", commit_bytes("huge"))[0]
            except OSError as err:
                result = err.strerror
            os.close(fd)
            if result == "ok":
                # a number that is only printed
                call(control, "UNLOAD", device.NAME.pack(device.NAME.size, 1, b"huge", 0, 0))
            answers[result] = answers.get(result, 0) + 1
    print(*sorted(answers))
    print("held", used() - before)


def tail(text):
    """What is behind the NUL."""
    return bytes(text).split(b"\0", 1)[1].strip(b"\0")


def garbage(layout, byte=GARBAGE):
    return bytearray([byte] * layout.size)


def head(data, layout):
    struct.pack_into("=II", data, 0, layout.size, device.VERSION)
    return data


def bytes_(name):
    """User space's own garbage, and the kernel's, must not come to others."""
    fd = open_device()
    # a refused commit: its answer's sentence is over at the NUL
    data = head(garbage(device.COMMIT), device.COMMIT)
    data[8:40] = b"dirty\0".ljust(32, bytes([GARBAGE]))
    struct.pack_into("=I", data, 40, 0)
    result, answer = call(fd, "COMMIT", data)
    print("refused commit:", result, tail(answer[64:192]).hex() or "clean",
          struct.unpack_from("=IQQ", answer, 44))
    os.write(fd, open(name, "rb").read())
    result, answer = call(fd, "COMMIT", data)
    print("commit:", result, tail(answer[64:192]).hex() or "clean",
          tail(answer[8:40]).hex() or "clean")
    # the set's figures: all of the answer is the kernel's, whatever was there (a byte of the
    # checksum may be any, garbage's too)
    answers = []
    for byte in (GARBAGE, GARBAGE ^ 0xff):
        data = head(garbage(device.SET, byte), device.SET)
        data[8:40] = b"dirt\0".ljust(32, bytes([byte]))
        result, answer = call(fd, "GET_SET", data)
        answers.append(bytes(answer))
    print("set:", result, answer[40:45].decode(), tail(answer[8:40]).hex() or "clean",
          tail(answer[40:72]).hex() or "clean", "same" if len(set(answers)) == 1 else answers)
    # an attachment's names
    data = bytearray(device.attach_bytes("dirty", iif="lo"))
    data[14:40] = bytes([GARBAGE] * 26)
    at = 8 + 32 + 16 + 4 + 32 + 3
    data[at:at + 13] = bytes([GARBAGE] * 13)
    result, answer = call(fd, "ATTACH", data)
    number = struct.unpack_from("=I", answer, 40)[0]
    print("attach:", result)
    other = open_device()
    data = bytearray(device.attach_bytes("", id=number, flags=0))
    result, answer = call(other, "GET_ATTACH", data)
    print("attachment as others see it:", result, tail(answer[8:40]).hex() or "clean",
          tail(answer[at - 3:at + 13]).hex() or "clean")
    # what was compiled before the struct grew neither gives nor gets the rest
    least = device.ATTACH_SIZE_MIN
    data = bytearray(device.attach_bytes("", id=number, flags=0, size=least)[:least]) + b"old" * 9
    result, answer = call(other, "GET_ATTACH", data)
    print("shorter:", result, struct.unpack_from("=I", answer)[0] == least,
          answer[least:].strip(b"\0").decode())
    data = bytearray(device.attach_bytes("", id=number, flags=0, size=least - 4))
    print("too short:", call(other, "GET_ATTACH", data)[0])
    print("detach:", call(fd, "DETACH", device.DETACH.pack(device.DETACH.size, 1, number, 0))[0])
    # past what the kernel knows nothing is written
    data = head(bytearray(device.SET.size), device.SET) + bytes(64)
    struct.pack_into("=I", data, 0, device.SET.size + 64)
    result, answer = call(fd, "GET_SET", data)
    print("longer:", result, answer[device.SET.size:].strip(b"\0").hex() or "clean")
    print("unload:", call(fd, "UNLOAD",
                          device.NAME.pack(device.NAME.size, 1, b"dirty", 0, 0))[0])


def event():
    fd = open_device()
    call(fd, "SUBSCRIBE", device.NAME.pack(device.NAME.size, 1, b"", 0, 0))
    print("listening", flush=True)
    buffer = bytearray([GARBAGE] * 4 * device.EVENT.size)
    got = os.readv(fd, [buffer])
    fields = device.EVENT.unpack(buffer[:device.EVENT.size])
    print("bytes", got, device.EVENT.size)
    print("addresses", bytes(fields[18][4:] + fields[19][4:]).strip(b"\0").hex() or "clean")
    print("set", fields[20].split(b"\0")[0].decode(), tail(fields[20]).hex() or "clean")
    print("past it", "clean" if set(buffer[got:]) == {GARBAGE} else "written to")


def fill(name):
    """As much as a namespace may have, in each way there is to have some."""
    with open(name, "rb") as file:
        blob = file.read()
    with open("/sys/class/misc/nfac/memory_limit", encoding="ascii") as file:
        limit = int(file.read())
    keep = []
    answers = set()
    for number in range(2000):
        fd = open_device()
        keep.append(fd)
        try:
            os.write(fd, blob)
        except OSError as err:
            answers.add("write " + os.strerror(err.errno))
            break
        result = call(fd, "COMMIT", commit_bytes(f"n{number}"))[0]
        if result != "ok":
            answers.add("commit " + result)
            break
    for _ in range(2000):
        fd = open_device()
        keep.append(fd)
        result = call(fd, "SUBSCRIBE", device.NAME.pack(device.NAME.size, 1, b"", 0, 0))[0]
        if result != "ok":
            answers.add("subscribe " + result)
            break
    for _ in range(2000):
        fd = open_device()
        keep.append(fd)
        try:
            os.write(fd, bytes(100))
        except OSError as err:
            answers.add("stage " + os.strerror(err.errno))
            break
    print(*sorted(answers), sep=", ")
    print("within the limit" if limit * 3 // 4 < used() <= limit else f"{used()} of {limit}")


if __name__ == "__main__":
    {"sizes": sizes, "bytes": bytes_, "event": event, "fill": fill}[sys.argv[1]](*sys.argv[2:])
