#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The decoded view: what a web server reads behind escapes is found, with its place before they are
# decoded; exactly as by a plain reference (decode.py); in text, packets and streams, wherever
# they are cut.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

for seed in "${SEED:-1}" 2 3; do
	python3 "$HERE/decode.py" make "$T/words" "$T/text" "$seed"
	python3 "$HERE/decode.py" find "$T/words" "$T/text" | sort >"$T/want"
	like "text $seed has escapes" '^[0-9]{3,}$' "$(grep -c '1$' "$T/want")"
	for path in nofilter portable auto; do
		gives 0 "text $seed, path $path" nfac scan -a --json --decode url --path $path \
			-p "$T/words" "$T/text"
		jq -r '"\(.offset) \(.length) \(.id) \(if .decoded then 1 else 0 end)"' "$T/out" |
			sort >"$T/got"
		is "is searched as the reference searches" "" "$(diff "$T/want" "$T/got" | head)"
	done
	nfac scan -a --json --decode url -p "$T/words" - <"$T/text" |
		jq -r '"\(.offset) \(.length) \(.id) \(if .decoded then 1 else 0 end)"' | sort >"$T/got"
	is "text $seed from a pipe" "" "$(diff "$T/want" "$T/got" | head)"
	is "matches alone" "$(wc -l <"$T/want")" \
		"$(nfac scan --count-matches --decode url -p "$T/words" "$T/text")"
done

# a file of many blocks
{
	for i in {1..40}; do
		head -c 65530 /dev/zero | tr '\0' "$(printf 'a%.0s' $((i % 2 + 1)))"
		printf '%%2f%%65tc%%2fpasswd\n'
	done
} >"$T/long"
printf '/etc/passwd\n' >"$T/passwd"
is "a long file" 40 "$(nfac scan -c --decode url -p "$T/passwd" "$T/long")"
is "and from a pipe" 40 "$(nfac scan -c --decode url -p "$T/passwd" - <"$T/long")"
is "its matches one by one" 40 "$(nfac scan --json --decode url -p "$T/passwd" - <"$T/long" | wc -l)"

# phrases of the OWASP rules, as an attacker writes them
for list in lfi-os-files unix-shell sql-errors web-shells-php; do
	# one is longer than NFAC_DECODED_REACH
	grep -v '^ *\(#\|$\)' "$DATA/crs/$list.data" | awk 'length <= 256' >"$T/phrases"
	all=$(nfac scan -c --format crs -p "$DATA/crs/$list.data" "$T/phrases")
	is "phrases of $list" "$(wc -l <"$T/phrases")" "$all"
	for how in percent twice unicode wide overlong overlong3 nested; do
		python3 "$HERE/decode.py" encode $how <"$T/phrases" >"$T/encoded"
		is "phrases of $list, $how" "$all" \
			"$(nfac scan -c -a --format crs -p "$DATA/crs/$list.data" "$T/encoded")"
	done
	like "but not without --decode" '^[01]' "$(nfac scan -c -a --format crs --decode none \
		-p "$DATA/crs/$list.data" "$T/encoded"; echo $?)"
done

# a packet, and a stream that is cut everywhere
request='GET /?f=%2e%2e%2fetc%252fpass%77d HTTP/1.1'
printf '../etc/passwd\n' >"$T/word"
{
	echo "1 0 S"
	echo "1 0 A $request"
	for ((cut = 1; cut < ${#request}; cut++)); do
		echo "$((cut + 1)) 0 S"
		echo "$((cut + 1)) 0 A ${request:0:cut}"
		echo "$((cut + 1)) $cut A ${request:cut}"
	done
	for ((at = 0; at < ${#request}; at++)); do
		echo "1000 $at A ${request:at:1}"
	done
} | python3 "$HERE/segments.py" -w "$T/c.pcap"
nfac scan --json --stream --decode url -p "$T/word" "$T/c.pcap" 2>/dev/null >"$T/out"
is "once in each stream, wherever it is cut" "$((${#request} + 1))" "$(wc -l <"$T/out")"
is "at its place" 8 "$(jq .stream_offset "$T/out" | sort -u | xargs)"
is "is marked" "true" "$(jq .decoded "$T/out" | sort -u | xargs)"
is "packet by packet" "1 8" "$(nfac scan --json --decode url -p "$T/word" "$T/c.pcap" |
	jq -r 'select(.packet == 2) | "\(.id) \(.offset)"' | xargs)"

# a set that matches everywhere: what is not new is bounded, and counted
yes a | head -20000 >"$T/many"
{
	echo "1 0 S"
	echo "1 0 A $(printf 'a%.0s' {1..300})$(printf '%%62%.0s' {1..10})"
	echo "1 330 A b"
} | python3 "$HERE/segments.py" -w "$T/c.pcap"
nfac scan --count-matches --stream --decode url -p "$T/many" "$T/c.pcap" >"$T/out" 2>"$T/err"
like "too many matches that are not new count" 'skipped_output_cap 2,' "$(cat "$T/err")"

refuses "--decode of rules" 'for lists of format plain and crs' \
	nfac compile --format suricata --decode url -o "$T/x.nfac" "$DATA/et/emerging-scan.rules"
refuses "an unknown way" "url or none, not 'html'" \
	nfac compile --decode html -o "$T/x.nfac" "$T/word"
gives 0 "a compiled set" nfac compile --decode url -o "$T/x.nfac" "$T/word"
is "knows that it is decoded" 1 "$(nfac scan -c -s "$T/x.nfac" - <<<"$request")"
refuses "which --decode does not change" '--decode is for lists of patterns' \
	nfac scan --decode url -s "$T/x.nfac" "$T/long"
