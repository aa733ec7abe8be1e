#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: the figures of `nfac report` are those of `nfac scan --json` over the same captures, and
# those of the events it reads; what attackers and authors of rules choose stays text; the page loads
# and runs nothing.

. "$(dirname "$0")/lib.sh"

page() { python3 "$HERE/report_page.py" "$@" 2>&1 | tail -1; }
tables() { page "$1" | jq -r "$2"; }

# agree DESC OPTION... CAPTURE...
agree()
{
	local desc=$1

	shift
	nfac scan --stream --json "$@" >"$T/json" 2>/dev/null
	gives 0 "report: $desc" nfac report --stream --rows 100000 -o "$T/page.html" "$@"
	like "agrees with scan --json: $desc" "^$(wc -l <"$T/json") matches, [1-9].* agree$" \
		"$(page "$T/page.html" "$T/json")"
}

ATTACKS=$DATA/crs-attacks.pcap.gz BENIGN=$DATA/benign-http.pcap.gz
agree "words" -p "$WORDS" "$ATTACKS"
agree "words, two captures" -p "$WORDS" "$ATTACKS" "$BENIGN"
agree "phrases of several files" --format crs -p "$DATA/crs/sql-errors.data" -p "$DATA/crs/lfi-os-files.data" \
	"$ATTACKS" "$BENIGN"
agree "rules, exact and inexact" --format suricata -q -p "$DATA/et/emerging-exploit.rules" \
	-p "$DATA/et/emerging-web_server.rules" "$ATTACKS"
like "some are inexact" "inexact: some condition of the rule was not checked" "$(page "$T/page.html")"
nfac compile -q -o "$T/w.nfac" "$WORDS" >/dev/null
agree "a compiled set" -s "$T/w.nfac" "$ATTACKS"
is "the title is the set's name" w.nfac \
	"$(sed -n 's:<h1>\(.*\)</h1>:\1:p' "$T/page.html")"
is "all time is in the bars" "$(wc -l <"$T/json")" \
	"$(grep -oE 'UTC: [0-9,]+ exact' "$T/page.html" | tr -dc '0-9\n' | awk '{ n += $1 } END { print n }')"
gives 0 "--rows" nfac report --rows 3 --title 'dry run' -o "$T/page.html" -s "$T/w.nfac" "$ATTACKS"
is "limits the tables" 3 "$(tables "$T/page.html" '.tables.patterns | length')"
like "and counts the rest" "more patterns, with" "$(tables "$T/page.html" .text)"
is "--title" "dry run" "$(sed -n 's:<h1>\(.*\)</h1>:\1:p' "$T/page.html")"
nfac report -s "$T/w.nfac" -o - "$ATTACKS" 2>/dev/null >"$T/stdout.html"
is "-o - is standard output" 1 "$(grep -c '^</html>$' "$T/stdout.html")"

python3 "$HERE/make_captures.py" "$T"
printf 'needle\n' >"$T/needle"
gives 0 "a capture with packets that are not inspected" \
	nfac report -p "$T/needle" -o "$T/page.html" "$T/ethernet.pcap"
is "they are in the page, by reason" "fragment 3
truncated 4
too_deep 1
protocol 1
not IP 1" "$(tables "$T/page.html" '.tables.skipped[] | (.[0] | ltrimstr(" ")) + " " + .[1]' |
	sed -E 's/^(fragment|truncated|too_deep|protocol|not IP).* /\1 /' | grep -E '^(fragment|truncated|too_deep|protocol|not IP)')"
like "without --stream it says so" "without --stream" "$(tables "$T/page.html" .text)"
gives 0 "nothing matches" nfac report -p <(echo nowhere) -o "$T/page.html" "$T/ethernet.pcap"
like "and the page says so" "Nothing matched" "$(tables "$T/page.html" .text)"
gives 2 "a capture that is cut" nfac report -p "$T/needle" -o "$T/page.html" "$T/cut.pcap"
like "is reported as far as it goes" "With --drop, [1-9]" "$(tables "$T/page.html" .text)"

# hostile texts
evil='<script>alert(1)</script>"&'"'"'<img src=x onerror=alert(2)>'
printf '%s\n' "$evil" "$(printf '\\xe2\\x80\\xaeneedle')" needle >"$T/evil"
cat >"$T/evil.rules" <<'END'
alert tcp any any -> any any (msg:"</td><script>alert(3)</script>‮ <b>"; content:"needle"; sid:7;)
END
cp "$T/ethernet.pcap" "$T/<img src=x onerror=alert(4)>‮.pcap"
gives 0 "hostile name of a file, hostile message" nfac report --format suricata -p "$T/evil.rules" -o "$T/page.html" \
	"$T/<img src=x onerror=alert(4)>‮.pcap"
like "are text" '</td><script>alert\(3\)</script>\\u202e <b>' "$(tables "$T/page.html" .text)"
like "the file's name, too" '<img src=x onerror=alert\(4\)>\\u202e' "$(tables "$T/page.html" .text)"
gives 0 "hostile title" nfac report -p "$T/needle" --title "$evil" -o "$T/page.html" "$T/ethernet.pcap"
like "is text" "^$evil|<script>alert" "$(tables "$T/page.html" .text | grep -F "$evil")"
is "nothing is loaded or run" "" "$(grep -oiE '<script|<img|<link|<iframe|url\(|@import|https?:' "$T/page.html")"
is "by policy, too" 1 "$(grep -c "default-src 'none'; style-src 'unsafe-inline'" "$T/page.html")"

