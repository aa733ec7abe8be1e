#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: a rule that was not evaluated is counted, and one that waits for bytes is evaluated
# when its connection is forgotten.

. "$(dirname "$0")/lib.sh"

# capture LINES-OF-PYTHON: packets of raw IPv4, made by tcp() and udp()
capture()
{
	python3 - "$T/c.pcap" <<END
import socket, struct, sys

packets = []

def ip(protocol, source, payload):
    packets.append(struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 1, 0, 64, protocol, 0,
                               source, socket.inet_aton("10.0.0.1")) + payload)

def tcp(seq, flags, data=b"", port=4000):
    ip(6, socket.inet_aton("10.0.0.2"),
       struct.pack("!HHIIBBHHH", port, 80, seq, 1, 0x50, flags, 8192, 0, 0) + data)

def answer(seq, flags, data=b"", port=4000):
    packets.append(struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40 + len(data), 1, 0, 64, 6, 0,
                               socket.inet_aton("10.0.0.1"), socket.inet_aton("10.0.0.2")) +
                   struct.pack("!HHIIBBHHH", 80, port, seq, 1, 0x50, flags, 8192, 0, 0) + data)

def udp(number, data=b"x"):
    ip(17, struct.pack("!I", 0x0b000000 + (number >> 8)),
       struct.pack("!HHHH", 1000 + (number & 255), 9, 8 + len(data), 0) + data)

$1
with open(sys.argv[1], "wb") as out:
    out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
    for packet in packets:
        out.write(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)
END
}

for i in $(seq 100 399); do
	echo "alert tcp any any -> any any (content:\"word$i\"; sid:$i;)"
done >"$T/many.rules"
capture 'words = "".join("word%d" % i for i in range(100, 400)).encode()
tcp(0, 2)
tcp(1, 0x18, words)'
for mode in "" --stream; do
	# shellcheck disable=SC2086
	nfac scan -c -q $mode --format suricata -p "$T/many.rules" "$T/c.pcap" >"$T/out" 2>"$T/err"
	over=$(sed -n 's/.* \([0-9]*\) rules not evaluated to the end: budget/\1/p' "$T/err")
	is "more anchors than are collected${mode:+, $mode}: 256 rules hold, or the budget ended them" \
		256 $(($(cat "$T/out") + over))
	like "those beyond count" '1 packets with more than 256 anchors' "$(cat "$T/err")"
done

echo 'alert http any any -> any any (http.request_body; content:"evil"; content:!"good"; sid:1;)' \
	>"$T/body.rules"
