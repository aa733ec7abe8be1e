#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: which content is a rule's anchor, in which form; that conditions that are not checked,
# and rules that are left out, are listed; and what a bad rule says. Which rules hold over
# which packets is compared with Suricata itself: selftests/compare.

. "$(dirname "$0")/lib.sh"

O='msg:"m"; sid:7; rev:1;'

# anchor DESC "HEADER" OPTIONS PATTERN: the one pattern of the rule
anchor()
{
	printf '%s (%s %s)\n' "$2" "$3" "$O" >"$T/r.rules"
	nfac compile -q --format suricata -o "$T/r.nfac" "$T/r.rules" >"$T/out" 2>"$T/err" ||
		{ fail "$1" "$(cat "$T/err")"; return; }
	# a text that has the pattern shows it
	printf "$4" >"$T/text"
	is "$1" "7 0 $(stat -c %s "$T/text")" \
		"$(nfac scan --json -s "$T/r.nfac" "$T/text" | jq -r '"\(.id) \(.offset) \(.length)"' | sort -u)"
}

# reported DESC REGEX HEADER OPTIONS: stderr of the rule's compilation
reported()
{
	{ printf '%s (%s %s)\n' "$3" "$4" "$O"; echo 'alert tcp any any -> any any (content:"other"; msg:"o"; sid:8;)'; } >"$T/r.rules"
	nfac compile --format suricata "$T/r.rules" >"$T/out" 2>"$T/err"
	like "$1" "$2" "$(cat "$T/err")"
}

H='alert tcp any any -> any any'
W='alert http any any -> any any'
D='alert dns any any -> any any'
anchor "the longest content" "$H" 'content:"ab"; content:"longest"; content:"cde";' longest
anchor "fast_pattern" "$H" 'content:"longest"; content:"ab"; fast_pattern; content:"cde";' ab
anchor "fast_pattern:only" "$H" 'content:"longest"; content:"ab"; fast_pattern:only;' ab
anchor "a negated one is no anchor" "$H" 'content:!"longest"; content:"ab";' ab
anchor "hex" "$H" 'content:"a|0D 0a 7C|b|00|";' 'a\r\n|b\0'
anchor "escapes" "$H" 'content:"\"\;\:\\";' '";:\\'
anchor "a sticky buffer by its old name" "$W" 'http_request_line; content:"GET /evil"; http.method; content:"POST";' 'GET /evil'
anchor "one that is computed" "$W" 'content:"x.php"; http_uri; http_header_names; content:"|0d 0a|Referer|0d 0a|";' Referer
anchor "a sticky buffer" "$W" 'http.uri; content:"/etc"; http.method; content:"GET";' /etc
anchor "one that not every rule has" 'alert mqtt any any -> any any' 'mqtt.connect.clientid; content:"evil-client"; mqtt.type:CONNECT;' evil-client
anchor "a modifier" "$W" 'content:"/etc/x"; http_uri; content:"abc";' /etc/x
anchor "a header's name, without its line's end" "$W" 'http.header_names; content:"|0d 0a|Accept"; http.method; content:"GET";' Accept
anchor "fast_pattern in one" "$W" 'http.header_names; content:"|0d 0a|Accept"; fast_pattern; http.method; content:"GET";' Accept
anchor "a value of a distinguished name" 'alert tls any any -> any any' 'tls.cert_subject; content:"O=Evil Org, CN=x";' 'Evil Org'
anchor "nor decoded data" "$H" 'content:"abc"; base64_decode; base64_data; content:"decoded";' abc
anchor "pkt_data turns back" "$W" 'base64_data; content:"decoded"; pkt_data; content:"raw";' raw
anchor "nor what a transform changed" "$W" 'http.uri; strip_whitespace; content:"longest"; http.method; content:"GET";' GET
anchor "dns: a whole name" "$D" 'dns.query; content:"evil.com"; startswith; endswith;' '\004evil\003com\0'
anchor "dns: depth as long as the content begins it" "$D" 'dns.query; content:"evil.com"; depth:8; endswith;' '\004evil\003com\0'
anchor "dns: the end of a name" "$D" 'dns.query; content:"evil.com"; endswith;' 'evil\003com\0'
anchor "dns: dotprefix" "$D" 'dns.query; dotprefix; content:".evil.com"; endswith;' '\004evil\003com\0'
anchor "dns: in the middle, whole labels" "$D" 'dns.query; content:".evil.";' '\004evil'
anchor "dns: the longer side of an unknown length" "$D" 'dns.query; content:"abcdefgh.xy";' abcdefgh
anchor "dns: or the other" "$D" 'dns.query; content:"ab.cdefgh";' cdefgh
anchor "dns: without a dot" "$D" 'dns.query; content:"abc";' abc
anchor "dns: depth before offset begins nothing" "$D" 'dns.query; content:"evil.com"; depth:8; offset:2; endswith;' 'evil\003com\0'
anchor "dns: offset 0 behind depth does" "$D" 'dns.query; content:"evil.com"; depth:8; offset:0; endswith;' '\004evil\003com\0'
anchor "a buffer that may be absent has no anchor" "$W" 'http.uri; content:"/x"; http.referer; content:"a"; absent:or_else; content:"longest";' /x
anchor "wherever it is named" "$W" 'http.uri; absent: or_else; pcre:"/x/"; http.method; content:"GET"; http.uri; content:"longest";' GET
anchor "nor does a name that is UTF-16 in the packet" 'alert smb any any -> any any' 'content:"SMB"; file.name; content:"longest";' SMB
anchor "which is none elsewhere" "$W" 'http.method; content:"GET"; file.name; content:"longest";' longest
anchor "hex with commas" "$H" 'content:"|0d,0a|x|41, 42|";' '\r\nxAB'
anchor "hex with a blank in a byte" "$H" 'content:"|4 1|x|0 d 0a|";' 'Ax\r\n'
anchor "rule over two lines" "$H" 'content:"two \
lines";' 'two lines'

