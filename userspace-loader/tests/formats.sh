#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves that pattern files are read as nfac-patterns(5) says, and that each thing that
# may be wrong with one is reported with file and line.

. "$(dirname "$0")/lib.sh"

bad()	# DESC LINE REGEX TEXT [OPTION]...
{
	local desc=$1 line=$2 re=$3 text=$4

	shift 4
	printf "$text" >"$T/bad.txt"
	rm -f "$T/set.nfac"
	refuses "$desc" "nfac: $T/bad\.txt${line:+:$line}: .*$re" \
		nfac compile "$@" -o "$T/set.nfac" "$T/bad.txt"
	is "$desc: nothing is written" "" "$(ls "$T" | grep -E 'set\.nfac')"
}

bad "empty file" "" "no pattern" ''
bad "only blank lines" "" "no pattern" '\n\n\r\n'
bad "unknown escape" 2 'bad escape \\q' 'fine\n\\q\n'
bad "hex escape with one digit" 1 'bad escape \\x' '\\x4'
bad "hex escape without digits" 3 'bad escape \\x' 'a\nb\n\\xzz\n'
bad "lone backslash" 1 'lone \\' 'abc\\\n'
bad "lone backslash before CRLF" 1 'lone \\' 'abc\\\r\n'
bad "backslash before a byte that is not printable" 1 'byte 0x01' '\\\001\n'
bad "compiled set as patterns" "" "compiled set" 'NFAC123\000'
printf 'NFAC-test\nNFAC\n' >"$T/called.txt"
printf 'an NFAC-test' >"$T/text"
is "patterns that begin as a set does are patterns" "3 1 9
3 2 4" "$(nfac scan --json -p "$T/called.txt" "$T/text" | jq -r '"\(.offset) \(.id) \(.length)"' | sort -k2)"
refuses "and no set" "called.txt: this is not a compiled set" nfac scan -s "$T/called.txt" "$T/text"
head -c 65536 /dev/zero | tr '\0' a >"$T/bad.txt"
refuses "pattern over the limit" "$T/bad.txt:1: pattern of 65536 bytes, the limit is 65535" \
	nfac compile -o "$T/set.nfac" "$T/bad.txt"
head -c 65535 /dev/zero | tr '\0' a >"$T/long.txt"
gives 0 "pattern at the limit" nfac compile -o "$T/set.nfac" "$T/long.txt"
gives 0 "which finds itself" nfac scan -s "$T/set.nfac" "$T/long.txt"
truncate -s 3G "$T/sparse"
for input in /dev/zero "$T/sparse"; do
	for command in compile "compile --format suricata" "load web" "queue --num 0" "scan -p"; do
		# shellcheck disable=SC2086
		refuses "$command: a line without an end" "$input:1: a line of more than 32 MiB" \
			nfac $command "$input" "$WORDS"
	done
	refuses "what goes on without end is no set" "$input: this is not a compiled set" \
		nfac scan -s "$input" "$WORDS"
done
{ printf 'a\n\nb\n'; head -c 34M /dev/zero; } >"$T/third"
refuses "which of the lines has no end" "$T/third:4: a line of more than" nfac compile "$T/third"
refuses "nor is a device without an end" "/dev/urandom: File too large" nfac compile /dev/urandom
rm "$T/sparse"
refuses "an empty standard input, by its name" "nfac: standard input: no pattern" nfac compile -
refuses "missing file" "$T/none: No such file" nfac compile "$T/none"
refuses "directory" "$T: this is a directory" nfac compile "$T"
refuses "a second file that is missing" "$T/none: No such" nfac compile -o "$T/x.nfac" "$WORDS" "$T/none"
is "nothing is written" "" "$(ls "$T" | grep x.nfac)"
refuses "unknown format" "unknown format 'yaml'" nfac compile --format yaml "$WORDS"
refuses "output in a folder that is not there" "$T/no/set.nfac: No such" \
	nfac compile -o "$T/no/set.nfac" "$WORDS"
long=$(printf %0255d 0)
gives 0 "output with the longest name" nfac compile -o "$T/$long" "$WORDS"
is "nothing else is left there" "$long" "$(ls "$T" | grep 000)"
gives 0 "and in place of it" nfac compile -o "$T/$long" "$WORDS"
refuses "a name too long" "0: File name too long" nfac compile -o "$T/${long}0" "$WORDS"
gives 0 "the longest without a folder" \
	bash -c "cd '$T' && '$NFAC' compile -o $long '$(realpath "$WORDS")'"
