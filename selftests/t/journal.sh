#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 60
#
# client (10.0.0.2, fd00::2) ── veth ── server (10.0.0.1, fd00::1; set attached)
#
# Proves that a match reaches systemd's journal, by its own daemon: the message, and each
# figure in a field that journalctl finds it by; and that without a journal it is refused.

. "$(dirname "$0")/../lib.sh"

JOURNALD=/lib/systemd/systemd-journald
need_module
need_cli
need_tool jq
[ -x $JOURNALD ] && command -v journalctl >/dev/null || skip_all "systemd's journal is not installed"
"$NFAC" watch --journal 2>&1 | grep -q "without libsystemd" && skip_all "nfac was built without libsystemd"
load_module
ns_pair
printf 'attack\nevil |00|"\n' >"$T/one.txt"
run server "$NFAC" load one "$T/one.txt"
run server "$NFAC" attach one

fails_with "no journal is a reason to leave" "no journal runs here" server "$NFAC" watch --journal
[ -s /etc/machine-id ] || echo 0123456789abcdef0123456789abcdef >/etc/machine-id
mkdir -p /run/systemd/journal
background $JOURNALD
until_true 20 test -S /run/systemd/journal/socket || fail "the journal runs"
fails_with "a file and the journal" "output says nothing with --journal" \
	server "$NFAC" watch --journal --output "$T/log"
before=$(memory_used)
server timeout 50 "$NFAC" watch one --journal --count 2 &
WATCH=$!
watched "$before"
udp "an attack"
udp attack 9998 fd00::1
ok "two events are sent" wait $WATCH

# entry FIELD=VALUE...: the one entry that has them
entry()
{
	journalctl --no-pager -q -o json -t nfac "$@"
}
# shellcheck disable=SC2317
arrived()
{
	[ "$(entry | wc -l)" = 2 ]
}
ok "and arrive" until_true 20 arrived
is "found by a field, with all the others" \
	"4 one 1 attack 3 6 udp 10.0.0.2 10.0.0.1 9999 prerouting reported 0" \
	"$(entry NFAC_DPORT=9999 | jq -r '[.PRIORITY, .NFAC_SET, .NFAC_PATTERN_ID, .NFAC_PATTERN,
		.NFAC_OFFSET, .NFAC_LENGTH, .NFAC_PROTO, .NFAC_SRC, .NFAC_DST, .NFAC_DPORT,
		.NFAC_HOOK, .NFAC_VERDICT, .NFAC_LOST] | join(" ")')"
like "the message is for people" \
	'^one: pattern 1 "attack" at offset 3, length 6, udp 10\.0\.0\.2 port [0-9]+ > 10\.0\.0\.1 port 9999, reported$' \
	"$(entry NFAC_DPORT=9999 | jq -r .MESSAGE)"
is "IPv6 too" "fd00::2 fd00::1 0" \
	"$(entry NFAC_DPORT=9998 | jq -r '[.NFAC_SRC, .NFAC_DST, .NFAC_OFFSET] | join(" ")')"