# comments do not go on, but what was a rule's other lines is none either
sed 's/~$/ \t /' >"$T/lines.rules" <<'END'
# note: C:\
alert tcp any any -> any any (content:"one"; sid:1;)
; neither is this a rule
#alert tcp any any -> any any ( \
    content:"off"; \
    sid:2;)
# alert tcp any any -> any any ( \
#    content:"off"; sid:3;)
alert tcp any any -> any any ( \~
    content:"two"; sid:4;)~
  alert tcp any any -> any any (content:"three"; sid:5;)
END
printf 'one two three off' >"$T/text"
is "comments, and rules made one" "1 4 5" \
	"$(nfac scan --json --format suricata -p "$T/lines.rules" "$T/text" 2>"$T/err" | jq -r .id | xargs)"
like "are not counted as rules" '^nfac: 3 rules: 3 exact' "$(cat "$T/err")"

cases()	# DESC OPTIONS TEXT COUNT
{
	printf '%s (%s %s)\n' "$H" "$2" "$O" >"$T/r.rules"
	printf "$3" >"$T/text"
	is "$1" "$4" "$(nfac scan -q --count-matches --format suricata -p "$T/r.rules" "$T/text" 2>/dev/null)"
}
cases "nocase" 'content:"Ab"; nocase;' 'ab AB Ab' 3
cases "keywords in capitals" 'CONTENT:"Ab"; NoCase;;' 'ab AB Ab' 3
cases "case" 'content:"Ab";' 'ab AB Ab' 1
cases "to_lowercase" 'http.user_agent; to_lowercase; content:"ab";' 'ab AB Ab' 3
cases "http.host is in lower case" 'http.host; content:"ab";' 'ab AB Ab' 3
cases "a text is no packet: each anchor counts" 'content:"ab"; offset:2;' 'ababab' 3

