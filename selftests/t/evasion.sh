#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 120
#
# client (10.0.0.2, fd00::2) ── veth, VLAN 5, 7.8 ── server (10.0.0.1, fd00::1; set attached, --stream)
#
# Proves that a pattern cut over two segments is found through what else may be done to
# them: fragments (tiny, overlapping, backwards; put together by conntrack, by the
# receiver, or by no host and then counted), extension headers, options, VLAN and QinQ,
# other protocols; and in a real connection with segmentation offload, across packets.
# Packets are made by hand (evasion.py); NFAC_NO_STREAM=1 shows the cases fail without it.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/stream.inc"

stream_setup
run ip -n server link add link veth0 name v5 type vlan id 5
run ip -n server link add link veth0 name q7 type vlan proto 802.1ad id 7
run ip -n server link add link q7 name q7.8 type vlan id 8
for dev in v5 q7 q7.8; do
	run ip -n server link set $dev up
done
run ip -n server neigh replace 10.0.0.77 lladdr 02:00:00:00:00:02 dev veth0
cases "$TREE/selftests/t/evasion.py"

say "a real connection, in GSO packets"
LONG=needle-in-the-pile
yes "$(printf '%-99s' $LONG)" | head -15000 >"$T/long"
want=$(grep -c $LONG "$T/long")
run ip -n client link set veth0 mtu 1500
# what two CPUs put out of order is dropped, and comes again
[ -n "${NFAC_NO_STREAM:-}" ] && stream=() || stream=(--stream --gap drop)
ID=$(server "$NFAC" attach s "${stream[@]}" --dport 8080)
server timeout 60 /usr/bin/python3 -S "$TREE/selftests/t/tcp.py" serve >"$T/ready" &
later end_process $!
until_true 20 grep -q ready "$T/ready" || fail "the server is ready"
run client timeout 60 /usr/bin/python3 -S "$TREE/selftests/t/tcp.py" send "$T/long"
figures=$(server bash -c "cd /sys/class/misc/nfac/sets/s/attachments/$ID; cat packets matches bytes | xargs")
read -r packets matches bytes <<<"$figures"
is "each pattern is found once, in every packet and across them" "$want" "$matches"
is "each byte is inspected once" "$(stat -c %s "$T/long")" "$bytes"
ok "in packets larger than the MTU" test $((bytes / packets)) -gt 1500
run server "$NFAC" detach "$ID"