capture 'tcp(0, 2)
tcp(1, 0x18, b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nevil")
for i in range(65600):
    udp(i)'
gives 0 "a body that never ends, of a connection that made room" \
	nfac scan --json -q --stream --format suricata -p "$T/body.rules" "$T/c.pcap"
is "is evaluated as far as it came" '1 2' "$(jq -r '"\(.id) \(.packet)"' "$T/out")"

echo 'alert tcp any any -> any 80 (content:"345"; dsize:3; sid:2;)' >"$T/size.rules"
capture 'tcp(0, 2)
answer(0, 0x12)
tcp(1, 0x18, b"0123456789")
answer(1, 0x18, b"345")'
gives 1 "a rule about one packet does not hold over the other side's packet" \
	nfac scan -q --stream --format suricata -p "$T/size.rules" "$T/c.pcap"
capture 'tcp(0, 2)
tcp(1, 0x18, b"345")'
gives 0 "it holds over its own" nfac scan -q --stream --format suricata -p "$T/size.rules" "$T/c.pcap"

# what a rule says about itself
cat >"$T/details.rules" <<'END'
alert tcp any any -> any any (msg:"low"; content:"word"; sid:7; rev:2; classtype:trojan-activity;)
alert tcp any any -> any any (msg:"high"; content:"word"; sid:7; rev:3; classtype:bad-unknown; metadata:a b, a c d, e f;)
alert tcp any any -> any any (msg:"old"; content:"word"; sid:7; rev:1; priority:1;)
alert tcp any any -> any any (msg:"other group"; content:"word"; gid:2; sid:7; priority:1;)
alert tcp any any -> any any (content:"word"; sid:4294967295;)
END
capture 'tcp(0, 2)
tcp(1, 0x18, b"a word")'
gives 0 "rules with details" \
	nfac scan --json --format suricata -p "$T/details.rules" "$T/c.pcap"
is "the higher revision counts, and each group has its own numbers" \
	'1 7 3 2 high bad-unknown {"a":["b","c d"],"e":["f"]}
2 7 0 1 other group null null
1 4294967295 0 3 null null null' \
	"$(jq -r '"\(.gid) \(.id) \(.rev) \(.priority) \(.msg) \(.classtype) \(.metadata)"' "$T/out")"
like "the lower revision is left out" 'details.rules:1: sid 7: left out: .*:2 has a higher' \
	"$(cat "$T/err")"
like "and one that comes later" 'details.rules:3: sid 7: left out: .*:2 has this number' \
	"$(cat "$T/err")"

# what a rule checks, and how near it came
cat >"$T/near.rules" <<'END'
alert tcp any any -> any [80,443] (content:"word"; nocase; offset:2; content:!"end"; distance:0; sid:1;)
alert http any any -> any any (http.method; content:"POST"; http.uri; content:"/b"; startswith; sid:2;)
alert tcp any any -> any 25 (content:"word"; sid:3;)
alert tcp any any -> any any (content:"elsewhere"; sid:4;)
alert http any any -> any any (http.uri; content:"/word"; http.header; content:"X-A"; content:"1"; within:3; sid:5;)
END
nfac compile -q --format suricata -o "$T/near.nfac" "$T/near.rules" 2>/dev/null >&2
gives 0 "explain" nfac explain "$T/near.nfac" 1
is "prints the program" 'gid 1 sid 1 rev 0
  looks for "word"
  protocol 6
  destination port 80, 443
  payload: contains "word" in either case, offset 2 (anchor)
  payload: does not contain "end", distance 0' "$(cat "$T/out")"
gives 1 "explain: no such sid" nfac explain "$T/near.nfac" 6
refuses "explain: not a sid" "not a number" nfac explain "$T/near.nfac" x
capture 'tcp(0, 2)
tcp(1, 0x18, b"GET /word HTTP/1.1\r\nX-A: yes1\r\n\r\n")
tcp(34, 0x18, b"POST /a HTTP/1.1\r\n\r\n")'
gives 0 "test" nfac test "$T/near.nfac" "$T/c.pcap"
is "prints what held, came near, and why not" "sid 1: holds, first in packet 2 of $T/c.pcap, at offset 5
sid 2: came near in packet 3 of $T/c.pcap, by \"POST\" at offset 0; failed: http.uri: contains \"/b\", offset 0, depth 2
sid 3: came near in packet 2 of $T/c.pcap, by \"word\" at offset 5; failed: destination port 25
sid 4: its anchor \"elsewhere\" is in no packet
sid 5: came near in packet 2 of $T/c.pcap, by \"/word\" at offset 4; failed: http.header: contains \"1\", within 3" \
	"$(cat "$T/out")"
refuses "test: no rules" "no rules" nfac test "$WORDS" "$T/c.pcap"

# pcre, which user space checks
cat >"$T/pcre.rules" <<'END'
alert tcp any any -> any any (content:"key"; pcre:"/key=\d{3}/"; sid:1;)
alert tcp any any -> any any (content:"key"; pcre:"/key=\d{4}/"; sid:2;)
alert tcp any any -> any any (content:"key"; pcre:!"/key=\d{4}/"; sid:3;)
alert tcp any any -> any any (content:"key"; pcre:"/^=\d/R"; content:"23"; distance:0; within:2; sid:4;)
alert tcp any any -> any any (content:"key"; pcre:"/^=\d/R"; content:"23"; distance:1; within:2; sid:5;)
alert http any any -> any any (content:"GET"; http_method; pcre:"/^\/A\/b$/Ui"; sid:6;)
alert http any any -> any any (http.method; content:"GET"; http.uri; pcre:"/^\/A\/b$/"; sid:7;)
alert tcp any any -> any any (content:"GET"; pcre:"/[a-z]=\d/"; content:"99"; distance:0; within:2; sid:8;)
END
capture 'tcp(0, 2)
tcp(1, 0x18, b"GET /a/b HTTP/1.1\r\nX: key=123 a=1 b=299\r\n\r\n")'
gives 0 "rules with pcre" nfac scan --json --stream -q --format suricata -p "$T/pcre.rules" "$T/c.pcap"
is "are inexact in the kernel" "1 2 3 4 5 6 7 8" "$(jq -r 'select(.inexact).id' "$T/out" | sort -n | xargs)"
like "and counted as exact with --confirm" '8 rules: 0 exact, 8 exact with --confirm, 0 inexact, 0 refused' \
	"$(cat "$T/err")"
for mode in "" --stream; do
	# shellcheck disable=SC2086
	gives 0 "${mode:-packets}, with --confirm" \
		nfac scan --json --confirm $mode -q --format suricata -p "$T/pcre.rules" "$T/c.pcap"
	is "those hold whose expressions match" "1 3 4 6 8" "$(jq -r .id "$T/out" | sort -n | xargs)"
	is "and are exact" "" "$(jq -r 'select(.inexact).id' "$T/out")"
done
nfac compile -q --format suricata -o "$T/pcre.nfac" "$T/pcre.rules" >/dev/null 2>&1
gives 0 "explain" nfac explain "$T/pcre.nfac" 4
like "names the expression" 'payload: matches pcre 1 behind the last match' "$(cat "$T/out")"

# certificates, each by itself
for name in first second; do
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -subj "/CN=$name.example" \
		-keyout "$T/key" -outform DER -out "$T/$name.der" 2>/dev/null
done
cat >"$T/certs.rules" <<'END'
alert tls any any -> any any (tls.certs; content:"first.example"; sid:1;)
alert tls any any -> any any (tls.certs; content:"second.example"; sid:2;)
alert tls any any -> any any (tls.certs; content:"first.example"; content:"second.example"; sid:3;)
alert tls any any -> any any (tls.cert_subject; content:"CN=first.example"; tls.certs; content:"second.example"; sid:4;)
alert tls any any -> any any (tls.cert_subject; content:"CN=second.example"; sid:5;)
alert tls any any -> any any (tls.certs; content:!"first.example"; content:"example"; sid:6;)
alert tls any any -> any any (tls.certs; content:"|30|"; startswith; bsize:>5000; sid:7;)
END
capture 'certs = [open("'"$T"'/%s.der" % n, "rb").read() for n in ("first", "second")]
def vector(data): return len(data).to_bytes(3, "big") + data
def record(data): return b"\x16\x03\x03" + struct.pack("!H", len(data)) + data
message = b"\x0b" + vector(vector(b"".join(map(vector, certs))))
hello = record(b"\x02" + vector(b"\x03\x03" + bytes(32) + b"\0\x13\x01\0"))
client = record(b"\x01" + vector(b"\x03\x03" + bytes(32) + b"\0\0\x02\x13\x01\x01\0"))
flight = hello + record(message[:300]) + record(message[300:])
tcp(0, 2)
answer(0, 0x12)
tcp(1, 0x10)
tcp(1, 0x18, client)
answer(1, 0x18, flight[:500])
answer(501, 0x18, flight[500:])
tcp(1 + len(client), 0x11)
answer(1 + len(flight), 0x11)'
gives 0 "tls.certs" nfac scan --json --stream -q --format suricata -p "$T/certs.rules" "$T/c.pcap"
is "is each certificate of the chain" "1 2 4 6" "$(jq -r .id "$T/out" | sort -n | xargs)"

# how often a rule is reported
cat >"$T/often.rules" <<'END'
alert udp any any -> any any (content:"x"; threshold:type limit, track by_src, count 2, seconds 60; sid:1;)
alert udp any any -> any any (content:"x"; threshold:type threshold, track by_src, count 3, seconds 60; sid:2;)
alert udp any any -> any any (content:"x"; threshold:type both, track by_dst, count 3, seconds 60; sid:3;)
alert udp any any -> any any (content:"x"; detection_filter:track by_src, count 8, seconds 60; sid:4;)
alert udp any any -> any any (content:"x"; threshold:type both, track by_rule, count 30, seconds 60; sid:5;)
END
capture 'for i in range(10):
    udp(0)
    udp(256)'
gives 0 "thresholds" nfac scan --json -q --confirm --format suricata -p "$T/often.rules" "$T/c.pcap"
is "count for each address" "1 4, 2 6, 3 1, 4 4" "$(jq -r .id "$T/out" | sort -n | uniq -c |
	awk '{ printf "%s%s %s", (NR > 1 ? ", " : ""), $2, $1 }')"