# events
cat >"$T/events.json" <<'END'
{"time":"2026-11-20T23:52:35.123456Z","set":"web","id":1,"offset":0,"length":6,"pattern":"needle","stream_offset":0,"payload":10,"packet":3,"attachment":1,"hook":"prerouting","proto":"tcp","src":"10.0.0.1","sport":1000,"dst":"10.0.0.2","dport":80,"mark":0,"verdict":"dropped","lost":0,"folded":7}
{"time":"2026-11-20T23:53:35.000000Z","set":"web","id":1,"offset":0,"length":6,"pattern":"needle","stream_offset":0,"payload":10,"packet":9,"attachment":1,"hook":"prerouting","proto":"tcp","src":"10.0.0.1","sport":1001,"dst":"10.0.0.2","dport":80,"mark":0,"verdict":"reported","lost":5}

{"time":"2026-11-20T23:54:00.000000Z","set":"rules","id":2100498,"offset":0,"length":4,"pattern":"</b>\u0000","msg":"a <b>rule","stream_offset":0,"payload":10,"packet":9,"attachment":2,"hook":"input","proto":"udp","src":"2001:db8::1","sport":53,"dst":"2001:db8::2","dport":53,"mark":0,"verdict":"reported","inexact":true,"lost":0}
{"type":"stats","set":"web","packets":12}
END
gives 0 "events of watch --json" nfac report -o "$T/page.html" "$T/events.json"
is "patterns: matches with those folded, and inexact ones" '1 9 0,2100498 1 1' \
	"$(tables "$T/page.html" '[.tables.patterns[] | .[0] + " " + .[3] + " " + .[4]] | join(",")')"
is "sources" '10.0.0.1 9,2001:db8::1 1' \
	"$(tables "$T/page.html" '[.tables.sources[] | .[0] + " " + .[2]] | join(",")')"
like "what was dropped" "10 matches in 3 connections; of these 8 were dropped" "$(tables "$T/page.html" .text)"
like "what was lost" "5 events were lost" "$(tables "$T/page.html" .text)"
like "names of sets" "set rules" "$(tables "$T/page.html" .text)"
python3 - "$T/events.json" >"$T/eve.json" <<'END'
import json, sys
for line in open(sys.argv[1]):
    e = json.loads(line) if line.strip() else {}
    if "id" not in e:
        print(json.dumps({"timestamp": "2026-11-20T23:54:00.000000+0000", "event_type": "flow"}))
        continue
    meta = {"nfac_set": [e["set"]], "nfac_lost": [str(e["lost"])]}
    if "folded" in e:
        meta["nfac_folded"] = [str(e["folded"])]
    if "inexact" in e:
        meta["nfac_inexact"] = ["true"]
    print(json.dumps({"timestamp": e["time"][:-1] + "+0000", "event_type": "alert", "src_ip": e["src"], "src_port": e["sport"],
                      "dest_ip": e["dst"], "dest_port": e["dport"], "proto": e["proto"].upper(),
                      "alert": {"action": "blocked" if e["verdict"] == "dropped" else "allowed", "gid": 1, "signature_id": e["id"],
                                "rev": 1, "signature": e.get("msg", e["pattern"]), "category": "", "severity": 2, "metadata": meta}}))
END
tables "$T/page.html" '[.tables.sources, .tables.destinations, [.tables.patterns[] | [.[0], .[3], .[4]]], .bars]' >"$T/json.tables"
gives 0 "events of watch --eve" nfac report -o "$T/page.html" "$T/eve.json"
is "are the same" "$(cat "$T/json.tables")" \
	"$(tables "$T/page.html" '[.tables.sources, .tables.destinations, [.tables.patterns[] | [.[0], .[3], .[4]]], .bars]')"
gzip -c "$T/eve.json" >"$T/eve.json.gz"
gives 0 "compressed" nfac report -o "$T/page.html" "$T/eve.json.gz"
{ echo '{"no'; head -1 "$T/events.json"; echo nothing; } >"$T/broken.json"
gives 2 "lines that are no events" nfac report -o "$T/page.html" "$T/broken.json"
like "are named" "broken.json:1: no event in JSON" "$(cat "$T/err")"
is "the others are read" "1 8" "$(tables "$T/page.html" '.tables.patterns[] | .[0] + " " + .[3]')"

refuses "no -o" "where to" nfac report -p "$T/needle" "$T/ethernet.pcap"
rm -f "$T/x.html"
refuses "a capture without a set" "a capture: name the patterns" nfac report -o "$T/x.html" "$T/ethernet.pcap"
refuses "events with a set" "not a capture: without -p" nfac report -p "$T/needle" -o "$T/x.html" "$T/events.json"
refuses "--stream without a set" "are for captures" nfac report --stream -o "$T/x.html" "$T/events.json"
is "no page of inputs that cannot be read" "" "$(find "$T" -name x.html)"
refuses "a folder that is not there" "No such file" nfac report -p "$T/needle" -o "$T/none/x.html" "$T/ethernet.pcap"
