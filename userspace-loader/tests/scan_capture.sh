#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: what `nfac scan` makes of the matches of captures, besides printing them: --summary adds
# up what --json prints, --eve prints alerts of Suricata's schema with the capture's times and
# addresses, --write and --flow write the packets and connections that tcpdump finds by their
# numbers and ports, --interface searches what passes an interface; and the bar of a long search.

. "$(dirname "$0")/lib.sh"

ATTACKS=$DATA/crs-attacks.pcap.gz BENIGN=$DATA/benign-http.pcap.gz
PHRASES=(--format crs -p "$DATA/crs/sql-errors.data" -p "$DATA/crs/lfi-os-files.data")
RULES=(--format suricata -q -p "$DATA/et/emerging-exploit.rules" -p "$DATA/et/emerging-web_server.rules")

# sums DESC OPTION... CAPTURE...: --summary --json against what --stream --json prints
sums()
{
	local desc=$1

	shift
	nfac scan --stream --json "$@" 2>/dev/null >"$T/json"
	gives 0 "--summary: $desc" nfac scan --stream --summary --json "$@"
	mv "$T/out" "$T/summary"
	is "by pattern: $desc" "$(jq -rs 'group_by(.id)[] | "\(.[0].id) \(length) \(map(select(.inexact)) | length) \(map([.file, .packet]) | unique | length)"' "$T/json" | sort)" \
		"$(jq -r '.patterns[] | "\(.id) \(.matches) \(.inexact) \(.packets)"' "$T/summary" | sort)"
	is "by source: $desc" "$(jq -rs 'group_by(.src)[] | "\(.[0].src) \(length) \(map(.id) | unique | length)"' "$T/json" | sort)" \
		"$(jq -r '.sources[] | "\(.address) \(.matches) \(.patterns)"' "$T/summary" | sort)"
	is "by destination: $desc" "$(jq -rs 'group_by(.dst)[] | "\(.[0].dst) \(length)"' "$T/json" | sort)" \
		"$(jq -r '.destinations[] | "\(.address) \(.matches)"' "$T/summary" | sort)"
	is "all hours: $desc" "$(wc -l <"$T/json")" "$(jq '[.hours[].matches] | add' "$T/summary")"
}

sums "phrases" "${PHRASES[@]}" "$ATTACKS"
sums "two captures" "${PHRASES[@]}" "$ATTACKS" "$BENIGN"
is "their hours" "2023-11-14T22:00:00Z 2023-11-16T02:00:00Z" "$(jq -r '[.hours[].hour] | join(" ")' "$T/summary")"
is "all packets of both" "$(for f in "$ATTACKS" "$BENIGN"; do zcat "$f" | tcpdump -nr - 2>/dev/null; done | wc -l)" \
	"$(jq .packets "$T/summary")"
sums "rules" "${RULES[@]}" "$ATTACKS"
is "the most first" true "$(jq '[.patterns[].matches] | . == (sort | reverse)' "$T/summary")"
nfac scan --summary "${PHRASES[@]}" "$ATTACKS" >"$T/out" 2>/dev/null
like "as text: totals" "^20262 packets, 1.92 MiB, 2526 connections, 2023-11-14T22:13:20.000000Z to " "$(head -1 "$T/out")"
like "as text: a pattern" "^ +16 +0 +16 +16 +15  8?610: etc/passwd$|: etc/passwd$" "$(cat "$T/out")"
like "as text: the rest" "^ +[0-9]+ +[0-9]+ more$" "$(cat "$T/out")"
like "as text: an hour" " 2023-11-14T22:00:00Z$" "$(tail -1 "$T/out")"
python3 "$HERE/make_captures.py" "$T"
printf 'needle\n' >"$T/needle"
is "what was not inspected" '{"fragment":3,"truncated":4,"too_deep":1,"protocol":1,"encrypted":0,"not_ip":1}' \
	"$(nfac scan --summary --json -p "$T/needle" "$T/ethernet.pcap" 2>/dev/null | jq -c .not_inspected)"
gives 1 "nothing found" nfac scan --summary -e nowhere "$T/ethernet.pcap"
for bad in -c -l --count-matches --eve; do
	refuses "--summary with $bad" "goes without" nfac scan --summary $bad -p "$T/needle" "$T/ethernet.pcap"
done
refuses "--summary of text" "--summary and --write are for captures" nfac scan --summary -p "$T/needle" "$T/needle"