is "and are exact" "" "$(jq -r 'select(.inexact).id' "$T/out")"
gives 0 "without --confirm" nfac scan --json -q --format suricata -p "$T/often.rules" "$T/c.pcap"
is "each one counts" "1 20 null, 2 20 true, 3 20 true, 4 20 true, 5 20 true" \
	"$(jq -r '"\(.id) \(.inexact)"' "$T/out" | sort | uniq -c |
		awk '{ printf "%s%s %s %s", (NR > 1 ? ", " : ""), $2, $1, $3 }')"

# ICMP, fragments, tunnels
cat >"$T/deep.rules" <<'END'
alert icmp any any -> any any (content:"pinged"; itype:8; icode:0; icmp_id:77; icmp_seq:3; sid:1;)
alert icmp any any -> any any (content:"pinged"; itype:0; sid:2;)
alert icmp any any -> any any (content:"pinged"; offset:0; depth:6; dsize:9; sid:3;)
alert udp any any -> any 9 (content:"in fragments"; sid:4;)
alert udp any any -> any 7 (content:"tunnel"; sid:5;)
alert ip any any -> any any (content:"pinged"; ip_proto:1; sid:6;)
alert icmp any any -> any any (content:"tunnel"; sid:7;)
alert ip any any -> any [1:65535] (content:"pinged"; sid:8;)
END
capture 'def packet(protocol, payload, flags=0, ident=1):
    return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), ident, flags, 64, protocol, 0,
                       socket.inet_aton("10.0.0.2"), socket.inet_aton("10.0.0.1")) + payload
