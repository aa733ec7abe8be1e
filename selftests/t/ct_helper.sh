#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 120
#
# client (10.0.0.2, fd00::2) ── veth ── server (10.0.0.1, fd00::1; ct helper)
#
# Proves that a set is a conntrack helper in nftables' own words, `type "nfac-SET"`, TCP
# and UDP, IPv4 and IPv6: the module comes by itself, connections that are given the
# helper are inspected in both directions and no others, the module's parameters say
# what a match brings, a ruleset that names a helper keeps its set.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/rules.inc"

need_module
need_cli
need_tool nft socat
load_module
rule_modules nfac_ct
ns_pair
PARAM=/sys/module/nfac_ct/parameters
CT_KO=$(dirname "$NFAC_KO")/nfac_ct.ko

printf 'attack\n/etc/passwd\n' >"$T/one.txt"
printf 'something-else\n' >"$T/two.txt"
run server "$NFAC" load web "$T/one.txt"
run server "$NFAC" load nine-byte "$T/one.txt"
run server "$NFAC" load ten-bytes. "$T/one.txt"
cat >"$T/rules.nft" <<'END'
table inet t {
	counter marked { }
	ct helper web-tcp { type "nfac-web" protocol tcp; }
	ct helper web-udp { type "nfac-web" protocol udp; }
	ct helper web-4 { type "nfac-nine-byte" protocol udp; l3proto ip; }
	chain give {
		type filter hook prerouting priority filter;
		tcp dport 8080 ct helper set "web-tcp"
		udp dport 5000 ct helper set "web-udp"
	}
	chain see {
		type filter hook input priority filter;
		ct mark and 0xf0 == 0x30 counter name marked
		ct helper "nfac-web" counter
	}
}
END

# of FILE: a figure of the server's set
of()
{
	server cat "/sys/class/misc/nfac/sets/web/$1"
}

marked()
{
	counted t marked
}

fails "a set that is not there is no helper" server nft \
	'add table inet x; add ct helper inet x h { type "nfac-nosuch" protocol tcp; }'
ok "nft takes helpers by the names of sets" server nft -f "$T/rules.nft"
ok "and the module came by itself" test -d $PARAM
ok "a set that comes later is one at once" server "$NFAC" load later "$T/one.txt"
ok "nft takes it" server nft 'add ct helper inet t l { type "nfac-later" protocol tcp; }'
fails "a name that is too long for a helper's" \
	server nft 'add ct helper inet t e { type "nfac-ten-bytes." protocol tcp; }'
like "the ruleset lists it as it was written" 'type "nfac-web" protocol udp' \
	"$(server nft list ruleset)"

say "what is inspected"
before=$(of packets)
udp "an attack" 5001
is "a connection without the helper is not" "$before" "$(of packets)"
udp "an attack" 5000
is "one with it is" "$((before + 1)) 1" "$(of packets) $(of matches)"
udp "an attack" 5000 fd00::1
is "by IPv6 too" "$((before + 2)) 2" "$(of packets) $(of matches)"
is "a match is counted, and no more" 0 "$(marked)"

say "what a match brings"
echo 0xf0 >$PARAM/ct_mask
echo 0x30 >$PARAM/ct_mark
server socat TCP6-LISTEN:8080,ipv6only=0,reuseaddr,fork EXEC:cat 2>/dev/null &
later end_process $!

