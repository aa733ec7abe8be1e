#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 60
#
# client (10.0.0.2) ── veth ── server (10.0.0.1; set attached)
#
# Proves that `nfac watch --output` appends to a file, that the packaged logrotate file renames it
# and SIGHUP goes on in a new one, that no event is lost or written twice meanwhile, and that the
# threshold file is read again.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool logrotate
load_module
ns_pair
printf 'attack\n' >"$T/one.txt"
run server "$NFAC" load one "$T/one.txt"
run server "$NFAC" attach one
mkdir -m 700 "$T/log"
LOG=$T/log/eve.json
: >"$T/thresholds"

lines()
{
	[ "$(cat "$LOG"* 2>/dev/null | wc -l)" = "$1" ]
}

before=$(memory_used)
"$NFAC" -n server watch --eve --all-events --output "$LOG" --threshold-config "$T/thresholds" \
	2>"$T/err" </dev/null &
WATCH=$!
later end_process $WATCH
watched "$before"
udp "an attack" 1001
ok "an event is in the file" until_true 20 lines 1
is "that its group may read, and others not" 640 "$(stat -c %a "$LOG")"

sed "s,/var/log/nfac,$T/log,; s,systemctl kill .*,kill -HUP $WATCH,; s,create .*,create 0640 root root,; s,^\tcompress,," \
	"$TREE/packaging/nfac.logrotate" >"$T/logrotate.conf"
chmod 644 "$T/logrotate.conf"
like "the signal is the test's" "kill -HUP $WATCH" "$(<"$T/logrotate.conf")"
for i in 1 2 3 4 5; do
	udp "an attack" $((2000 + i))
	ok "rotate" logrotate -f -s "$T/state" "$T/logrotate.conf"
	udp "an attack" $((3000 + i))
	ok "both events are written" until_true 20 lines $((1 + 2 * i))
done
ok "it runs still" kill -0 $WATCH
ls "$T/log" >"$T/names"
is "there are six files" 6 "$(wc -l <"$T/names")"
is "each event once" "1001 2001 2002 2003 2004 2005 3001 3002 3003 3004 3005" \
	"$(cat "$LOG"* | grep -o '"dest_port":[0-9]*' | cut -d: -f2 | sort | xargs)"

rm -r "$T/log"
kill -HUP $WATCH
ok "a folder that is gone is reported" until_true 20 grep -q "eve.json: No such file" "$T/err"
mkdir "$T/log"
echo 'suppress gen_id 1000, sig_id 1' >"$T/thresholds"
kill -HUP $WATCH
ok "SIGHUP makes the file again" until_true 20 test -e "$LOG"
udp "an attack" 4001
: >"$T/thresholds"
# the file is opened when the thresholds have been read
rm "$LOG"
kill -HUP $WATCH
ok "and again" until_true 20 test -e "$LOG"
udp "an attack" 4002
ok "an event comes" until_true 20 lines 1
is "not the one that was suppressed" 4002 "$(grep -o '"dest_port":[0-9]*' "$LOG" | cut -d: -f2)"
echo 'supress' >"$T/thresholds"
kill -HUP $WATCH
ok "a bad threshold file is reported" until_true 20 grep -q "the thresholds stay as they are" "$T/err"
udp "an attack" 4003
ok "and it goes on" until_true 20 lines 2
kill -TERM $WATCH
ok "SIGTERM ends it" wait $WATCH
