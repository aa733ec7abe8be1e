#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: scan's exit statuses, its outputs, the reference list's figures, that all
# paths and all ways to give input find the same, and what a bad set says.

. "$(dirname "$0")/lib.sh"

gives 0 "compile the reference list" nfac compile -o "$T/w.nfac" "$WORDS"
is "2804 matches, each line scanned by itself" 2804 "$(nfac scan --count-matches -s "$T/w.nfac" "$WORDS")"
is "every line is found" 2358 \
	"$(nfac scan --json -s "$T/w.nfac" "$WORDS" | jq .id | sort -nu | wc -l)"
python3 "$HERE/oracle.py" file "$WORDS" "$WORDS" >"$T/want"
gives 0 "scan the list for itself" nfac scan --json -s "$T/w.nfac" "$WORDS"
jq -r '"\(.id) \(.offset) \(.length)"' "$T/out" >"$T/got"
gives 0 "it agrees with a naive search, in the order of ends" cmp "$T/want" "$T/got"

for path in auto nofilter portable "$([ "$(uname -m)" = aarch64 ] && echo neon || echo avx2)"; do
	if ! "$NFAC" scan --path $path -p "$WORDS" "$WORDS" >"$T/got.text" 2>"$T/err"; then
		like "path $path" "has no such path" "$(cat "$T/err")"
		continue
	fi
	"$NFAC" scan -p "$WORDS" "$WORDS" | cmp -s - "$T/got.text" &&
		pass "path $path finds the same" || fail "path $path finds the same"
done
is "standard input" 2804 "$(cat "$WORDS" | nfac scan --count-matches -s "$T/w.nfac" -)"
is "a pipe, in small pieces" 2804 \
	"$(dd if="$WORDS" bs=7 status=none | nfac scan --count-matches -s "$T/w.nfac" -)"
# a match is printed before more bytes come, and an interrupt loses none
mkfifo "$T/live" "$T/live.out"
"$NFAC" scan -p <(echo needle) - <"$T/live" >"$T/live.out" 2>/dev/null &
exec {live}>"$T/live" {found}<"$T/live.out"
echo needle >&$live
read -rt 10 -u $found line
is "a pipe that stays open" needle "$line"
exec {live}>&- {found}<&-
wait
# a match over the edge of the blocks in which a stream is read
head -c 1048570 /dev/zero >"$T/edge"
printf 'etc/passwd' >>"$T/edge"
is "across two blocks" "1048570" \
	"$(cat "$T/edge" | nfac scan --json -s "$T/w.nfac" - | jq 'select(.pattern == "etc/passwd").offset')"
is "in a file" "1048570" \
	"$(nfac scan --json -s "$T/w.nfac" "$T/edge" | jq 'select(.pattern == "etc/passwd").offset')"

printf 'nothing here' >"$T/none"
: >"$T/empty"
gives 1 "nothing found" nfac scan -s "$T/w.nfac" "$T/none"
is "prints nothing" "" "$(cat "$T/out")"
gives 1 "an empty file" nfac scan -s "$T/w.nfac" "$T/empty"
gives 1 "-c of nothing" nfac scan -c -s "$T/w.nfac" "$T/none"
is "prints 0" 0 "$(cat "$T/out")"
gzip -c "$WORDS" >"$T/words.txt.gz"
for packer in gzip xz zstd bzip2 lz4 "xz --format=lzma"; do
	$packer -c "$WORDS" >"$T/packed" 2>/dev/null
	is "text compressed by $packer, by its content" 2804 "$(nfac scan --count-matches -s "$T/w.nfac" "$T/packed")"
	is "and through a pipe" 2804 "$(cat "$T/packed" | nfac scan --count-matches -s "$T/w.nfac" -)"
	# xz, too, leaves alone what follows a .lzma
	[ "$packer" = "xz --format=lzma" ] ||
		is "twice in a row" 5608 "$(cat "$T/packed" "$T/packed" | nfac scan --count-matches -s "$T/w.nfac" -)"
	head -c -20 "$T/packed" >"$T/cut"
	gives 2 "cut" nfac scan --count-matches -s "$T/w.nfac" "$T/cut"
	like "it is announced" "^nfac: $T/cut: " "$(cat "$T/err")"
	{ cat "$T/packed"; echo "this follows it, and is not compressed"; } >"$T/tail"
	nfac scan --count-matches -s "$T/w.nfac" "$T/tail" >"$T/out" 2>"$T/err"
	like "so is what follows the compressed text" "^nfac: $T/tail: " "$(cat "$T/err")"
	$packer -c "$T/empty" >"$T/packed" 2>/dev/null
	gives 1 "nothing, compressed" nfac scan -s "$T/w.nfac" "$T/packed"