# request TEXT [HOST]: an echo is received
# shellcheck disable=SC2317
request()
{
	client timeout "${WAIT:-10}" bash -c "exec 3<>/dev/tcp/${2:-10.0.0.1}/8080 || exit 1
		echo '$1' >&3; read -rt 5 line <&3 && [ \"\$line\" = '$1' ]" 2>/dev/null || return 1
}

ok "a request is answered" until_true 20 request "GET /"
is "its connection is not marked" 0 "$(marked)"
ok "one with a pattern too" request "GET /etc/passwd"
ok "but its connection is marked from then on" test "$(marked)" -ge 1
echo 1 >$PARAM/drop
WAIT=2
fails "drop: it is not answered any more" request "GET /etc/passwd"
fails "by IPv6 neither" request "GET /etc/passwd" fd00::1
WAIT=10
ok "and what is clean is" request "GET /"
run server "$NFAC" load web "$T/two.txt"
ok "loaded anew: the helper knows the new patterns alone" request "GET /etc/passwd"
WAIT=2
fails "those are dropped" request "GET /something-else"
WAIT=10
is "nothing went by for want of a set" 0 "$(cat $PARAM/unscanned)"

say "references"
fails_with "the set cannot be unloaded" "in use|busy" server "$NFAC" unload web
fails_with "not even one that is only named" "in use|busy" server "$NFAC" unload nine-byte
ok "one that is not named can" server "$NFAC" unload ten-bytes.
fails "nor can the module go" rmmod nfac_ct
run client nft 'add table inet t; add ct helper inet t h { type "nfac-web" protocol udp; }
	add chain inet t c { type filter hook prerouting priority 0; }
	add rule inet t c meta l4proto udp ct helper set "h"'
server bash -c 'printf hello >/dev/udp/10.0.0.2/9' 2>/dev/null
ok "a namespace that names the helper without such a set: counted" \
	test "$(cat $PARAM/unscanned)" -ge 1
# a connection that has its helper still when no rule names it any more, in full use
# shellcheck disable=SC2016
client bash -c 'exec 3>/dev/udp/10.0.0.1/5000; while :; do echo hello >&3; done' 2>/dev/null &
later end_process $!
sender=$!
ok "a connection is inspected" until_true 10 eval '[ "$(of packets)" -gt '"$(of packets)"' ]'
like "the error says which ruleset of this namespace it is" \
	"set 'web': this network namespace holds it: ct helper web-udp in table inet t of nftables" \
	"$(server "$NFAC" unload web 2>&1)"
run client nft flush ruleset
run server nft 'flush ruleset; add table inet t; add chain inet t c { type filter hook prerouting priority 0; }
	add rule inet t c ct state new counter'
ok "without rules it can" unloaded web
ok "the others too" unloaded nine-byte
ok "the module can go, with a set there" unload_module nfac_ct
end_process $sender
run server nft flush ruleset
ok "that set is free" server "$NFAC" unload later

say "a container that had its set first"
if unshare -Urn true 2>/dev/null; then
	mkfifo "$T/go"
	cat >"$T/first.sh" <<-'END'
	ip link set lo up
	"$NFAC" load later "$1/one.txt" || exit 1
	echo loaded
	read -r _ <"$1/go"
	nft -f - <<-'RULES' || exit 1
	table ip t {
		ct helper w { type "nfac-later" protocol udp; l3proto ip; }
		chain c { type filter hook output priority 0; udp dport 9999 ct helper set "w"; }
	}
	RULES
	for i in $(seq 100); do
		# dropped on its way out: the sender gets an error
		echo attack >/dev/udp/127.0.0.1/9999 || exit 0
		sleep 0.05
	done
	exit 1
	END
	export NFAC
	run insmod "$CT_KO" drop=1
	unshare -Urn bash "$T/first.sh" "$T" >"$T/first" 2>&1 &
	first=$!
	later end_process $first
	run until_true 20 grep -q loaded "$T/first"
	run "$NFAC" load later "$T/one.txt"
	echo >"$T/go"
	wait $first
	is "is inspected when the name becomes a helper's" 0 $?
	run until_true 10 "$NFAC" unload later
else
	skip "a container that had its set first" "no user namespaces here"
fi

say "a set that another namespace's ruleset holds"
run "$NFAC" load later "$T/one.txt"
run in_ns client nft 'add table ip far; add ct helper ip far h { type "nfac-later" protocol udp; l3proto ip; }'
fails_with "is in use" "in use" "$NFAC" unload later
holders=$("$NFAC" unload later 2>&1 | grep -c 'holds it')
like "and the error names the namespace, the table and the helper" \
	"set 'later': network namespace 'client' holds it: ct helper h in table ip far of nftables" \
	"$("$NFAC" unload later 2>&1)"
is "once, and no other" 1 "$holders"
run in_ns client nft flush ruleset
run until_true 10 "$NFAC" unload later
if unshare -Urn true 2>/dev/null; then
	run "$NFAC" load later "$T/one.txt"
	mkfifo "$T/hold"
	unshare -Urn bash -c 'nft "add table ip far; add ct helper ip far h { type \"nfac-later\" protocol udp; l3proto ip; }"
		echo "$? $(stat -Lc %i /proc/self/ns/net)"; read -r _ <"$0"' "$T/hold" >"$T/holder" 2>&1 &
	holder=$!
	later end_process $holder
	ok "a container's ruleset takes the helper" until_true 20 grep -q '^0 ' "$T/holder"
	like "one without a name is named by its inode and a process" \
		"network namespace $(cut -d' ' -f2 "$T/holder") of process [0-9]+ holds it: ct helper h in table ip far" \
		"$("$NFAC" unload later 2>&1)"
	end_process $holder
	ok "without the container it can be unloaded" until_true 10 "$NFAC" unload later
else
	skip "a container's ruleset" "no user namespaces here"
fi

say "figures are not for who loads the module to say"
run unload_module nfac_ct
fails_with "unscanned=" "not permitted" insmod "$CT_KO" unscanned=1
run insmod "$CT_KO"

say "a namespace that goes with its helper"
run ip netns add gone
later ip netns del gone
run in_ns gone "$NFAC" load web "$T/one.txt"
run in_ns gone nft 'add table inet t; add ct helper inet t h { type "nfac-web" protocol tcp; }'
run ip netns del gone
ok "lets go of the module" until_true 10 eval '[ "$(</sys/module/nfac_ct/refcnt)" = 0 ]'
ok "and of the tiles" until_true 10 eval '[ "$(cat /sys/class/misc/nfac/tiles)" = 0 ]'
