#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: that scan --stream finds a pattern however TCP cuts it over the packets of a
# capture, with its offset in the stream; what is sent again, out of order, missing or in
# the capture in part; both directions, connections side by side and one after the other;
# the capture's clock. That it agrees with the queue is queue_stream.sh's to say.

. "$(dirname "$0")/lib.sh"

printf 'needle\n' >"$T/needle"
word=needle

capture()	# segments are on stdin, see segments.py
{
	python3 "$HERE/segments.py" -w "$T/c.pcap"
}

# found [OPTION...]: "sport:stream offset" of each match; stderr is in $T/err
found()
{
	nfac scan --json --stream "$@" -p "$T/needle" "$T/c.pcap" 2>"$T/err" |
		jq -r '"\(.sport):\(.stream_offset)"' | xargs
}

# figure NAME...: figures of the summary
figure()
{
	local name out=

	for name; do
		out="$out $(sed -nE "s/.*: streams:.* $name ([0-9]+).*/\1/p" "$T/err")"
	done
	echo "${out# }"
}

want=
for one in 1 2 3 4 5; do
	echo "$one 0 S"
	echo "$one 0 A ..${word:0:one}"
	echo "$one $((2 + one)) A ${word:one}.."
	want="$want $one:2"
	for ((two = one + 1; two < 6; two++)); do
		port=$((10 * one + two))
		echo "$port 0 S6"
		echo "$port 0 A6 ............${word:0:one}"
		echo "$port $((12 + one)) A6 ${word:one:two - one}"
		echo "$port $((12 + two)) A6 ${word:two}"
		want="$want $port:12"
	done
done >"$T/cuts"
capture <"$T/cuts"
is "cut in two, and in three over numbers that wrap" "${want# }" "$(found)"
is "nothing was missing" "0 0 15" "$(figure skipped_gap retransmitted_bytes flows)"
is "without --stream none is found" 0 "$(nfac scan -c -p "$T/needle" "$T/c.pcap")"
nfac scan --stream -p "$T/needle" "$T/c.pcap" >"$T/want" 2>&1
for path in auto nofilter portable "$([ "$(uname -m)" = aarch64 ] && echo neon || echo avx2)"; do
	if ! "$NFAC" scan --stream --path $path -p "$T/needle" "$T/c.pcap" >"$T/got" 2>&1; then
		like "path $path" "has no such path" "$(cat "$T/got")"
		continue
	fi
	gives 0 "path $path finds the same" cmp "$T/want" "$T/got"
done

capture <<'END'
1 0 S
1 0 A nee
1 0 Amb xyz
1 0 Smb
1 3 A dle
1 0 A nee
1 9 Am needle
END
is "a wrong checksum, with a signature too: no receiver takes it" "1:0 1:0" "$(found)"
is "only what has a right one is a gap" "1 3" "$(figure skipped_gap retransmitted_bytes)"

capture <<'END'
1 0 S
1 0 A nee
1 3 Ai xyz
1 3 A dle
2 0 Si
2 0 Ao nee
2 3 Ao dle
1 6 Ai needle
END
is "a wrong checksum of the IP header likewise; none is yet to be computed" \
	"1:0 2:0 1:0" "$(found)"
is "those with data are counted" "2 0 0" "$(figure wrong_checksum skipped_gap retransmitted_bytes)"

capture <<'END'
1 0 S
1 0 A ..need
2 0 S
2 0 A nee
1 6 A le..
2 3 A dle
1 0 As nee
2 0 As dle
1 3 As dle
END
is "two connections, and the other direction, side by side" "1:2 2:0 80:0" "$(found)"
is "a line of text has both offsets" "$T/c.pcap:5:-4:2: 1: needle" \
	"$(nfac scan --stream -p "$T/needle" "$T/c.pcap" 2>/dev/null | head -1)"
is "a line of JSON, exactly" '{"id":1,"offset":-3,"length":6,"pattern":"needle","packet":9,"stream_offset":0,"payload":3,"proto":"tcp","src":"10.9.0.2","sport":80,"dst":"10.9.0.1","dport":1}' \
	"$(nfac scan --stream --json -p "$T/needle" "$T/c.pcap" 2>/dev/null | tail -1)"
