#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2154
#
# Proves: of the events of one kind `nfac queue` prints the first at once and the others as a
# number at its end, or when a set is loaded anew; that more kinds than it keeps cost no event.

. "$(dirname "$0")/lib.sh"
. "$HERE/queue.inc"

printf 'needle\none\n' >"$T/list"

# send PORT... : "one needle" from each of these ports
send()
{
	client python3 - "$@" <<'END'
import socket
import sys

for port in sys.argv[1:]:
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("10.9.0.1", int(port)))
    s.sendto(b"one needle", ("10.9.0.2", 8))
    s.close()
END
}

seen() { jq -c '[.id, .sport, .folded // 0]' "$T/matches" | sort -n; }

queue_folding "$T/list"
send 1000 1000 1000 1001
stop
is "one event at once for each port and pattern, the others at the end" \
	'[1,1000,0]
[1,1000,1]
[1,1001,0]
[2,1000,0]
[2,1000,1]
[2,1001,0]' "$(seen)"
is "those at the end come last" '[0,0,0,0,1,1]' "$(jq -sc 'map(.folded // 0)' "$T/matches")"
is "the packet that a line names is the last that it counts" '[3,3]' \
	"$(jq -sc 'map(select(.folded) | .packet)' "$T/matches")"
is "all matches are counted" 8 "$(stat_of matches)"

queue --name each "$T/list"
send 1000 1000 1000 1001
stop
is "--all-events: each" 8 "$(grep -c . "$T/matches")"
is "--all-events: no number" null "$(jq -s 'map(.folded) | add' "$T/matches")"

queue_folding "$T/list"
send 1000 1000
settle
printf 'other\nneedle\n' >"$T/list"
kill -HUP "$BG"
for _ in $(seq 200); do
	grep -q "generation 2" "$T/qerr" && break
	sleep 0.05
done
send 1000
stop
is "a new set: what was counted is printed with the old patterns, then all begins anew" \
	'["needle","needle","needle","one","one"]' "$(jq -sc 'map(.pattern) | sort' "$T/matches")"

printf 'needle\n' >"$T/list"
queue --output "$T/log" "$T/list"
send 1000
settle
mv "$T/log" "$T/log.1"
kill -HUP "$BG"
for _ in $(seq 200); do
	grep -q "generation 2" "$T/qerr" && break
	sleep 0.05
done
send 1001
stop
is "--output: SIGHUP goes on in a new file, nothing is on standard output" "1000 1001 0" \
	"$(jq .sport "$T/log.1") $(jq 'select(.sport) | .sport' "$T/log") $(wc -c <"$T/events")"
is "--output: the statistics are in it" stats "$(tail -1 "$T/log" | jq -r .type)"

# twice as many kinds as are kept, three events each
printf 'needle\n' >"$T/list"
queue_folding --length 65536 "$T/list"
# shellcheck disable=SC2046
send $(seq 2000 10191 | awk '{ print $1, $1, $1 }')
stop
is "more kinds than are kept: none was lost on the way" "24576 0 0" \
	"$(stat_of packets) $(stat_of queue_dropped) $(stat_of user_dropped)"
is "more kinds than are kept: each event is in one line" "16384 24576" \
	"$(wc -l <"$T/matches") $(jq -s 'map(1 + (.folded // 0)) | add' "$T/matches")"
