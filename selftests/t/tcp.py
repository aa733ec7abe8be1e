#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
A file through a TCP connection, in packets as large as the system makes them.

    tcp.py serve        take one connection to 10.0.0.1:8080, read it to its end; prints
                        "ready" when it listens
    tcp.py send FILE
"""

import socket
import sys

SERVER = ("10.0.0.1", 8080)

if sys.argv[1:] == ["serve"]:
    s = socket.create_server(SERVER)
    print("ready", flush=True)
    peer, _ = s.accept()
    while peer.recv(1 << 20):
        pass
else:
    s = socket.create_connection(SERVER)
    with open(sys.argv[2], "rb") as file:
        s.sendfile(file)
    s.shutdown(socket.SHUT_WR)
    s.recv(1)
