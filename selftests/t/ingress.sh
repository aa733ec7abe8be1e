#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 150
#
# client (10.0.0.2, fd00::2) ── veth0 ── server (10.0.0.1, fd00::1; set attached to veth0)
#
# Proves that a set attached to a device sees all its frames, at ingress and at egress: behind VLAN
# tags, PPPoE and MPLS too. That a frame that cannot be inspected is counted by its reason. That
# streams are followed, each VLAN's for itself, and no frame that IP discards moves one. That a
# renamed device keeps its attachment, and one that goes takes it along, with packets in flight.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool nft socat
FRAMES=$TREE/selftests/t/frames.py
load_module
ns_pair
printf 'attack\n' >"$T/one.txt"
run server "$NFAC" load one "$T/one.txt"

# of FILE...: figures of the server's attachment
of()
{
	server bash -c 'cd /sys/class/misc/nfac/sets/one/attachments/'"$ID"' && cat "$@" | xargs' _ "$@"
}

attach()
{
	ID=$(server "$NFAC" attach one "$@") && [ -n "$ID" ] || { fail "attach $*"; exit 1; }
	say "attachment $ID: $*"
}

frames()
{
	run client /usr/bin/python3 -S "$FRAMES" "$@"
}

# count: packets that IP received
cat >"$T/rules.nft" <<'END'
table inet t {
	counter got { }
	chain c {
		type filter hook prerouting priority 0;
		udp dport 9999 counter name got
	}
}
END
run server nft -f "$T/rules.nft"

say "ingress"
attach --hook ingress --dev veth0 --drop
udp attack
udp harmless
udp attack 9999 fd00::1
is "an attack is dropped before IP has it, anything else is not" "3 2 1" \
	"$(of packets matched_packets) $(counted t got)"
like "list shows the device" "ingress -190 --dev veth0 --drop" "$(server "$NFAC" list)"
like "and so does its JSON" '"hook":"ingress","priority":-190,"dev":"veth0"' \
	"$(server "$NFAC" list --json)"
like "and stats" "ingress of veth0 -190: 3 packets" "$(server "$NFAC" stats)"
like "and Prometheus" 'hook="ingress",device="veth0"' "$(server "$NFAC" stats --prometheus)"
before=$(of packets matched_packets dropped_packets)
wraps="plain vlan qinq tags4 pppoe vlanpppoe mpls"
list=()
for w in $wraps; do
	list+=("$w-udp4" attack / "$w-udp6" attack / "$w-udp4" harmless /)
done
frames "${list[@]::${#list[@]}-1}"
# shellcheck disable=SC2046
set -- $before $(of packets matched_packets dropped_packets)
is "behind each kind of link header" "21 14 14" "$(($4 - $1)) $(($5 - $2)) $(($6 - $3))"
detach_all

say "what cannot be inspected"
odd=(tags18-udp4 attack / cut-udp4 attack / mismatch-udp4 attack / mismatch-udp6 attack /
	fragment attack / vlan-fragment attack / arp-udp4)
attach --hook ingress --dev veth0 --drop --proto udp --dport 9999
frames "${odd[@]}"
is "is counted by its reason, whatever ports are wanted" "1 3 2 1 0 0" \
	"$(of skipped_too_deep skipped_truncated skipped_fragment skipped_protocol packets dropped_packets)"
detach_all
attach --hook ingress --dev veth0 --skip drop
frames "${odd[@]}"
is "and dropped where that is wanted, except what is not IP" "1 6" \
	"$(of skipped_protocol dropped_packets)"
detach_all
attach --hook ingress --dev veth0 --skip drop --allow-protocol ipv6-icmp
ok "so that ARP and neighbour discovery work" client ping -c1 -W5 fd00::1
frames wrongsum attack
is "a datagram with a wrong header checksum is searched all the same" 1 "$(of matches)"
detach_all
attach --hook ingress --dev veth0 --ipv6
frames udp4 attack / udp6 attack / vlan-udp4 attack / arp-udp4
is "IPv6 alone" "1 1 1" "$(of packets matches skipped_protocol)"
detach_all

say "a VLAN device"
run ip -n server link add v10 link veth0 type vlan id 10
run ip -n server link set v10 up
attach --hook ingress --dev v10 --drop
frames vlan-udp4 attack / vlan11-udp4 attack / udp4 attack
is "sees its own frames, without the tag" "1 1" "$(of packets dropped_packets)"
detach_all

say "egress"
attach --hook egress --dev veth0 --drop
server bash -c 'printf attack >/dev/udp/10.0.0.2/9; printf harmless >/dev/udp/10.0.0.2/9' 2>/dev/null
is "what matches does not leave, anything else does" "2 1" "$(of packets dropped_packets)"
run server /usr/bin/python3 -S "$FRAMES" --to 020000000002 vlan-udp4 harmless / qinq-udp4 harmless / \
	pppoe-udp6 harmless / mpls-udp4 harmless / arp-udp4
is "behind link headers too" "6 1" "$(of packets skipped_protocol)"
like "list shows the device" "egress -190 --dev veth0" "$(server "$NFAC" list)"
detach_all

