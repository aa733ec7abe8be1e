#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Lets each allocation of each call to /dev/nfac fail in turn (CONFIG_FAULT_INJECTION).

    faults.py OLD NEW       with OLD in force as "s"; prints for each call the number
                            of its allocations and the answers when one failed
"""

import errno
import os
import struct
import sys

import device
from device import call, commit_bytes, open_device

FLAGS = 0x2 | 0x400         # report, and a conntrack label: what takes most


class Fault:
    """The n-th allocation of this thread from now on fails."""

    def __init__(self):
        # open beforehand: to open it takes memory too
        self.file = os.open("/proc/thread-self/fail-nth", os.O_RDWR)

    def arm(self, nth):
        os.pwrite(self.file, b"%d" % nth, 0)

    def disarm(self):
        """Has one failed?"""
        hit = os.pread(self.file, 16, 0).strip() == b"0"
        self.arm(0)
        return hit


def each_allocation(fault, what, prepare, action, undo):
    """@prepare and @undo are spared."""
    answers = set()
    for nth in range(1, 1000):
        state = prepare()
        fault.arm(nth)
        result = action(state)
        hit = fault.disarm()
        undo(state, result)
        if not hit:
            print(f"{what}: {nth - 1} allocations,", *sorted(answers), "then", result)
            return
        answers.add(result)
    print(what, "never ends")


def checksum():
    with open("/sys/class/misc/nfac/sets/s/checksum", encoding="ascii") as file:
        return file.read()


def staged(data):
    fd = open_device()
    os.write(fd, data)
    return fd


def main(old, new):
    fault = Fault()
    control = open_device()
    os.close(device_commit("s", old))
    before = checksum()

    def opening(_):
        try:
            os.close(open_device())
        except OSError as err:
            return errno.errorcode[err.errno]
        return "ok"

    def writing(fd):
        try:
            os.write(fd, new)
        except OSError as err:
            return errno.errorcode[err.errno]
        return "ok"

    def committing(name):
        def action(fd):
            return call(fd, "COMMIT", commit_bytes(name))[0]
        return action

    def unload(fd, result):
        os.close(fd)
        gone = call(control, "UNLOAD", device.NAME.pack(device.NAME.size, 1, b"n", 0, 0))[0]
        if (gone == "ok") != (result == "ok"):
            print("a new set is there, or is not, against its commit's answer", result)

    def put_back(fd, result):
        os.close(fd)
        if result == "ok":
            os.close(device_commit("s", old))
        if checksum() != before:
            print("the old set is not in force after", result)

    attached = []

    def attaching(_):
        result, answer = call(control, "ATTACH", device.attach_bytes("s", flags=FLAGS))
        if result == "ok":
            attached.append(struct.unpack_from("=I", answer, 40)[0])
        return result

    def detach(_, result):
        while attached:
            call(control, "DETACH",
                 device.DETACH.pack(device.DETACH.size, 1, attached.pop(), 0))

    def subscribing(fd):
        return call(fd, "SUBSCRIBE", device.NAME.pack(device.NAME.size, 1, b"", 0, 0))[0]

    def close(fd, _):
        os.close(fd)

    def nothing(*_):
        return None

    each_allocation(fault, "open", nothing, opening, nothing)
    each_allocation(fault, "write", open_device, writing, close)
    each_allocation(fault, "commit of a new set", lambda: staged(new),
                    committing("n"), unload)
    each_allocation(fault, "commit of a set in force", lambda: staged(new),
                    committing("s"), put_back)
    each_allocation(fault, "attach", nothing, attaching, detach)
    each_allocation(fault, "subscribe", open_device, subscribing, close)


def device_commit(name, data):
    fd = staged(data)
    assert call(fd, "COMMIT", commit_bytes(name))[0] == "ok"
    return fd


if __name__ == "__main__":
    main(*(open(name, "rb").read() for name in sys.argv[1:3]))
