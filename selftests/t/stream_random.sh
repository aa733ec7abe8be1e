#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 200
#
# client (10.0.0.2, fd00::2) ── veth ── server (10.0.0.1, fd00::1; set attached, --stream)
#
# Proves that generated connections, cut, mixed, sent again and disordered at random,
# give the matches that `nfac scan` finds in their reassembled streams: all of them and
# each once when in order, and what each policy promises when not; that with --drop
# --gap drop no pattern ever arrives.
# The long run: selftests/run -k stream_random -e NFAC_CONNECTIONS=10000 (NFAC_SEED:
# another course).

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/stream.inc"

stream_setup
cases "$TREE/selftests/t/stream_random.py" "$T/s.nfac" "${NFAC_CONNECTIONS:-400}" "${NFAC_SEED:-1}" \
	attack tac needle-in-the-pile
