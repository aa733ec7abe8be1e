#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 150
#
# client (10.0.0.2, fd00::2) ── veth ── server (10.0.0.1, fd00::1; sets attached)
#
# Proves that an attachment selects, matches and acts as its options say: IPv4 and IPv6,
# TCP and UDP, marks that an nftables rule drops by and that keep their other bits,
# conntrack marks and labels, request bits, ports, interfaces, dropping by itself, two
# sets at one hook, two namespaces with a set of one name; and that no process gets at it
# without CAP_NET_ADMIN.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool nft jq socat
DEVICE=$TREE/selftests/t/device.py
load_module
ns_pair

printf 'attack\n/etc/passwd\n' >"$T/one.txt"
printf 'etc\nevil\n' >"$T/two.txt"
run "$NFAC" compile -o "$T/one.nfac" "$T/one.txt"
run "$NFAC" compile -o "$T/two.nfac" "$T/two.txt"

udp6()
{
	udp "$1" "${2:-9999}" fd00::1
}

# count NAME: packets of a named counter of the server's nftables
count()
{
	counted t "$1"
}

# of ID FILE: a figure of the server's attachment
of()
{
	server bash -c "cat /sys/class/misc/nfac/sets/*/attachments/$1/$2"
}

attach()
{
	ID=$(server "$NFAC" attach "$@") && [ -n "$ID" ] || { fail "attach $*"; exit 1; }
	say "attachment $ID: $*"
}

run server "$NFAC" load one "$T/one.nfac"
run server "$NFAC" load two "$T/two.nfac"

say "marks that an nftables rule drops by"
cat >"$T/rules.nft" <<'END'
table inet t {
	counter foreign { }
	counter matched { }
	counter kept { }
	counter passed { }
	counter ctmark { }
	counter labelled { }
	chain before {
		type filter hook prerouting priority -195;
		meta l4proto { tcp, udp } meta mark set 0xabcde000
		udp dport 7000-7999 meta mark set meta mark or 0x00000800
	}
	chain after {
		type filter hook prerouting priority -150;
		meta mark and 0xfffff000 == 0xabcde000 counter name foreign
		meta mark == 0xabcde001 counter name kept
		ct mark and 0xf0 == 0x30 counter name ctmark
		meta mark and 0x0000000f == 0x00000001 counter name matched drop
		udp dport 1-65535 counter name passed
	}
}
END
run server nft -f "$T/rules.nft"
attach one --mark 0x1/0xf
udp "an attack"
is "a datagram that matches is marked, its other bits are kept" 1 "$(count kept)"
is "and dropped by the rule" 1 "$(count matched)"
udp "a tack"
is "one that does not match passes" 1 "$(count passed)"
is "with the mark it had" 2 "$(count foreign)"
udp6 "GET /etc/passwd"
is "IPv6 too" 2 "$(count matched)"
is "sysfs counts packets" 3 "$(of "$ID" packets)"
is "and bytes" $((9 + 6 + 15)) "$(of "$ID" bytes)"
is "and matches" 2 "$(of "$ID" matches)"
is "and that none was dropped by nfac" 0 "$(of "$ID" dropped_packets)"

say "TCP: the segment with the pattern does not arrive"
server socat -u TCP6-LISTEN:8080,ipv6only=0,reuseaddr,fork OPEN:"$T/got",creat,append 2>/dev/null &
later end_process $!
until_true 10 client bash -c 'exec 3<>/dev/tcp/10.0.0.1/8080' 2>/dev/null || fail "the server listens"
for host in 10.0.0.1 fd00::1; do
	client bash -c "exec 3<>/dev/tcp/$host/8080; printf 'harmless $host ' >&3; sleep 0.2; printf attack >&3; sleep 0.2" 2>/dev/null
done
ok "what is harmless arrived" until_true 10 grep -q 'harmless fd00::1' "$T/got"
unlike "what is not did not" attack "$(cat "$T/got")"
ok "the segments were marked" test "$(count matched)" -ge 4
detach_all
matched=$(count matched)
udp "an attack"
is "detached: nothing is marked" "$matched" "$(count matched)"

say "selection"
attach one --drop --proto udp --dport 5000,5001
udp attack 5001
udp6 attack 5000
udp attack 5002
is "by port: two are dropped" 2 "$(of "$ID" dropped_packets)"
is "and the third was not inspected" 2 "$(of "$ID" packets)"
detach_all
attach one --drop --proto udp --dport 5000,6000-6010
for port in 5000 5001 5999 6000 6005 6010 6011; do
	udp attack $port
done
is "by a port and a range: four are dropped" "4 4" "$(of "$ID" dropped_packets) $(of "$ID" packets)"
like "list shows them" "^ *$ID: prerouting -190 --proto udp --dport 5000,6000-6010 --drop\$" \
	"$(server "$NFAC" list)"
