#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml
# timeout: 120
#
# Proves that a match leaves its sender in the sets of `nfac watch --nft-set` for all of
# the time, whatever they had of it before: an address that would have gone in a minute,
# as after a watch that was started again, stays for the hour, in each kind of set. What
# is there for longer or for ever is not shortened, and keeps no other address out.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool nft jq
load_module
ns_pair
printf 'attack\n' >"$T/one.txt"
run server "$NFAC" load one "$T/one.txt"
run server "$NFAC" attach one --proto udp --dport 9999
cat >"$T/sets.nft" <<'END'
table inet t {
	set fresh { type ipv4_addr; flags timeout; }
	set hash { type ipv4_addr; flags timeout; elements = { 10.0.0.2 timeout 60s }; }
	set full { type ipv4_addr; size 1; flags timeout; elements = { 10.0.0.2 timeout 60s }; }
	set tree { type ipv4_addr; flags interval, timeout; elements = { 10.0.0.2 timeout 60s }; }
	set merged { type ipv4_addr; flags interval, timeout; auto-merge; elements = { 10.0.0.2 timeout 60s }; }
	set ever { type ipv4_addr; flags timeout; elements = { 10.0.0.2 }; }
	set month { type ipv4_addr; flags timeout; elements = { 10.0.0.2 timeout 30d }; }
	set net { type ipv4_addr; flags interval, timeout; elements = { 10.0.0.0/8 }; }
	set six { type ipv6_addr; flags timeout; elements = { fd00::2 timeout 60s }; }
	set many { type ipv4_addr; flags timeout; elements = { 10.1.0.7, 10.1.0.8 timeout 60s }; }
	set forest { type ipv4_addr; flags interval, timeout; elements = { 10.1.0.7, 10.1.0.8 timeout 60s }; }
	set heap { type ipv4_addr; flags interval, timeout; auto-merge; }
}
END
run server nft -f "$T/sets.nft"

# watch COUNT SET...: until COUNT events; its pid in $BG
watch()
{
	local count=$1 before set options=()

	shift
	for set; do
		options+=(--nft-set "$set")
	done
	before=$(memory_used)
	server timeout 40 "$NFAC" watch one --count "$count" --nft-timeout 1h "${options[@]}" \
		>"$T/watched" 2>&1 &
	BG=$!
	later end_process $BG
	watched "$before"
}

# left SET: seconds of its one element, or "ever"
left()
{
	server nft -j list set inet t "$1" |
		jq '.nftables[] | .set? | select(.).elem[] | .elem?.expires? // "ever"' -r
}

watch 2 t/fresh t/hash t/full t/tree t/merged t/month t/ever t/six
udp attack
udp attack 9999 fd00::1
ok "it leaves after two events" wait $BG
is "nothing was refused" "" "$(grep nft-set "$T/watched")"
for set in fresh hash full tree merged six; do
	left=$(left $set)
	[[ $left =~ ^[0-9]+$ ]] && [ "$left" -gt 3500 ] && [ "$left" -le 3600 ] &&
		pass "$set: an hour" || fail "$set: an hour" "$left"
done
ok "month: not shortened" test "$(left month)" -gt 2500000
is "ever: still for ever" ever "$(left ever)"

# the same again: there is another watch, and an hour in the sets already; what is in a
# net for ever cannot be put there, and other addresses are
run server nft "flush set inet t hash; add element inet t hash { 10.0.0.2 timeout 60s }"
watch 2 t/net t/tree inet/t/tree t/hash
udp attack
udp attack
ok "it leaves after two events" wait $BG
is "nothing was refused" "" "$(grep nft-set "$T/watched")"
ok "hash: an hour again" test "$(left hash)" -gt 3500
ok "tree: an hour" test "$(left tree)" -gt 3500
is "net: the net" ever "$(left net)"

# an address is not kept from the set by having been there: nft -f may have emptied it
watch 2 t/fresh
udp attack
ok "it is put there" until_true 10 server nft get element inet t fresh "{ 10.0.0.2 }"
run server nft flush set inet t fresh
sleep 1.2
udp attack
ok "it leaves after two events" wait $BG
ok "fresh: an hour again, in a set that was emptied" test "$(left fresh)" -gt 3500

# more than one transaction holds, some of them twice
watch 1000 t/many t/forest t/heap
client /usr/bin/python3 -S - <<'END'
import socket
for i in range(1000):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.IPPROTO_IP, 19, 1)      # IP_TRANSPARENT: any address is ours
    s.bind((f"10.1.{i % 700 >> 8}.{i % 700 & 255}", 0))
    s.sendto(b"attack", ("10.0.0.1", 9999))
    s.close()
END
ok "it leaves after a thousand events" wait $BG
is "nothing was refused" "" "$(grep nft-set "$T/watched")"
for set in many forest; do
	left=$(left $set)
	is "$set: each is there" 700 "$(wc -l <<<"$left")"
	is "$set: one of them for ever" 1 "$(grep -c ever <<<"$left")"
	is "$set: none for less than the hour" 0 \
		"$(grep -cE '^([0-9]{1,3}|[0-2][0-9]{3}|3[0-4][0-9]{2})$' <<<"$left")"
done
for host in 0.0 1.1 2.187; do
	ok "heap: 10.1.$host" server nft get element inet t heap "{ 10.1.$host }"
done

# the log is on a full disk: banning goes on, and the events that find room begin a line each
run mkdir "$T/disk"
run mount -t tmpfs -o size=4k tmpfs "$T/disk"
later umount "$T/disk"
before=$(memory_used)
# shellcheck disable=SC2016 # for that shell
server bash -c 'echo $$ >"$0"; exec "$@"' "$T/pid" \
	"$NFAC" watch one --json --nft-timeout 1h --nft-set t/fresh >>"$T/disk/log" 2>"$T/errors" &
BG=$!
later end_process $BG
watched "$before"
for _ in $(seq 20); do
	udp attack
done
ok "the log says why it is not written" \
	until_true 10 grep -q "cannot write the events: No space" "$T/errors"
run server nft flush set inet t fresh
sleep 1.2
udp attack
ok "banned all the same" until_true 10 server nft get element inet t fresh "{ 10.0.0.2 }"
is "one message says so" 1 "$(grep -c "cannot write" "$T/errors")"
: >"$T/disk/log"
udp attack
ok "where there is room again events are written" until_true 10 grep -q attack "$T/disk/log"
is "each in a line" one "$(jq -r .set "$T/disk/log")"
kill "$(<"$T/pid")"
wait $BG
is "it says in the end that some are missing" 2 $?

# so it does without the program that read them
before=$(memory_used)
server "$NFAC" watch one --nft-timeout 1h --nft-set t/fresh > >(true) 2>"$T/errors" &
BG=$!
later end_process $BG
watched "$before"
for _ in 1 2; do
	run server nft flush set inet t fresh
	sleep 1.2
	udp attack
	ok "banned without a reader" until_true 10 server nft get element inet t fresh "{ 10.0.0.2 }"
done
is "a message says that the reader ended" 1 "$(grep -c "cannot write the events: Broken pipe" "$T/errors")"
run server nft flush ruleset
detach_all
