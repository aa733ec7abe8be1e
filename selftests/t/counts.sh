#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 120
#
# client (10.0.0.2) ── veth ── server (10.0.0.1; sets attached)
#
# Proves that each match is counted under its pattern, with the time of the last one; that a rule
# counts when it holds and not when its anchor is found; that counts begin at 0 with a swap; that
# what finds no slot is counted as such; that memory is bounded whatever the set is, charged, and
# no reason to refuse a set; and that `nfac stats` prints the counts in its three formats.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool jq
PARAM=/sys/module/nfac/parameters
DEVICE=$TREE/selftests/t/device.py
load_module
ns_pair

# json SET FILTER: of the set's counts
json()
{
	server "$NFAC" stats --patterns --json "$1" | jq -r "$2"
}

# raw SET: as the device gives them
raw()
{
	server /usr/bin/python3 -S "$DEVICE" counts "$1"
}

matches()
{
	server cat "/sys/class/misc/nfac/sets/$1/matches"
}

say "a plain set"
printf 'attack\ntack\nnever\n\\xff\\xfe"\\\\\n' >"$T/plain.txt"
run server "$NFAC" load plain "$T/plain.txt"
run server "$NFAC" attach plain --mark 1/1
is "nothing matched yet" "0 0 0 4" "$(json plain '[.hits, .uncounted, .matched_patterns, .patterns] | join(" ")')"
udp "an attack, an attack"
udp "only a tack"
udp $'\xff\xfe"\\'
is "each match, under its pattern; those that matched most first" "2 tack 3
1 attack 2
4 \\\\xff\\\\xfe\"\\\\\\\\ 1" "$(json plain '.counts[] | "\(.id) \(.pattern | tojson[1:-1] | sub("\\\\\"";"\"")) \(.hits)"')"
is "their sum is that of the set" "$(matches plain)" "$(json plain .hits)"
is "the time is now" "" "$(json plain '.counts[] | (now - (.last | fromdate)) | select(. < -1 or . > 60)')"
is "the first two alone" "2 1" "$(server "$NFAC" stats --patterns --top 2 --json plain |
	jq -r '[.counts[].id] | join(" ")')"
server "$NFAC" stats --patterns plain >"$T/table"
like "for people: the set" "^plain: 3 of 4 patterns matched, 6 times since load 1$" "$(<"$T/table")"
like "for people: a pattern" "^ +3 +2  [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}  tack$" "$(<"$T/table")"
server "$NFAC" stats --prometheus --top 2 >"$T/prometheus"
like "for Prometheus" '^nfac_pattern_hits_total\{set="plain",id="2",pattern="tack"\} 3$' "$(<"$T/prometheus")"
is "of two patterns" 2 "$(grep -c '^nfac_pattern_hits_total' "$T/prometheus")"
like "with the time" '^nfac_pattern_last_match_timestamp_seconds\{set="plain",id="1",pattern="attack"\} [0-9]+$' \
	"$(<"$T/prometheus")"
like "the module is up" '^nfac_up 1$' "$(<"$T/prometheus")"
like "its version" '^nfac_build_info\{version="([0-9.]+)",set_version="[0-9]+",module="\1"\} 1$' "$(<"$T/prometheus")"
like "and memory" "^nfac_memory_used_bytes $(memory_used)$" "$(<"$T/prometheus")"
like "escapes are Prometheus'" 'id="4",pattern="\\\\xff\\\\xfe\\"\\\\\\\\"\} 1$' \
	"$(server "$NFAC" stats --prometheus --top 10)"
is "no patterns without --top" "" "$(server "$NFAC" stats --prometheus | grep nfac_pattern)"
is "the client's namespace has none" "" "$(client "$NFAC" stats --patterns)"
fails_with "a set that is not there" "no set 'other' is loaded" server "$NFAC" stats --patterns other

say "the device"
raw plain >"$T/raw"
like "an entry" "^id 2 hits 3 age [0-9]+ pad 0$" "$(<"$T/raw")"
like "the answer" "^slots 16 uncounted 0 generation 1 flags 0$" "$(<"$T/raw")"
unlike "nothing else is in it" rubbish "$(<"$T/raw")"
is "what is refused" "another load: ESTALE
past the end: ok
no such set: ENOENT
no name: EINVAL
a flag: EINVAL
too short: EINVAL
version 2: EPROTO" "$(grep : "$T/raw")"

