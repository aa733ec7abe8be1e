#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: where scan finds a payload in the packets of a capture, on all link types that
# it knows, and where not; that what it does not search is counted; that it agrees with a
# naive search over real attacks.

. "$(dirname "$0")/lib.sh"

python3 "$HERE/make_captures.py" "$T"
printf 'needle\n' >"$T/needle"
cp "$T/want" "$T/want.ethernet"

for link in ethernet vlan qinq pppoe mpls raw sll sll2 sll2qinq sll2pppoe sll2mpls null ppp \
		pppbare pppshort serial pppether wifi wifiqos wifibridge radiotap radiotappad radiotapmore \
		nflog nflogbig; do
	gives 0 "scan, link type $link" nfac scan --json -p "$T/needle" "$T/$link.pcap"
	is "packets and offsets, link type $link" "$(cat "$T/want")" \
		"$(jq -r '"\(.packet) \(.offset)"' "$T/out")"
	like "fragments are counted" "3 packets not inspected: fragment" "$(cat "$T/err")"
	like "cut headers are counted" "4 packets not inspected: truncated" "$(cat "$T/err")"
	like "deep headers are counted" "1 packets not inspected: too_deep" "$(cat "$T/err")"
	like "other protocols are counted" "1 packets not inspected: neither TCP nor UDP" "$(cat "$T/err")"
	is "frames cut before IP are, too, link type $link" \
		"nfac: $T/$link-short.pcap: $(cat "$T/$link-short.count") packets not inspected: truncated" \
		"$(nfac scan -p "$T/needle" "$T/$link-short.pcap" 2>&1)"
	like "and what is no IP" "1 packets not inspected: neither IPv4 nor IPv6" "$(cat "$T/err")"
done
gives 0 "compressed capture" nfac scan --json -p "$T/needle" "$T/zipped.pcap.gz"
is "finds the same" "$(cat "$T/want")" "$(jq -r '"\(.packet) \(.offset)"' "$T/out")"
is "capture from standard input" "$(wc -l <"$T/want")" \
	"$(cat "$T/zipped.pcap.gz" | nfac scan -c --pcap -p "$T/needle" - 2>/dev/null)"
is "a line of text has packet and offset" "$T/ethernet.pcap:1:4: 1: needle" \
	"$(nfac scan -p "$T/needle" "$T/ethernet.pcap" 2>/dev/null | head -1)"
# a capture that is still being made; a match is printed before more bytes are waited for
for kind in plain compressed; do
	mkfifo "$T/live" "$T/live.out"
	"$NFAC" scan --pcap -p "$T/needle" - <"$T/live" >"$T/live.out" 2>/dev/null &
	exec {live}>"$T/live" {found}<"$T/live.out"
	if [ $kind = plain ]; then
		cat "$T/ethernet.pcap" >&$live
	else
		# no end of it yet
		gzip -c "$T/ethernet.pcap" | head -c -8 >&$live
	fi
	read -rt 10 -u $found line
	is "a $kind capture through a pipe that stays open" "(standard input):1:4: 1: needle" "$line"
	exec {live}>&- {found}<&-
	wait
	rm "$T/live" "$T/live.out"
done
cat <(gzip -c <(head -c 60 "$T/ethernet.pcap")) <(tail -c +61 "$T/ethernet.pcap" | gzip -c) \
	<(printf 'what is no member') >"$T/members.pcap.gz"
is "two members and a tail" "$(wc -l <"$T/want")" \
	"$(nfac scan -c -p "$T/needle" "$T/members.pcap.gz" 2>/dev/null)"
nfac scan -c -p "$T/needle" "$T/members.pcap.gz" >/dev/null 2>"$T/err"
is "the tail is reported, once" 1 "$(grep -c "members.pcap.gz: warning: what follows" "$T/err")"
{ gzip -c "$T/ethernet.pcap"; head -c 1000 /dev/zero; } >"$T/padded.pcap.gz"
nfac scan -c -p "$T/needle" "$T/padded.pcap.gz" >/dev/null 2>"$T/err"
is "zeros are none" "" "$(grep "what follows" "$T/err")"
gzip -c "$T/ethernet.pcap" | head -c -8 >"$T/trailer.pcap.gz"
printf 'nonsense' >>"$T/trailer.pcap.gz"
gives 2 "a compressed capture with a wrong checksum" nfac scan -c -p "$T/needle" "$T/trailer.pcap.gz"
is "is searched" "$(wc -l <"$T/want")" "$(cat "$T/out")"
like "and a message says so" "trailer.pcap.gz: after packet [0-9]+: incorrect data check" "$(cat "$T/err")"
gives 0 "packet cut by the capture" nfac scan --json -p "$T/needle" "$T/snap.pcap"
is "its part is searched" "1 0" "$(jq -r '"\(.packet) \(.offset)"' "$T/out")"
like "and counted" "1 packets are in the capture in part only" "$(cat "$T/err")"

gives 2 "capture that ends within a packet" nfac scan -p "$T/needle" "$T/cut.pcap"
like "says after which" "cut.pcap: after packet [0-9]+: .*trunc" "$(cat "$T/err")"
gives 2 "compressed capture that is cut" nfac scan -p "$T/needle" "$T/cut.pcap.gz"
like "says so" "cut.pcap.gz: (after packet|not a capture)" "$(cat "$T/err")"
head -c 200 "$T/zipped.pcap.gz" >"$T/damaged.pcap.gz"
printf '\377\377\377' | dd of="$T/damaged.pcap.gz" bs=1 seek=30 conv=notrunc status=none
refuses "compressed capture that is damaged at its beginning" \
	"damaged.pcap.gz: (invalid|incorrect|unexpected)" \
	nfac scan -p "$T/needle" "$T/damaged.pcap.gz"
