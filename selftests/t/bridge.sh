#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 120
#
# client (10.0.0.2, fd00::2) ── p0 ── br0 in "wire" (10.0.0.3; set attached) ── p1 ── server (10.0.0.1, fd00::1)
#
# Proves that with --family bridge a set inspects what a transparent bridge forwards, without
# br_netfilter: IPv4 and IPv6, in VLANs and behind PPPoE and MPLS, by port, and TCP as streams.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool nft socat
FRAMES=$TREE/selftests/t/frames.py
load_module
CLIENT=client SERVER=server
for ns in client server wire; do
	ns_new $ns
done
run ip link add veth0 address 02:00:00:00:00:02 netns client type veth peer name p0 netns wire
run ip link add veth0 address 02:00:00:00:00:01 netns server type veth peer name p1 netns wire
batch wire "link add br0 address 02:00:00:00:00:03 type bridge" "link set p0 master br0" \
	"link set p1 master br0" "link set p0 up" "link set p1 up" "link set br0 up" \
	"addr add 10.0.0.3/24 dev br0" \
	"neigh add 10.0.0.2 lladdr 02:00:00:00:00:02 dev br0 nud permanent"
batch client "addr add 10.0.0.2/24 dev veth0" "addr add fd00::2/64 dev veth0 nodad" "link set veth0 up" \
	"neigh add 10.0.0.1 lladdr 02:00:00:00:00:01 dev veth0 nud permanent" \
	"neigh add fd00::1 lladdr 02:00:00:00:00:01 dev veth0 nud permanent" \
	"neigh add 10.0.0.3 lladdr 02:00:00:00:00:03 dev veth0 nud permanent" \
	"link add v10 link veth0 type vlan id 10" "addr add 10.0.10.2/24 dev v10" "link set v10 up"
batch server "addr add 10.0.0.1/24 dev veth0" "addr add fd00::1/64 dev veth0 nodad" "link set veth0 up" \
	"neigh add 10.0.0.2 lladdr 02:00:00:00:00:02 dev veth0 nud permanent" \
	"neigh add fd00::2 lladdr 02:00:00:00:00:02 dev veth0 nud permanent" \
	"link add v10 link veth0 type vlan id 10" "addr add 10.0.10.1/24 dev v10" "link set v10 up"

# br_netfilter 0|1: off or on; false: this kernel has none
br_netfilter()
{
	in_ns wire bash -c 'cd /proc/sys/net/bridge && for i in bridge-nf-call-ip*; do echo '"$1"' >$i; done' \
		2>/dev/null
}
modprobe br_netfilter 2>/dev/null && later rmmod br_netfilter
br_netfilter 0
ok "the bridge forwards" until_true 10 client ping -c1 -W0.2 10.0.0.1
ok "in a VLAN too" until_true 10 client ping -c1 -W0.2 10.0.10.1

printf 'attack\n' >"$T/one.txt"
run in_ns wire "$NFAC" load one "$T/one.txt"
cat >"$T/rules.nft" <<'EOF'
table inet t {
	counter got { }
	chain c {
		type filter hook prerouting priority 0
		udp dport 9999 counter name got
	}
}
EOF
run server nft -f "$T/rules.nft"

# of FILE...: figures of the attachment
of()
{
	in_ns wire bash -c 'cd /sys/class/misc/nfac/sets/one/attachments/'"$ID"' && cat "$@" | xargs' _ "$@"
}

attach()
{
	ID=$(in_ns wire "$NFAC" attach one "$@") && [ -n "$ID" ] || { fail "attach $*"; exit 1; }
	say "attachment $ID: $*"
}

say "what is forwarded"
attach --hook prerouting
IP=$ID
attach --family bridge --hook forward --drop
udp attack
udp harmless
udp attack 9999 fd00::1
udp harmless 9999 fd00::1
is "attacks are dropped, anything else passes" "4 2 2 2" \
	"$(of packets matched_packets dropped_packets) $(counted t got)"
udp attack 9999 10.0.10.1
udp harmless 9999 10.0.10.1
is "in a VLAN too" "6 3 3" "$(of packets dropped_packets) $(counted t got)"
run client /usr/bin/python3 -S "$FRAMES" qinq-udp4 attack / vlanpppoe-udp6 attack / mpls-udp4 attack / \
	qinq-udp4 harmless
is "behind other link headers too" "10 6" "$(of packets dropped_packets)"
fails "the host's own hook sees nothing of it" in_ns wire grep -q '[1-9]' \
	"/sys/class/misc/nfac/sets/one/attachments/$IP/packets"
like "list shows the family" "forward -190 --family bridge --drop" "$(in_ns wire "$NFAC" list)"
like "and so do stats" "bridge forward -190: 10 packets" "$(in_ns wire "$NFAC" stats)"
like "and Prometheus" 'hook="forward",family="bridge"' "$(in_ns wire "$NFAC" stats --prometheus)"
detach_all wire

attach --family bridge --hook forward --proto udp
run client /usr/bin/python3 -S "$FRAMES" arp-udp4 / fragment attack / vlan-fragment attack
is "fragments are counted" "2 0" "$(of skipped_fragment packets)"
# the hosts' own ARP passes, too
ok "and so is what is not IP" [ "$(of skipped_protocol)" -ge 1 ]
detach_all wire

