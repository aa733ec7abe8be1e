#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
A rule added by a user without privileges, here, through sockets of a namespace of his own.

    fd_pass.py SHIM.so SET

A child makes a user and a network namespace, opens netlink sockets in it and hands them
back; iptables-nft then runs here and is given them by SHIM.so (textsearch.sh) instead of
its own. Prints iptables' status.
"""

import array
import ctypes
import os
import socket
import sys

SOCKETS, FIRST = 40, 100
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
NETLINK_NETFILTER = 12
NOBODY = 65534


def child(end):
    if ctypes.CDLL(None).unshare(CLONE_NEWUSER | CLONE_NEWNET):
        os._exit(1)
    for _ in range(SOCKETS):
        one = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER)
        end.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                              array.array("i", [one.fileno()]))])
    os._exit(0)


def main(shim, name):
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if not os.fork():
        child(theirs)
    theirs.close()
    for i in range(SOCKETS):
        _, extra, *_ = ours.recvmsg(1, socket.CMSG_SPACE(4))
        if not extra:
            print("no namespaces")
            return
        one = array.array("i", extra[0][2])[0]
        os.dup2(one, FIRST + i, inheritable=True)
        os.close(one)
    os.wait()
    os.environ["LD_PRELOAD"] = shim
    pid = os.posix_spawn("/usr/sbin/iptables-nft", [
        "iptables-nft", "-A", "INPUT", "-m", "string", "--algo", "nfac", "--string", name],
                         os.environ)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


if __name__ == "__main__":
    main(*sys.argv[1:])
