#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Lists of domain names against DNS queries and TLS ClientHellos: no name is missed, and none is
# found that only looks like one. NAMES= and SEED= in the environment: another size, another list.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

NAMES=${NAMES:-20000} PACKETS=10000
python3 "$HERE/domains.py" list "$T/names" "$NAMES" "${SEED:-1}"
python3 "$HERE/domains.py" traffic "$T/names" "$T/c.pcap" $PACKETS >"$T/want"
gives 0 "$NAMES names compile" nfac compile --format domains -o "$T/names.nfac" "$T/names"
like "traffic has names of the list" '^[0-9]{4,}$' "$(wc -l <"$T/want")"
for mode in "" --stream; do
	# shellcheck disable=SC2086
	gives 0 "$PACKETS queries and ClientHellos $mode" \
		nfac scan --json $mode -s "$T/names.nfac" "$T/c.pcap"
	jq -r '"\(.packet) \(.id)"' "$T/out" | sort -n -k1 -k2 >"$T/got"
	is "each name is found, and no other" "" "$(diff "$T/want" "$T/got" | head)"
done