# protocol and ports, in a capture with TCP to 80 and UDP to 53 from 4000
python3 "$HERE/make_captures.py" "$T"
# (a rule that holds is one match of its packet, however often its anchor occurs)
tcp=$(printf 'needle\n' >"$T/n"; nfac scan --json -p "$T/n" "$T/ethernet.pcap" 2>/dev/null | jq .packet | sort -u | wc -l)
ports()	# DESC HEADER COUNT
{
	printf 'alert %s (content:"needle"; %s)\n' "$2" "$O" >"$T/r.rules"
	is "$1" "$3" "$(nfac scan -q -c --format suricata -p "$T/r.rules" "$T/ethernet.pcap" 2>/dev/null)"
}
ports "ip: TCP, UDP and ICMP" 'ip any any -> any any' $((tcp + 1))
ports "udp" 'udp any any -> any any' 2
ports "tcp" 'tcp any any -> any any' $((tcp - 2))
ports "http is what speaks HTTP" 'http any any -> any any' 0
ports "dns is what speaks DNS" 'dns any any -> any any' 0
ports "a port" 'ip any any -> any 53' 2
ports "in capitals" 'UDP any any -> any any' 2
ports "SCTP is none of them" 'sctp any any -> any any' 0
ports "nor is ICMPv6" 'icmpv6 any any -> any any' 0
ports "another port" 'ip any any -> any 54' 0
ports "a range" 'ip any any -> any 50:60' 2
ports "an open range" 'ip any any -> any 60:' $((tcp - 2))
ports "a range from the bottom" 'ip any any -> any :60' 2
ports "a list" 'ip any any -> any [53,80,50:60]' "$tcp"
ports "all but one" 'ip any any -> any !80' 2
ports "blanks in a list's range" 'ip any any -> any [50 : 60, 70]' 2
ports "a blank before the end" 'ip any any -> any [53: 60]' 2
ports "a blank for the end" 'ip any any -> any [60: ]' $((tcp - 2))
ports "both directions: neither" 'ip any any <> any 54' 0
ports "both directions: the source" 'ip any any <> any 4000' "$tcp"
ports "a transaction goes both ways" 'ip any any => any 4000' "$tcp"
ports "a group without one" 'ip any any -> any [1:100,!80]' 2
ports "all but a group" 'ip any any -> any ![443,80]' 2
ports "a group in a group" 'ip any any -> any [1,[53,8080]]' 2
ports "both ends' ports" 'ip any 4000 -> any 53' 2
ports "an address of IPv4" 'ip 10.0.0.0/8 any -> any any' 7
ports "another address" 'ip 192.168.0.0/16 any -> any any' 0
ports "a source port" 'ip any 4000 -> any any' "$tcp"
ports "another source port" 'ip any 4001 -> any any' 0
ports "a variable that Suricata sets" 'ip any any -> any $HTTP_PORTS' $((tcp - 2))
ports "not its ports" 'ip any any -> any !$HTTP_PORTS' 2
ports "all ports" 'ip any any -> any [0:65535]' $((tcp + 1))

reported "an action in capitals" '2 rules: 2 exact' 'ALERT tcp any any -> any any' 'content:"abcd";'
reported "which may be to pass, too" 'left out: it says what is to pass' 'Pass tcp any any -> any any' 'content:"abcd";'
reported "a buffer that the engine does not have" 'conditions not checked: http.start' "$W" 'http.start; content:"abcd";'
reported "a protocol that it does not recognise" 'conditions not checked: application protocol' 'alert http2 any any -> any any' 'http.user_agent; content:"abcd";'
reported "a variable that is not set" 'conditions not checked: ports' 'alert tcp any any -> any [$NONE,80]' 'content:"abcd";'
reported "a short anchor" 'its pattern is short' "$H" 'content:"ab"; pcre:"/x/";'
reported "pcre is not checked" 'r.rules:1: sid 7: conditions not checked: pcre' "$H" 'content:"abcd"; pcre:"/x/";'
reported "only pcre" 'r.rules:1: sid 7: left out: it has no content, only pcre' "$H" 'pcre:"/x/";'
reported "no content" 'sid 7: left out: it has no content' "$H" 'flags:S;'
reported "only negation" 'sid 7: left out: its contents are all negated' "$H" 'content:!"abc";'
for c in cmd.exe /bin/sh; do
	echo "$H (content:\"$c\"; sid:9;)"
done >"$T/twice.rules"
printf 'x /bin/sh\n' >"$T/text"
gives 1 "a number that another rule has: the first one counts" \
	nfac scan --format suricata -p "$T/twice.rules" "$T/text"