def datagram(port, data):
    return struct.pack("!HHHH", 4000, port, 8 + len(data), 0) + data
ether = bytes(12) + b"\x08\x00"
inner = packet(17, datagram(7, b"in a tunnel"))
packets.append(packet(1, struct.pack("!BBHHH", 8, 0, 0, 77, 3) + b"pinged ok"))
whole = datagram(9, b"a word in fragments")
packets.append(packet(17, whole[16:], 2, 5))
packets.append(packet(17, whole[:16], 0x2000, 5))
packets.append(packet(17, whole[16:], 2, 6))
packets.append(packet(4, inner))
packets.append(packet(47, struct.pack("!HH", 0, 0x0800) + inner))
packets.append(packet(47, struct.pack("!HHI", 0x2000, 0x6558, 9) + ether + inner))
packets.append(packet(47, struct.pack("!HHI", 0x1000, 0x88be, 9) + bytes(8) + ether + inner))
packets.append(packet(17, datagram(4789, b"\x08" + bytes(7) + ether + inner)))
packets.append(packet(17, datagram(6081, b"\0\0\x65\x58" + bytes(4) + ether + inner)))
packets.append(packet(17, datagram(6081, b"\x01\0\x65\x58" + bytes(8) + ether + inner)))'
for mode in "" --stream; do
	# shellcheck disable=SC2086
	gives 0 "ICMP, fragments and tunnels $mode" \
		nfac scan --json $mode -q --format suricata -p "$T/deep.rules" "$T/c.pcap"
	is "are read" "1:1 3:1 4:3 5:10 5:11 5:5 5:6 5:7 5:8 5:9 6:1" \
		"$(jq -r '"\(.id):\(.packet)"' "$T/out" | sort | xargs)"
	like "a fragment is left" '1 packets not inspected: fragment' "$(cat "$T/err")"
done

# lists of domain names
cat >"$T/domains" <<'END'
# names, of several syntaxes
example.com
0.0.0.0 ads.test localhost # a hosts file
||Tracker.NET^
END
capture 'def query(name):
    labels = b"".join(bytes([len(l)]) + l for l in name.split(b"."))
    return b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0" + labels + b"\0\0\x01\0\x01"