rm "$T/$long"
refuses "output that is a directory" "directory" nfac compile -o "$T" "$WORDS"
cp "$WORDS" "$T/same.txt"
ln -s same.txt "$T/same.link"
refuses "output that is the list itself" "a name of its own" nfac compile -o "$T/same.link" "$T/same.txt"
is "which is left as it was" "" "$(cmp "$WORDS" "$T/same.txt" 2>&1)"
nfac compile -o "$T/plain.nfac" "$WORDS" >/dev/null
for name in - /dev/stdout; do
	gives 0 "output $name" nfac compile -o $name "$WORDS"
	is "is the set and nothing else" "" "$(cmp "$T/plain.nfac" "$T/out" 2>&1)"
	like "what there is to say goes to stderr" "patterns, .*states" "$(cat "$T/err")"
	nfac compile -o $name "$WORDS" 2>/dev/null | cat >"$T/piped"
	is "into a pipe too" "" "$(cmp "$T/plain.nfac" "$T/piped" 2>&1)"
done
install -m 600 /dev/null "$T/private.nfac"
ln -s private.nfac "$T/link.nfac"
gives 0 "output that is a link" nfac compile -o "$T/link.nfac" "$WORDS"
is "it stays one, and the file its permissions" "private.nfac 600" \
	"$(readlink "$T/link.nfac") $(stat -c %a "$T/private.nfac")"
cp "$T/plain.nfac" "$T/keep.nfac"
printf 'a\n\\q\n' >"$T/bad.txt"
refuses "a bad list" "bad.txt:2" nfac compile -o "$T/keep.nfac" "$T/bad.txt"
is "leaves the old file" "" "$(cmp "$T/plain.nfac" "$T/keep.nfac" 2>&1)"
gives 0 "a set in the place of a set" nfac compile -o "$T/keep.nfac" "$T/long.txt"
refuses "a list in the place of a set: -o *.txt" "same.txt: .*no compiled set" \
	nfac compile -o "$T/same.txt" "$T/long.txt"
is "which is left, too" "" "$(cmp "$WORDS" "$T/same.txt" 2>&1)"

# ids in order; escapes; CRLF; blank lines; blanks kept; duplicates
printf 'GET\r\n\r\n\\x41\\x42\r\n\n a b \n\\\\n\\0\\t\r\nGET\nlast' >"$T/plain.txt"
printf 'xGET AB a b \\n\0\tlast' >"$T/text"
gives 0 "plain file" nfac scan --json -p "$T/plain.txt" "$T/text"
is "each pattern with id, offset, length" \
	"$(printf '%s\n' '1 1 3' '5 1 3' '2 5 2' '3 7 5' '4 12 4' '6 16 4')" \
	"$(jq -r '"\(.id) \(.offset) \(.length)"' "$T/out")"
is "patterns in JSON are their text" '["GET","GET","AB"," a b ","\\n\u0000\t","last"]' \
	"$(jq -sc 'map(.pattern)' "$T/out")"
printf '\xef\xbb\xbfabc\r\n' >"$T/bom.txt"
printf 'abc' >"$T/text"
gives 0 "byte order mark is skipped" nfac scan -p "$T/bom.txt" "$T/text"
printf 'a\n   \nb\n' >"$T/blank.txt"
printf 'attack\n' | iconv -t UTF-16 >"$T/wide.txt"
refuses "a list in UTF-16" "wide.txt: this is UTF-16" nfac compile "$T/wide.txt"
gzip -c "$WORDS" >"$T/words.gz"
refuses "a list that is compressed" "words.gz: this is compressed by gzip, .*zcat" nfac compile "$T/words.gz"
printf '\324\303\262\241\2\0\4\0' >"$T/list.pcap"
refuses "a capture as a list" "list.pcap: this is a capture" nfac scan -p "$T/list.pcap" "$WORDS"
refuses "a list from standard input, twice" "standard input is named more than once" nfac compile - -
gives 0 "pattern of blanks" nfac compile "$T/blank.txt"
like "is warned of" "blank.txt:2: warning" "$(cat "$T/err")"
printf 'a\n#b\n#c\n' >"$T/hash.txt"
gives 0 "a list with comments, taken as it is" nfac compile "$T/hash.txt"
is "is warned of, once" 1 "$(grep -c "hash.txt:[23]: warning: .*--format crs" "$T/err")"
echo 'alert tcp any any -> any any (content:"a"; sid:1;)' | sed p >"$T/r.rules"
gives 0 "rules, taken as patterns" nfac compile "$T/r.rules"
is "are warned of, once" 1 "$(grep -c "r.rules:1: warning: .*--format suricata" "$T/err")"
gives 0 "by crs as well" nfac compile --format crs "$T/r.rules"
is "they are warned of, too" 1 "$(grep -c "r.rules:1: warning: .*--format suricata" "$T/err")"
printf 'a\0t\0\n\0b\0c\0\n\0' >"$T/nul.txt"
printf 'one\rtwo\rthree\r' >"$T/cr.txt"
for format in plain crs; do
	gives 0 "$format: NULs, as in UTF-16 without a mark" nfac compile --format $format "$T/nul.txt"
	is "are warned of, once" 1 "$(grep -c "nul.txt:1: warning: .*NUL.*UTF-16" "$T/err")"
	gives 0 "$format: lines that end in CR" nfac compile --format $format "$T/cr.txt"
	is "are warned of" 1 "$(grep -c "cr.txt:1: warning: .*CR" "$T/err")"