like "and the other is reported" 'twice.rules:2: sid 9: left out: .*twice.rules:1 has this number already' \
	"$(cat "$T/err")"
for rule in "pass tcp any any -> any any (content:\"pass\"; sid:9;)" "$H (pcre:\"/x/\"; sid:9;)" \
	"$H (content:\"/bin/sh\"; sid:9;)"; do
	echo "$rule"
done >"$T/twice.rules"
gives 0 "a number of rules that were left out" \
	nfac scan --format suricata -p "$T/twice.rules" "$T/text"
reported "only a transform" 'left out: no content can be seen in a packet: to_md5' "$W" 'http.uri; to_md5; content:"abc";'
reported "what may be a transform" 'left out: no content can be seen in a packet: to_rot13' "$W" 'http.uri; to_rot13; content:"abc";'
reported "only one that may be absent" 'left out: its contents may be absent' "$W" 'http.referer; absent:or_else; content:"abc";'
reported "only a name in UTF-16" 'left out: no content can be seen.*file.name' 'alert smb any any -> any any' 'file.name; content:"abc";'
reported "unknown buffer" 'left out: no content can be seen.*does not know' "$W" 'http.newest_one; content:"abc";'
reported "noalert" 'left out: noalert' "$H" 'content:"abc"; flowbits:noalert;'
reported "pass" 'left out: it says what is to pass' 'pass tcp any any -> any any' 'content:"abc";'
reported "accept" 'left out: it says what is to pass' 'accept:hook tcp any any -> any any' 'content:"abc";'
reported "a word that begins one" 'left out: an action that nfac does not know' 'pa tcp any any -> any any' 'content:"abc";'
reported "an unknown action" 'left out: an action that nfac does not know' 'alret tcp any any -> any any' 'content:"abc";'
reported "an old name of what is UTF-16 in the packet" 'left out: no content can be seen.*smb_named_pipe' 'alert smb any any -> any any' 'smb_named_pipe; content:"spoolss";'
reported "a keyword with a dot that is no buffer" '2 rules: 1 exact, 0 exact with --confirm, 1 inexact .tls.store 1., 0 refused' 'alert tls any any -> any any' 'tls.store; content:"abcdef";'
reported "they are counted" '2 rules: 1 exact, 0 exact with --confirm, 0 inexact, 1 refused' "$H" 'flags:S;'
printf '%s (content:"abcd"; %s)\n' "$H" "$O" >"$T/r.rules"
gives 0 "a rule that is all there" nfac compile --format suricata "$T/r.rules"
is "has no notes" 1 "$(wc -l <"$T/err")"
printf 'xabcd' >"$T/text"
is "msg in JSON" '{"id":7,"offset":1,"length":4,"pattern":"abcd","msg":"m","gid":1,"rev":1,"priority":3}' \
	"$(nfac scan -q --json --format suricata -p "$T/r.rules" "$T/text" 2>/dev/null)"

bad()	# DESC REGEX RULE
{
	printf '# one\n%s\n' "$3" >"$T/bad.rules"
	refuses "$1" "bad.rules:2: (sid [0-9]+: )?$2" nfac compile --format suricata -o "$T/no.nfac" "$T/bad.rules"
}
bad "no parentheses" 'not a rule' 'hello'
bad "few words" 'not a rule: seven words' 'alert tcp any (content:"a"; sid:1;)'
bad "the short form of Snort 3" 'not a rule: Snort 3.*address port -> address port' 'alert http (content:"a"; sid:1;)'
bad "bad direction" '.*direction' 'alert tcp any any - any any (content:"a"; sid:1;)'
for port in 99999 65536: 80:70 :65536 '!70000' '[80,90:85]' '[1:1024,![80,70 : 60]]' \
	99999999999999999999; do
	bad "ports $port" 'not a rule: the ports' "alert tcp any any -> any $port (content:\"a\"; sid:1;)"
	bad "source ports $port" 'not a rule: the ports' \
		"alert tcp any $port <> any 80 (content:\"a\"; sid:1;)"