# alerts
python3 - "$T/application.pcap" <<'END'
import struct, sys
def frame(protocol, sport, dport, data):
    if protocol == 6:
        head = struct.pack(">HHIIBBHHH", sport, dport, 1, 1, 5 << 4, 24, 1024, 0, 0)
    else:
        head = struct.pack(">HHHH", sport, dport, 8 + len(data), 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(head) + len(data), 0, 0, 64, protocol, 0, b"\n\0\0\1", b"\n\0\0\2")
    return bytes(12) + b"\x08\0" + ip + head + data
name = b"needle.example"
sni = struct.pack(">HHHBH", 0, len(name) + 5, len(name) + 3, 0, len(name)) + name
hello = b"\3\3" + bytes(32) + b"\0" + b"\0\2\x13\1" + b"\1\0" + struct.pack(">H", len(sni)) + sni
hello = b"\1" + struct.pack(">I", len(hello))[1:] + hello
frames = [
    frame(6, 1000, 80, b"GET /needle?\xff HTTP/1.1\r\nHost: Example.com\r\nReferer: http://r/\r\n\r\n"),
    frame(6, 80, 1000, b"HTTP/1.1 404 Not needle\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"),
    frame(17, 1000, 53, struct.pack(">6H", 1, 256, 1, 0, 0, 0) + b"\6needle\7example\0\0\1\0\1"),
    frame(6, 1000, 443, b"\x16\3\1" + struct.pack(">H", len(hello)) + hello),
    frame(6, 1000, 9, b"a needle alone"),
    frame(17, 1000, 9, struct.pack(">6H", 1, 256, 1, 0, 0, 0) + b"no name: needle"),
]
with open(sys.argv[1], "wb") as f:
    f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    for one in frames:
        f.write(struct.pack("<4I", 1700000000, 0, len(one), len(one)) + one)
END
nfac scan --eve -e needle "$T/application.pcap" >"$T/eve" 2>/dev/null
is "--eve: HTTP, DNS and TLS" '["http",{"hostname":"example.com","url":"/needle?\\xff","http_refer":"http://r/","http_method":"GET","protocol":"HTTP/1.1"},null,null]
["http",{"http_content_type":"text/plain","protocol":"HTTP/1.1","status":404},null,null]
["dns",null,[{"type":"query","rrname":"needle.example"}],null]
["tls",null,null,{"sni":"needle.example"}]
[null,null,null,null]
[null,null,null,null]' "$(jq -c '[.app_proto, .http, .dns.query, .tls]' "$T/eve")"
is "as Suricata's schema has them" "6 lines" "$(python3 "$HERE/eve_schema.py" <"$T/eve")"
nfac scan --eve "${PHRASES[@]}" "$ATTACKS" >"$T/eve" 2>/dev/null
is "--eve: Suricata's schema" "$(nfac scan --count-matches "${PHRASES[@]}" "$ATTACKS" 2>/dev/null) lines" \
	"$(python3 "$HERE/eve_schema.py" <"$T/eve")"
is "--eve: what HTTP says" '{"hostname":"localhost","url":"/get?foo=.../.../WINDOWS/win.ini","http_user_agent":"OWASP CRS test agent","http_method":"GET","protocol":"HTTP/1.1"}' \
	"$(jq -c 'select(.app_proto == "http") | .http | select(.url // "" | test("win.ini$"))' "$T/eve" | sort -u | grep -F '/get?foo=.../.../W')"
is "--eve: patterns have a group of their own" 1000 "$(jq .alert.gid "$T/eve" | sort -u)"
nfac scan --stream --json "${PHRASES[@]}" "$ATTACKS" >"$T/json" 2>/dev/null
is "--eve: addresses, ports, ids and packets are those of --json" \
	"$(jq -c '[.id, .packet, .offset, .length, .src, .sport, .dst, .dport]' "$T/json" | sort)" \
	"$(jq -c '[.alert.signature_id, (.alert.metadata | .nfac_packet, .nfac_offset, .nfac_length | .[0] | tonumber), .src_ip, .src_port, .dest_ip, .dest_port]' "$T/eve" | sort)"
is "--eve: the capture's times" \
	"$(zcat "$ATTACKS" | TZ=UTC tcpdump -tttt -nr - 2>/dev/null | awk '{ print $1 "T" $2 "+0000" }' >"$T/times"
		jq -r .packet "$T/json" | sort -n | while read -r n; do sed -n "${n}p" "$T/times"; done | sort)" \
	"$(jq -r .timestamp "$T/eve" | sort)"
is "--eve: the set's name" phrases "$(nfac compile --format crs -q -o "$T/phrases.nfac" "$DATA/crs/sql-errors.data" >/dev/null
	nfac scan --eve -s "$T/phrases.nfac" "$ATTACKS" 2>/dev/null | jq -r '.alert.metadata.nfac_set[0]' | sort -u)"
