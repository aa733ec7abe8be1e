#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 120
#
# Proves what SECURITY.md promises of the device: no process without CAP_NET_ADMIN gets in;
# no size is believed before it was checked; a namespace's memory is bounded and so is a
# cgroup's; nothing that is not meant for user space reaches it, nor can others make the
# module look at each flow; tiles have a cache of their own.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
SYS=/sys/class/misc/nfac
PY=(/usr/bin/python3 -S "$TREE/selftests/t/security.py")
load_module
printf 'attack\n/etc/passwd\nab\n' >"$T/a.txt"
run "$NFAC" compile -o "$T/a.nfac" "$T/a.txt"
run "$NFAC" compile -o "$T/words.nfac" "$DATA/words-2358.txt"
run "$NFAC" load s "$T/a.nfac"

say "permissions"
is "the device is root's" "600 root root" "$(stat -c '%a %U %G' /dev/nfac)"
is "so is the folder of loaded sets" "700 root root" "$(stat -c '%a %U %G' /run/nfac)"
is "and each file in it" "600" "$(stat -c %a /run/nfac/s.nfac)"
unable=(setpriv --bounding-set=-net_admin --inh-caps=-net_admin)
fails_with "root without CAP_NET_ADMIN cannot open it" "permi|CAP_NET_ADMIN" "${unable[@]}" "$NFAC" list
is "a file handed on is no capability" "EPERM" \
	"$(/usr/bin/python3 -S "$TREE/selftests/t/device.py" handed | awk '{ print $2 }' | sort -u)"
chmod 666 /dev/nfac
fails_with "a process that may open the file still may not use it" "permi|CAP_NET_ADMIN" \
	setpriv --reuid=65534 --regid=65534 --clear-groups "$NFAC" list
chmod 600 /dev/nfac
for f in "$SYS"/sets/s/*; do
	[ -f "$f" ] || continue
	case $(stat -c %a "$f") in
	444|200) ;;
	*) fail "$f is for reading, or for root to write: $(stat -c %a "$f")" ;;
	esac
done
pass "no file of sysfs is for others to write"

say "sizes"
is "sizes in a header are checked before memory is allocated" "EBADMSG ok
held 0" "$("${PY[@]}" sizes "$T/a.nfac" 2>&1)"
is "the old set is in force" 1 "$(cat $SYS/sets/s/generation)"

say "bounds"
limit=$(cat /sys/module/nfac/parameters/netns_memory_limit)
echo 4000000 >/sys/module/nfac/parameters/netns_memory_limit
ns_new other
"${PY[@]}" fill "$T/words.nfac" >"$T/fill" 2>&1
like "a namespace's limit bounds sets, rings and what is staged" \
	"^(commit EDQUOT|write File too large), stage File too large, subscribe EDQUOT$" "$(cat "$T/fill")"
like "and is nearly used up" "within the limit" "$(cat "$T/fill")"
ok "while another namespace has its own" in_ns other "$NFAC" load s "$T/words.nfac"
echo "$limit" >/sys/module/nfac/parameters/netns_memory_limit
ok "a closed file gives back" "$NFAC" load more "$T/words.nfac"
for set in "$SYS"/sets/n*; do
	"$NFAC" unload "${set##*/}" >/dev/null || fail "unload $set"
done
run "$NFAC" unload more
held=$(cat $SYS/memory_used)
if [ -e /sys/fs/cgroup/cgroup.controllers ] && grep -qw memory /sys/fs/cgroup/cgroup.controllers; then
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir /sys/fs/cgroup/nfac-small
	later rmdir /sys/fs/cgroup/nfac-small
	seq -f 'pattern number %06.0f of many' 1 40000 >"$T/many.txt"
	run "$NFAC" compile -o "$T/many.nfac" "$T/many.txt"
	echo 3M >/sys/fs/cgroup/nfac-small/memory.max
	bash -c "echo \$\$ >/sys/fs/cgroup/nfac-small/cgroup.procs || exit 3
		exec '$NFAC' load s '$T/many.nfac'" >"$T/out" 2>&1
	rc=$?
	say "status $rc $(cat "$T/out")"
	# refused, or ended by the kernel for want of memory: not loaded either way
	like "a cgroup's limit holds for what its processes load" "^(137|2 .*[Mm]emory)" \
		"$rc $(cat "$T/out")"
	is "the old set is in force" 1 "$(cat $SYS/sets/s/generation)"
	ok "nothing is held" until_true 10 eval '[ "$(cat $SYS/memory_used)" = '"$held"' ]'
else
	skip "a cgroup's limit holds" "this kernel has no memory cgroups"
fi

say "what comes out"
is "no byte of garbage is returned" "refused commit: EINVAL clean (0, 0, 0)
commit: ok clean clean
set: ok dirty clean clean same
attach: ok
attachment as others see it: ok clean clean
shorter: ok True oldoldoldoldoldoldoldoldold
too short: EINVAL
detach: ok
longer: ok clean
unload: ok" "$("${PY[@]}" bytes "$T/a.nfac" 2>&1)"
run "$NFAC" attach s
"${PY[@]}" event >"$T/event" 2>&1 &
reader=$!
until_true 20 grep -q listening "$T/event" || fail "a reader is subscribed"
echo attack >/dev/udp/127.0.0.1/9999
ok "an event" wait $reader
is "has no byte that means nothing" "listening
bytes 144 144
addresses clean
set s clean
past it clean" "$(cat "$T/event")"
# a checksum may look like anything
unlike "no address of the kernel in sysfs" "ffff[89a-f][0-9a-f]{11}" \
	"$(find $SYS/ -type f -perm -444 ! -name checksum ! -path '*/power/*' -exec cat {} + 2>/dev/null)"
unlike "nor in the log" "nfac.*ffff[89a-f][0-9a-f]{11}" "$(busybox dmesg)"
run "$NFAC" detach 2

say "what takes time"
A=$("$NFAC" attach s --stream)
is "a count that takes each lock of a table is root's to read" "400" \
	"$(stat -c %a "$SYS/sets/s/attachments/$A/flows")"
out=$(setpriv --reuid=65534 --regid=65534 --clear-groups "$NFAC" stats --json)
like "others get the other figures" '"flow_evictions"' "$out"
unlike "and not that one" '"flows"' "$out"
like "root has it, too" '"flows"' "$("$NFAC" stats --json)"
run "$NFAC" detach "$A"

say "tiles"
if [ -d /sys/kernel/slab/nfac_node ]; then
	is "no other cache is merged with nfac_node" "no 0" \
		"$([ -L /sys/kernel/slab/nfac_node ] && echo merged || echo no) $(cat /sys/kernel/slab/nfac_node/aliases)"
else
	like "nfac_node is a cache of its own" "^nfac_node " "$(cat /proc/slabinfo)"
fi
run "$NFAC" unload s
