#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 150
#
# client (10.0.0.2) ── veth ── server (10.0.0.1; a set with --decode url)
#
# Proves that the module finds a pattern behind escapes, in datagrams, in fragments of memory, in
# streams wherever segments cut it, and in a rule of iptables; that the event says so; and that a
# set without --decode does not.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/stream.inc"
. "$(dirname "$0")/rules.inc"

stream_setup
printf '%s\n' the-end-of-what-was-sent ../etc/passwd 'union select' plain >"$T/s.txt"
run "$NFAC" compile --decode url -o "$T/s.nfac" "$T/s.txt"
run "$NFAC" compile -o "$T/raw.nfac" "$T/s.txt"
run server "$NFAC" load s "$T/s.nfac"
run server "$NFAC" load raw "$T/raw.nfac"

cases "$TREE/selftests/t/decode_stream.py"

of()
{
	server bash -c "cat /sys/class/misc/nfac/sets/*/attachments/$1/$2"
}

decoded=$(server "$NFAC" attach s --drop)
raw=$(server "$NFAC" attach raw --priority 10)
before=$(server cat /sys/class/misc/nfac/memory_used)
server "$NFAC" watch s --json --all-events --count 3 >"$T/events" 2>"$T/watch.err" &
watch=$!
watched "$before"
udp 'x=%2e%2e%2fetc%2fpasswd'
udp 'union%20sel%65ct union select'
is "both datagrams are dropped" 2 "$(of "$decoded" dropped_packets)"
is "each match counts once" 3 "$(of "$decoded" matches)"
is "a set without --decode sees neither" 0 "$(of "$raw" matches)"
udp 'GET /100%+plainly HTTP'
is "a pattern without escapes is one match" 4 "$(of "$decoded" matches)"
wait $watch
is "the event has the place before it is decoded, and says so" '2 2 true' \
	"$(jq -r 'select(.id == 2) | "\(.id) \(.offset) \(.decoded)"' "$T/events")"
detach_all

if [ -f "$TREE/userspace-loader/iptables/libxt_nfac.so" ]; then
	rule_modules xt_nfac
	rule_extensions
	run server iptables-nft -A INPUT -p udp -m nfac --set s --from 4 -j DROP
	udp 'x=%2e%2e%2fetc%2fpasswd'
	is "a rule of iptables looks behind --from" 0 "$(server iptables-nft -vxnL INPUT | awk '/nfac/ { print $1 }')"
	udp 'xxxx%2e%2e%2fetc%2fpasswd'
	is "and finds the pattern there" 1 "$(server iptables-nft -vxnL INPUT | awk '/nfac/ { print $1 }')"
	run server iptables-nft -F INPUT
else
	skip "a rule of iptables" "libxt_nfac.so is not built"
fi