is "-c" 3 "$(nfac scan -c --stream -p "$T/needle" "$T/c.pcap" 2>/dev/null)"
cp "$T/c.pcap" "$T/d.pcap"
is "with two captures it names the file" "3 $T/d.pcap" "$(nfac scan --stream --json -p "$T/needle" \
	"$T/c.pcap" "$T/d.pcap" 2>"$T/err" | jq -r .file | sort | uniq -c | sed -n '2s/^ *//p')"
is "each has streams of its own, and a summary" 2 "$(grep -c 'streams:.* retransmitted_bytes 0,' "$T/err")"
is "from standard input" 3 "$(nfac scan -c --stream --pcap -p "$T/needle" - <"$T/c.pcap" 2>/dev/null)"
cp "$T/c.pcap" "$T/"$'c\n.pcap'
is "control bytes of its name are escaped there" "nfac: $T/c\n.pcap: streams: skipped_gap 0" \
	"$(nfac scan -c --stream -p "$T/needle" "$T/"$'c\n.pcap' 2>&1 >"$T/out" | cut -d, -f1)"
gzip -c "$T/c.pcap" >"$T/c.pcap.gz"
is "compressed" 3 "$(nfac scan -c --stream -p "$T/needle" "$T/c.pcap.gz" 2>/dev/null)"

capture <<'END'
1 0 S
1 0 A ..need
1 0 A ..need
1 6 A le
1 0 A ..needle
1 2 A xyzxyz
1 7 A e and a needle
END
is "sent again, with the same and with other bytes: each once" "1:2 1:15" "$(found)"
is "and counted" "21 0" "$(figure retransmitted_bytes skipped_gap)"

capture <<'END'
1 0 S
1 0 A nee
1 6 A needle
1 3 A dle
1 12 A needle
2 0 S
2 0 A nee
2 9 A dle
2 12 A needle
END
is "out of order, and a gap: a match across its end is missed, one that fills it in order is found" \
	"1:6 1:0 1:12 2:12" "$(found)"
is "and counted" 3 "$(figure skipped_gap)"

capture <<'END'
1 0 S
1 0 A nee
1 3 Af dle
1 6 A needle
END
is "a fragment is a gap" "1:6 1" "$(found) $(figure skipped_gap)"
like "and is counted itself" "1 packets not inspected: fragment" "$(cat "$T/err")"

capture <<'END'
snap 60
1 0 S
1 0 A ..need
1 6 A le....and more
1 21 A needle
snap 54
1 27 A needle
snap 50
1 33 A needle
snap 65535
1 39 A needle
END
is "cut by the capture: what is there is searched in its place, and what follows behind a gap" \
	"1:2 1:21 1:39" "$(found)"
is "and counted" "2 2" "$(figure skipped_unreadable skipped_gap)"
like "so is a packet without all of its headers" "1 packets not inspected: truncated" "$(cat "$T/err")"

capture <<'END'
1 100 A ..nee
1 105 A dle
END
is "under way: from the first segment on" "1:2 0" "$(found) $(figure skipped_gap)"

capture <<'END'
1 0 S
1 0 A nee
1 3 FA
1 9000 S
1 9000 A dle
1 9003 A needle
END
is "a port again after FIN is another stream" "1:3 0 0" "$(found) $(figure skipped_gap flow_restarts)"

capture <<'END'
1 0 S
1 0 A nee
1 9000 S
1 9000 A dle
1 9003 A needle
END
is "without an end, at once: the same, behind a gap" "1:9003 1 0" "$(found) $(figure skipped_gap flow_restarts)"
cat >"$T/idle" <<'END'
time 1000
1 0 S
1 0 A nee
time 1119
2 0 S
time 1120
1 9000 S
1 9000 A dle
1 9003 A needle
END
capture <"$T/idle"
is "after two minutes of the capture's clock: another one" "1:3 0 1" "$(found) $(figure skipped_gap flow_restarts)"
is "with --flow-idle 121 not" "1:9003 1 0" "$(found --flow-idle 121) $(figure skipped_gap flow_restarts)"
sed 's/time 1120/time 1118/' "$T/idle" | capture
is "with --flow-idle 119, and a clock that goes back by less than that: another one" "1:3 0 1" \
	"$(found --flow-idle 119) $(figure skipped_gap flow_restarts)"
sed 's/time 1119/time 900/; s/time 1120/time 10/' "$T/idle" | capture
is "a clock that goes back makes no direction idle" "1:9003 1 0" "$(found) $(figure skipped_gap flow_restarts)"

