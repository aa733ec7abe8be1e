#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 150
#
# client (10.0.0.2, fd00::2) ── veth, MTU 65535 ── server (10.0.0.1, fd00::1; rules)
#
# Proves that `-m nfac --set SET` works in iptables and ip6tables, legacy and nft: it
# searches the payload behind any headers, between --from and --to; what cannot
# be inspected matches neither with nor without "!" and is counted; the rule survives
# save and restore, is listed by nft, and holds its set.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/rules.inc"

need_module
need_cli
need_tool nft iptables-nft iptables-legacy ip6tables-nft ip6tables-legacy
[ -f "$TREE/userspace-loader/iptables/libxt_nfac.so" ] || skip_all "libxt_nfac.so is not built"
/usr/bin/python3 -c 'import scapy' 2>/dev/null || skip_all "scapy is not installed"
SEND=$TREE/selftests/t/send.py
rule_topology xt_nfac

skipped()
{
	server cat "/sys/class/misc/nfac/sets/$1/rule_skipped"
}

for kind in nft legacy; do
	ipt=iptables-$kind
	ip6t=ip6tables-$kind
	say "$ipt"
	unload_module xt_nfac
	run server "$NFAC" load one "$T/one.txt"

	fails_with "an unknown set is refused" "$UNKNOWN" \
		server "$ipt" -A INPUT -m nfac --set "nosuch-$kind" -j DROP
	ok "and the module came by itself" test -d /sys/module/xt_nfac
	like "and logged why" "xt_nfac: there is no set \"nosuch-$kind\"" "$(dmesg)"
	fails_with "a set of another namespace is unknown" "$UNKNOWN" \
		client "$ipt" -A INPUT -m nfac --set one
	fails_with "--set is required" '"?--set"? *(must|.*required)' server "$ipt" -A INPUT -m nfac
	fails_with "--from above --to" "not below" \
		server "$ipt" -A INPUT -m nfac --set one --from 9 --to 9
	fails_with "a name that is too long" "maximum length of 31" \
		server "$ipt" -A INPUT -m nfac --set 12345678901234567890123456789012
	fails_with "a number that is none" 'bad value for option "--to"' \
		server "$ipt" -A INPUT -m nfac --set one --to -1
	is "what was refused holds nothing" 0 "$(holds one)"

	run server "$ipt" -A INPUT -p udp -m nfac --set one
	run server "$ipt" -A INPUT -p udp -m nfac ! --set one
	run server "$ip6t" -A INPUT -p udp -m nfac --set one
	run server "$ip6t" -A INPUT -p udp -m nfac ! --set one
	rule_matches "$ipt"
	is "IPv6: one of two" "1 1" "$(packets "$ip6t" 1) $(packets "$ip6t" 2)"
	paged "$T/paged"
	is "a pattern across two pages is found" 3 "$(packets "$ipt" 1)"

	say "save, restore, list"
	server "$ipt-save" -t filter | grep -- "-m nfac" >"$T/saved"
	is "saved as it was written" \
		"-A INPUT -p udp -m nfac --set one
-A INPUT -p udp -m nfac ! --set one" "$(cat "$T/saved")"
	run server "$ipt" -A INPUT -p tcp -m nfac ! --set one --from 3 --to 4000000000 -j DROP
	server "$ipt-save" -t filter | grep -v '^#' | sed 's/\[.*\]//' >"$T/saved"
	run server "$ipt" -F INPUT
	server "$ipt-restore" <"$T/saved" || fail "$ipt-restore"
	is "restored as it was saved" "$(cat "$T/saved")" \
		"$(server "$ipt-save" -t filter | grep -v '^#' | sed 's/\[.*\]//')"
	like "with its numbers" '! --set one --from 3 --to 4000000000 -j DROP' "$(cat "$T/saved")"
	like "listed for people" 'nfac ! --set one --from 3 --to 4000000000' \
		"$(server "$ipt" -nL INPUT)"
	if [ $kind = nft ]; then
		like "nft list ruleset shows it" 'xt match "?nfac"?' "$(server nft list ruleset 2>&1)"
	fi

	say "--from and --to: the pattern is in bytes 10 to 15 of the payload"
	run server "$ipt" -F INPUT
	while read -r from to; do
		run server "$ipt" -A INPUT -p udp -m nfac --set one --from "$from" --to "$to"
	done <<-'END'
		10 16
		11 16
		10 15
		0 16
		0 15
		9 4294967295
		16 60
		60 1000
	END
	run server "$ipt" -A INPUT -p udp -m nfac ! --set one --from 60
	udp "0123456789attack"
	is "a match counts when all of it is between; past the end there is none" \
		"1 0 0 1 0 1 0 0 1" "$(for i in 1 2 3 4 5 6 7 8 9; do packets "$ipt" $i; done | xargs)"

	say "headers of all kinds, and packets that cannot be inspected"
	run server "$ipt" -F INPUT
	run server "$ipt" -A INPUT -m nfac --set one
	run server "$ipt" -A INPUT -p icmp -m nfac ! --set one
	run server "$ipt" -A INPUT -p tcp -m nfac ! --set one
	run server "$ipt" -A INPUT -p udp -m nfac ! --set one
	run client ping -c1 -W5 10.0.0.1
	is "what is clean matches \"!\"" "0 1" "$(packets "$ipt" 1) $(packets "$ipt" 2)"
	# once, because scapy is slow to start, and the case concerns the kernel alone
	if [ $kind = legacy ]; then
		before=$(skipped one)
		run client "$SEND" ip_options attack / tcp_options attack / tcp_urgent attack / \
			icmp attack / tcp_empty / tcp_offset attack / tcp_offset_low attack / \
			udp_lies attack
		is "found behind each, in ICMP too" 4 "$(packets "$ipt" 1)"
		is "a segment without data is clean" 1 "$(packets "$ipt" 3)"
		is "what cannot be inspected matches neither way" "4 1 1 0" \
			"$(for i in 1 2 3 4; do packets "$ipt" $i; done | xargs)"
		ok "and is counted" test "$(skipped one)" -ge $((before + 3))
	fi

	say "references"
	run server "$ipt" -F INPUT
	run server "$ipt" -A INPUT -p udp -m nfac --set one -j DROP
	rule_holds xt_nfac "$ipt" "$ip6t"
done
