#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 120
#
# Proves that what nfac.service runs at boot does what /etc/nfac/nfac.conf says: sets
# are loaded and attached, a wrong line is named by its number and keeps the others
# from nothing, reload makes no attachment twice, stop takes all away that start made, by
# the name that nfac had for it, and nothing else. Wildcards of files are the shell's.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
load_module
BOOT=$TREE/packaging/nfac-boot
export NFAC NFAC_RUN=$T/run
printf 'attack\nevil\n' >"$T/one.txt"
printf 'wicked\n' >"$T/two.txt"
cat >"$T/nfac.conf" <<CONF
# two sets
load one $T/one.txt
attach one --proto tcp --dport 80 --mark 0x01000000/0x0f000000   # on the web

load two $T/two.txt
CONF

ok "start" "$BOOT" start "$T/nfac.conf"
list=$("$NFAC" list --json)
like "set one is there" '"one"' "$list"
like "set two is there" '"two"' "$list"
is "one attachment" 1 "$(ls /sys/class/misc/nfac/sets/one/attachments | wc -l)"
ok "reload" "$BOOT" reload "$T/nfac.conf"
is "still one attachment" 1 "$(ls /sys/class/misc/nfac/sets/one/attachments | wc -l)"
ok "stop" "$BOOT" stop "$T/nfac.conf"
unlike "no set is left" '"(one|two)"' "$("$NFAC" list --json)"

attached()
{
	find /sys/class/misc/nfac/sets/*/attachments -mindepth 1 -maxdepth 1 | wc -l
}

sed -i '2s/.*/load one \/nonexistent/' "$T/nfac.conf"
echo "attach two --drop --hook output" >>"$T/nfac.conf"
fails_with "a wrong line is named" "nfac.conf:2: failed" "$BOOT" start "$T/nfac.conf"
like "and the other set is loaded" '"two"' "$("$NFAC" list --json)"
is "and attached" 1 "$(attached)"
sed -i "2s,.*,load one $T/one.txt," "$T/nfac.conf"
ok "start again, the line put right" "$BOOT" start "$T/nfac.conf"
is "attaches what was missing, and nothing twice" 2 "$(attached)"
id=$(basename /sys/class/misc/nfac/sets/two/attachments/*)
run "$NFAC" detach "$id"
ok "reload" "$BOOT" reload "$T/nfac.conf"
is "attaches anew what somebody detached" 2 "$(attached)"
id=$(basename /sys/class/misc/nfac/sets/two/attachments/*)
run "$NFAC" detach "$id"
ok "stop, where somebody was faster" "$BOOT" stop "$T/nfac.conf"
unlike "nothing is left" '"(one|two)"' "$("$NFAC" list --json)"
fails_with "a command that is none of ours is refused" "only load and attach" \
	bash -c "echo 'unload two' >$T/bad.conf; $BOOT start $T/bad.conf"

# a name that the shell's wildcards leave out
cat >"$T/nfac.conf" <<CONF
load .dot $T/one.txt
attach .dot --proto tcp --dport 80 --mark 1/1
load ..dots $T/one.txt
attach ..dots --drop
CONF
ok "start, names that begin with a dot" "$BOOT" start "$T/nfac.conf"
ok "reload" "$BOOT" reload "$T/nfac.conf"
is "attaches nothing twice" "1 1" "$(for name in .dot ..dots; do
	ls "/sys/class/misc/nfac/sets/$name/attachments" | wc -l; done | xargs)"
ok "stop" "$BOOT" stop "$T/nfac.conf"
unlike "nothing is left" 'dot' "$("$NFAC" list --json)"

# words before the set's name, one of them a value; files by wildcards, one with a blank
mkdir "$T/lists"
printf 'vicious\n' >"$T/lists/1.data"
printf 'nasty\n' >"$T/lists/2 two.data"
printf 'mean\n' >"$T/lists/3.list"
cat >"$T/nfac.conf" <<CONF
load --format crs crs $T/lists/*.data
load -q --format=crs --nocase up'per $T/lists/[3].list
load one $T/one.txt
attach crs --proto tcp --dport 80 --drop
CONF
run "$NFAC" load foreign "$T/two.txt"
out=$("$BOOT" start "$T/nfac.conf") && pass "start with options and wildcards" ||
	fail "start with options and wildcards" "$out"
like "a pattern of each file that the wildcard names" "^set 'crs': 2 patterns" "$out"
like "and of the one by a bracket" "^set 'up'per': 1 patterns" "$out"
# a line that is gone by the time of stop leaves its set to stop all the same
sed -i '/^load one/d' "$T/nfac.conf"
ok "reload" "$BOOT" reload "$T/nfac.conf"
ok "stop" "$BOOT" stop "$T/nfac.conf"
list=$("$NFAC" list --json)
unlike "none of its sets is left" '"(crs|up.per|one)"' "$list"
like "what somebody else loaded is" '"foreign"' "$list"
run "$NFAC" unload foreign
ok "stop a second time has nothing to do" "$BOOT" stop "$T/nfac.conf"

echo "load --format crs crs $T/lists/*.none" >"$T/nfac.conf"
fails_with "a wildcard that names nothing is reported as it is" 'lists/\*\.none' \
	"$BOOT" start "$T/nfac.conf"
# it would be another option, or another file elsewhere
touch "$T/--nocase"
echo "load one * $T/one.txt" >"$T/nfac.conf"
fails_with "only whole paths are expanded" 'cannot open|No such file' \
	bash -c "cd $T && exec $BOOT start $T/nfac.conf"

# standard input is nobody's: as a list it would be the lines that follow
cat >"$T/nfac.conf" <<CONF
load one -
load two $T/two.txt
CONF
fails_with "a list from standard input is none" "nfac.conf:1: failed" \
	"$BOOT" start "$T/nfac.conf"
like "and takes no lines away" '"two"' "$("$NFAC" list --json)"
ok "stop" "$BOOT" stop "$T/nfac.conf"
