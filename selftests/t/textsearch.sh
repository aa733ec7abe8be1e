#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 150
#
# client (10.0.0.2, fd00::2) ── veth, MTU 65535 ── server (10.0.0.1, fd00::1; rules)
#
# Proves that stock iptables, legacy and nft, reaches a set by `-m string --algo nfac
# --string SET`: the module comes by itself, an unknown set is refused, --from and
# --to bound a match on both sides whatever the set's name is long, a pattern that
# crosses pages is found, the rule holds the set and sees it loaded anew.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/rules.inc"

need_module
need_cli
need_tool iptables-nft iptables-legacy ip6tables-nft ip6tables-legacy
rule_topology ts_nfac
NAME=a-set-whose-name-is-31-byte-long
NAME=${NAME:0:31}

for kind in nft legacy; do
	ipt=iptables-$kind
	ip6t=ip6tables-$kind
	say "$ipt"
	unload_module ts_nfac
	run server "$NFAC" load one "$T/one.txt"
	run server "$NFAC" load $NAME "$T/one.txt"

	fails_with "an unknown set is refused" "$UNKNOWN" \
		server "$ipt" -A INPUT -m string --algo nfac --string "nosuch-$kind" -j DROP
	ok "and the module came by itself" test -d /sys/module/ts_nfac
	like "and logged why" "ts_nfac: there is no set \"nosuch-$kind\"" "$(dmesg)"
	fails_with "a set of another namespace is unknown" "$UNKNOWN" \
		client "$ipt" -A INPUT -m string --algo nfac --string one -j DROP
	fails_with "--icase is refused" "Invalid argument" \
		server "$ipt" -A INPUT -m string --algo nfac --string one --icase -j DROP
	fails_with "a name that is no name is refused" "Invalid argument" \
		server "$ipt" -A INPUT -m string --algo nfac --hex-string "one|00|" -j DROP
	is "what was refused holds nothing" 0 "$(holds one)"

	run server "$ipt" -A INPUT -p udp -m string --algo nfac --string one
	run server "$ipt" -A INPUT -p udp -m string --algo nfac ! --string one
	run server "$ip6t" -A INPUT -p udp -m string --algo nfac --string one
	rule_matches "$ipt"
	is "IPv6: one of two" 1 "$(packets "$ip6t" 1)"
	paged "$T/paged"
	is "a pattern across two pages is found" 3 "$(packets "$ipt" 1)"
	like "the rule is listed as it was written" '--string "?one"? --algo nfac' \
		"$(server "$ipt" -S INPUT)"

	say "--from and --to: the pattern is in bytes 38 to 43 from the IP header on"
	run server "$ipt" -F INPUT
	while read -r from to; do
		run server "$ipt" -A INPUT -p udp -m string --algo nfac --string $NAME --from "$from" --to "$to"
	done <<-'END'
		38 44
		39 44
		38 43
		0 44
		0 43
		37 45
		44 60
		38 1000
		60 1000
	END
	udp "0123456789attack"
	is "a match counts when all of it is between" "1 0 0 1 0 1 0 1 0" \
		"$(for i in 1 2 3 4 5 6 7 8 9; do packets "$ipt" $i; done | xargs)"
	run server "$ipt" -F INPUT
	ok "a flushed set can be unloaded" unloaded $NAME

	say "references"
	run server "$ipt" -A INPUT -p udp -m string --algo nfac --string one -j DROP
	until_true 10 eval '[ "$(holds one)" = 2 ]'
	is "each rule holds the set" 2 "$(holds one)"
	rule_holds ts_nfac "$ipt" "$ip6t"
done

say "a process without privileges, by sockets of a namespace of its own"
cat >"$T/shim.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

int socket(int domain, int type, int protocol)
{
	static int (*real)(int, int, int), given;

	if (!real)
		real = dlsym(RTLD_NEXT, "socket");
	return domain == AF_NETLINK && protocol == 12 ? 100 + given++ : real(domain, type, protocol);
}

uid_t getuid(void) { return 0; }
uid_t geteuid(void) { return 0; }
END
chmod 755 "$T"
if ! cc -shared -fPIC -o "$T/shim.so" "$T/shim.c" -ldl 2>"$T/err"; then
	skip "holds no set of this one" "no compiler: $(head -1 "$T/err")"
elif ! setpriv --reuid=65534 --clear-groups unshare -Urn true 2>/dev/null; then
	skip "holds no set of this one" "no user namespaces without privileges"
else
	run "$NFAC" load here "$T/one.txt"
	answer=$(/usr/bin/python3 -S "$TREE/selftests/t/fd_pass.py" "$T/shim.so" here 2>&1)
	is "holds no set of this one" "4 0" \
		"$(tail -1 <<<"$answer") $(cat /sys/class/misc/nfac/sets/here/references)"
	like "and gets a message" "ermitted|denied" "$answer"
	run "$NFAC" unload here
fi

say "a namespace that goes with its rules"
run ip netns add gone
later ip netns del gone
run in_ns gone "$NFAC" load one "$T/one.txt"
run in_ns gone iptables-nft -A INPUT -m string --algo nfac --string one
run in_ns gone iptables-legacy -A INPUT -m string --algo nfac --string one
run ip netns del gone
ok "lets go of the module" until_true 10 eval '[ "$(</sys/module/ts_nfac/refcnt)" = 0 ]'
ok "and of the tiles" until_true 10 eval '[ "$(cat /sys/class/misc/nfac/tiles)" = 0 ]'
