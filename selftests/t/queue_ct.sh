#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 60
#
# client ── veth ── server (10.0.0.1; rules: queue behind conntrack, counters behind it)
#
# Proves that `nfac queue` sets the bits of a connection's mark that --ct-mark names, and
# no others, and the label that --ct-label names, and no other; for the connection that
# matched, from then on; also where the packet itself is dropped.

. "$(dirname "$0")/../lib.sh"

need_cli
need_tool nft jq
ns_pair
echo needle >"$T/needle"
cat >"$T/rules.nft" <<'END'
table inet t {
	counter marked { }
	counter foreign { }
	counter label5 { }
	counter label4 { }
	counter every { }
	chain before {
		type filter hook prerouting priority -190;
		ct mark 0 ct mark set 0xf0
		udp dport 7 queue to 3
		# connections have labels where some rule sets one
		udp dport 8 ct label set 1
	}
	chain behind {
		type filter hook prerouting priority -100;
		udp dport 7 counter name every
		udp dport 7 ct mark == 0xf1 counter name marked
		udp dport 7 ct mark == 0xf0 counter name foreign
		udp dport 7 ct label 5 counter name label5
		udp dport 7 ct label 4 counter name label4
	}
}
END
run server nft -f "$T/rules.nft"

# figures: packets of all counters, in the order of their names
figures()
{
	server nft -j reset counters | jq -r '[.nftables[].counter | select(.) | {(.name): .packets}]
		| add | "all=\(.every) marked=\(.marked) foreign=\(.foreign) label5=\(.label5) label4=\(.label4)"'
}

# datagram PORT TEXT PACKETS: one, and wait until PACKETS in all were counted: two of one
# connection that are under way at once are two connections to conntrack
datagram()
{
	client /usr/bin/python3 -S -c 'import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.0.0.2", int(sys.argv[1])))
s.sendto(sys.argv[2].encode(), ("10.0.0.1", 7))' "$1" "$2"
	[ -z "$3" ] || until_true 20 eval '[[ "$(server nft list counter inet t every)" == *"packets '"$3"' "* ]]' ||
		fail "$3 packets arrive"
}

# through OPTION... : three datagrams of one connection, the second one matches; one of another
through()
{
	local n=1

	# the last one was ready too
	: >"$T/err"
	# no shell in between: the signal is for the program
	ip netns exec server "$NFAC" queue --num 3 --json "$@" "$T/needle" >"$T/events" 2>"$T/err" </dev/null &
	QUEUE=$!
	until_true 20 grep -q ready "$T/err" || fail "the queue is ready" "$(cat "$T/err")"
	PORT=$((PORT + 10))
	datagram $PORT good $((n++))
	if [[ " $* " == *" --drop "* ]]; then
		datagram $PORT "a needle" ""
	else
		datagram $PORT "a needle" $((n++))
	fi
	datagram $PORT good $((n++))
	datagram $((PORT + 1)) good $((n++))
	kill -INT $QUEUE
	wait $QUEUE
	is "$*: one match, and it had its connection" "1 0" \
		"$(jq -r 'select(.type == "stats") | "\(.matches) \(.without_connection)"' "$T/events")"
}

PORT=2000
through --ct-mark 0x1/0xf
is "the mark's bits from the packet on that matched, no others" \
	"all=4 marked=2 foreign=2 label5=0 label4=0" "$(figures)"
through --ct-label 5
is "the label, and no other" "all=4 marked=0 foreign=4 label5=2 label4=0" "$(figures)"
through --ct-label 5 --ct-mark 1/0xf
is "both" "all=4 marked=2 foreign=2 label5=2 label4=0" "$(figures)"
through --ct-label 5 --ct-mark 1/0xf --drop
is "the packet is dropped, its connection marked" \
	"all=3 marked=1 foreign=2 label5=1 label4=0" "$(figures)"
