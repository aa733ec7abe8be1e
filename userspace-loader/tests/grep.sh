#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: scan selects and prints lines of text as GNU grep -F does, on generated texts; and what
# grep has not: --json of each match, words of several lines, folders with captures in them.

. "$(dirname "$0")/lib.sh"

gives 0 "as GNU grep -F: -n -o -l -L -c -m -v -i -w -x -b -a -A -B -C -H, files and pipes" \
	python3 "$HERE/grep.py" "$NFAC" "$T" "${GREP_CASES:-100}"
like "hundreds of commands" "[4-9][0-9][0-9] agreed, 0 differ" "$(tail -1 "$T/out")"
mkdir "$T/d"
cd "$T/d" || exit 1

printf 'one needle\ntwo\nneedles needle\nfour' >a
printf 'Needle\n' >b
is "a file: the lines" $'one needle\nneedles needle' "$(nfac scan -e needle a)"
is "two: with names" $'a:one needle\na:needles needle\nb:Needle' "$(nfac scan -i -e needle a b)"
is "with numbers" $'a:1:one needle\na:3:needles needle' "$(nfac scan -n -e needle a b)"
is "overlapping matches are one line" "one needle" "$(nfac scan -e needle -e eed -e dle -e 'e n' a | head -1)"
is "and coloured together" $'one \e[1;31mneed\e[m\e[1;31mle\e[m' \
	"$(nfac scan --color=always -e need -e edle a | head -1)"
is "with name, number and offset" \
	$'\e[35ma\e[m\e[36m:\e[m\e[32m2\e[m\e[36m:\e[m\e[32m11\e[m\e[36m:\e[m\e[1;31mtwo\e[m' \
	"$(nfac scan --color=always -Hnb -e two a)"
on_terminal()	# COMMAND: its output on a terminal
{
	TERM=xterm script -qec "$1" /dev/null </dev/null | tr -d '\r'
}
is "on a terminal: coloured, with numbers" $'\e[32m2\e[m\e[36m:\e[m\e[1;31mtwo\e[m' \
	"$(on_terminal "$NFAC scan -e two a")"
is "not with -N and --color=never" two "$(on_terminal "$NFAC scan -N --color=never -e two a")"
is "nor with NO_COLOR" 2:two "$(NO_COLOR=1 on_terminal "$NFAC scan -e two a")"
refuses "unknown --color" "--color=blue: there are always, never and auto" nfac scan --color=blue -e two a
is "names with a NUL behind them" "a|b|" "$(nfac scan -0l -e eedle a b | tr '\0' '|')"
is "and with lines" "a|2:two" "$(nfac scan -0nH -e two a | tr '\0' '|')"
is "-c: lines of each file" $'a:2\nb:0' "$(nfac scan -c -e needle a b)"
is "--count-matches: all matches of all files" 4 "$(nfac scan --count-matches -i -e needle a b)"
is "of words alone" 3 "$(nfac scan --count-matches -i -w -e needle a b)"
is "--json keeps every match, overlapping ones too" "4:5 4:6 11:3 15:5 15:6 23:5 23:6" \
	"$(nfac scan --json -e needle -e needl -e two a | jq -r '"\(.offset):\(.length)"' | sort -n | uniq | xargs)"
is "with the number of its line" "1:4 2:11 3:15 3:23" \
	"$(nfac scan --json -n -e needle -e two a | jq -r '"\(.line):\(.offset)"' | xargs)"
is "of words alone" "4 23" "$(nfac scan --json -w -e needle a | jq .offset | xargs)"
is "a word of two lines is two patterns" "1:0 2:11" \
	"$(nfac scan --json -n -w -e $'two\none' a | jq -r '"\(.line):\(.offset)"' | xargs)"
printf 'two\\nneed\n' >pattern
is "a match over two lines counts in the one where it ends" "needles needle" "$(nfac scan -f pattern a)"
is "its part of that line is printed" "need" "$(nfac scan -o -f pattern a)"
is "files and words add up" "3" "$(nfac scan -c -f pattern -p pattern -e one -e two a)"
refuses "an empty word" "-e:1: .*empty" nfac scan -e '' a
refuses "a set and a word" "either -s" nfac scan -s set.nfac -e word a
nfac compile -q -o set.nfac pattern >/dev/null
refuses "-i with a compiled set" "compiled set" nfac scan -i -s set.nfac a
for option in -v -o "-A 1" "-B 0" "-C 2"; do
	# shellcheck disable=SC2086
	refuses "--json with $option" "--json prints matches, and not lines" nfac scan --json $option -e a a
done
refuses "--count-matches with -v" "--count-matches counts" nfac scan --count-matches -v -e a a
refuses "-A of no number" "-A x: not a number" nfac scan -A x -e a a