done
bad "no sid" '.*no sid' "$H (content:\"a\";)"
bad "two rules in a line" ".*'\)alert tcp any any -> any any \(content' is no keyword: .*another rule" \
	"$H (content:\"a\"; sid:1;)alert tcp any any -> any any (content:\"b\"; sid:2;)"
bad "two rules with a CR between them" ".*'\)' is no keyword" \
	"$H (content:\"a\"; sid:1;)"$'\r'"$H (content:\"b\"; sid:2;)"
bad "a rule that goes on in the next" ".*' is no keyword" \
	"$H (content:\"a\"; sid:1;) \\"$'\n'"$H (content:\"b\"; sid:2;)"
bad "no keyword" ".*'' is no keyword" "$H (:x; content:\"a\"; sid:1;)"
bad "an open ';' in pcre" "pcre: give .*';' in it must be escaped" "$H (pcre:\"/a;b/\"; content:\"a\"; sid:1;)"
bad "one in msg" "msg: .*not in quotes .*';' in it" "$H (msg:\"a;b\"; content:\"a\"; sid:1;)"
bad "two sids" 'sid: .*one already' "$H (content:\"a\"; sid:1; sid:2;)"
printf '# \0\n%s (content:"a"; sid:1;)\n\0%s (content:"b"; sid:2;)\n' "$H" "$H" >"$T/bad.rules"
refuses "a byte of 0" 'bad.rules:3: .*NUL' nfac compile --format suricata "$T/bad.rules"
refuses "--nocase" 'nocase.*in the rule' nfac compile --nocase --format suricata "$T/r.rules"
bad "bad sid" 'sid: not a number' "$H (content:\"a\"; sid:0;)"
bad "empty content" 'content: empty pattern' "$H (content:\"\"; sid:1;)"
bad "content without quotes" 'content: the value is not in quotes' "$H (content:abc; sid:1;)"
bad "odd hex" 'content: between bars' "$H (content:\"|4|\"; sid:1;)"
bad "half a byte" 'content: between bars' "$H (content:\"|41 4|1|\"; sid:1;)"
bad "modifiers of Snort 3" 'content: .*Snort 3' "$H (content:\"abc\",nocase; sid:1;)"
bad "open bar" 'content: a bar without' "$H (content:\"|41\"; sid:1;)"
bad "bad escape" 'content: bad escape' "$H (content:\"\\q\"; sid:1;)"
bad "an open quote within" "content: a '\"' within the value must be escaped" \
	"$H (content:\"ab\"cd\"; sid:1;)"
bad "depth below length" 'depth: less than' "$H (content:\"abc\"; depth:2; sid:1;)"
bad "within below length" 'within: less than' "$H (content:\"a\"; content:\"abc\"; within:2; sid:1;)"
bad "depth beside distance" 'distance: goes with' "$H (content:\"a\"; content:\"abc\"; depth:9; distance:0; sid:1;)"
bad "a negative depth" 'depth: not a number' "$H (content:\"abc\"; depth:-5; sid:1;)"
bad "a variable that nothing sets" 'offset: neither' "$H (content:\"abc\"; offset:name; sid:1;)"
bad "an expression" 'pcre: .*missing' "$H (content:\"abc\"; pcre:\"/(/\"; sid:1;)"
bad "an expression without slashes" 'pcre: give ./EXPRESSION/' "$H (content:\"abc\"; pcre:\"abc\"; sid:1;)"
bad "two buffers" 'pcre: give ./EXPRESSION/' "$W (content:\"abc\"; pcre:\"/abc/UI\"; sid:1;)"
bad "two depths" 'depth: the content has one' "$H (content:\"abc\"; depth:5; depth:6; sid:1;)"
bad "startswith beside offset" 'startswith: goes with neither' "$H (content:\"abc\"; offset:5; startswith; sid:1;)"
bad "a value where there is none" 'nocase: takes no value' "$H (content:\"abc\"; nocase:1; sid:1;)"
bad "a payload shorter than its content" '.*dsize: at most 2 bytes, but the contents need 6' \
	"$H (content:\"abcdef\"; dsize:2; sid:1;)"