say "a swap"
printf 'never\nattack\n' >"$T/other.txt"
run server "$NFAC" load plain "$T/other.txt"
is "begins at 0" "2 0 0" "$(json plain '[.generation, .hits, (.counts | length)] | join(" ")')"
udp "an attack"
is "and counts by the new ids" "2 attack 1" "$(json plain '.counts[] | "\(.id) \(.pattern) \(.hits)"')"
is "the set's own counter goes on" 7 "$(matches plain)"
detach_all
run server "$NFAC" unload plain

say "rules"
cat >"$T/web.rules" <<'END'
alert udp any any -> any 9999 (msg:"both words"; content:"needle"; content:"thread"; sid:4001;)
alert udp any any -> any 9998 (msg:"another port"; content:"needle"; sid:4002;)
END
run server "$NFAC" load rules --format suricata "$T/web.rules"
run server "$NFAC" attach rules --mark 1/1
udp "a needle alone"
is "an anchor is no hit" 0 "$(json rules .hits)"
udp "needle and thread"
udp "thread and needle, needle"
is "a rule that holds is one, by sid and msg" "4001 both words $(matches rules)" \
	"$(json rules '.counts[] | "\(.id) \(.msg) \(.hits)"')"
like "for people: its msg" "^ +$(matches rules) +4001 .*  both words$" "$(server "$NFAC" stats --patterns rules)"
detach_all
run server "$NFAC" unload rules

say "more patterns than slots"
seq -f 'pattern-%05g.' 20000 >"$T/many.txt"
run "$NFAC" compile -o "$T/many.nfac" "$T/many.txt"
held()
{
	run server "$NFAC" load many "$T/many.nfac"
	HELD=$(memory_used)
}
echo 0 >$PARAM/pattern_slots
held
none=$HELD
udp "pattern-00001."
is "no slots, no counts" "0 0" "$(json many '[.slots, .hits] | join(" ")')"
like "which it says" "^  not counted" "$(server "$NFAC" stats --patterns many)"
echo 4096 >$PARAM/pattern_slots
run server "$NFAC" unload many
held
# tables of 16 bytes a slot for each possible CPU, and a few words
cpus=$(awk -F- '{ print $NF + 1 }' /sys/devices/system/cpu/possible)
say "memory: $none without counts, $HELD with"
ok "64 KiB for each CPU are charged" test $((HELD - none)) -ge $((65536 * cpus))
ok "and hardly more" test $((HELD - none)) -le $((66000 * cpus))
echo 64 >$PARAM/pattern_slots
held
run server "$NFAC" attach many
cat >"$T/flood.py" <<'END'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("10.0.0.1", 9999))
for i in range(1, 20001, 50):
    try:
        s.send("".join(f"pattern-{n:05}." for n in range(i, i + 50)).encode())
    except ConnectionRefusedError:
        pass
END
before=$(matches many)
run client /usr/bin/python3 -S "$T/flood.py"
matched=$(($(matches many) - before))
ok "matches: $matched" test $matched -ge 10000
is "slots on each CPU" 64 "$(json many .slots)"
is "hits and uncounted matches are all of them" $matched "$(json many '.hits + .uncounted')"
ok "the slots are in use" test "$(json many '.matched_patterns')" -ge 50
ok "most matches are uncounted" test "$(json many '.uncounted')" -ge $((matched * 3 / 4))
like "which it says" "^ +[0-9]+ +of further patterns" "$(server "$NFAC" stats --patterns --top 1 many)"
like "to Prometheus, too" "^nfac_set_uncounted_matches_total\{set=\"many\"\} $(json many .uncounted)$" \
	"$(server "$NFAC" stats --prometheus --top 1 many)"
detach_all
run server "$NFAC" unload many

say "a small limit: the tables take 1/64 of it"
limit=$(<$PARAM/netns_memory_limit)
echo 1048576 >$PARAM/pattern_slots
head -5000 "$T/many.txt" >"$T/some.txt"
run "$NFAC" compile -o "$T/some.nfac" "$T/some.txt"
echo $((4 << 20)) >$PARAM/netns_memory_limit
run server "$NFAC" load some "$T/some.nfac"
want=4096
while [ $((want * cpus)) -gt 4096 ]; do
	want=$((want / 2))
done
is "fewer slots" "1 $want" "$(json some '[.generation, .slots] | join(" ")')"
echo "$limit" >$PARAM/netns_memory_limit
run server "$NFAC" load some "$T/some.nfac"
is "with room it has two for each pattern" "2 16384" "$(json some '[.generation, .slots] | join(" ")')"
run server "$NFAC" unload some
is "no memory is held" 0 "$(memory_used)"