nfac scan --stream --eve "${RULES[@]}" "$ATTACKS" >"$T/eve" 2>/dev/null
like "--eve of rules" "^[1-9][0-9]+ lines$" "$(python3 "$HERE/eve_schema.py" <"$T/eve")"
is "inexact ones say so" "$(nfac scan --stream --json "${RULES[@]}" "$ATTACKS" 2>/dev/null | grep -c '"inexact":true')" \
	"$(grep -c nfac_inexact "$T/eve")"
# times of pcapng: microseconds, nanoseconds, 2^-36 s and 2^-20 s with an offset; in 2500, which is none
python3 - "$T/times.pcapng" <<'END'
import struct, sys
def block(kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)
def option(code, value):
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)
packet = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 34, 0, 0, 64, 17, 0, b"\x0a\0\0\1", b"\x0a\0\0\2") + struct.pack(">4H", 9, 9, 14, 0) + b"needle"
out = block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))
cases = [(None, 0, 1700000000 * 10**6 + 123456), (9, 0, 1700000000 * 10**9 + 123456999), (0x80 | 36, 1600000000, (100000000 << 36) + (1 << 35)),
         (0x80 | 20, 1600000000, (100000000 << 20) + (1 << 18)), (6, 0, 16725225600 * 10**6)]
for resolution, offset, _ in cases:
    options = b"" if resolution is None else option(9, bytes([resolution]))
    options += option(14, struct.pack("<q", offset)) if offset else b""
    out += block(1, struct.pack("<HHI", 101, 0, 0) + options + option(0, b""))
for i, (_, _, time) in enumerate(cases):
    out += block(6, struct.pack("<5I", i, time >> 32, time & 0xffffffff, len(packet), len(packet)) + packet)
open(sys.argv[1], "wb").write(out)
END
is "times of pcapng, of any resolution" "2023-11-14T22:13:20.123456+0000
2023-11-14T22:13:20.123456+0000
2023-11-14T22:13:20.500000+0000
2023-11-14T22:13:20.250000+0000
1970-01-01T00:00:00.000000+0000" "$(nfac scan --eve -p "$T/needle" "$T/times.pcapng" | jq -r .timestamp)"
refuses "--eve with --json" "goes without" nfac scan --eve --json -p "$T/needle" "$T/ethernet.pcap"
refuses "--eve of text" "are for captures" nfac scan --eve -p "$T/needle" "$T/needle"

# packets
frames() { python3 - "$@" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import gzip, struct
data = open(sys.argv[2], "rb").read()
data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
unit = 1000 if data[:4] == struct.pack("<I", 0xa1b2c3d4) else 1
want = set(map(int, open(sys.argv[3]).read().split())) if len(sys.argv) > 3 else None
at, n = 24, 0
while at < len(data):
    s, u, length, sent = struct.unpack_from("<4I", data, at)
    n += 1
    if want is None or n in want:
        print(s, u * unit, sent, data[at + 16:at + 16 + length].hex())
    at += 16 + length
END
}
written()	# CAPTURE NUMBERS-FILE HITS: are these the packets of these numbers?
{
	frames . "$1" "$2" >"$T/want.frames"
	frames . "$3" >"$T/got.frames"
	cmp -s "$T/want.frames" "$T/got.frames" && [ -s "$T/got.frames" ] && echo "$(wc -l <"$T/got.frames") the same"
}
gives 0 "--write" nfac scan -c --write "$T/hits.pcap" "${PHRASES[@]}" "$ATTACKS"
jq .packet "$T/json" | sort -u >"$T/numbers"
is "the packets that match, with their times and lengths" "$(wc -l <"$T/numbers") the same" \
	"$(written "$ATTACKS" "$T/numbers" "$T/hits.pcap")"
is "in which the same is found" "$(wc -l <"$T/json")" "$(nfac scan --count-matches "${PHRASES[@]}" "$T/hits.pcap" 2>/dev/null)"
nfac scan --write - "${PHRASES[@]}" "$ATTACKS" 2>/dev/null >"$T/stdout.pcap"
is "--write -: the same on standard output" "" "$(cmp "$T/hits.pcap" "$T/stdout.pcap" 2>&1)"
zcat "$ATTACKS" | nfac scan -c --write "$T/piped.pcap" "${PHRASES[@]}" - >/dev/null 2>&1
is "from a pipe" "" "$(cmp "$T/hits.pcap" "$T/piped.pcap" 2>&1)"
gives 0 "rules that hold over streams: a second pass" nfac scan --stream -c --write "$T/hits.pcap" "${RULES[@]}" "$ATTACKS"
nfac scan --stream --json "${RULES[@]}" "$ATTACKS" 2>/dev/null | jq .packet | sort -u >"$T/numbers"
is "the packets that they are reported with" "$(wc -l <"$T/numbers") the same" \
	"$(written "$ATTACKS" "$T/numbers" "$T/hits.pcap")"