bad "than two contents" '.*dsize: at most 5 bytes, but the contents need 8' \
	"$H (content:\"abc\"; content:\"def\"; distance:2; dsize:<6; sid:1;)"
bad "a buffer shorter than its content" 'bsize or urilen: at most 2 .* need 7' "$W (http.uri; content:\"/abcdef\"; bsize:2; sid:1;)"
bad "a path shorter than its content" 'bsize or urilen: at most 2 .* need 7' "$W (urilen:2; http.uri; content:\"/abcdef\"; sid:1;)"
bad "bsize without a buffer" 'bsize: no buffer precedes' "$H (content:\"abc\"; bsize:5; sid:1;)"
bad "the server sends no method" 'http.method: the other side' "$W (flow:to_client; http.method; content:\"GET\"; sid:1;)"
bad "a method and a status" 'http.stat_code: the other side' \
	"$W (http.method; content:\"GET\"; http.stat_code; content:\"200\"; sid:1;)"
bad "buffers of two protocols" 'http.uri: not a buffer of' "$H (dns.query; content:\"ab\"; http.uri; content:\"/\"; sid:1;)"
bad "upper case in a host" 'content of 1 bytes in http.host: .*lower case' "$W (http.host; content:\"A\"; sid:1;)"
bad "two fast patterns" 'fast_pattern: one content' "$H (content:\"ab\"; fast_pattern; content:\"cd\"; fast_pattern; sid:1;)"
bad "a fast pattern beyond its content" 'fast_pattern: OFFSET,LENGTH must' "$H (content:\"abc\"; fast_pattern:2,2; sid:1;)"
bad "flow both ways" 'flow: give one of to_server' "$H (content:\"abc\"; flow:to_server,to_client; sid:1;)"
bad "a number beyond its field" 'ttl: give N.* of 0 to 255' "$H (content:\"abc\"; ttl:256; sid:1;)"
bad "nine bytes" 'byte_test: give BYTES .1 to 8' "$H (content:\"abc\"; byte_test:9,>,1,0; sid:1;)"
bad "a flowbit without a name" 'flowbits: a name' "$H (content:\"abc\"; flowbits:set,; sid:1;)"
bad "no address left" 'not a rule: no address is left' 'alert tcp [10.0.0.0/8,!10.0.0.0/7] any -> any any (content:"a"; sid:1;)'
bad "a port that is not any" 'not a rule: the ports' 'alert tcp any any -> any !any (content:"a"; sid:1;)'
bad "a port with a blank in it" 'not a rule: the ports' 'alert tcp any any -> any [5 4] (content:"a"; sid:1;)'
bad "not any address" 'not a rule: an address' 'alert tcp !any any -> any any (content:"a"; sid:1;)'
bad "nocase first" 'nocase: no content' "$H (nocase; content:\"a\"; sid:1;)"
bad "no last semicolon" ".*no ';'" "$H (content:\"a\"; sid:1)"

for i in {1..12}; do
	echo "$H (content:\"|4|\"; sid:$i;)"
done >"$T/bad.rules"
refuses "each bad rule" 'bad.rules:1: ' nfac compile --format suricata -o "$T/no.nfac" "$T/bad.rules"
is "up to the tenth" "$(printf '%s\n' {1..10})" "$(sed 's/.*bad.rules:\([0-9]*\): .*/\1/' "$T/err")"

# a rule of several ports or protocols is several patterns
for i in 1 2; do
	echo "alert tcp any any -> any [80,443,8000:8010] (content:\"abcd\"; msg:\"m\"; sid:$i;)"
	echo "alert icmp any any -> any any (content:\"abcd\"; msg:\"m\"; sid:${i}0;)"
done >"$T/r.rules"
printf 'abcdabcd' >"$T/text"
cp "$T/text" "$T/text2"
gives 0 "where neither is known" nfac scan --json --format suricata -p "$T/r.rules" "$T/text" "$T/text2"
is "it is reported once" "$(for f in text text2; do for at in 0 4; do
	printf "$T/$f:$at: %s: abcd\n" 1 10 2 20; done; done)" \
	"$(jq -r '"\(.file):\(.offset): \(.id): \(.pattern)"' "$T/out")"