done
{ printf '\324\303\262\241\2\0\4\0'; cat "$WORDS"; } >"$T/traffic.dmp"
nfac scan --count-matches -s "$T/w.nfac" "$T/traffic.dmp" >/dev/null 2>"$T/err"
like "a capture whose name says nothing is read as one" "traffic.dmp: link type" "$(cat "$T/err")"
printf '\n\r\r\n\34\0\0\0\115\74\53\32' | nfac scan --count-matches -s "$T/w.nfac" - >/dev/null 2>"$T/err"
like "and one through a pipe" "standard input: after packet 0: truncated block" "$(cat "$T/err")"
gives 2 "one input of two is missing" nfac scan --count-matches -s "$T/w.nfac" "$WORDS" "$T/missing"
is "the other is scanned" 2804 "$(cat "$T/out")"
like "and the error is printed" "$T/missing: No such file" "$(cat "$T/err")"
# CPU time of the process's threads, in ticks of 10 ms: the N that have most; the last of these
spent()
{
	local task

	for task in "/proc/$1/task"/*; do
		awk '{ print $14 + $15 }' "$task/stat"
	done | sort -rn | sed -n "$2p"
}
# a log that is emptied meanwhile; it has no end that is reached before. One line, then parts
for first in etc/passwd $'etc/passwd\n'; do
	printf %s "$first" >"$T/log"
	truncate -s 4T "$T/log" 2>/dev/null || truncate -s 64G "$T/log"
	"$NFAC" scan -j3 --json -p <(echo etc/passwd) "$T/log" "$WORDS" >"$T/out" 2>"$T/err" &
	for ((i = 0; i < 100; i++)); do
		grep -qs "$T/log" /proc/$!/maps && break
		sleep 0.1
	done
	# the first bytes are searched when each thread that searches the log has spent 50 ms
	[[ $first = *$'\n' ]] && threads=3 || threads=1
	for ((i = 0; i < 100 && $(spent $! $threads) < 5; i++)); do
		sleep 0.1
	done
	: >"$T/log"
	wait $!
	is "a file that is cut meanwhile: status" 2 $?
	is "it is named, once" "$T/log: the file became shorter while it was read, or its disk fails" \
		"$(sed 's/^nfac: //' "$T/err")"
	is "what was found is kept" "$T/log:0" "$(jq -r '"\(.file):\(.offset)"' "$T/out" | head -1)"
	like "and the next is searched" "^$WORDS:[0-9]+$" "$(jq -r '"\(.file):\(.offset)"' "$T/out")"
done
printf 'xx etc/passwd' >"$T/one"
is "a line of text" "xx etc/passwd" "$(nfac scan -s "$T/w.nfac" "$T/one")"
is "a line of JSON, exactly" '{"id":933,"offset":3,"length":10,"pattern":"etc/passwd"}' \
	"$(nfac scan --json -s "$T/w.nfac" "$T/one" | grep -w 933)"
is "with two inputs it names the file" "$T/one" \
	"$(nfac scan --json -s "$T/w.nfac" "$T/none" "$T/one" | jq -r 'select(.id == 933).file')"
cp "$T/one" "$T/"$'\xff'
is "escaped, where its name is not UTF-8" "$T/\\xff" \
	"$(nfac scan --json -s "$T/w.nfac" "$T/none" "$T/"$'\xff' | jq -r 'select(.id == 933).file')"
cp "$T/one" "$T/"$'\n\e[1m\xc3\xa9\\'
is "control bytes are, in a line of text" "$T/"$'\\n\\x1b[1m\xc3\xa9\\:xx etc/passwd' \
	"$(nfac scan -H -s "$T/w.nfac" "$T/"$'\n\e[1m\xc3\xa9\\')"
refuses "and in a message" "^nfac: a.nb.x7f: No such file" nfac scan -s "$T/w.nfac" $'a\nb\x7f'
refuses "a name of nothing is shown" "^nfac: '': No such file" nfac scan -s "$T/w.nfac" ""
gives 0 "--time" nfac scan --count-matches --time -s "$T/w.nfac" "$WORDS"
like "prints the rate" "2804 matches, path" "$(cat "$T/err")"
if [ -w /dev/full ]; then
	nfac scan -s "$T/w.nfac" "$WORDS" >/dev/full 2>"$T/err"
	is "output that cannot be written: status" 2 $?
	like "and a sentence" "cannot write the output" "$(cat "$T/err")"
	for option in --help --usage --version; do
		nfac scan $option >/dev/full 2>"$T/err"
		is "$option that cannot be written: status" 2 $?
		is "and one sentence" "nfac: cannot write the output: No space left on device" \
			"$(cat "$T/err")"
	done
fi

damaged()	# DESC REGEX FILE
{
	refuses "$1" "$3: $2" nfac scan -s "$3" "$WORDS"
}
size=$(stat -c %s "$T/w.nfac")
head -c $((size / 2)) "$T/w.nfac" >"$T/cut.nfac"
damaged "truncated blob" "not a sound compiled set: word" "$T/cut.nfac"
head -c 3 "$T/w.nfac" >"$T/cut3.nfac"
damaged "blob of 3 bytes" "this is not a compiled set" "$T/cut3.nfac"
: >"$T/zero.nfac"
damaged "blob of 0 bytes" "the file is empty, not a compiled set" "$T/zero.nfac"
{ cat "$T/w.nfac"; printf 'more'; } >"$T/long.nfac"
damaged "oversized blob" "not a sound compiled set" "$T/long.nfac"
cp "$T/w.nfac" "$T/version.nfac"
printf '\377' | dd of="$T/version.nfac" bs=1 seek=4 conv=notrunc status=none
damaged "blob of another version" ".*compile the patterns again" "$T/version.nfac"
for at in 0 40 200 5000 60000 $((size - 1)); do
	cp "$T/w.nfac" "$T/flip.nfac"
	byte=$(od -An -tu1 -j $at -N1 "$T/w.nfac")
	printf "\\$(printf %o $((byte ^ 1)))" | dd of="$T/flip.nfac" bs=1 seek=$at conv=notrunc status=none
	damaged "bit flipped in byte $at" "(this is )?not a (sound )?compiled set" "$T/flip.nfac"
done
damaged "patterns instead of a set" "this is not a compiled set; nfac compile makes one" "$WORDS"
refuses "a missing set" "$T/missing: No such" nfac scan -s "$T/missing" "$WORDS"
refuses "a directory as input" "this is a directory" nfac scan -s "$T/w.nfac" "$T"
refuses "no set and no patterns" "either -s" nfac scan "$WORDS"
refuses "a set and patterns" "either -s" nfac scan -s "$T/w.nfac" -p "$WORDS" "$WORDS"
refuses "no input" "no input" nfac scan -s "$T/w.nfac"
refuses "unknown path" "unknown path 'fast'" nfac scan --path fast -s "$T/w.nfac" "$WORDS"
for names in "-p - -" "-s - -" "-p $WORDS - -" "-p - -p - $WORDS"; do
	# shellcheck disable=SC2086
	refuses "standard input twice: $names" "standard input is named more than once" nfac scan $names
done
closed()	# DESCRIPTOR... -- ARGUMENT...: the tool without some of its standard streams
{
	local n

	while [ "$1" != -- ]; do
		n=$1
		exec {n}>&-
		shift
	done
	shift
	exec "$NFAC" "$@"
}
(closed 0 -- scan -p "$WORDS" -) >"$T/out" 2>"$T/err"
is "standard input that is closed: status" 2 $?
like "and a sentence" "standard input: Bad file descriptor" "$(cat "$T/err")"
(closed 1 -- scan -p "$WORDS" "$WORDS") 2>"$T/err"
is "standard output that is closed: status" 2 $?
like "and a sentence" "cannot write the output" "$(cat "$T/err")"
refuses "unknown option" "unrecognized option" nfac scan --frob
