#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 150
#
# client (10.0.0.2, fd00::2) ── veth ── server (10.0.0.1, fd00::1; sets attached)
#
# Proves that nfac allocates nothing for a packet: the kernel's own tracepoints of slab
# and pages show no allocation of nfac's code while $PACKETS (60,000, a
# third under an emulator; a million were tried) of mixed shapes pass, are matched, marked, reported and dropped.
# Where the kernel can record the whole stack of an allocation (Debian's can), none has
# nfac anywhere on it. That the same tracepoints do show a load proves that they work.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
case ${NFAC_KERNEL:-} in
debian*|x86*)	PACKETS=${PACKETS:-20000} ;;
*)		PACKETS=${PACKETS:-60000} ;;
esac
TRACE=/sys/kernel/tracing
[ -d $TRACE/events/kmem ] || mount -t tracefs trace $TRACE 2>/dev/null
[ -d $TRACE/events/kmem ] || skip_all "this kernel has no kmem tracepoints"
load_module
ns_pair
printf 'attack\n' >"$T/a.txt"
{ cat "$DATA/words-2358.txt"; printf 'attack\n'; } >"$T/b.txt"
printf 'attack\nATTACK\nHere\n' >"$T/c.txt"
run "$NFAC" compile -o "$T/a.nfac" "$T/a.txt"
run "$NFAC" compile -o "$T/b.nfac" "$T/b.txt"
run "$NFAC" compile --nocase -o "$T/c.nfac" "$T/c.txt"
run server "$NFAC" load a "$T/a.nfac"
run server "$NFAC" load b "$T/b.nfac"
run client "$NFAC" load c "$T/c.nfac"
run server "$NFAC" attach b --mark 1/1
run server "$NFAC" attach a --hook input --drop
run client "$NFAC" attach c --hook prerouting
run client "$NFAC" attach c --hook output
# its events fill the ring: that path too
background server /usr/bin/python3 -S "$TREE/selftests/t/device.py" events 1 "$T/never"
until_true 20 eval '[ "$(cat /sys/module/nfac/refcnt)" -ge 5 ]' || fail "a reader is subscribed"

read -r from size < <(awk '$1 == "nfac" { print $NF == "(OE)" || $NF == "(O)" || $NF == "(E)" ? $(NF - 1) : $NF, $2 }' \
	/proc/modules)
[ $((from)) != 0 ] || { fail "the module's address is known"; exit 1; }
to=$(printf 0x%x $((from + size)))
say "nfac's code: $from .. $to"
EVENTS=(kmalloc kmem_cache_alloc)
for e in kmalloc_node kmem_cache_alloc_node; do
	[ ! -d $TRACE/events/kmem/$e ] || EVENTS+=("$e")
done
echo 0 >$TRACE/tracing_on
echo 1 >$TRACE/options/overwrite
for e in "${EVENTS[@]}"; do
	echo "call_site >= $from && call_site < $to" >$TRACE/events/kmem/$e/filter
	later bash -c "echo 0 >$TRACE/events/kmem/$e/enable; echo 0 >$TRACE/events/kmem/$e/filter"
	echo 1 >$TRACE/events/kmem/$e/enable
done
HIST=
if [ -e $TRACE/events/kmem/mm_page_alloc/hist ]; then
	HIST=1
	for e in kmalloc kmem_cache_alloc mm_page_alloc; do
		echo 0 >$TRACE/events/kmem/$e/filter
		echo 'hist:keys=stacktrace:size=8192' >$TRACE/events/kmem/$e/trigger || HIST=
		later bash -c "echo '!hist:keys=stacktrace:size=8192' >$TRACE/events/kmem/$e/trigger"
	done
fi

# stacks: those of the histograms where nfac's code is above any interrupt: an interrupt
# that comes while nfac runs allocates for itself
stacks()
{
	cat $TRACE/events/kmem/{kmalloc,kmem_cache_alloc,mm_page_alloc}/hist |
		awk '/stacktrace:/ { text = ""; ours = interrupted = 0 }
		     { text = text $0 "\n" }
		     /asm_(sysvec|common_interrupt|exc_)/ { interrupted = 1 }
		     /\[nfac\]/ && !interrupted { ours = 1 }
		     /hitcount:/ && ours { printf "%s", text }' | head -40
}

# traced: allocations in the trace that were made from the module's own addresses
traced()
{
	if [ -n "$HIST" ]; then
		stacks
	else
		grep -v '^#' $TRACE/trace | head -20
	fi
}

packets()
{
	server bash -c 'cat /sys/class/misc/nfac/sets/b/packets'
}

# whatever is made once, on first use
run client timeout 120 /usr/bin/python3 -S "$TREE/selftests/t/flood.py" 500
before=$(packets)
echo >$TRACE/trace
if [ -n "$HIST" ]; then
	for e in kmalloc kmem_cache_alloc mm_page_alloc; do
		echo 'hist:keys=stacktrace:size=8192:clear' >>$TRACE/events/kmem/$e/trigger
	done
fi
echo 1 >$TRACE/tracing_on
run client timeout 3000 /usr/bin/python3 -S "$TREE/selftests/t/flood.py" "$PACKETS"
echo 0 >$TRACE/tracing_on
# the packets' own allocations are traced too, with their pages
traced >"$T/traced"
inspected=$(($(packets) - before))
# some have no payload, some are fragments
ok "$inspected packets were inspected" test "$inspected" -ge $((PACKETS * 8 / 10))
ok "and reported" test "$(server cat /sys/class/misc/nfac/sets/b/dropped_events)" -gt 0
is "no allocation by nfac" "" "$(cat "$T/traced")"
if [ -n "$HIST" ]; then
	like "other allocations were traced meanwhile" "Hits: [1-9]" "$(cat $TRACE/events/kmem/kmem_cache_alloc/hist)"
	unlike "and none got lost" "Dropped: [1-9]" "$(cat $TRACE/events/kmem/*/hist)"
fi
echo 1 >$TRACE/tracing_on
run server "$NFAC" load a "$T/b.nfac"
echo 0 >$TRACE/tracing_on
ok "a load's allocations are traced" test "$(traced | wc -l)" -gt 0
detach_all "$CLIENT"
detach_all
