#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 150
#
# client (10.0.0.2) ── veth ── server (10.0.0.1; set "s", swapped and attached all the time)
#
# Proves that swaps at full rate, attachments and readers that come and go, streams whose
# segments come from several CPUs, scrubs, sysfs, and namespaces that end while a set is
# attached do not disturb each other or the packets; the runner checks the
# kernel's log. $DURATION seconds (6). Most useful where CPUs race; minutes of it, on such
# a kernel:
#
#   vm/boot -k x86-debug -c 4 -t 1500 -e DURATION=300 t/races.sh      (or x86-kcsan)

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
DURATION=${DURATION:-6}
load_module
ns_pair
printf 'attack\n/etc/passwd\n' >"$T/a.txt"
{ cat "$DATA/words-2358.txt"; printf 'attack\nat\n'; } >"$T/b.txt"
run "$NFAC" compile -o "$T/a.nfac" "$T/a.txt"
run "$NFAC" compile -o "$T/b.nfac" "$T/b.txt"
run server "$NFAC" load s "$T/a.nfac"
run server "$NFAC" attach s --priority -150

PIDS=() N=0
# role NAMESPACE ROLE
role()
{
	N=$((N + 1))
	in_ns "$1" timeout $((DURATION * 2 + 120)) /usr/bin/python3 -S "$TREE/selftests/t/races.py" "$2" \
		"$T/stop" "$T/a.nfac" "$T/b.nfac" >"$T/role.$N.$2" 2>&1 </dev/null &
	PIDS+=($!)
	later end_process $!
}

for r in swap come_and_go attach attach follow read read look namespaces serve; do
	role server $r
done
for r in udp udp tcp segments segments; do
	role client $r
done
sleep "$DURATION"
touch "$T/stop"
for p in "${PIDS[@]}"; do
	wait "$p" || fail "every role comes to its end" "status $?"
done
for f in "$T"/role.*; do
	say "$(tail -1 "$f")"
	like "${f##*.} did something and nothing else happened" "^${f##*.} [1-9]" "$(cat "$f")"
done
packets=$(server cat /sys/class/misc/nfac/sets/s/packets)
ok "the set saw packets: $packets" test "$packets" -gt 0
detach_all
run server "$NFAC" unload s
ok "no tile is left" until_true 60 eval '[ "$(cat /sys/class/misc/nfac/tiles)" = 0 ]'
ok "no reference holds the module" until_true 60 eval '[ "$(cat /sys/module/nfac/refcnt)" = 0 ]'
ok "rmmod" rmmod nfac

# a figure's value is in the namespaces, which the module sets up after the device
bash -c 'until [ -e "$1" ]; do cat /sys/class/misc/nfac/memory_used; done' _ "$T/enough" \
	>/dev/null 2>&1 &
later end_process $!
for _ in 1 2 3 4; do
	run insmod "$NFAC_KO"
	run rmmod nfac
done
touch "$T/enough"
ok "it comes and goes while its figures are read" test ! -d /sys/module/nfac
