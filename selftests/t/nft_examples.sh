#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 150
#
#   client (10.0.0.2, fd00::2) ── veth0 ── server (10.0.0.1, fd00::1) ── veth1 ── inner
#                                                  (10.0.1.1)            (10.0.1.2)
#
# Proves that the worked examples in packaging/nft do what their heads say, by the very
# commands that are there: a gateway that drops, a web server that resets and shuts offenders
# out for a while, by a daemon or in the kernel alone, a trial that reports and harms no
# traffic. In all of them the mark's other bits stay.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/rules.inc"

need_module
need_cli
need_tool nft socat
EXAMPLES=$TREE/packaging/nft
load_module
ns_pair
ns_new inner
run ip link add veth1 netns server type veth peer name veth0 netns inner
batch server "addr add 10.0.1.1/24 dev veth1" "link set veth1 up"
batch inner "addr add 10.0.1.2/24 dev veth0" "link set veth0 up" \
	"route add default via 10.0.1.1"
run ip -n client route add 10.0.1.0/24 via 10.0.0.1
run server sysctl -qw net.ipv4.ip_forward=1

printf 'attack\n/etc/passwd\n' >"$T/attacks.txt"
mkdir "$T/bin"
ln -s "$NFAC" "$T/bin/nfac"

# head_of FILE: the commands that its head says to run, except for the watch
# shellcheck disable=SC2317
head_of()
{
	sed -n 's/^#\t\(nfac\|nft\) /\1 /p' "$EXAMPLES/$1" | grep -v '^nfac watch'
}

# example FILE [SED]: carry out its head; SED makes the names of this place
example()
{
	sed "${2:-}" "$EXAMPLES/$1" >"$T/$1"
	like "$1: its head says what to run" "^nft -f $1$" "$(head_of "$1")"
	run server env "PATH=$T/bin:$PATH" bash -ec "cd $T; $(head_of "$1")"
}

# away SET: detached, unloaded, the namespace's rules gone
away()
{
	detach_all
	run server nft flush ruleset
	ok "nothing holds the set any more" unloaded "$1"
}

for f in gateway webserver ban report-only; do
	ok "nft takes $f.nft as it is" server nft -c -f "$EXAMPLES/$f.nft"
done

say "gateway"
example gateway.nft 's/"wan0"/"veth0"/; s/"lan0"/"veth1"/'
# bits of other programs before nfac's rules, and the same bits behind them
cat >"$T/foreign.nft" <<'END'
table inet foreign {
	counter kept { }
	chain before { type filter hook forward priority -30; meta mark set 0xe0abcdef; }
	chain after { type filter hook forward priority 10; udp dport 9999 meta mark == 0xe0abcdef counter name kept; }
}
END
run server nft -f "$T/foreign.nft"
udp "an attack" 9999 10.0.1.2
udp "a tack" 9999 10.0.1.2
udp "/etc/passwd" 9999 10.0.1.2
is "three are inspected, two refused" "3 2" "$(counted nfac_gateway inspected refused)"
is "the mark's other bits stay" 1 "$(counted foreign kept)"
# in the first fragment, and in both
for before in 100 1468; do
	udp "$(printf '%*s' $before '')attack$(printf '%*s' 1500 '')" 9999 10.0.1.2
done
is "fragments are put together first" "5 4" "$(counted nfac_gateway inspected refused)"
udp "an attack" 9999 10.0.0.1
in_ns inner bash -c 'printf attack >/dev/udp/10.0.0.2/9999' 2>/dev/null
is "what is for the gateway, and what goes out, is not" "5 4" \
	"$(counted nfac_gateway inspected refused)"
run server nft add element inet nfac_gateway trusted "{ 10.0.0.2 }"
udp "an attack" 9999 10.0.1.2
is "nor packets of trusted hosts" "5 4" "$(counted nfac_gateway inspected refused)"
ok "the file can be loaded again" server nft -f "$T/gateway.nft"
away gateway

say "report only"
example report-only.nft
cat >"$T/foreign.nft" <<'END'
table inet foreign {
	counter kept { }
	chain before { type filter hook prerouting priority -250; meta mark set 0xe0abcdef; }
	chain after { type filter hook input priority 10; meta mark == 0xe0abcdef counter name kept; }
}
END
run server nft -f "$T/foreign.nft"
# one connection: the client's port stays, and answers by ICMP are no error
client /usr/bin/python3 -S - <<'END'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for text in b"harmless", b"attack", b"harmless", b"harmless":
    s.sendto(text, ("10.0.0.1", 9999))
