#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml
# timeout: 120
#
# Proves that open, write, commit, attach and subscribe survive the failure of each
# allocation they make: they say so, nothing is lost, the old set is in force, and
# nothing leaks, nor fills the log. Needs a kernel with fault injection (--kernel uml-sanitize).

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
[ -e /proc/self/fail-nth ] || skip_all "this kernel has no fault injection (uml-sanitize has)"
DEBUG=/sys/kernel/debug
mountpoint -q $DEBUG || run mount -t debugfs none $DEBUG
load_module
# allocations that may sleep shall fail too, in silence
for f in failslab fail_page_alloc; do
	echo N >$DEBUG/$f/ignore-gfp-wait
	echo 0 >$DEBUG/$f/verbose
done
echo 0 >$DEBUG/fail_page_alloc/min-order
printf 'attack\n' >"$T/old.txt"
run "$NFAC" compile -o "$T/old.nfac" "$T/old.txt"
# each of its tiles is an allocation that fails once: a hundred show as much as five hundred
head -500 "$DATA/words-2358.txt" >"$T/new.txt"
run "$NFAC" compile -o "$T/new.nfac" "$T/new.txt"
run "$NFAC" load s "$T/old.nfac"
used=$(cat /sys/class/misc/nfac/memory_used)
tiles=$(cat /sys/class/misc/nfac/tiles)

/usr/bin/python3 -S "$TREE/selftests/t/faults.py" "$T/old.nfac" "$T/new.nfac" >"$T/log" 2>&1 ||
	fail "faults.py" "$(cat "$T/log")"
sed 's/^/# /' "$T/log"
while read -r what; do
	like "$what: a failure is reported, or made up for" \
		"^$what: [1-9][0-9]* allocations, ENOMEM (ok )?then ok$" "$(cat "$T/log")"
done <<'END'
open
write
commit of a new set
commit of a set in force
attach
subscribe
END
unlike "nothing else went wrong" "against its|not in force|never ends|Error" "$(cat "$T/log")"
is "and says nothing of it in the log" "" "$(dmesg | grep -E 'allocation failure|vmalloc error')"
ok "no tile leaked" until_true 10 eval '[ "$(cat /sys/class/misc/nfac/tiles)" = '"$tiles"' ]'
is "no memory is held" "$used" "$(cat /sys/class/misc/nfac/memory_used)"
ok "rmmod: no reference holds the module" rmmod nfac
unlike "no object is left over" "nfac_node.*(remaining|still)|BUG nfac" "$(dmesg)"
if [ -e $DEBUG/kmemleak ]; then
	sleep 6
	echo scan >$DEBUG/kmemleak
	echo scan >$DEBUG/kmemleak
	is "kmemleak finds nothing" "" "$(grep -A20 -i nfac $DEBUG/kmemleak)"
fi
