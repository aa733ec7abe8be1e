#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: what cannot be searched as the text that it shows is announced, and never just "not
# found"; a capture is recognised by its content; each reason for a partial inspection counts.

. "$(dirname "$0")/lib.sh"

IN=$HERE/data
echo needle >"$T/needle"

echo evil-word >"$T/word"
is "a log compressed by lz4 is searched as its text" "$(lz4 -dc "$IN/access.log.lz4" | grep -c evil-word)" \
	"$(nfac scan -c -p "$T/word" "$IN/access.log.lz4")"
gives 0 "and gives its matches" nfac scan -c -p "$T/word" "$IN/access.log.lz4"
gives 1 "text in UTF-16 is announced" nfac scan -c -p "$T/needle" "$IN/utf16.log"
like "with the command that transcodes it" 'utf16.log: text in UTF-16.*iconv' "$(cat "$T/err")"
printf 'PK\3\4............................' >"$T/a.zip"
gives 1 "and an archive of zip" nfac scan -c -p "$T/needle" "$T/a.zip"
like "with its own command" 'a.zip: compressed.*unzip' "$(cat "$T/err")"

for name in capture.pcap1 capture; do
	cp "$IN/capnogap.pcap" "$T/$name"
	nfac scan --json -p "$IN/ag.txt" "$T/$name" >"$T/out" 2>"$T/err"
	is "$name is a capture by its content" number "$(head -1 "$T/out" | jq -r '.packet | type')"
done
gives 0 "its streams are followed" nfac scan -c --stream -p "$IN/ag.txt" "$T/capture"

for name in capgap capnogap; do
	nfac scan -c --stream -p "$IN/ag.txt" "$IN/$name.pcap" >"$T/out" 2>"$T/err"
	like "$name: more matches than are reported count" 'skipped_output_cap 1' "$(cat "$T/err")"
done
nfac scan -c --stream -p "$IN/ag.txt" "$IN/capgap.pcap" >"$T/out" 2>"$T/err"
like "and the gap before them counts, too" 'skipped_gap 1' "$(cat "$T/err")"
