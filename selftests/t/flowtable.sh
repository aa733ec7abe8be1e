#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml
# timeout: 60
#
# client (10.0.0.2) ── veth0 ── server (10.0.0.1, 10.0.1.1: the router) ── back ── far (10.0.1.2)
#
# Proves that the packets of a connection in a flowtable bypass the hooks of IP, and that an
# attachment at the device's ingress inspects all of them, drops an attack, and lets the rest pass.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool nft socat
load_module
ns_pair
ns_new far
run ip link add back netns server type veth peer name veth0 netns far
batch server "addr add 10.0.1.1/24 dev back" "link set back up"
batch far "addr add 10.0.1.2/24 dev veth0" "link set veth0 up" "route add default via 10.0.1.1"
batch client "route add 10.0.1.0/24 via 10.0.0.1"
run server sysctl -qw net.ipv4.ip_forward=1
cat >"$T/rules.nft" <<'EOF'
table inet t {
	counter forwarded { }
	flowtable f {
		hook ingress priority 0
		devices = { veth0, back }
	}
	chain c {
		type filter hook forward priority 0
		tcp dport 8080 counter name forwarded
		ct state established flow add @f
	}
}
EOF
run server nft -f "$T/rules.nft"
printf 'attack\n' >"$T/one.txt"
run server "$NFAC" load one "$T/one.txt"
FORWARD=$(server "$NFAC" attach one --hook forward --drop --proto tcp --dport 8080)

# of ID FILE
of()
{
	server cat "/sys/class/misc/nfac/sets/one/attachments/$1/$2"
}

in_ns far socat -u TCP4-LISTEN:8080,reuseaddr,fork OPEN:"$T/got",creat,append 2>/dev/null &
later end_process $!

# talk TEXT...: a connection that sends each by itself
talk()
{
	client timeout 10 bash -c 'exec 3<>/dev/tcp/10.0.1.2/8080 || exit
		for i; do printf "%s\n" "$i" >&3; sleep 0.2; done' _ "$@" 2>/dev/null
}
until_true 10 talk ready
ok "the connection is there" until_true 5 grep -q ready "$T/got"

forwarded=$(counted t forwarded)
packets=$(of "$FORWARD" packets)
talk one two three four "an attack that nothing sees" five
ok "six segments arrive" until_true 5 grep -q five "$T/got"
ok "the flowtable took most of them past the hook of IP" \
	test $(($(counted t forwarded) - forwarded)) -lt 6
ok "so that the attachment there saw fewer" test $(($(of "$FORWARD" packets) - packets)) -lt 6
like "and missed an attack" "an attack" "$(cat "$T/got")"

INGRESS=$(server "$NFAC" attach one --hook ingress --dev veth0 --strict --proto tcp --dport 8080)
forwarded=$(counted t forwarded)
talk six seven eight nine "another attack" ten
ok "at ingress it is dropped" until_true 5 eval '[ "$(of $INGRESS dropped_packets)" -ge 1 ]'
ok "what came before arrives" until_true 5 grep -q nine "$T/got"
unlike "and the attack does not" "another|ten" "$(cat "$T/got")"
ok "all were inspected" test "$(of "$INGRESS" packets)" -ge 5
is "in order" "0 0" "$(of "$INGRESS" skipped_gap) $(of "$INGRESS" skipped_window)"
ok "though they are in the flowtable" test $(($(counted t forwarded) - forwarded)) -lt 6
