#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Sends a file as one datagram to 10.0.0.1:9999; the skb has its bytes in pages.

    udp.py FILE
"""

import os
import socket
import sys

UDP_CORK = 1

s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("10.0.0.1", 9999))
size = os.path.getsize(sys.argv[1])
with open(sys.argv[1], "rb") as file:
    s.setsockopt(socket.IPPROTO_UDP, UDP_CORK, 1)   # page by page into the same datagram
    sent = 0
    while sent < size:
        sent += os.sendfile(s.fileno(), file.fileno(), sent, size - sent)
    s.setsockopt(socket.IPPROTO_UDP, UDP_CORK, 0)
