#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 30
#
# Proves that what nfac.service runs at boot does what /etc/nfac/nfac.conf says: sets
# are loaded and attached, a wrong line is named by its number and keeps the others
# from nothing, reload makes no attachment twice, stop takes all away.

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

sed -i '2s/.*/load one \/nonexistent/' "$T/nfac.conf"
fails_with "a wrong line is named" "nfac.conf:2: failed" "$BOOT" start "$T/nfac.conf"
like "and the other set is loaded" '"two"' "$("$NFAC" list --json)"
run "$NFAC" unload two
fails_with "a command that is none of ours is refused" "only load and attach" \
	bash -c "echo 'unload two' >$T/bad.conf; $BOOT start $T/bad.conf"