for port in $(seq 15); do
	echo "$port 0 A live"
	echo "$port 4 A live"
done >"$T/many"
printf '1 8 FA \n16 0 A nee\n16 3 A dle needle\n17 0 A nee\n17 3 A dle\n' >>"$T/many"
capture <"$T/many"
is "a full table: a direction that no answer assured yields, or one that has ended" \
	"16:0 16:7 17:0 0 1 15" "$(found --flows 1) $(figure skipped_table_full flow_evictions flows)"

capture <<'END'
1 0 S
1 0 Ap nee
1 3 Ap dle
2 0 S
2 0 A nee
2 3 Ab xyz
2 3 A dle
3 0 Ab needle
END
is "checksums: yet to be computed is right; wrong is searched by itself" "1:0 2:0 3:0" "$(found)"
is "and counted" "2 0" "$(figure wrong_checksum retransmitted_bytes)"
printf '%s\n' "7 0 S" "7 0 Ab need" "7 4 A le" | capture
is "a wrong checksum that is verified: no match over it" "" "$(found)"
is "-k none: it is part of the stream" "7:0 0" "$(found -k none) $(figure wrong_checksum)"
refuses "-k without --stream" 'nothing without --stream' nfac scan -k none -p "$T/needle" "$T/c.pcap"

printf '%s\n' '1 0 u nee' '1 0 u dle' '1 0 u .needle' | capture
is "datagrams are searched one by one" \
	'{"offset":1,"stream_offset":1,"payload":7,"proto":"udp","packet":3}' "$(nfac scan --json --stream \
	-p "$T/needle" "$T/c.pcap" 2>/dev/null | jq -c '{offset, stream_offset, payload, proto, packet}')"

# a rule's place counts in the stream, its ports are conditions
cat >"$T/head.rules" <<'END'
alert tcp any any -> any any (content:"HEAD"; depth:4; sid:7;)
alert tcp any any -> any 81 (content:"HEAD"; sid:8;)
alert tcp any any -> any 80 (content:"TAIL"; offset:6; sid:9;)
END
printf '%s\n' '1 0 S' '1 0 A HE' '1 2 A AD TA' '1 7 A IL HEAD' '1 14 A HEAD' | capture
gives 0 "limits of Suricata's rules" nfac scan --json --stream --format suricata -q \
	-p "$T/head.rules" "$T/c.pcap"
is "a rule is one match of a message" "7:0" "$(jq -r 'select(.id == 7) | "\(.id):\(.stream_offset)"' "$T/out" | xargs)"

python3 -c 'print("1 0 A " + "needle" * 2000)' | capture
is "more matches than are reported of a segment" "1024 1" \
	"$(nfac scan -c --stream -p "$T/needle" "$T/c.pcap" 2>"$T/err") $(figure skipped_output_cap)"

gives 2 "a file that is no capture" nfac scan --stream -p "$T/needle" "$WORDS" "$T/c.pcap"
like "is announced" "words-2358.txt: not a capture, and --stream" "$(cat "$T/err")"
like "and the others are searched" "c.pcap:1:0:0: 1: needle" "$(cat "$T/out")"
refuses "nor standard input" "standard input: not a capture, and --stream.*--pcap" \
	nfac scan --stream -p "$T/needle" -
refuses "--flows alone" "--flows and --flow-idle say nothing without --stream" \
	nfac scan --flows 10 -p "$T/needle" "$T/c.pcap"
refuses "no flows" "--flows 0: not a number" nfac scan --stream --flows 0 -p "$T/needle" "$T/c.pcap"

lists=()
for f in "$DATA"/crs/*.data; do
	lists+=(-p "$f")
done
by_stream='"\(.src):\(.sport) \(.dst):\(.dport) \(.id) \(.stream_offset) \(.length)"'
python3 "$HERE/oracle.py" streams "$DATA/crs-attacks.pcap.gz" "$DATA"/crs/*.data | sort >"$T/want"
nfac scan --json --stream --format crs --decode none "${lists[@]}" "$DATA/crs-attacks.pcap.gz" 2>"$T/err" |
	jq -r "$by_stream" | sort >"$T/got"
is "CRS attacks: nothing is missing" "0 0" "$(figure skipped_gap retransmitted_bytes)"
gives 0 "they agree with a naive search, $(wc -l <"$T/want") matches" cmp "$T/want" "$T/got"
