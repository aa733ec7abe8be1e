#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml
# timeout: 60
#
# client (10.0.0.2) ── veth ── server (10.0.0.1; set attached twice)
#
# Proves that the command line tool says of a real module what is the case: what is
# loaded, attached and counted, as text, JSON and Prometheus' format; a match as text,
# JSON and EVE; and that each thing that cannot be done gets a sentence and status 2.

. "$(dirname "$0")/../lib.sh"

need_cli
need_module
need_tool jq

# refused DESC REGEX CMD...: status 2, one line on stderr that matches, nothing on stdout
refused()
{
	local desc=$1 re=$2 rc

	shift 2
	show "$@"
	"$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
	is "$desc: status, lines of either" "2 0 1" "$rc $(wc -l <"$T/out") $(wc -l <"$T/err")"
	like "$desc: the sentence" "^nfac: $re" "$(<"$T/err")"
}

say "without the module"
printf 'attack\n/etc/passwd\n' >"$T/one.txt"
for command in list stats verify\ one watch unload\ one detach\ 1 attach\ one "load one $T/one.txt"; do
	# shellcheck disable=SC2086
	refused "${command%% *}" ".*is the module loaded" "$NFAC" $command
done

load_module
ns_pair

say "nothing is loaded"
is "list says nothing" "" "$(server "$NFAC" list)"
is "nor by JSON" "" "$(server "$NFAC" list --json)"
for command in unload verify attach stats watch; do
	refused "$command of no set" "no set 'one' is loaded" server "$NFAC" $command one
done
refused "detach of nothing" "no attachment 77" server "$NFAC" detach 77

say "loaded and attached"
like "load reports" "^set 'one': 2 patterns, 18 states" "$(server "$NFAC" load one "$T/one.txt")"
A=$(server "$NFAC" attach one --mark 1/1 --dport 9999)
B=$(server "$NFAC" attach one --drop --proto udp --dport 8888 --hook input)
is "attach prints an id, and no other one twice" "1 2" "$A $B"
refused "unload of what is attached" "set 'one' is in use" server "$NFAC" unload one
like "list shows the set" "^one: 2 patterns, .*generation 1$" "$(server "$NFAC" list)"
like "and the first attachment" "^ *$A: prerouting -190 --dport 9999 --mark 0x1/0x1$" \
	"$(server "$NFAC" list)"
like "and the second" "^ *$B: input -190 --proto udp --dport 8888 --drop$" "$(server "$NFAC" list)"
is "the same by JSON" "one 2 18 1 prerouting 0x1/0x1 input true" \
	"$(server "$NFAC" list --json | jq -r '[.set, .patterns, .states, .attachments[0].id,
		.attachments[0].hook, .attachments[0].mark, .attachments[1].hook,
		.attachments[1].drop] | join(" ")')"
is "both families by default" "true true" \
	"$(server "$NFAC" list --json | jq -r '.attachments[0] | "\(.ipv4) \(.ipv6)"')"
C=$(server "$NFAC" attach one --ipv6 2>"$T/err")
is "one family" "false true" \
	"$(server "$NFAC" list --json | jq -r '.attachments[2] | "\(.ipv4) \(.ipv6)"')"
is "attached in three ways, without a message" "" "$(cat "$T/err")"
D=$(server "$NFAC" attach one --ipv6 2>"$T/err")
like "attached twice in the same way" "set 'one': attachment $C does the same already" \
	"$(cat "$T/err")"
run server "$NFAC" detach "$C" "$D"
limit=$(</sys/module/nfac/parameters/netns_memory_limit)
echo 100000 >/sys/module/nfac/parameters/netns_memory_limit
refused "a set past the memory's limit" "set 'two'.* network namespace's memory limit" \
	server "$NFAC" load two "$DATA/words-2358.txt"
refused "a stream's table past it" "set 'one': .* network namespace's memory limit: .*--stream" \
	server "$NFAC" attach one --stream
echo "$limit" >/sys/module/nfac/parameters/netns_memory_limit
is "another namespace sees none of it" "" "$(client "$NFAC" list)"

