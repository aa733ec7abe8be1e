#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 180
#
# Proves that `nfac watch` prints one event of a kind in 60 seconds, and the others as a number:
# with the next one, at its end, or when the set is loaded anew. Sets the clock.

. "$(dirname "$0")/../lib.sh"

load_module
ns_pair
printf 'attack\nother\n' >"$T/list"
run server "$NFAC" load one "$T/list"
run server "$NFAC" attach one

# attack [PORT [TEXT]]: a datagram from this port: a connection is a port here
attack()
{
	client python3 -c '
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.0.0.2", int(sys.argv[1])))
s.sendto(sys.argv[2].encode(), ("10.0.0.1", 9999))' "${1:-1000}" "an ${2:-attack}"
}

watching()	# NAME OPTION...: in the background, its lines in $T/NAME
{
	local name=$1 before

	shift
	before=$(memory_used)
	# the signal that ends it is for the program, not for a shell in between
	server bash -c 'echo $$ >"$1"; exec "${@:2}"' - "$T/pid" "$NFAC" watch one "$@" \
		>"$T/$name" &
	WATCHER=$!
	watched "$before"
	later end_process "$(<"$T/pid")"
}

ended()
{
	kill -INT "$(<"$T/pid")"
	ok "it ends" wait $WATCHER
}

lines_are() { ok "$1 lines" until_true 10 eval '[ "$(wc -l <"$T/'"$2"'")" = '"$1"' ]'; }

say "a minute"
watching minute --json
attack
attack
attack
attack 1001
lines_are 2 minute
ok "the clock is set" date -s "@$(($(date +%s) + 61))"
attack
lines_are 3 minute
attack
ended
is "each connection at once, the next one after it with the number, the rest at the end" \
	"1000 0 1001 0 1000 2 1000 0" "$(jq -r '"\(.sport) \(.folded // 0)"' "$T/minute" | xargs)"

say "all events"
watching all --all-events
attack
attack
lines_are 2 all
ended
is "without a number" 0 "$(grep -c more "$T/all")"

say "text, and a set that is loaded anew"
watching text
attack
attack
attack
lines_are 1 text
printf 'none\nother\nattack\n' >"$T/list"
run server "$NFAC" load one "$T/list"
sleep 1.1
attack 1000 other
lines_are 3 text
ended
like "what was counted is printed with the old pattern" \
	'pattern 1 "attack" .*:1000 > .*, reported \(1 more\)$' "$(sed -n 2p "$T/text")"
like "the new pattern begins anew" 'pattern 2 "other" .*, reported$' "$(sed -n 3p "$T/text")"

say "thresholds"
cat >"$T/config" <<'END'
suppress gen_id 1000, sig_id 2, track by_src, ip 10.0.0.2
threshold gen_id 1000, sig_id 3, type limit, track by_src, count 2, seconds 600
END
watching limits --json --all-events --threshold-config "$T/config"
attack 1000 other
for port in 1000 1001 1002; do
	attack $port attack
done
attack 1000 none
lines_are 3 limits
ended
is "a suppressed one is not printed, one beyond its limit neither" "attack 1000 attack 1001 none 1000" \
	"$(jq -r '"\(.pattern) \(.sport)"' "$T/limits" | xargs)"

say "EVE"
watching eve --eve
attack 1000
attack 1000
attack 1000
lines_are 1 eve
ended
is "the number is among the metadata" "null 1" \
	"$(jq -r '.alert.metadata.nfac_folded[0]' "$T/eve" | xargs)"
is "as Suricata's schema has it" "2 lines" \
	"$(python3 "$TREE/userspace-loader/tests/eve_schema.py" <"$T/eve")"
