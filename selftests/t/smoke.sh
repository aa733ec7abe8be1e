#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 30
#
# Proves that the module goes in, shows its device and its folder in sysfs to root
# alone, and goes out again without leaving an object, as often as one likes.

. "$(dirname "$0")/../lib.sh"

need_module
load_module
ok "/dev/nfac is a character device" test -c /dev/nfac
is "only root may open it" 600 "$(stat -c %a /dev/nfac)"
ok "sysfs has its folder" test -d /sys/class/misc/nfac
ok "its cache of tiles is listed" grep -q '^nfac_node ' /proc/slabinfo
ok "rmmod" rmmod nfac
ok "the device is gone" test ! -e /dev/nfac
unlike "no object cache is left" '^nfac_' "$(cat /proc/slabinfo)"
for i in 1 2 3 4 5; do
	run insmod "$NFAC_KO"
	run rmmod nfac
done
pass "five times in and out"
