#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 30
#
#   client (10.0.0.2, fd00::2) ── veth ── server (10.0.0.1, fd00::1)
#
# Proves what the other tests rely on: two namespaces that
# reach each other by IPv4 and IPv6, and nftables that sees, counts and drops.

. "$(dirname "$0")/../lib.sh"

ns_pair
ok "IPv4 goes through" client ping -c1 -W2 10.0.0.1
ok "IPv6 goes through" client ping -c1 -W2 fd00::1
run server nft "add table inet t; add chain inet t in { type filter hook input priority 0; }"
run server nft "add rule inet t in ip protocol icmp counter drop"
fails "a rule drops" client ping -c1 -W0.2 10.0.0.1
like "and counts" "counter packets [1-9]" "$(server nft list ruleset)"
