#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 90
#
# client (10.0.0.2, fd00::2) ── veth, MTU 65535 ── server (10.0.0.1, fd00::1; set attached)
#
# Proves that a payload is found behind any headers, and wherever the skb has
# it: options, extension headers, page fragments, lists of fragments, GSO. That what
# cannot be inspected is counted by its reason, and dropped with --skip drop.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool nft jq
/usr/bin/python3 -c 'import scapy' 2>/dev/null || skip_all "scapy is not installed"
SEND=$TREE/selftests/t/send.py
load_module
ns_pair
# GSO packets and large datagrams come as they are
run ip -n client link set veth0 mtu 65535
run ip -n server link set veth0 mtu 65535

LONG=a-pattern-of-fifty-bytes-that-lies-across-the-pages
printf 'attack\n%s\n' "$LONG" >"$T/one.txt"
run server "$NFAC" load one "$T/one.txt"

# now FILE...: figures of the server's attachment, in one process
now()
{
	(cd "/sys/class/misc/nfac/sets/one/attachments/$ID" && cat "$@" | xargs)
}
export -f now
export ID

figures()
{
	server bash -c 'now "$@"' _ "$@"
}

attach()
{
	ID=$(server "$NFAC" attach one "$@") && [ -n "$ID" ] || { fail "attach $*"; exit 1; }
	say "attachment $ID: $*"
}

detach()
{
	run server "$NFAC" detach "$ID"
}

# one process for all: to start scapy takes seconds
coproc SENDER { client "$SEND" -; }

# sends SHAPE [TEXT]... [/ SHAPE [TEXT]...]...
sends()
{
	local answer=

	show send.py "$@"
	echo "$*" >&"${SENDER[1]}" && read -r -t 60 answer <&"${SENDER[0]}" ||
		fail "send.py sends" "$answer"
}

say "headers of all kinds before the payload"
attach
sends ip_options attack / tcp_options attack / syn_data attack / \
	tcp_urgent attack / extensions attack / atomic_fragment attack / udp6_zero attack
is "found behind each" "7 42 7" "$(figures packets bytes matches)"
sends tcp_empty / trailer attack / udp_behind attack
is "no payload, or none that a receiver reads: nothing to find" "9 44 7" \
	"$(figures packets bytes matches)"
is "and nothing that was skipped" "0 0 0 0" \
	"$(figures skipped_fragment skipped_truncated skipped_too_deep skipped_unreadable)"

say "what cannot be inspected"
odd=(too_deep attack / tcp_short / tcp_offset attack / tcp_offset_low attack /
	udp_lies attack / udp_lies_low attack / udp_short / extension_lies attack /
	fragments attack / fragments6 attack)
sends "${odd[@]}"
is "is counted by its reason" "1 7 6 0" \
	"$(figures skipped_too_deep skipped_truncated skipped_fragment dropped_packets)"
is "and not among the inspected" 9 "$(figures packets)"
before=$(figures skipped_protocol)
sends icmp attack / sctp attack
ok "other protocols too" test "$(figures skipped_protocol)" -ge $((before + 2))
detach
attach --skip drop
sends "${odd[@]}"
is "and is dropped with --skip drop" 14 "$(figures dropped_packets)"
before=$(figures skipped_protocol dropped_packets)
sends icmp attack / sctp attack
is "and so are protocols that are not inspected" "$((${before% *} + 2)) $((${before#* } + 2))" \
	"$(figures skipped_protocol dropped_packets)"
run client ip -6 neigh del fd00::1 dev veth0
like "except neighbour discovery: the server's reset arrives" refused \
	"$(client bash -c ': <>/dev/tcp/fd00::1/9' 2>&1)"