say "a port's name at the hooks of IP"
for call in 0 1; do
	br_netfilter $call || [ $call = 0 ] || { skip "with br_netfilter" "it is not there"; continue; }
	for hook in prerouting forward; do
		in_ns wire "$NFAC" attach one --hook $hook --iif p0 --no-report >"$T/id" 2>"$T/err"
		like "br_netfilter $call, $hook: a warning" "iif p0 sees nothing: it is a port of the bridge br0" \
			"$(cat "$T/err")"
		[ $call = 1 ] && unlike "that the bridge's name helps" "without br_netfilter" "$(cat "$T/err")" ||
			like "and that br_netfilter is off" "without br_netfilter" "$(cat "$T/err")"
		ID=$(<"$T/id")
		udp attack
		udp attack 9999 10.0.0.3
		is "which is true" 0 "$(of packets)"
		detach_all wire
	done
	in_ns wire "$NFAC" attach one --iif 'p*' >"$T/id" 2>"$T/err"
	like "all ports by a wildcard: a warning" "iif p[0-9] sees nothing" "$(cat "$T/err")"
	detach_all wire
	attach --hook prerouting --iif br0 --proto udp 2>"$T/err"
	udp attack
	udp attack 9999 10.0.0.3
	is "the bridge's own name: $((1 + call)) of two" $((1 + call)) "$(of packets)"
	is "no warning" "" "$(cat "$T/err")"
	detach_all wire
done
br_netfilter 0
in_ns wire "$NFAC" attach one --family bridge --hook forward --iif br0 >"$T/id" 2>"$T/err"
like "the bridge is no port: a warning" "iif br0 sees nothing: it is no port" "$(cat "$T/err")"
detach_all wire
attach --family bridge --hook forward --iif 'p*' --proto udp 2>"$T/err"
udp attack
is "at the bridge's hook a wildcard selects ports" "1 " "$(of packets) $(cat "$T/err")"
detach_all wire
attach --family bridge --iif p0 2>"$T/err"
is "nor with --family bridge" "" "$(cat "$T/err")"
detach_all wire

say "selection"
attach --family bridge --hook forward --iif p0 --oif p1
udp attack
run server bash -c 'printf attack >/dev/udp/10.0.0.2/9' 2>/dev/null
is "by ports of the bridge" 1 "$(of packets)"
detach_all wire
attach --family bridge --hook forward --iif p1
udp attack
is "another port" 0 "$(of packets)"
detach_all wire
attach --family bridge --ipv6 --hook forward
udp attack
udp attack 9999 fd00::1
is "IPv6 alone" 1 "$(of packets)"
detach_all wire

say "the other hooks"
for hook in prerouting postrouting; do
	attach --family bridge --hook $hook --proto udp --dport 9999
	udp attack
	udp attack 9999 10.0.10.1
	is "$hook" "2 2" "$(of packets matches)"
	detach_all wire
done
attach --family bridge --hook input --proto udp
udp attack
udp attack 9999 10.0.0.3
is "input: to the bridge's own address" 1 "$(of packets)"
detach_all wire
attach --family bridge --hook output --proto udp --drop
in_ns wire bash -c 'printf harmless >/dev/udp/10.0.0.2/9; printf attack >/dev/udp/10.0.0.2/9' 2>/dev/null
is "output: from it" "2 1" "$(of packets dropped_packets)"
detach_all wire

say "streams"
server socat -u TCP6-LISTEN:8080,ipv6only=0,reuseaddr,fork OPEN:"$T/got",creat,append 2>/dev/null &
later end_process $!
until_true 10 client bash -c 'exec 3<>/dev/tcp/10.0.0.1/8080' 2>/dev/null || fail "the server listens"
for hook in forward prerouting; do
	attach --family bridge --hook $hook --strict --dport 8080
	for host in 10.0.0.1 fd00::1 10.0.10.1; do
		: >"$T/got"
		client timeout 5 bash -c "exec 3<>/dev/tcp/$host/8080; printf 'harmless att' >&3; sleep 0.3; printf 'ack it' >&3; sleep 0.3" 2>/dev/null
		ok "$hook, to $host: what comes before passes" until_true 5 grep -q harmless "$T/got"
		unlike "and the rest of the pattern does not" ack "$(cat "$T/got")"
	done
	# the second attachment sees what the first one's connections still send again
	[ $hook = prerouting ] || is "without a gap" "0 0" "$(of skipped_gap skipped_window)"
	detach_all wire
done

say "the connection's mark"
# one connection of three datagrams, the attack in the second one
connection()
{
	run client bash -c 'exec 3<>/dev/udp/10.0.0.1/9999; for text; do printf %s $text >&3; done' _ first attack last
}

if modprobe nf_conntrack_bridge 2>/dev/null; then
	cat >"$T/bridge.nft" <<-'EOF'
	table bridge t {
		counter marked { }
		chain c {
			type filter hook postrouting priority 0
			udp dport 9999 ct mark & 0xf0 == 0x10 counter name marked
		}
	}
	EOF
	run in_ns wire nft -f "$T/bridge.nft"
	# without a receiver, the answers would make the sender stop
	server socat -u UDP4-RECV:9999 OPEN:"$T/datagrams",creat &
	later end_process $!
	ok "the server receives" until_true 5 server grep -q :270F /proc/net/udp
	attach --family bridge --hook forward --proto udp --ct-mark 0x10/0xf0 --ct-label 5
	connection
	is "three packets, one match" "3 1" "$(of packets matched_packets)"
	like "the match and what follows it have the mark" "packets 2 " "$(in_ns wire nft list counter bridge t marked)"
	run client bash -c 'printf "%2000sattack" >/dev/udp/10.0.0.1/9999'
	is "fragments are put together" "4 2 0" "$(of packets matched_packets skipped_fragment)"
	run in_ns wire nft delete table bridge t
	detach_all wire
	ok "detached: conntrack of bridges is released" rmmod nf_conntrack_bridge
else
	fails "without conntrack of bridges" in_ns wire "$NFAC" attach one --family bridge --ct-mark 1/1
	like "it is refused with the reason" "take the module nf_conntrack_bridge" \
		"$(in_ns wire "$NFAC" attach one --family bridge --ct-mark 1/1 2>&1)"
fi
