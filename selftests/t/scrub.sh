#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 120
#
# client (10.0.0.2/24) ── veth ── server (10.0.0.1/24, set "words" attached, udp)
#
# Proves: a bit that flips in a tile or in the prefilter of a set in force is found
# by each way to scrub (nfac verify, sysfs, the period), which names set and tile; from
# then on packets are not matched with it but treated as their attachment says, open or
# closed, and counted as skipped_corrupt; a set that is loaded anew is well.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
FLIP=$NFAC_KMOD/kunit-tests/nfac_flip.ko
[ -f "$FLIP" ] || skip_all "there is no nfac_flip.ko for this kernel"
PARAM=/sys/module/nfac/parameters

# in a namespace sysfs shows the sets of that namespace
sys()
{
	server bash -c "cd /sys/class/misc/nfac/sets/words && $1"
}

value()
{
	sys "cat $1"
}

# flip WORD=VALUE...: one bit of the set
flip()
{
	server insmod "$FLIP" set=words "$@" && rmmod nfac_flip
}

# send TEXT: one datagram, counted when it has come
send()
{
	client bash -c "printf %s '$1' >/dev/udp/10.0.0.1/5353" 2>/dev/null
}

count()
{
	value "attachments/$ID/$1"
}

attach()
{
	ID=$(server "$NFAC" attach words --proto udp "$@" | grep -oE '[0-9]+' | head -1)
	[ -n "$ID" ] || { fail "attach $*"; exit 1; }
}

# fresh: the same set, well
fresh()
{
	run server "$NFAC" load words "$T/words.nfac"
}

load_module
ns_pair
printf 'attack\n/etc/passwd\ntackle\n' >"$T/words.txt"
run "$NFAC" compile -o "$T/words.nfac" "$T/words.txt"
fresh

say "by nfac verify: fail open"
attach --drop --damaged pass
send "an attack"
is "well: a packet that matches is dropped" 1 "$(count dropped_packets)"
ok "verify says that it is well" server "$NFAC" verify words
ok "a bit of tile 0 flips" flip tile=0 word=3 bit=7
fails_with "verify names set and tile" "words.*tile 0|tile 0.*words" server "$NFAC" verify words
like "so does the kernel's log" 'set "words": tile 0 is damaged' "$(dmesg)"
is "sysfs says so" 1 "$(value damaged)"
send "an attack"
is "packets pass uninspected" 1 "$(count dropped_packets)"
is "and are counted" 1 "$(count skipped_corrupt)"
ok "the bit flips back" flip tile=0 word=3 bit=7
is "a set once found damaged stays so" 1 "$(value damaged)"
fresh
is "loaded anew it is well" 0 "$(value damaged)"
ok "for verify too" server "$NFAC" verify words
send "an attack"
is "and matches" 2 "$(count dropped_packets)"
run server "$NFAC" detach "$ID"

say "by sysfs: fail closed"
attach --drop --skip drop
ok "a bit of tile 0 flips" flip tile=0 word=0 bit=31
fails_with "the scrub by sysfs fails" "needs cleaning" sys "echo 1 >scrub"
send "harmless"
is "packets are dropped" 1 "$(count dropped_packets)"
is "and counted" 1 "$(count skipped_corrupt)"
is "none of them was inspected" 0 "$(count packets)"
run server "$NFAC" detach "$ID"
fresh

say "the prefilter"
attach --drop
ok "a bit of the filter flips" flip tile=-1 word=1 bit=0
fails_with "verify says that it is the tables" "words.*damaged: its tables \(prefilter" \
	server "$NFAC" verify words
like "so does the kernel's log" 'set "words": its tables \(prefilter' "$(dmesg)"
send "an attack"
is "with --drop packets are dropped uninspected" 1 "$(count dropped_packets)"
is "and are counted" 1 "$(count skipped_corrupt)"
run server "$NFAC" detach "$ID"
fresh

say "by the period"
attach --drop
ok "a bit flips" flip tile=0 word=1 bit=1
is "without a check the damage is not reported" 0 "$(value damaged)"
echo 1 >$PARAM/scrub_period
damaged()
{
	[ "$(value damaged)" = 1 ]
}
ok "the period finds it" until_true 20 damaged
echo 0 >$PARAM/scrub_period
send "an attack"
is "packets pass uninspected" 1 "$(count skipped_corrupt)"

say "words all over the tiles"
printf 'pattern-%d-%d\n' {1..300} >"$T/words.txt"
run "$NFAC" compile -o "$T/words.nfac" "$T/words.txt"
fresh
in_tile=$((1 << $(awk '$2 == "NFAC_TILE_SHIFT" { print $3 }' "$TREE/kmod/engine/blob.h")))
words=$(($(value node_bytes) / 4))
wrong=0
for ((i = 0; i < 6; i++)); do
	w=$((words * i / 6 + i % 5))
	at="tile=$((w / in_tile)) word=$((w % in_tile)) bit=$((w % 32))"
	# shellcheck disable=SC2086
	flip $at || wrong=$((wrong + 1))
	sys "echo 1 >scrub" 2>/dev/null && wrong=$((wrong + 1))
	# shellcheck disable=SC2086
	flip $at
	sys "echo 1 >scrub" 2>/dev/null || wrong=$((wrong + 1))
done
is "each flip is found, and each flip back" 0 $wrong
run server "$NFAC" detach "$ID"
run server "$NFAC" unload words
run rmmod nfac
