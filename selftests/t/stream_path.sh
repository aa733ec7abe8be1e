#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 90
#
# client (10.0.0.2, fd00::2) ── veth0 ── server (10.0.0.1, fd00::1; set attached, --stream)
#   └ vxlan0 (10.0.2.2)    over veth0     vxlan0 (10.0.2.1) ┘└ veth1 (10.0.1.1, fd01::1)
#                                                              └── far (10.0.1.2, fd01::2)
#
# Proves that a segment whose checksum is wrong does not count as the first copy of its bytes, on
# each path: at forward and postrouting, behind another attachment, out of a tunnel, and where the
# sender left a checksum at another offset to this host. Proves also that datagrams that are still
# to be segmented inside a tunnel are scanned whole outside of it.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/stream.inc"

stream_setup
PY=$TREE/selftests/t/stream_path.py
ns_new far
run ip link add veth1 netns server type veth peer name veth0 netns far
batch server "addr add 10.0.1.1/24 dev veth1" "addr add fd01::1/64 dev veth1 nodad" "link set veth1 up"
batch far "addr add 10.0.1.2/24 dev veth0" "addr add fd01::2/64 dev veth0 nodad" "link set veth0 up"
run server bash -c 'echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'
# the neighbour is known before the segments come
mac=$(in_ns far cat /sys/class/net/veth0/address)
batch server "neigh replace 10.0.1.2 lladdr $mac dev veth1" "neigh replace fd01::2 lladdr $mac dev veth1"
cases "$PY" "$T/s.nfac" forward partial

modprobe vxlan 2>/dev/null
if ip -n client link add vxlan0 address 02:00:00:00:00:02 type vxlan id 7 remote 10.0.0.1 \
	dstport 4789 dev veth0 2>"$T/err"; then
	run ip -n server link add vxlan0 address 02:00:00:00:00:01 type vxlan id 7 \
		remote 10.0.0.2 dstport 4789 dev veth0
	batch client "addr add 10.0.2.2/24 dev vxlan0" "link set vxlan0 up" \
		"neigh replace 10.0.2.1 lladdr 02:00:00:00:00:01 dev vxlan0"
	batch server "addr add 10.0.2.1/24 dev vxlan0" "link set vxlan0 up"
	cases "$PY" "$T/s.nfac" tunnel
	run client "$NFAC" load s "$T/s.nfac"
	in_ns client /usr/bin/python3 -S "$PY" "$T/s.nfac" segments >"$T/segments" 2>&1
	is "segments inside a tunnel: found wherever outside of it they would be cut" \
		"10 found, 47 found" "$(cat "$T/segments")"
else
	skip "out of a tunnel" "no vxlan: $(tail -1 "$T/err")"
	skip "segments inside a tunnel" "no vxlan"
fi