say "a match"
WATCHES=()
before=$(memory_used)
for form in text eve json; do
	option=--$form
	[ $form != text ] || option=
	# shellcheck disable=SC2086
	server timeout 60 "$NFAC" watch one $option --count 1 >"$T/watch.$form" &
	WATCHES+=($!)
done
watched "$before" 3
udp "an attack"
ok "three readers get it" wait "${WATCHES[@]}"
like "as text" '^[-0-9]+ [:.0-9]+ one: pattern 1 "attack" at offset 3, length 6, udp 10\.0\.0\.2:[0-9]+ > 10\.0\.0\.1:9999, marked$' \
	"$(<"$T/watch.text")"
is "as JSON" "one 1 3 6 attack prerouting udp 10.0.0.2 10.0.0.1 9999 1 marked 0" \
	"$(jq -r '[.set, .id, .offset, .length, .pattern, .hook, .proto, .src, .dst, .dport, .mark,
		.verdict, .lost] | join(" ")' "$T/watch.json")"
is "as EVE" "alert 10.0.0.2 10.0.0.1 9999 UDP allowed attack" \
	"$(jq -r '[.event_type, .src_ip, .dest_ip, .dest_port, .proto, .alert.action,
		.alert.signature] | join(" ")' "$T/watch.eve")"
is "as Suricata's schema has it" "1 lines" \
	"$(python3 "$TREE/userspace-loader/tests/eve_schema.py" <"$T/watch.eve")"
like "with a time that Suricata's readers take" \
	'^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}[+-][0-9]{4}$' \
	"$(jq -r .timestamp "$T/watch.eve")"

say "figures"
udp "no such thing"
udp "an attack" 8888
server "$NFAC" stats >"$T/stats"
like "of the set" "^one +2 +3 +2 " "$(<"$T/stats")"
like "of an attachment" "^ *$A: prerouting -190: 2 packets, 22 B, 1 matches in 1 packets, 0 dropped$" \
	"$(<"$T/stats")"
like "of the one that drops" "^ *$B: input -190: 1 packets, 9 B, 1 matches in 1 packets, 1 dropped$" \
	"$(<"$T/stats")"
is "by JSON" "one 3 2 31 1 1" \
	"$(server "$NFAC" stats one --json | jq -r '[.set, .packets, .matches, .bytes,
		.dropped_packets, (.attachments | map(select(.dropped_packets == 1)) | length)] | join(" ")')"
server "$NFAC" stats --prometheus >"$T/prometheus"
is "for Prometheus: a sample is a name, labels, a number; each name has its type" "" "$(awk '
	/^# TYPE [a-z_]+ (counter|gauge)$/ { type[$3]; next }
	/^# HELP [a-z_]+ ./ { next }
	{ name = $1; sub(/{.*/, "", name) }
	!(name in type) || !/^[a-z_]+({[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*})? [0-9.e+-]+$/' "$T/prometheus")"
like "with the figures" '^nfac_set_matches_total\{set="one"\} 2$' "$(<"$T/prometheus")"
ok "the memory is sound" server "$NFAC" verify one

say "sets that are called as entries of the driver core are"
for name in dev power subsystem uevent; do
	run server "$NFAC" load $name "$T/one.txt"
done
is "all have their figures" "dev one power subsystem uevent" \
	"$(server "$NFAC" stats --json | jq -r .set | xargs)"
like "one is found by its name" "^uevent +2 +0 +0 " "$(server "$NFAC" stats uevent)"
run server "$NFAC" unload dev power subsystem uevent

say "a name as long as they may be"
long=$(printf 'n%.0s' {1..31})
run server "$NFAC" load "$long" "$T/one.txt"
is "the columns stay below one another" 1 \
	"$(server "$NFAC" stats | awk '/^SET|^one|^nn/ { print length($0) }' | sort -u | wc -l)"
run server "$NFAC" unload "$long"

say "and out again"
run server "$NFAC" detach "$A"
run server "$NFAC" detach "$B"
refused "an attachment that is gone" "no attachment $A" server "$NFAC" detach "$A"
ok "unload" server "$NFAC" unload one
is "nothing is left" "" "$(server "$NFAC" list)"
