#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 200
#
# client (10.0.0.2) ── veth ── server (10.0.0.1; rules attached, --stream)
#
# Proves that a rule holds over a stream wherever segments cut it, exactly as it does in one
# packet, for each keyword of ../compare/keywords.rules; that a segment which a rule drops is
# dropped again when it is retransmitted; that a message is evaluated by itself; what happens to one
# that is longer than the window; that both directions share the connection's flowbits; that copies of
# a candidate have its mark; that the flow knows direction and state of the connection without
# conntrack; and that a packet with more anchors than there is room for passes no --skip drop.
#
# NFAC_CUTS=1: each text at every byte, and byte by byte.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/stream.inc"

need_module
need_cli
need_tool jq
export NFAC
load_module event_ring=65536
ns_pair
run ip -n client link set veth0 mtu 65535
run ip -n server link set veth0 mtu 65535

stream_rules_setup
need_tool nft
stream_drop_marked
export NFAC_CUTS=${NFAC_CUTS:-}
cases "$TREE/selftests/t/stream_rules.py" "$TREE/selftests/compare/keywords.rules"
