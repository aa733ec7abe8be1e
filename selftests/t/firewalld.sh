#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml
# timeout: 400
# before: services/unpack
#
# Proves: beside firewalld, an attack on a port that firewalld has opened is dropped by a table of
# one's own that reads nfac's mark, while other datagrams pass; attachment and table stay through
# firewalld's reload, through a complete one, and its end.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/services.inc"

need_module
need_cli
debian_mount
load_module
ns_pair

# this kernel has no nft_fib; of 200 services, which take seconds to read, zones need few
sed -i 's/^IPv6_rpfilter=.*/IPv6_rpfilter=no/' "$DEBIAN/etc/firewalld/firewalld.conf"
cd "$DEBIAN/usr/lib/firewalld" || exit 1
sed -nE 's/.*(service name|include service)="([^"]*)".*/\2.xml/p' zones/*.xml services/*.xml | sort -u >"$T/used"
ls services | sort | comm -23 - "$T/used" >"$T/unused"
(cd services && xargs rm <"$T/unused")
cd "$T" || exit 1

background "${THERE[@]}" dbus-daemon --system --nofork --nopidfile
ok "the bus is there" until_true 60 test -S "$DEBIAN/run/dbus/system_bus_socket"
background "${THERE[@]}" firewalld --nofork --nopid
FIREWALLD=$BG
# shellcheck disable=SC2317
running()
{
	there firewall-cmd --state >"$T/state" 2>&1 && [ "$(<"$T/state")" = running ]
}
ok "firewalld runs" until_true 120 running
[ $KTAP_FAILED = 0 ] || {
	sed 's/^/# /' "$T/state" "$DEBIAN/var/log/firewalld"
	exit 1
}

beside
udp "a tack"
is "a closed port: firewalld refuses the datagram, before it is received" "0 0" "$(counted own dropped received)"
ok "the port is opened" there firewall-cmd --permanent --add-port 9999/udp
ok "reload" there firewall-cmd --reload
attacked "an attack on the open port is dropped, another datagram is received"
ok "complete reload" there firewall-cmd --complete-reload
attacked "the same after it"
is "the attachment is what it was" "1: prerouting -190 --proto udp --mark 0x1000000/0xf000000" \
	"$(server "$NFAC" list | sed -n 's/^  *//p')"
# shellcheck disable=SC2317
table_gone()
{
	[ "$(server nft list tables)" = "table inet own" ]
}
kill $FIREWALLD
ok "firewalld ends, and removes its table" until_true 60 table_gone
attacked "the own table stays"