say "streams"
server socat -u TCP6-LISTEN:8080,ipv6only=0,reuseaddr,fork OPEN:"$T/got",creat,append 2>/dev/null &
later end_process $!
until_true 10 client bash -c 'exec 3<>/dev/tcp/10.0.0.1/8080' 2>/dev/null || fail "the server listens"
attach --hook ingress --dev veth0 --strict --dport 8080
for host in 10.0.0.1 fd00::1; do
	client timeout 5 bash -c "exec 3<>/dev/tcp/$host/8080; printf 'harmless $host att' >&3; sleep 0.3; printf 'ack it' >&3; sleep 0.3" 2>/dev/null
done
ok "a pattern in two segments" until_true 5 grep -q 'harmless fd00::1 att' "$T/got"
unlike "does not arrive" "ack" "$(cat "$T/got")"
is "and the rest of each stream does" "harmless 10.0.0.1 attharmless fd00::1 att" "$(cat "$T/got")"
ok "it is dropped each time that it is sent" test "$(of dropped_packets)" -ge 2
is "no gap was there" 0 "$(of skipped_gap)"
detach_all

printf '#!/bin/sh\nprintf "harmless att"; sleep 0.3; printf "ack it"\n' >"$T/say"
chmod +x "$T/say"
server socat TCP6-LISTEN:8081,ipv6only=0,reuseaddr,fork EXEC:"$T/say" 2>/dev/null &
later end_process $!
until_true 10 client bash -c 'exec 3<>/dev/tcp/10.0.0.1/8081' 2>/dev/null || fail "the server listens"
attach --hook egress --dev veth0 --strict
for host in 10.0.0.1 fd00::1; do
	is "egress: what this host sends to $host, as far as the pattern" "harmless att" \
		"$(client timeout 2 bash -c "exec 3<>/dev/tcp/$host/8081; cat <&3" 2>/dev/null)"
done
is "answers pass ingress: no segment is outside the window" "0 0" "$(of skipped_gap skipped_window)"
detach_all

attach --hook ingress --dev veth0 --stream --dport 80
frames syn:100 / segment:100 att / segment:103 ack
is "segments made by hand: the same" "1 0" "$(of matches skipped_gap)"
frames segment:106 att / vlan-syn:109 / vlan-segment:109 ack
is "another VLAN's segment does not continue them" "1 0" "$(of matches skipped_gap)"
frames segment:109 att / badsegment:112 xxx / segment:112 ack
is "one with a wrong header checksum does not move it" 2 "$(of matches)"
frames segment:115 att
frames --to 020000000099 segment:118 xxx
frames segment:118 ack
is "nor does one to another host's address" 3 "$(of matches)"
detach_all

say "renamed"
attach --hook ingress --dev veth0 --drop
run ip -n server link set veth0 down
run ip -n server link set veth0 name other0
run ip -n server link set other0 up
like "list shows the new name" "ingress -190 --dev other0" "$(server "$NFAC" list)"
is "sysfs too" other0 "$(of device)"
frames udp4 attack
is "and it inspects as before" 1 "$(of dropped_packets)"
run ip -n server link set other0 down
run ip -n server link set other0 name veth0
run ip -n server link set veth0 up
detach_all

say "refused"
fails_with "a device that is not there" "no device 'eth9'" server "$NFAC" attach one --hook ingress --dev eth9
is "and nothing is left of it" "" "$(server "$NFAC" list | grep -- --dev)"

say "unplugged"
run ip -n server link del v10
used=$(memory_used)
flood()
{
	while :; do
		/usr/bin/python3 -S "$FRAMES" --dev p0 udp4 attack / vlan-udp6 attack / segment:1 attack || break
	done
}
export FRAMES
for i in 1 2 3; do
	run ip link add p0 netns client type veth peer name p1 netns server
	run ip -n client link set p0 up
	run ip -n server link set p1 up
	run server "$NFAC" attach one --hook ingress --dev p1 --stream
	run server "$NFAC" attach one --hook egress --dev p1 --drop
	run server "$NFAC" attach one --hook ingress --dev veth0
	client bash -c "$(declare -f flood); flood" 2>/dev/null &
	sleep 0.2
	run ip -n server link del p1
	wait $!
	is "round $i: its attachments are gone, others are not" "--dev veth0" \
		"$(server "$NFAC" list | grep -o -e '--dev .*')"
	detach_all
done
ok "and so is their memory" until_true 10 eval '[ "$(memory_used)" = '"$used"' ]'
run ip link add p0 netns client type veth peer name p1 netns server
run server "$NFAC" attach one --hook ingress --dev p1
run ip -n server link set p1 netns client
unlike "a device that moves to another namespace takes none along" "--dev p1" \
	"$(server "$NFAC" list; client "$NFAC" list)"
run ip netns add gone
run ip -n gone link add d0 type dummy
run in_ns gone "$NFAC" load one "$T/one.txt"
run in_ns gone "$NFAC" attach one --hook ingress --dev d0
run in_ns gone "$NFAC" attach one --hook egress --dev lo --stream
run ip netns del gone
ok "a namespace that goes" until_true 10 eval '[ "$(</sys/module/nfac/refcnt)" = 0 ]'
