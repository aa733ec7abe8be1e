#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml
# timeout: 200
#
# client (10.0.0.2) ── veth ── server (10.0.0.1; set attached with --strict)
#
# Proves that no pattern passes where a sender floods the flow table, waits, exhausts it or
# desynchronises it, in the numbers that once let patterns pass; and that honest connections are
# served meanwhile. NFAC_ATTACKS: patterns of each attack (1,000).

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/stream.inc"

stream_setup
cases "$TREE/selftests/t/attacks.py" "${NFAC_ATTACKS:-1000}"