printf 'text\nneedle\0\nneedle\n' >binary
gives 0 "a binary file" nfac scan -e needle binary
is "no line of it is printed" "" "$(cat "$T/out")"
is "but that it matches" "nfac: binary: binary file matches" "$(cat "$T/err")"
is "-a prints its lines" 2 "$(nfac scan -a -e needle binary | wc -l)"
{ head -c 100000 /dev/zero | tr '\0' '\n'; printf 'needle\nneedle \0\nneedle\n'; } >late
nfac scan -n -e needle late >"$T/out" 2>"$T/err"
is "a NUL behind its beginning: the lines before it" "100001:needle" "$(cat "$T/out")"
is "and that it is binary" "nfac: late: binary file matches" "$(cat "$T/err")"
printf 'caf\351 needle\n' >latin
is "Latin-1 is text" 1 "$(nfac scan -c -e $'\351 needle' latin)"
is "and printed as it is" "$(od -An -c latin)" "$(nfac scan -e $'\351 n' latin | od -An -c)"
head -c 20000000 /dev/zero | tr '\0' x >long
printf 'needle\nshort needle\n' >>long
is "a line of 20 MB" "20000007" "$(nfac scan -e xneedle long | wc -c)"
is "through a pipe" "20000007" "$(nfac scan -e xneedle - <long | wc -c)"
is "compressed" "2:20000007:short needle" "$(gzip -c long | nfac scan -nb -w -e needle -)"
"$NFAC" scan -l -e needle - </dev/zero >"$T/out" 2>"$T/err" &
pid=$!
sleep 2
like "zeros without an end take little memory" "^VmHWM: +[0-9]{1,5} kB" \
	"$(tr '\t' ' ' </proc/$pid/status | grep VmHWM)"
kill $pid
wait $pid 2>/dev/null
rm long

mkdir -p tree/sub
cp a tree/a.log
cp b tree/sub/b.txt
cp "$HERE/data/capnogap.pcap" tree/sub/trace
gzip -c a >tree/sub/c.log.gz
ln -s ../a tree/link
mkfifo tree/pipe
is "-r: files of a folder, in the order of their names" \
	$'tree/a.log:2\ntree/sub/b.txt:0\ntree/sub/c.log.gz:2\ntree/sub/trace:0' \
	"$(nfac scan -rc -e needle tree)"
is "--include" $'tree/a.log\ntree/sub/c.log.gz' \
	"$(nfac scan -rl --include '*.log' --include '*.gz' -e needle tree)"
is "links are followed where they are named" "a:2" "$(ln -s a named; nfac scan -rc -e needle named | sed s/named/a/)"
is "of this folder" "./tree/sub/b.txt" "$(nfac scan -rl -e Needle | grep sub)"
is "--exclude" $'tree/a.log\ntree/sub/c.log.gz' "$(nfac scan -rl --exclude '*.txt' -e needle -e Needle tree)"
is "--exclude before --include" tree/sub/c.log.gz "$(nfac scan -rl --include '*.log*' --exclude 'a*' -e needle tree)"
is "--exclude-dir" tree/a.log "$(nfac scan -rl --exclude-dir su? -e needle tree)"
is "-L of a folder" $'tree/sub/b.txt\ntree/sub/trace' "$(nfac scan -rL -e needle tree)"
refuses "--exclude without -r" "--exclude and --exclude-dir are for folders" nfac scan --exclude '*' -e a a
refuses "-l and -L" "either -l or -L" nfac scan -lL -e a a
is "-F is no change" 2 "$(nfac scan -Fc -e needle a)"
is "-Z is -0" "a|b|" "$(nfac scan -Zl -e eedle a b | tr '\0' '|')"
refuses "--include without -r" "--include is for the files of folders" nfac scan --include '*' -e a a
refuses "a folder without -r" "tree: this is a directory" nfac scan -e a tree
gives 2 "-v with a capture" nfac scan -vc -e needle tree/sub/trace a
like "is an error, and says so" "trace: a capture has no lines" "$(cat "$T/err")"
is "the others are searched" "a:2" "$(cat "$T/out")"
is "-l with a capture" tree/sub/trace "$(nfac scan -l -p "$HERE/data/ag.txt" tree/sub/trace)"

# threads: what one prints, several print; files and parts of files of more than 32 MB
python3 - <<'END'
import random
rng = random.Random(1)
lines = ["".join(rng.choices("abcdefgh ", k=rng.randrange(100))) + rng.choice(["", "", "", "needle"]) for _ in range(20000)]
text = "\n".join(lines) + "\n"
with open("large", "w") as f:
    f.writelines([text] * 60)
    f.write("no end of a line: needle")
with open("nul", "w") as f:
    f.writelines([text] * 25 + ["needle \0 needle\n"] + [text] * 25)
for i in range(300):
    with open(f"tree/many{i:03}", "w") as f:
        f.write("\n".join(lines[i * 50:i * 50 + rng.randrange(50)]))
END
cp large tree/middle
same()	# ARGUMENT...: by one thread and by several
{
	"$NFAC" scan -j1 "$@" >one.out 2>one.err
	local one=$? more
	"$NFAC" scan -j3 "$@" >more.out 2>more.err
	more=$?
	is "-j3 as -j1: ${*//$'\n'/|}" "$one $(md5sum <one.out) $(cat one.err)" "$more $(md5sum <more.out) $(cat more.err)"
}
for how in -c -n -o -v "-n -o -b" "-w -n" -x "-A 1" "-C 2 -n" "-m 5" -l -L --count-matches --color=always -a --json "--json -n" "--json -c"; do
	# shellcheck disable=SC2086 # words
	same -r $how -e needle tree
	# shellcheck disable=SC2086
	same $how -e needle large nul a nowhere b
done
same -e $'needle\nc' large
same -c -e needle - large
same -r --json --format crs -e needle tree
like "a binary file's lines end where they do with one thread" "nul: binary file matches" "$(cat more.err; "$NFAC" scan -j3 -e needle nul 2>&1 >/dev/null)"
"$NFAC" scan -j4 -r -e needle tree | head -1 >/dev/null
is "a reader that ends" "141 0" "${PIPESTATUS[0]} ${PIPESTATUS[1]}"
cd "$HERE" || exit 1
