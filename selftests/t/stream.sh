#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 120
#
# client (10.0.0.2, fd00::2) ── veth, MTU 65535 ── server (10.0.0.1, fd00::1; set attached, --stream)
#
# Proves that a pattern is found however TCP cuts it: at every position, byte by byte,
# sent again, overlapping, out of order, behind a gap, over wrapped sequence numbers,
# with an urgent byte in it, in a table that is full; that what was dropped is dropped
# each time; that nothing out of its place makes us lose ours.
# Segments are made by hand (raw_tcp.py); NFAC_NO_STREAM=1 shows the cases fail without it.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/stream.inc"

stream_setup
stream_drop_marked
# shellcheck disable=SC2034  # until_true asks for it
before=$(memory_used)
cases "$TREE/selftests/t/stream.py" "$T/s.nfac"
ok "the table's memory went with the last attachment" \
	until_true 10 eval '[ "$(memory_used)" = "$before" ]'