gives 0 "--flow" nfac scan -c --flow --write "$T/flows.pcap" "${PHRASES[@]}" "$ATTACKS"
zcat "$ATTACKS" | tcpdump -nr - 2>/dev/null >"$T/dump"
jq -r '"\(.src).\(.sport)"' "$T/json" | sort -u >"$T/clients"
jq -r '"\(.dst).\(.dport)"' "$T/json" | sort -u >>"$T/clients"
grep -v '\.80$' "$T/clients" >"$T/ends"
grep -nFf <(sed 's/.*/&:/; s/^/ /' "$T/ends"; sed 's/.*/ & >/' "$T/ends") "$T/dump" | cut -d: -f1 >"$T/numbers"
is "all packets of the connections that match" "$(wc -l <"$T/numbers") the same" \
	"$(written "$ATTACKS" "$T/numbers" "$T/flows.pcap")"
gives 1 "nothing matches" nfac scan --write "$T/none.pcap" -e nowhere "$T/ethernet.pcap"
is "is a capture without packets" 24 "$(stat -c %s "$T/none.pcap")"
gives 0 "no link header" nfac scan --write "$T/hits.pcap" -p "$T/needle" "$T/raw.pcap"
gives 0 "can be read again" nfac scan -c -p "$T/needle" "$T/hits.pcap"
gives 2 "two link types" nfac scan --write "$T/hits.pcap" -p "$T/needle" "$T/ethernet.pcap" "$T/raw.pcap"
like "the second is left out, and counted" "hits.pcap: [1-9][0-9]* packets left out: their link type" "$(cat "$T/err")"
refuses "--flow without --write" "--flow is for --write" nfac scan --flow -p "$T/needle" "$T/ethernet.pcap"
refuses "--flow of a pipe" "store it in a file first" nfac scan --flow --write "$T/x" -p "$T/needle" <(cat "$T/ethernet.pcap")
refuses "a file that cannot be made" "No such file" nfac scan --write "$T/none/x" -p "$T/needle" "$T/ethernet.pcap"

# an interface, in a namespace of its own
cat >"$T/live.sh" <<'END'
ip link set lo up
"$NFAC" scan "$@" >"$T/live.out" 2>"$T/live.err" &
pid=$!
for _ in $(seq 100); do
	grep -q listening "$T/live.err" && break
	sleep 0.05
done
python3 - <<'PY'
import socket
receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.bind(("127.0.0.1", 9))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for text in b"one needle", b"nothing", b"needle and needle":
    s.sendto(text, ("127.0.0.1", 9))
PY
# what was found is printed while it runs
for _ in $(seq 100); do
	[ "$(wc -c <"$T/live.out")" -gt 20 ] && break
	sleep 0.05
done
cp "$T/live.out" "$T/live.early"
sleep 0.3
kill -INT $pid
# an end that does not come is a failure, and no test without an end
for _ in $(seq 100); do
	kill -0 $pid 2>/dev/null || break
	sleep 0.05
done
kill -9 $pid 2>/dev/null
wait $pid
echo $? >"$T/live.rc"
END
export NFAC T
live() { unshare -n bash "$T/live.sh" --interface lo -e needle "$@" 2>"$T/err"; }
if unshare -n true 2>/dev/null; then
	live --json --stream
	is "--interface: matches" '[1,4,"127.0.0.1",9] [3,0,"127.0.0.1",9] [3,11,"127.0.0.1",9]' \
		"$(jq -c '[.packet, .offset, .dst, .dport]' "$T/live.out" | xargs -d '\n')"
	is "are printed as they come" "$(cat "$T/live.out")" "$(cat "$T/live.early")"
	is "an interrupt ends it: found" 0 "$(cat "$T/live.rc")"
	live --summary --json
	is "with --summary" "3 3 2" "$(jq -r '"\(.packets) \(.matches) \(.matched_packets)"' "$T/live.out")"
	live -c --write "$T/live.pcap"
	is "with --write" 2 "$(tcpdump -nr "$T/live.pcap" 2>/dev/null | wc -l)"
	refuses "an interface that is not there" "^nfac: nowhere: ([^:]*: )?No such device( exists)?$" unshare -n "$NFAC" scan --interface nowhere -e a