for packer in xz zstd bzip2 lz4 "xz --format=lzma"; do
	$packer -c "$T/ethernet.pcap" >"$T/packed" 2>/dev/null
	gives 0 "a capture compressed by $packer, whatever its name" nfac scan --json -p "$T/needle" "$T/packed"
	is "finds the same" "$(cat "$T/want.ethernet")" "$(jq -r '"\(.packet) \(.offset)"' "$T/out")"
	is "and through a pipe" "$(wc -l <"$T/want.ethernet")" \
		"$(cat "$T/packed" | nfac scan -c -p "$T/needle" - 2>/dev/null)"
	head -c -20 "$T/packed" >"$T/packed.cut"
	gives 2 "one that is cut" nfac scan -c -p "$T/needle" "$T/packed.cut"
	like "is announced" "packed.cut: " "$(cat "$T/err")"
done
is "IPv6 in a frame of IPv4's type, and the reverse, is no IP" 0 \
	"$(nfac scan -c -p "$T/needle" "$T/mismatch.pcap" 2>/dev/null)"
refuses "link type that is not known" "link.pcap: link type .* not understood" \
	nfac scan -p "$T/needle" "$T/link.pcap"
printf 'needle' >"$T/fake.pcap"
refuses "file that is no capture" "fake.pcap: not a capture" nfac scan --pcap -p "$T/needle" "$T/fake.pcap"
gives 0 "by content it is text" nfac scan --json -p "$T/needle" "$T/fake.pcap"
is "searched as such" null "$(jq .packet "$T/out")"
# pcap in either byte order with microseconds and nanoseconds, pcapng in either, Kuznetzov's pcap
python3 - "$T/ethernet.pcap" "$T" <<'END'
import struct
import sys

data = open(sys.argv[1], "rb").read()
packets, at = [], 24
while at < len(data):
    seconds, _, there, sent = struct.unpack_from("<IIII", data, at)
    packets.append((seconds, there, sent, data[at + 16:at + 16 + there]))
    at += 16 + there


def block(order, kind, body):
    body += bytes(-len(body) % 4)
    size = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + size + body + size


for order in "<>":
    for magic in 0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34:
        with open(f"{sys.argv[2]}/magic-{magic:x}-{'lb'[order == '>']}", "wb") as f:
            f.write(struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, 1))
            for seconds, there, sent, frame in packets:
                f.write(struct.pack(order + "IIII", seconds, 0, there, sent))
                f.write(bytes(8 if magic == 0xa1b2cd34 else 0) + frame)
    with open(f"{sys.argv[2]}/magic-ng-{'lb'[order == '>']}", "wb") as f:
        f.write(block(order, 0x0a0d0d0a, struct.pack(order + "IHHq", 0x1a2b3c4d, 1, 0, -1)))
        f.write(block(order, 1, struct.pack(order + "HHI", 1, 0, 65535)))
        for seconds, there, sent, frame in packets:
            f.write(block(order, 6, struct.pack(order + "IIIII", 0, 0, 0, there, sent) + frame))
END
for file in "$T"/magic-*; do
	gives 0 "${file##*/} is a capture by its content" nfac scan --json -p "$T/needle" "$file"
	is "its packets are searched" "$(cat "$T/want.ethernet")" "$(jq -r '"\(.packet) \(.offset)"' "$T/out")"
	is "as from a pipe" "$(wc -l <"$T/want.ethernet")" \
		"$(cat "$file" | nfac scan -c -p "$T/needle" - 2>/dev/null)"
	is "and compressed" "$(wc -l <"$T/want.ethernet")" \
		"$(gzip -c "$file" | nfac scan -c -p "$T/needle" - 2>/dev/null)"
done
refuses "missing capture" "none.pcap: No such file" nfac scan -p "$T/needle" "$T/none.pcap"
mkdir "$T/dir.pcap"
refuses "folder" "dir.pcap: this is a directory" nfac scan -p "$T/needle" "$T/dir.pcap"

lists=()
for f in "$DATA"/crs/*.data; do
	lists+=(-p "$f")
done
python3 "$HERE/oracle.py" capture "$DATA/crs-attacks.pcap.gz" "$DATA"/crs/*.data >"$T/want"
gives 0 "CRS attacks, all CRS phrases" \
	nfac scan --json --format crs --decode none "${lists[@]}" "$DATA/crs-attacks.pcap.gz"
jq -r '"\(.packet) \(.id) \(.offset) \(.length)"' "$T/out" >"$T/got"
gives 0 "agree with a naive search, $(wc -l <"$T/want") matches" \
	cmp <(sort "$T/want") <(sort "$T/got")
is "in the order of ends" "" "$(awk '
	$1 == packet && ($3 + $4 < end || ($3 + $4 == end && $4 > length_)) { print }
	{ packet = $1; end = $3 + $4; length_ = $4 }' "$T/got" | head -3)"
python3 "$HERE/oracle.py" capture "$DATA/benign-http.pcap.gz" "$WORDS" >"$T/want"
nfac scan --json -p "$WORDS" "$DATA/benign-http.pcap.gz" 2>/dev/null |
	jq -r '"\(.packet) \(.id) \(.offset) \(.length)"' >"$T/got"
gives 0 "ordinary visits, the reference list: $(wc -l <"$T/want") matches" cmp "$T/want" "$T/got"
