#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: that with --stream a pattern is found however TCP cuts it, with its offset in
# the stream; what is sent again, overlaps, comes out of order, is missing (each policy),
# or has a wrong checksum; that what was dropped is dropped each time; a table that is
# full. The module is compared with the queue by selftests/t/queue_agree.sh, scan
# --stream here.

. "$(dirname "$0")/lib.sh"
. "$HERE/queue.inc"

printf 'needle\n' >"$T/needle"

send()	# OPTION... : what to send is on stdin
{
	cat >"$T/segments"
	queue "$@" "$T/needle"
	client python3 "$HERE/segments.py" v0 "$mac" <"$T/segments"
	stop
	jq -r '"\(.sport):\(.stream_offset)"' "$T/matches" | xargs >"$T/found"
	case $* in
	*drop* | *gap* | *idle*) ;;
	*--stream*) agrees "$@" ;;
	esac
}

# A scan of a capture of the same segments finds the same and counts the same.
agrees()
{
	local fields='[.id, .offset, .length, .stream_offset, .payload, .proto, .src, .sport, .dst, .dport]'

	python3 "$HERE/segments.py" -w "$T/c.pcap" <"$T/segments"
	nfac scan --json "$@" -p "$T/needle" "$T/c.pcap" 2>"$T/err" | jq -c "$fields" >"$T/scanned"
	for name in skipped_gap skipped_table_full retransmitted_bytes flow_restarts flow_evictions flows; do
		grep -o " $name [0-9]*" "$T/err"
	done >>"$T/scanned"
	jq -c "$fields" "$T/matches" >"$T/queued"
	for name in skipped_gap skipped_table_full retransmitted_bytes flow_restarts flow_evictions flows; do
		echo " $name $(stat_of $name)"
	done >>"$T/queued"
	is "scan $* agrees" "$(cat "$T/queued")" "$(cat "$T/scanned")"
}

found() { cat "$T/found"; }

stats()	# NAME...
{
	local name out=

	for name; do
		out="$out $(stat_of "$name")"
	done
	echo "${out# }"
}

word=needle
want=
for cut in 1 2 3 4 5; do
	echo "$cut 0 S"
	echo "$cut 0 A ..${word:0:cut}"
	echo "$cut $((2 + cut)) A ${word:cut}.."
	want="$want $cut:2"
done >"$T/cuts"
for cut in 1 2 3 4 5; do
	want="$want $((100 + cut)):$((20 * cut))"
	echo "$((100 + cut)) 0 S"
	for ((at = 0; at < 20 * cut; at++)); do
		echo "$((100 + cut)) $at A ."
	done
	for ((at = 0; at < 6; at++)); do
		echo "$((100 + cut)) $((20 * cut + at)) A ${word:at:1}"
	done
done >>"$T/cuts"
want=
for cut in 1 2 3 4 5; do want="$want $cut:2"; done
for cut in 1 2 3 4 5; do want="$want $((100 + cut)):$((20 * cut))"; done
send --stream <"$T/cuts"
is "cut at every position, and byte by byte, over numbers that wrap" "${want# }" "$(found)"
is "nothing was missing, ten directions are followed" "0 0 10" \
	"$(stats skipped_gap retransmitted_bytes flows)"
send <"$T/cuts"
is "without --stream none is found" "" "$(found)"

send --stream <<'END'
1 0 S
1 0 A ..need
1 0 A ..need
1 2 A need
1 6 A le
1 0 A ..needle
1 7 A e and a needle
2 0 A nee
2 0 A xyzdle
3 0 A xyz
3 0 A needle
4 0 A nee
4 3 Ab xyz
4 3 A dle
5 0 A need
5 4 FA le
END
is "sent again, in part, with other bytes, with a wrong checksum: each once" \
	"1:2 1:15 2:0 4:0 5:0" "$(found)"
is "bytes sent again are counted, a FIN ends" "25 4" "$(stats retransmitted_bytes flows)"

cat >"$T/gap" <<'END'
1 0 S
1 0 A nee
1 10 A needle
1 3 A dle....
1 16 A needle
END
send --stream <"$T/gap"
is "gap, restart: matches behind it are found, and where segments fill it in order" "1:10 1:0 1:16" "$(found)"
is "and counted" "2 0" "$(stats skipped_gap dropped_packets)"
send --stream --gap pass <"$T/gap"
is "gap, pass: no further byte is inspected" " 3 0" "$(found) $(stats skipped_gap dropped_packets)"
send --stream --gap drop <<'END'
1 0 S
1 0 A needle
1 6 - needle
END
is "gap, drop: so an event says of what has no ACK" "reported dropped" \
	"$(jq -r .verdict "$T/matches" | xargs)"
send --stream --gap drop <"$T/gap"
is "gap, drop: what comes too early does not pass" "1:0 2 2" \
	"$(found) $(stats skipped_gap dropped_packets)"
send --stream --gap drop --skip drop <<'END'
1 0 S data
1 0 A data
END
is "a SYN must come without data" "1 1 1" "$(stats skipped_gap dropped_packets packets)"

server iptables -t filter -A INPUT -p tcp --dport 80
passed() { server iptables -nvxL INPUT | awk '/dpt:80/ { print $1 }'; }
before=$(passed)
send --stream --drop <<'END'
1 0 S
1 0 A ..need
1 6 A le..
1 6 A le..
1 0 A ..needle
1 2 A need
1 10 A more
END
is "the end of a pattern is dropped each time, and reported once" "1:2 3 4" \
	"$(found) $(stat_of dropped_packets) $(($(passed) - before))"

for port in $(seq 15); do
	echo "$port 0 A live"
	echo "$port 4 A live"
done >"$T/many"
printf '1 8 FA \n16 0 A nee\n16 3 A dle needle\n17 0 A nee\n17 3 A dle\n' >>"$T/many"
send --stream --flows 1 <"$T/many"
is "a full table: a direction that no answer assured yields, or one that has ended" \
	"16:0 16:7 17:0 0 1 15" "$(found) $(stats skipped_table_full flow_evictions flows)"
send --stream --flows 15 --flow-idle 0 <"$T/many"
like "a direction that is silent for --flow-idle is evicted" "^0 [12]$" "$(stats skipped_table_full flow_evictions)"

# a rule's place counts in the packet too: what a record's head says comes in any segment
echo 'alert tcp any any -> any any (content:"|18 03|"; depth:2; sid:7;)' >"$T/head.rules"
printf '%s\n' '1 0 S' '1 0 A ........' $'1 8 A \x18\x03....' $'1 14 A .\x18\x03...' >"$T/segments"
queue --stream --format suricata -q "$T/head.rules"
client python3 "$HERE/segments.py" v0 "$mac" <"$T/segments"
stop
is "a place in the packet, behind others of its stream" "7 8" \
	"$(jq -r '"\(.id) \(.stream_offset)"' "$T/matches" | xargs)"