def hello(name):
    name = b"\0\0" + struct.pack("!HHBH", len(name) + 5, len(name) + 3, 0, len(name)) + name
    body = b"\x03\x03" + bytes(32) + b"\0\0\x02\x13\x01\x01\0" + struct.pack("!H", len(name)) + name
    body = b"\x01" + len(body).to_bytes(3, "big") + body
    return b"\x16\x03\x01" + struct.pack("!H", len(body)) + body
def dns(data):
    ip(17, socket.inet_aton("10.0.0.2"), struct.pack("!HHHH", 4000, 53, 8 + len(data), 0) + data)
names = [b"example.com", b"A.EXAMPLE.com", b"badexample.com", b"example.com.org", b"ads.test", b"localhost",
         b"x.tracker.net", b"example.co"]
for name in names:
    dns(query(name))
for port, name in enumerate(names):
    for data in (hello(name), b"GET / HTTP/1.1\r\nHost: " + name + b":80\r\n\r\n"):
        port += 1000
        tcp(0, 2, port=port)
        tcp(1, 0x18, data, port=port)
tcp(0, 2)
tcp(1, 0x18, b"GET /example.com HTTP/1.1\r\nHost: x\r\nReferer: http://example.com/\r\n\r\n")'
for mode in "" --stream; do
	# shellcheck disable=SC2086
	gives 0 "domain names $mode" nfac scan --json $mode --format domains -p "$T/domains" "$T/c.pcap"
	is "match themselves and those below them" \
		"1 1 2 3 1 1 1 1 2 2 3 3" \
		"$(jq -r '"\(.packet) \(.id)"' "$T/out" | sort -n | cut -d' ' -f2- | xargs)"
	is "and have their names" '"ads.test" "example.com" "tracker.net"' "$(jq .pattern "$T/out" | sort -u | xargs -d '\n')"
done
bad_domains()
{
	printf '%s\n' "$2" >"$T/bad"
	refuses "no name: $1" "bad:1: .*$3" nfac compile --format domains "$T/bad"
}
bad_domains "an empty label" a..b 'a label is empty'
bad_domains "a wildcard" '*.example.com' 'not a name'
bad_domains "options" '||a.b^$third-party' 'not understood'
bad_domains "an exception" '@@||a.b^' 'not a name'
bad_domains "two names" 'a.b c.d' 'two names in a line'
bad_domains "a URL" 'http://a.b/' 'not a name'
bad_domains "a long label" "$(printf 'a%.0s' {1..64}).b" 'more than 63'

# compressed bodies, which user space unpacks
cat >"$T/packed.rules" <<'END'
alert http any any -> any any (file.data; content:"secret"; pcre:"/a secret/"; sid:1;)
alert http any any -> any any (http.response_body; content:"a secret"; sid:2;)
alert http any any -> any any (file.data; content:"elsewhere"; sid:3;)
END
capture 'import gzip, zlib
body = gzip.compress(b"word " * 9 + b"a secret", mtime=0)
plain = zlib.compressobj(wbits=-15)
bodies = [(b"gzip", body), (b"deflate", zlib.compress(b"a secret")), (b"gzip", body[:-5]),
          (b"deflate", plain.compress(b"a secret") + plain.flush()), (b"gzip", b"no gzip at all")]
for port, (how, data) in enumerate(bodies):
    port += 1000
    tcp(0, 2, port=port)
    answer(0, 0x12, port=port)
    tcp(1, 0x18, b"GET / HTTP/1.1\r\n\r\n", port=port)
    data = b"HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (how, len(data)) + data
    answer(1, 0x18, data[:80], port=port)
    answer(81, 0x18, data[80:], port=port)'
gives 0 "compressed bodies" \
	nfac scan --json --stream --confirm -q --format suricata -p "$T/packed.rules" "$T/c.pcap"
is "are unpacked" "4 1, 4 2" "$(jq -r .id "$T/out" | sort | uniq -c | xargs | sed 's/ 4/, 4/')"
gives 1 "without --confirm they are not searched" \
	nfac scan --json --stream -q --format suricata -p "$T/packed.rules" "$T/c.pcap"