done
printf 'one\r\ntwo\\0\\r\r\n' >"$T/crlf.txt"
gives 0 "lines that end in CR LF, and escapes" nfac compile "$T/crlf.txt"
is "are not" "" "$(cat "$T/err")"
printf 'alert(1);\ndrop table (x)\nalerts (y;)\n' >"$T/words.txt"
gives 0 "what only looks like a rule" nfac compile "$T/words.txt"
is "is not" "" "$(cat "$T/err")"
nfac compile -o "$T/set.nfac" "$T/hash.txt" >/dev/null 2>&1
for option in --nocase "--format plain"; do
	# shellcheck disable=SC2086
	refuses "$option of a compiled set" "${option%% *} is for lists of patterns" \
		nfac scan $option -s "$T/set.nfac" "$T/hash.txt"
done
printf 'Ab\n' >"$T/case.txt"
printf 'ab AB Ab' >"$T/text"
is "case counts" 1 "$(nfac scan -c -p "$T/case.txt" "$T/text")"
is "--nocase" 3 "$(nfac scan --count-matches --nocase -p "$T/case.txt" "$T/text")"
printf 'one\n' | gives 0 "standard input" true
is "patterns from standard input" 1 "$(printf 'Ab\n' | nfac scan -c -p - "$T/text")"
printf 'a\n' >"$T/a"
printf 'b\n' >"$T/b"
printf 'ba' >"$T/text"
is "ids run over all files" "2 1" "$(nfac scan --json -p "$T/a" -p "$T/b" "$T/text" | jq -r .id | xargs)"

# crs
printf '# comment\n\n  Phrase one \t\r\n#x\n\\x41\n' >"$T/crs.data"
printf 'PHRASE ONE, \\X41 # comment' >"$T/text"
gives 0 "crs file" nfac scan --json --format crs -p "$T/crs.data" "$T/text"
is "phrases are trimmed, without case, without escapes" \
	"$(printf '%s\n' '1 0 10' '2 12 4')" "$(jq -r '"\(.id) \(.offset) \(.length)"' "$T/out")"
printf '# nothing\n' >"$T/bad.txt"
refuses "crs file of comments" "no pattern" nfac compile --format crs "$T/bad.txt"

# bytes that are not UTF-8
printf '\\xff\\xfe\\\\\n' >"$T/bytes.txt"
printf 'x\xff\xfe\\' >"$T/text"
gives 0 "pattern of other bytes" nfac scan --json -p "$T/bytes.txt" "$T/text"
is "is valid JSON, escaped, and printed in hex" '["\\xff\\xfe\\\\","fffe5c"]' \
	"$(jq -c '[.pattern,.pattern_hex]' "$T/out")"
printf 'h\xc3\xa9\n' >"$T/utf.txt"
gives 0 "pattern of UTF-8" nfac scan --json -p "$T/utf.txt" "$T/utf.txt"
is "is its text" '"hé"' "$(jq -c .pattern "$T/out")"

gives 0 "compile --json" nfac compile --json -o "$T/w.nfac" "$WORDS"
is "2358 patterns, 23695 states" "2358 23695" "$(jq -r '"\(.patterns) \(.states)"' "$T/out")"
is "figures are numbers of a kind" true \
	"$(jq '.node_bytes > 0 and .total_bytes >= .node_bytes and (keys|length) == 4' "$T/out")"
gives 0 "compile without -o" nfac compile "$WORDS"
like "says that nothing is written" "nothing written" "$(cat "$T/out")"