detach
attach --skip drop --allow-protocol icmp,132
like "list shows those that are allowed" "--allow-protocol icmp,sctp" "$(server "$NFAC" list)"
sends icmp attack / sctp attack
is "which pass" "2 0" "$(figures skipped_protocol dropped_packets)"
ok "as ping does" client ping -c1 -W5 10.0.0.1
is "no other does" 100% "$(client ping -c1 -W1 fd00::1 | grep -o '100%')"
detach
attach --skip drop --allow-protocol all
ok "all of them" client ping -c1 -W5 fd00::1
like "list says so" "--allow-protocol all" "$(server "$NFAC" list)"
detach
attach --proto tcp --skip drop
sends too_deep attack / fragments6_behind attack
is "so is an unknown protocol, where the attachment selects one" "1 3 4" \
	"$(figures skipped_too_deep skipped_fragment dropped_packets)"
sends fragments6 attack
is "but not another one" 4 "$(figures dropped_packets)"
detach
attach --raw
sends icmp attack / sctp attack
is "raw: all past the IP header" 2 "$(figures matches)"
detach

say "fragments that conntrack puts together: an skb with a list of fragments"
run server nft add table inet defrag
run server nft 'add chain inet defrag c { type filter hook input priority 0; }'
run server nft add rule inet defrag c ct state new counter
attach
sends fragments 0123456789attack / fragments6 attack
is "a pattern across two fragments is found" "2 0" \
	"$(figures matches skipped_fragment)"
detach
run server nft delete table inet defrag
attach --drop
sends fragments 0123456789attack / fragments6 attack
is "with --drop netfilter puts them together, without conntrack" "2 0 2" \
	"$(figures matches skipped_fragment dropped_packets)"
detach
attach --drop --no-defrag
sends fragments6 attack
is "with --no-defrag not: after an attachment that wanted it, too" "0 0" \
	"$(figures matches dropped_packets)"
is "and they are counted" 1 "$(($(figures skipped_fragment) > 0))"
like "list shows it" "--no-defrag" "$(server "$NFAC" list)"
detach

say "one datagram in many pages"
# 670 lines of 89 bytes: most ends of pages are in a pattern
yes "$(printf '%-88s' "$LONG")" | head -670 >"$T/text"
want=$(grep -c "$LONG" "$T/text")
attach
run client /usr/bin/python3 -S "$TREE/selftests/t/udp.py" "$T/text"
is "each pattern is found, across the pages too" "1 $(stat -c %s "$T/text") $want" \
	"$(figures packets bytes matches)"
detach

say "TCP with segmentation offload"
run ip -n client link set veth0 mtu 1500
# on a slow machine TCP would send a part twice before the answer is there, or because
# two CPUs have changed the segments' order
run client sysctl -qw net.ipv4.tcp_early_retrans=0 net.ipv4.tcp_sack=0 net.ipv4.tcp_reordering=127
run ip -n client route change 10.0.0.0/24 dev veth0 rto_min 30s
for _ in 1 2 3 4 5 6 7 8; do cat "$T/text"; done >"$T/long"
want=$(grep -c "$LONG" "$T/long")
attach
server timeout 60 /usr/bin/python3 -S "$TREE/selftests/t/tcp.py" serve >"$T/ready" &
later end_process $!
until_true 20 grep -q ready "$T/ready" || fail "the server is ready"
run client timeout 60 /usr/bin/python3 -S "$TREE/selftests/t/tcp.py" send "$T/long"
read -r packets bytes matches skipped < <(figures packets bytes matches skipped_unreadable)
is "all bytes are inspected" "$(stat -c %s "$T/long") 0" "$bytes $skipped"
ok "in packets larger than the MTU" test $((bytes / packets)) -gt 1500
ok "at most one pattern is cut by each packet's end" test "$matches" -ge $((want - packets + 1))
ok "and none is found twice" test "$matches" -le "$want"
detach
run ip -n client link set veth0 mtu 65535

say "more matches than are reported"
attach
yes attack | head -3000 | tr -d '\n' >"$T/many"
run client /usr/bin/python3 -S "$TREE/selftests/t/udp.py" "$T/many"
is "1,024 are, and it is counted" "1024 1" "$(figures matches skipped_output_cap)"
detach