END
is "all are inspected, one matches, and it and what follows is tainted" "4 1 3" \
	"$(counted nfac_report inspected matched tainted)"
udp harmless 9998
is "another connection is not" "5 1 3" "$(counted nfac_report inspected matched tainted)"
udp attack 9999 fd00::1
is "IPv6 too" "6 2 4" "$(counted nfac_report inspected matched tainted)"
ok "every packet arrived, with the mark's other bits" test "$(counted foreign kept)" -ge 6
away trial

say "web server"
example webserver.nft
server socat TCP6-LISTEN:8080,ipv6only=0,reuseaddr,fork EXEC:cat 2>/dev/null &
later end_process $!

# request TEXT [HOST]: an echo is received, in $ECHO seconds
# shellcheck disable=SC2317
request()
{
	client timeout "${WAIT:-10}" bash -c "exec 3<>/dev/tcp/${2:-10.0.0.1}/8080 || exit 1
		echo '$1' >&3; read -rt ${ECHO:-5} line <&3 && [ \"\$line\" = '$1' ]" 2>/dev/null || return 1
}

ok "a request is answered" until_true 20 request "GET /"
ok "by IPv6 too" request "GET /" fd00::1
is "nothing was refused" "0 0" "$(counted nfac_web refused shut_out)"
ECHO=2
fails "one with a pattern is not" request "GET /?attack"
ECHO=5
ok "it was refused" test "$(counted nfac_web refused)" -ge 1
ok "the next one is answered again" request "GET /index"

watch=$(sed -n 's/^#\t\(nfac watch .*\)/\1/p' "$EXAMPLES/webserver.nft" | sed 's/10m/8s/')
like "its head says how to watch" "--nft-set inet/nfac_web/offenders4" "$watch"
before=$(memory_used)
# shellcheck disable=SC2086
server $T/bin/$watch >"$T/watched" 2>&1 &
later end_process $!
watched "$before"
# shellcheck disable=SC2317
offends()
{
	server nft get element inet nfac_web "$1" "{ $2 }"
}
ECHO=2
fails "an attack by IPv4" request "GET /etc/passwd"
ok "its sender is in the set" until_true 20 offends offenders4 10.0.0.2
WAIT=3
fails "and gets no answer to any request" request "GET /"
WAIT=10 ECHO=5
ok "it was shut out" test "$(counted nfac_web shut_out)" -ge 1
ok "the same machine by IPv6 is another address" request "GET /" fd00::1
ECHO=2
fails "until it attacks" request "GET /?attack" fd00::1
ECHO=5
ok "then that is in the set" until_true 20 offends offenders6 fd00::2
# short tries: a connection's second one would wait longer each time
WAIT=2
ok "after its time the first is let in again" until_true 30 request "GET /"
ok "and so is the second" until_true 30 request "GET /" fd00::1
away web

say "ban, in the kernel alone"
example ban.nft 's/timeout 10m/timeout 6s/'
# shellcheck disable=SC2317
banned()
{
	server nft get element inet nfac_ban "$1" "{ $2 }"
}
attack()	# N [HOST]: requests that are refused
{
	local i failed=0

	for ((i = 0; i < $1; i++)); do
		ECHO=2 request "GET /etc/passwd" "${2:-10.0.0.1}" || failed=$((failed + 1))
	done
	echo $failed
}
WAIT=10 ECHO=5
ok "a request is answered" request "GET /"
is "three with a pattern are not" 3 "$(attack 3)"
ok "but are no reason to shut their sender out" request "GET /"
is "nor is a packet dropped" "3 0" "$(counted nfac_ban refused shut_out)"
is "the fourth in a minute is not answered" 1 "$(attack 1)"
ok "and a reason" banned banned4 10.0.0.2
WAIT=2
fails "its sender gets no answer, whatever it asks" request "GET /"
ok "it was shut out" test "$(counted nfac_ban shut_out)" -ge 1
WAIT=10
ok "the same machine by IPv6 is another address" request "GET /" fd00::1
is "until it attacks" 4 "$(attack 4 fd00::1)"
ok "then its network is in the set" banned banned6 fd00::
WAIT=2
fails "and gets no answer" request "GET /" fd00::1
ok "after its time the first is let in again" until_true 30 request "GET /"
ok "and so is the second" until_true 30 request "GET /" fd00::1
run server nft add element inet nfac_ban trusted4 '{ 10.0.0.2 }'
WAIT=10
is "one that is trusted is refused" 5 "$(attack 5)"
fails "and is not shut out" banned banned4 10.0.0.2
ok "it is answered" request "GET /"
away web
