#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml
# timeout: 150
#
# Proves that random calls to /dev/nfac from several processes, with packets passing
# through whatever they loaded and attached, do the kernel no harm and leave nothing
# behind. $CALLS for each of $PROCESSES, from $SEED. Most useful on a kernel with KASAN
# (--kernel uml-sanitize, --kernel x86-debug).

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
CALLS=${CALLS:-1500} PROCESSES=${PROCESSES:-4} SEED=${SEED:-1}
load_module
SYS=/sys/class/misc/nfac
printf 'attack\n/etc/passwd\nab\nc\n' >"$T/a.txt"
printf 'ATTACK at dawn\nattacker\netc\nPasswd\n' >"$T/b.txt"
head -150 "$DATA/words-2358.txt" >"$T/c.txt"
run "$NFAC" compile -o "$T/a.nfac" "$T/a.txt"
run "$NFAC" compile --nocase -o "$T/b.nfac" "$T/b.txt"
run "$NFAC" compile -o "$T/c.nfac" "$T/c.txt"

ok "random calls come to their end" /usr/bin/python3 -S "$TREE/selftests/t/fuzz_device.py" \
	"$PROCESSES" "$CALLS" "$SEED" "$T/a.nfac" "$T/b.nfac" "$T/c.nfac"
cp "$T/.out" "$T/counts"
for what in "load ok" "load EBADMSG" "COMMIT ok" "ATTACH ok" "DETACH ok" "UNLOAD ok" "UNLOAD EBUSY" \
	"VERIFY ok" "SUBSCRIBE ok" events; do
	like "among them: $what" "^$what: [1-9]" "$(cat "$T/counts")"
done
for id in $(cd $SYS/sets && ls -d ./*/attachments/* | sed 's,.*/,,'); do
	"$NFAC" detach "$id" >/dev/null || fail "detach $id"
done
for set in "$SYS"/sets/*; do
	[ ! -d "$set" ] || "$NFAC" unload "${set##*/}" >/dev/null || fail "unload ${set##*/}"
done
ok "no tile is left" until_true 20 eval '[ "$(cat $SYS/tiles)" = 0 ]'
is "no memory is held" 0 "$(cat $SYS/memory_used)"
is "no reference holds the module" 0 "$(cat /sys/module/nfac/refcnt)"
ok "rmmod" rmmod nfac
