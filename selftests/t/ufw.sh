#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: debian
# timeout: 200
# before: services/unpack
#
# Proves: beside ufw, an attack on a port that ufw has opened is dropped by a table of one's own that
# reads nfac's mark, and by a rule with `-m nfac` in ufw's before.rules, while other datagrams pass;
# both stay through ufw's reload.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/services.inc"

need_module
need_cli
library=$(dirname "$NFAC")/iptables/libxt_nfac.so
[ -f "$library" ] || skip_all "$library is not built"
debian_mount
modprobe x_tables
load_module
later unload_module xt_nfac
run insmod "$NFAC_KMOD/kmod/xt_nfac.ko"
ns_pair
run cp "$library" "$(echo "$DEBIAN"/usr/lib/*/xtables)"

beside
run there ufw allow 9999/udp
ok "ufw is enabled" there ufw --force enable
attacked "an attack on the open port is dropped, another datagram is received"
udp "a tack" 9998
is "a closed port: ufw refuses the datagram" 1 "$(counted own received)"

sed -i '/^# End required lines/a -A ufw-before-input -m nfac --set web -j DROP' "$DEBIAN/etc/ufw/before.rules"
ok "reload, with a rule of nfac in before.rules" there ufw reload
attacked "the own table stays"
detach_all
before=$(counted own received)
udp "an attack"
udp "a tack"
is "without an attachment the rule drops the attack, not the other datagram" $((before + 1)) "$(counted own received)"
like "the rule has counted it" "^ *1 .*DROP .*nfac --set web" "$(there iptables -nvL ufw-before-input)"