detach_all
attach one --drop --when-mark 0x800/0x800
udp attack 7001
udp attack 6999
is "by request bits that a chain set before" 1 "$(of "$ID" packets)"
detach_all
attach one --ipv6 --iif veth0
udp attack
udp6 attack
is "IPv6 alone, by interface" 1 "$(of "$ID" packets)"
detach_all
attach one --iif lo
udp attack
is "another interface" 0 "$(of "$ID" packets)"
detach_all
attach one --iif 'vet*'
udp attack
is "any interface whose name begins so" 1 "$(of "$ID" packets)"
detach_all
attach one --iif 'veth0?*'
udp attack
is "and no other" 0 "$(of "$ID" packets)"
detach_all
server "$NFAC" attach one --iif 'eth*' >"$T/out" 2>"$T/err"
like "where there is none, a warning says so" "iif eth\*: no interface has this name now" "$(<"$T/err")"
detach_all
for hook in prerouting input; do
	attach one --hook $hook
	udp attack
	is "at $hook" 1 "$(of "$ID" matches)"
	detach_all
done
for hook in output postrouting; do
	attach one --hook $hook
	server bash -c "printf attack >/dev/udp/10.0.0.2/9" 2>/dev/null
	is "at $hook" 1 "$(of "$ID" matches)"
	detach_all
done

say "conntrack"
if server "$NFAC" attach one --ct-mark 0x30/0xf0 >/dev/null 2>"$T/err"; then
	before=$(count ctmark)
	udp attack 4444
	is "the connection of a packet that matches is marked" $((before + 1)) "$(count ctmark)"
	udp harmless 4444
	is "another connection is not" $((before + 1)) "$(count ctmark)"
	detach_all
else
	like "refused with a reason" . "$(cat "$T/err")"
	skip "the connection's mark" "this kernel has no conntrack marks"
fi
if server "$NFAC" attach one --ct-label 5 >/dev/null 2>"$T/err"; then
	run server nft add rule inet t after ct label 5 counter name labelled
	udp attack 4445
	is "the connection gets a label" 1 "$(count labelled)"
	udp harmless 4446
	is "another connection does not" 1 "$(count labelled)"
	detach_all
else
	like "refused with a reason" . "$(cat "$T/err")"
	skip "the connection's label" "this kernel has no conntrack labels"
fi

say "two sets at one hook"
attach one --mark 0x1/0x1
A=$ID
attach two --mark 0x2/0x2
B=$ID
before=$(memory_used)
server timeout 20 "$NFAC" watch --json --count 3 >"$T/events" &
watcher=$!
watched "$before"
udp "GET /etc/passwd"
udp "evil"
ok "three events come" wait $watcher
is "each set with its own, at the place in the payload" \
	"one 2 4 11 1
two 1 5 3 1
two 2 0 4 2" \
	"$(jq -r '[.set, .id, .offset, .length, .packet] | map(tostring) | join(" ")' "$T/events" | sort)"
is "both saw the first packet" "1 2" "$(of "$A" matches) $(of "$B" matches)"
detach_all

say "two namespaces, one name"
run client "$NFAC" load one "$T/two.nfac"
run client "$NFAC" attach one --hook output --drop
attach one --drop
udp "attack"
is "what only the server's knows is dropped there" 1 "$(of "$ID" dropped_packets)"
fails_with "what only the client's knows does not leave it" "not permitted" \
	client bash -c 'printf evil >/dev/udp/10.0.0.1/9'
is "nor arrive" 1 "$(of "$ID" packets)"
is "sysfs shows a namespace its own sets" "one" "$(in_ns client ls /sys/class/misc/nfac/sets)"
is "and another its own" "one two" "$(in_ns server ls /sys/class/misc/nfac/sets | xargs)"
is "and none where there is none" "" "$(ls /sys/class/misc/nfac/sets)"
detach_all
detach_all "$CLIENT"

say "capabilities"
# root without the capability: only that is missing, not the file's permission
unable=(setpriv --bounding-set=-net_admin --inh-caps=-net_admin)
fails_with "root without CAP_NET_ADMIN cannot open it" "CAP_NET_ADMIN|permi" \
	"${unable[@]}" "$NFAC" list
unlike "a file that was handed on is of no use without it" " (ok|E[^P]|EP[^E])" \
	"$("$DEVICE" handed | tee "$T/handed")"
is "for any of the ioctls, nor to read, write or poll" 13 "$(grep -c EPERM "$T/handed")"
if unshare -Ur true 2>/dev/null; then
	fails_with "a user namespace does not give it over its parent's network" \
		"CAP_NET_ADMIN|permi" unshare -Ur "$NFAC" list
	tiles=$(cat /sys/class/misc/nfac/tiles)
	ok "but over a network of its own" unshare -Urn "$NFAC" load mine "$T/one.nfac"
	ok "which takes its sets with it" until_true 10 \
		eval '[ "$(cat /sys/class/misc/nfac/tiles)" = '"$tiles"' ]'
else
	skip "user namespaces" "none can be made here (in a chroot, or by this kernel)"
fi

say "a namespace that goes while a set is attached"
tiles=$(cat /sys/class/misc/nfac/tiles)
run ip netns add gone
run in_ns gone "$NFAC" load one "$T/one.nfac"
run in_ns gone "$NFAC" attach one --drop
run in_ns gone "$NFAC" attach one --hook output
ok "its tiles are there" test "$(cat /sys/class/misc/nfac/tiles)" -gt "$tiles"
run ip netns del gone
ok "and go with it" until_true 10 eval '[ "$(cat /sys/class/misc/nfac/tiles)" = '"$tiles"' ]'
ok "and hold the module no longer" until_true 10 \
	eval '[ "$(</sys/module/nfac/refcnt)" = 0 ]'
run rmmod nfac
