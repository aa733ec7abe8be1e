#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 120
#
# client ── veth, real attacks replayed by tcpreplay ── server (CRS lists attached)
#
# Proves that the module finds in real traffic what `nfac scan` finds in the same
# capture, match for match: id, offset, length, in order, packet by packet; by every
# path that the matcher has on this processor.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool tcpreplay-edit
PARAM=/sys/module/nfac/parameters
load_module event_ring=65536
ns_pair

run "$NFAC" compile --format crs -o "$T/crs.nfac" "$DATA"/crs/*.data
gunzip <"$DATA/crs-attacks.pcap.gz" >"$T/attacks.pcap"

# packets by their rank among those that matched: a capture counts those without
# payload too. Not by jq, which takes ten seconds for each list under the emulator; as
# quotes within a string are escaped, a key is found by its own
ranked()
{
	awk 'function number(key)
	{
		return substr($0, index($0, "\"" key "\":") + length(key) + 3) + 0
	}
	{
		packet = number("packet")
		if (NR == 1 || packet != last)
			rank++
		last = packet
		print rank, number("id"), number("offset"), number("length")
	}' "$1"
}

say "what nfac scan finds"
"$NFAC" scan -s "$T/crs.nfac" --json "$T/attacks.pcap" >"$T/scan"
matches=$(wc -l <"$T/scan")
ok "much" test "$matches" -gt 40000
ranked "$T/scan" >"$T/want"

run server "$NFAC" load crs "$T/crs.nfac"
for path in nofilter portable "$([ "$(uname -m)" = aarch64 ] && echo neon || echo avx2)"; do
	if ! echo $path >$PARAM/path 2>/dev/null; then
		skip "the same by path $path" "this processor or kernel does not have it"
		continue
	fi
	is "path $path" $path "$(cat $PARAM/path)"
	echo 1 >$PARAM/simd_min
	ID=$(server "$NFAC" attach crs)
	before=$(memory_used)
	server timeout 100 "$NFAC" watch crs --json --all-events --count "$matches" >"$T/events" &
	watcher=$!
	watched "$before"
	client tcpreplay-edit --topspeed --enet-dmac=02:00:00:00:00:01 --intf1=veth0 \
		"$T/attacks.pcap" >"$T/replay" 2>&1 || fail "tcpreplay" "$(cat "$T/replay")"
	ok "all events come" wait $watcher
	ranked "$T/events" >"$T/got"
	ok "the same by path $path, match for match" cmp "$T/want" "$T/got"
	is "and no more, and none lost" "$matches 0" \
		"$(server bash -c "cat /sys/class/misc/nfac/sets/crs/attachments/$ID/{matches,dropped_events}" | xargs)"
	run server "$NFAC" detach "$ID"
done