# what it takes to refuse all that end at one place: two looks for ten letters' case, one
# for the protocol
spellings()
{
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++) {
			text = ""
			for (k = 0; k < 10; k++)
				text = text substr(int(i / 2 ^ k) % 2 ? "ABCDEFGHIJ" : "abcdefghij", k + 1, 1)
			printf "alert tcp any any -> any any (content:\"%s\"; sid:%d;)\n", text, i + 1
		}
		print "alert tcp any any -> any any (content:\"other\"; nocase; sid:999;)"
	}' >"$T/spelled.rules"
}
{ printf '%s (content:"abc";' "$H"; yes 'noflow:x;' | head -n 2000000 | tr '\n' ' '; echo 'sid:1;)'; } \
	>"$T/options.rules"
gives 0 "2000000 options take the time of their bytes" \
	timeout 30 "$NFAC" compile -q --format suricata "$T/options.rules"
spellings 341
gives 0 "341 spellings of one word" nfac compile -q --format suricata "$T/spelled.rules"
spellings 342
refuses "342 spellings" 'spelled.rules:[0-9]+: too many patterns.*a set of their own' \
	nfac compile -q --format suricata -o "$T/no.nfac" "$T/spelled.rules"
same()
{
	for ((i = 1; i <= $1; i++)); do
		echo "alert tcp any any -> any any (content:\"same\"; offset:$i; sid:$i;)"
	done >"$T/same.rules"
}
same 1024
gives 0 "1024 rules of one content" nfac compile -q --format suricata "$T/same.rules"
same 1025
refuses "1025 of them" 'same.rules:1: too many' nfac compile -q --format suricata -o "$T/no.nfac" "$T/same.rules"
is "nothing is written" "" "$(ls "$T" | grep no.nfac)"

gives 0 "all ET rules" nfac compile --format suricata -o "$T/et.nfac" "$DATA"/et/*.rules
cp "$T/err" "$T/notes"
total=$(grep -h '^[a-z]' "$DATA"/et/*.rules | wc -l)
out=$(grep -c 'left out' "$T/notes")
like "are counted" "^nfac: $total rules: .* exact, .* inexact .*base64_data [0-9]+.*, $out refused\$" \
	"$(tail -1 "$T/notes")"
is "each is exact, inexact or refused" "$total" \
	"$((out + $(sed -En 's/.* ([0-9]+) exact, ([0-9]+) exact .*, ([0-9]+) inexact.*/\1 + \2 + \3/p' "$T/notes")))"
gives 0 "their list" nfac compile --json -q --format suricata "$DATA"/et/*.rules
is "has each with its state" "$total" "$(jq '.rules | length' "$T/out")"
is "and the reasons" "$(grep -Ec 'not checked: pcre( \([0-9]+\))?(;.*)?$' "$T/notes")" \
	"$(jq '[.rules[] | select(.reasons == ["pcre"])] | length' "$T/out")"
gives 0 "they load as a set" nfac scan -c -s "$T/et.nfac" "$DATA/crs-attacks.pcap.gz"

# bits whose setter is not in the set, or sets them where it should not
cat >"$T/bits.rules" <<-EOF
	$H (pcre:"/x/"; flowbits:set,a; flowbits:noalert; sid:1;)
	$H (content:"abcd"; flowbits:isset,a; sid:2;)
	$H (content:"abcd"; tos:8; flowbits:set,b; sid:3;)
	$H (content:"abcd"; flowbits:isnotset,b; sid:4;)
	$H (content:"abcd"; flowbits:set,c; sid:5;)
	$H (content:"abcd"; flowbits:isset,c; sid:6;)
EOF
gives 0 "bits that a refused or inexact rule changes" nfac compile --json -q --format suricata \
	-o "$T/bits.nfac" "$T/bits.rules"
is "make the rules that test them inexact" "1 refused 2 inexact 3 inexact 4 inexact 5 exact 6 exact" \
	"$(jq -r '.rules | sort_by(.sid)[] | "\(.sid) \(.state)"' "$T/out" | xargs)"
is "which say so" 2 "$(grep -o 'flowbits that a refused or inexact rule changes' "$T/out" | wc -l)"
