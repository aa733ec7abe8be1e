#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 60
#
# client ── veth ── server (10.0.0.1: rules attached; nftables queues candidates; nfac queue --confirm)
#
# Proves that --candidate-mark marks the packets in which an inexact rule may hold, and no others, and
# changes the given bits alone; that a rule of nftables sends these to `nfac queue --confirm`, which
# drops those in which the rule holds, also where it names a direction; and that list and save have
# the option.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool nft jq
load_module
ns_pair
cat >"$T/web.rules" <<'END'
alert udp any any -> any 7 (content:"exactly"; sid:1;)
alert udp any any -> any 7 (content:"maybe"; pcre:"/maybe [0-9]+/"; sid:2;)
alert udp any any -> any 7 (flow:to_server; content:"way"; pcre:"/way [0-9]+/"; sid:3;)
alert udp any any -> any 7 (flow:to_client; content:"back"; pcre:"/back [0-9]+/"; sid:4;)
END
cat >"$T/rules.nft" <<'END'
table inet t {
	counter queued { }
	counter same { }
	counter exact { }
	counter candidate { }
	counter both { }
	counter every { }
	chain before {
		type filter hook prerouting priority -195;
		udp dport 7 meta mark set 0x5a5
		# turns conntrack on
		ct state invalid drop
	}
	chain to_queue {
		type filter hook prerouting priority -180;
		meta mark and 0xf0 == 0x20 counter name queued queue to 5
	}
	chain behind {
		type filter hook prerouting priority -100;
		udp dport 7 counter name every
		udp dport 7 meta mark 0x5a5 counter name same
		udp dport 7 meta mark 0x5a1 counter name exact
		udp dport 7 meta mark 0x525 counter name candidate
		udp dport 7 meta mark 0x521 counter name both
	}
}
END
run server nft -f "$T/rules.nft"
run "$NFAC" compile -q --format suricata -o "$T/web.nfac" "$T/web.rules"
run server "$NFAC" load web "$T/web.nfac"
run server "$NFAC" attach web --mark 0x1/0xf --candidate-mark 0x20/0xf0
is "list has it" 0x20/0xf0 "$(server "$NFAC" list --json | jq -r '.. | .candidate_mark? // empty')"
server "$NFAC" save >"$T/save.toml" 2>/dev/null
like "so has save" 'candidate-mark = "0x20/0xf0"' "$(grep candidate "$T/save.toml")"
fails_with "bits of --mark are refused" "has bits of --mark: 0x1" \
	server "$NFAC" attach web --mark 1/1 --candidate-mark 3/3

ip netns exec server "$NFAC" queue --num 5 --confirm --drop --json --all-events "$T/web.nfac" \
	>"$T/events" 2>"$T/err" </dev/null &
QUEUE=$!
later end_process $QUEUE
until_true 20 grep -q ready "$T/err" || fail "the queue is ready" "$(cat "$T/err")"

# figures: packets of all counters since the last call
figures()
{
	server nft -j reset counters | jq -r '[.nftables[].counter | select(.) | {(.name): .packets}] | add |
		"queued=\(.queued) passed=\(.every) same=\(.same) exact=\(.exact) candidate=\(.candidate) both=\(.both)"'
}

# datagram TEXT WANTED: one to port 7; then the counters are as wanted
datagram()
{
	udp "$1" 7
	until_true 20 eval '[ "$(figures_so_far)" = "'"$2"'" ]'
	is "'$1'" "$2" "$(figures)"
}

# without a reset
figures_so_far()
{
	server nft -j list counters | jq -r '[.nftables[].counter | select(.) | {(.name): .packets}] | add |
		"queued=\(.queued) passed=\(.every) same=\(.same) exact=\(.exact) candidate=\(.candidate) both=\(.both)"'
}

datagram "nothing" "queued=0 passed=1 same=1 exact=0 candidate=0 both=0"
datagram "exactly" "queued=0 passed=1 same=0 exact=1 candidate=0 both=0"
datagram "maybe not" "queued=1 passed=1 same=0 exact=0 candidate=1 both=0"
datagram "maybe 12" "queued=1 passed=0 same=0 exact=0 candidate=0 both=0"
datagram "way 1" "queued=1 passed=0 same=0 exact=0 candidate=0 both=0"
# the kernel knows the direction, so this is no candidate of a rule of the other one
datagram "back 1" "queued=0 passed=1 same=1 exact=0 candidate=0 both=0"
end_process $QUEUE
is "the queue confirmed two rules, in full" "2 dropped null,3 dropped null," \
	"$(jq -r 'select(.id) | "\(.id) \(.verdict) \(.inexact)"' "$T/events" | tr '\n' ,)"