else
	skip "--interface" "no network namespace: not root, or not in this container"
fi
refuses "--interface with an input" "goes without inputs" nfac scan --interface lo -e a "$T/needle"

# Several captures are searched by several threads: what one prints, they print
cp "$T/needle" "$T/text"
zcat "$ATTACKS" >"$T/attacks.pcap"
mkdir "$T/folder"
for i in 1 2 3; do
	cp "$T/ethernet.pcap" "$T/folder/ethernet$i"
	cp "$BENIGN" "$T/folder/benign$i"
	cp "$ATTACKS" "$T/folder/attacks$i"
done
same()	# ARGUMENT...: by one thread and by several, on both outputs
{
	"$NFAC" scan -j1 "$@" >"$T/one.out" 2>"$T/one.err"
	local one=$? more
	"$NFAC" scan -j3 "$@" >"$T/more.out" 2>"$T/more.err"
	more=$?
	is "-j3 as -j1: ${*//$T\//}" "$one $(md5sum <"$T/one.out") $(cat "$T/one.err")" \
		"$more $(md5sum <"$T/more.out") $(cat "$T/more.err")"
}
for how in "" --json --stream "--json --stream" --eve "-A 1" -c -l -L --count-matches --pcap; do
	# shellcheck disable=SC2086 # words
	same $how "${PHRASES[@]}" "$T/attacks.pcap" "$T/text" "$BENIGN" "$T/ethernet.pcap" "$T/nowhere" "$ATTACKS"
	# shellcheck disable=SC2086
	same -r $how -e needle -e passwd "$T/folder"
done
for how in --json "--json --stream" "--json --stream --confirm" --summary; do
	# shellcheck disable=SC2086
	same $how "${RULES[@]}" "$T/attacks.pcap" "$BENIGN" "$ATTACKS" "$T/ethernet.pcap"
done
"$NFAC" scan -j3 -r --json "${PHRASES[@]}" "$T/folder" 2>/dev/null | head -1 >/dev/null
is "a reader that ends" "141 0" "${PIPESTATUS[0]} ${PIPESTATUS[1]}"

# A search lasts as long as the reader of its output takes: this one sleeps past the second without a bar.
python3 - "$T" <<'END'
import struct, sys
frame = bytes(12) + b"\x08\x00" + struct.pack(">BBHHHBBH4s4s", 0x45, 0, 1428, 0, 0, 64, 17, 0, b"\x0a\0\0\1", b"\x0a\0\0\2") \
    + struct.pack(">4H", 9, 9, 1408, 0) + b"needle" + bytes(1394)
with open(sys.argv[1] + "/long.pcap", "wb") as f:
    f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    f.write((struct.pack("<4I", 1700000000, 0, len(frame), len(frame)) + frame) * 20000)
END
gzip -1 "$T/long.pcap"
TERM=xterm script -qec "$NFAC scan -e needle $T/long.pcap.gz | (sleep 1.5; cat >/dev/null)" "$T/bars" >/dev/null </dev/null
like "a long search has a bar, with its rate" 'long.pcap.gz \[#+\.*\] +[0-9]+ % [0-9.]+ [kM]B/s, [0-9]+ s left' "$(tr '\r' '\n' <"$T/bars")"
is "which is gone at the end" "" "$(tr '\r' '\n' <"$T/bars" | tr -d '\033' | sed -n '/^\[K/s/^\[K//p' | grep -v '^$' | grep '#' | tail -1)"
# more than a thread may have printed before its output is read
TERM=xterm script -qec "$NFAC scan -j3 -e n -e e -e d -e l -e ne -e ee -e ed -e dl -e le -e needle $T/long.pcap.gz $T/ethernet.pcap | (sleep 1.5; cat >/dev/null)" "$T/bars" >/dev/null </dev/null
like "by several threads, too" 'long.pcap.gz \[#+\.*\] +[0-9]+ % [0-9.]+ [kM]B/s, [0-9]+ s left' "$(tr '\r' '\n' <"$T/bars")"
TERM=xterm script -qec "$NFAC scan -c -e needle $T/ethernet.pcap >$T/count" "$T/bars" >/dev/null </dev/null
is "a short one has none" "" "$(grep -a '#' "$T/bars" | grep -v '^Script')"
nfac scan -c -e needle "$T/long.pcap.gz" >"$T/out" 2>"$T/err"
is "nor one without a terminal" "" "$(cat "$T/err")"
