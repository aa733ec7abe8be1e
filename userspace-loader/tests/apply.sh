#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves of configuration files, without a kernel: that what apply reads is TOML and means what
# Python's tomllib reads; that what it prints is read again as the same; that each mistake is
# reported with file and line and the nearest name; that load and attach lines are converted.

. "$(dirname "$0")/lib.sh"

printf 'attack\n' >"$T/a.txt"
printf 'evil\n' >"$T/b.txt"
printf 'nasty\n' >"$T/c d.txt"

# check DESC: the configuration on standard input is read, and printed in a form that is read as
# the same
check()
{
	cat >"$T/in.toml"
	gives 0 "$1" nfac apply --check "$T/in.toml"
	is "$1: nothing is reported" "" "$(grep -v 'rules: 1 exact' "$T/err")"
	cp "$T/out" "$T/once.toml"
	gives 0 "$1: what it prints is read" nfac apply --check "$T/once.toml"
	is "$1: and printed the same" "$(cat "$T/once.toml")" "$(cat "$T/out")"
}

# wrong DESC REGEX: the configuration on standard input is refused
wrong()
{
	cat >"$T/in.toml"
	refuses "$1" "$2" nfac apply --check "$T/in.toml"
}

# value LINE: of an attachment, is it TOML, and does apply take it?
value()
{
	printf '[set.w]\nfiles = "%s"\n[[attach]]\nset = "w"\n%s\n' "$T/a.txt" "$1"
}

check "two sets, two attachments" <<END
# a comment, with [brackets] and "quotes"
[set.web]   # behind a header
files = ["a.txt", '$T/c d.txt',]	# a comma at the end
nocase = true
quiet = false

[set."a.b"]
files = [	# over several lines
	"b.txt",

]
format = "crs"

[[attach]]
set = "web"
hook = "forward"
dport = [80, 0x1bb]
priority = -1_50
mark = "0x1000/0xf000"
stream = true
gap = "drop"

[[attach]]
set = 'a.b'
iif = "\u0065th0"
no-report = true
END
is "what it prints" "[set.web]
files = [\"$T/a.txt\", \"$T/c d.txt\"]
nocase = true

[set.\"a.b\"]
files = [\"$T/b.txt\"]
format = \"crs\"

[[attach]]
set = \"web\"
hook = \"forward\"
priority = -150
dport = [80, 443]
mark = \"0x1000/0xf000\"
stream = true
gap = \"drop\"

[[attach]]
set = \"a.b\"
hook = \"prerouting\"
priority = -190
iif = \"eth0\"
no-report = true" "$(cat "$T/once.toml")"
is "tomllib reads the same of it as of the file" "same" "$(python3 - "$T/in.toml" "$T/once.toml" "$T" <<'END'
import sys, tomllib
first, second = (tomllib.load(open(name, "rb")) for name in sys.argv[1:3])
for part in first["set"].values():
    part["files"] = [name if name[0] == "/" else sys.argv[3] + "/" + name for name in part["files"]]
    # a switch that is off is left out
    part.pop("quiet", None)
for part in first["attach"]:
    part.setdefault("hook", "prerouting")
    part.setdefault("priority", -190)
print("same" if first == second else f"{first}\n{second}")
END
)"
check "line ends of DOS" < <(value 'proto = "tcp"' | sed 's/$/\r/')
check "no line end at the end" < <(value 'drop = true' | head -c -1)
check "wildcards" <<END
[set.w]
files = "*.txt"
END
is "they stay in the file" "files = [\"$T/*.txt\"]" "$(grep files "$T/once.toml")"
mkdir "$T/[x]"
cp "$T/a.txt" "$T/[x]/a*.txt"
check "a name that has wildcards and is there" <<END
[set.w]
files = "[x]/a*.txt"
END
printf 'alert tcp $HOME_NET any -> any any (content:"abc"; sid:1;)\n' >"$T/r.rules"
printf 'vars:\n  address-groups:\n    HOME_NET: "[10.0.0.0/8]"\n' >"$T/s.yaml"
check "variables of rules, for each set its own" <<END
[set.r]
files = "r.rules"
format = "suricata"
vars = "$T/s.yaml"
set-var = ["EXTERNAL_NET=any", "HOME_NET=10.0.0.1"]
[set.s]
files = "r.rules"
format = "suricata"
END
(cd "$T" && gives 0 "in the current folder" nfac apply --check in.toml)
gives 0 "from standard input" bash -c '"$1" apply --check - <"$2"' - "$NFAC" "$T/once.toml"

# what both read is the same kind of value; what tomllib refuses is refused
cat >"$T/values" <<'END'
priority = 5
priority = +5
priority = 0
priority = -0
priority = 05
priority = 1__0
priority = 1_
priority = _1
priority = 0x1F
priority = 0X1f
priority = -0x1
priority =
priority 5
priority == 5
priority = 5 5
priority = 5 # five
priority = "5"
priority = '5'
priority = "5
priority = "5\"
priority = "\u0035"
priority = "\U00000035"
priority = "\ud800"
priority = "\q"
priority = '\u0035'
"priority" = 5
'priority' = 5
pri.ority = 5
priority = tru
drop = true
drop = True
drop = false
drop=true
dport = [1]
dport = [1,]
dport = [1, 2]
dport = [1 2]
dport = [, 1]
dport = [1, 2
dport = [1,,2]
dport = 80
[[attach]
[[attach]] x
[attach]
[set.x
[set.]
[set.x.]
[]
END
python3 - "$T" <<'END'
import sys
folder = sys.argv[1]
for number, line in enumerate(open(folder + "/values")):
    text = f'[set.w]\nfiles = "a.txt"\n[[attach]]\nset = "w"\n{line}'
    open(f"{folder}/v{number}.toml", "w").write(text)
END
python3 - "$T" >"$T/refused" <<'END'
import sys, tomllib
for number, line in enumerate(open(sys.argv[1] + "/values")):
    try:
        tomllib.load(open(f"{sys.argv[1]}/v{number}.toml", "rb"))
    except tomllib.TOMLDecodeError:
        print(number)
END
n=0
while IFS= read -r line; do
	if grep -qx $n "$T/refused"; then
		refuses "what is not TOML: $line" "v$n.toml:[56]: " nfac apply --check "$T/v$n.toml"
	fi
	n=$((n + 1))
done <"$T/values"
is "there were some" 1 "$(($(wc -l <"$T/refused") > 15))"
for line in 'priority = 5' 'priority = +5' 'priority = 0' 'priority = "\u0035"' "'priority' = 5" \
	'priority = "mangle+5"' 'drop=true' 'dport = [1,]' 'dport = "80,81"'; do
	check "$line" < <(value "$line")
done
value '' >"$T/cut.toml"
printf 'priority = "mangle"\ndport = [1, 2]\nmark = "1/1"\ndrop = true\n' >>"$T/cut.toml"
size=$(wc -c <"$T/cut.toml")
for ((i = 1; i < size; i++)); do
	head -c $i "$T/cut.toml" >"$T/piece.toml"
	"$NFAC" apply --check "$T/piece.toml" >/dev/null 2>"$T/err"
	rc=$?
	[ $rc = 0 ] || { [ $rc = 2 ] && grep -q '^nfac: ' "$T/err"; } || fail "cut at $i" "status $rc"
done
pass "a file that is cut anywhere is read or refused"

wrong "an unknown key of an attachment" "in.toml:5: an attachment has no key 'prority' \(did you mean 'priority'\?\)" \
	< <(value 'prority = 3')
wrong "an unknown key of a set" "in.toml:3: a set has no key 'fromat' \(did you mean 'format'\?\)" <<END
[set.w]
files = "a.txt"
fromat = "crs"
END
wrong "an unknown table" "in.toml:1: no table 'sets' is known \(did you mean 'set'\?\)" <<END
[sets.w]
files = "a.txt"
END
wrong "an unknown format" "in.toml:3: unknown format 'csr' \(did you mean 'crs'\?\)" <<END
[set.w]
files = "a.txt"
format = "csr"
END
wrong "an attachment of an unknown set" "in.toml:3: this file has no set 'wbe' \(did you mean 'web'\?\)" <<END
[set.web]
files = "a.txt"
[[attach]]
set = "wbe"
END
wrong "a set twice" "in.toml:3: set 'w' is in line 1 already" <<END
[set.w]
files = "a.txt"
[set.w]
files = "b.txt"
END
wrong "a key twice" "in.toml:6: the key 'drop' is in this table already" < <(value 'drop = true
drop = true')
wrong "a set without files" "in.toml:1: set 'w' has no files" <<<'[set.w]'
wrong "an attachment without a set" "in.toml:3: an attachment without set" <<END
[set.w]
files = "a.txt"
[[attach]]
END
wrong "a bad value" "in.toml:5: --mark 1/0: the mask is 0" < <(value 'mark = "1/0"')
wrong "what does not go together, at the table" "in.toml:3: --gap says nothing without --stream" \
	< <(value 'gap = "drop"')
wrong "a switch with a number" "in.toml:5: drop is true or false" < <(value 'drop = 1')
wrong "a value that is a switch's" "in.toml:5: hook takes HOOK, not true" < <(value 'hook = true')
wrong "a list of hooks" "in.toml:5: hook has one value" < <(value 'hook = ["input"]')
wrong "text without quotes" "in.toml:5: 'input': put text in quotes" < <(value 'hook = input')
wrong "a key before the tables" "in.toml:1: a key before the first table" <<<'drop = true'
wrong "single brackets" "in.toml:3: an attachment is \[\[attach\]\]" <<END
[set.w]
files = "a.txt"
[attach]
END
wrong "double brackets" "in.toml:1: a set is \[set.NAME\], with single brackets" <<<'[[set.w]]'
wrong "standard input as a list" "in.toml:2: a set of a configuration is in files" <<END
[set.w]
files = "-"
END
for line in 'priority = 1.5' 'priority = 2026-01-01' 'hook = """input"""' 'hook = { a = 1 }' \
	'dport = [[1]]' 'priority = 0o7'; do
	wrong "TOML that is not used: $line" "in.toml:5: " < <(value "$line")
done
wrong "bytes that are no UTF-8" "in.toml:5: a string is not UTF-8" < <(value $'iif = "\xff"')
wrong "a control byte" "in.toml:5: a string has a control byte" < <(value $'iif = "\x01"')
wrong "patterns that do not compile, with their own line" "bad.txt:2: bad escape" \
	< <(printf 'a\n\\q\n' >"$T/bad.txt"; printf '[set.w]\nfiles = "bad.txt"\n')
like "and the set's" "in.toml:1: set 'w' is refused" "$(cat "$T/err")"
wrong "files that are not there" "$T/none.txt: No such file" <<END
[set.w]
files = "none.txt"
END
wrong "a wildcard that matches nothing" "in.toml:1: set 'w': no file is named as $T/\*.none" <<END
[set.w]
files = "*.none"
END
wrong "every mistake in one go" "in.toml:3: .*'fromat'" <<END
[set.w]
files = "a.txt"
fromat = "crs"
[set.x]
files = "b.txt"
[[attach]]
set = "x"
hok = "input"
[[attach]]
set = "w"
END
like "the next one too" "in.toml:8: .*did you mean 'hook'" "$(cat "$T/err")"
like "and what follows from it" "in.toml:9: its set 'w' is refused" "$(cat "$T/err")"
wrong "an empty file" "in.toml: no set; .nfac apply --empty. removes everything" </dev/null
refuses "no such file" "none.toml: No such file" nfac apply --check "$T/none.toml"
refuses "--empty with a file" "--empty takes no file" nfac apply --empty "$T/in.toml"

printf '[set.s]\nfiles = "a.txt"\n[[attach]]\nset = "s"\nskip = "drop"\nallow-protocol = ["icmp", 132]\n' \
	>"$T/in.toml"
gives 0 "a list of protocols" nfac apply --check "$T/in.toml"
like "is printed with their names" '^allow-protocol = "icmp,sctp"$' "$(cat "$T/out")"

# what nfac-boot read
cat >"$T/nfac.conf" <<END
# two sets
load --format crs -q one $T/a.txt   # with a comment
load --set-var=HOME_NET=10.0.0.1 two $T/b.*

attach one --proto tcp --dport 80,443 --mark=0x01000000/0x0f000000
attach --hook output two --drop
END
gives 0 "load and attach lines" nfac apply --check "$T/nfac.conf"
is "are converted" "[set.one]
files = [\"$T/a.txt\"]
format = \"crs\"
quiet = true

[set.two]
files = [\"$T/b.*\"]
set-var = [\"HOME_NET=10.0.0.1\"]

[[attach]]
set = \"one\"
hook = \"prerouting\"
priority = -190
proto = \"tcp\"
dport = [80, 443]
mark = \"0x1000000/0xf000000\"

[[attach]]
set = \"two\"
hook = \"output\"
priority = -190
drop = true" "$(cat "$T/out")"
cp "$T/out" "$T/new.toml"
gives 0 "what they become is read" nfac apply --check "$T/new.toml"
is "as the same" "$(cat "$T/new.toml")" "$(cat "$T/out")"
# line NUMBER REGEX: with this line added
line()
{
	printf 'load one %s\n%s\n' "$T/a.txt" "$1" >"$T/nfac.conf"
	refuses "a line: $1" "nfac.conf:2: $2" nfac apply --check "$T/nfac.conf"
}
line "unload one" "only load and attach are known here, not 'unload' \(did you mean 'load'\?\)"
line "load two" "load takes a name and a file"
line "load one $T/b.txt" "set 'one' is in line 1 already"
line "load two -" "a set of a configuration is in files"
line "attach" "no set named"
line "attach one one" "one set at a time"
line "attach two" "this file has no set 'two'"
line "attach one --hok input" "unknown option '--hok' \(did you mean 'hook'\?\)"
line "attach one --drop=1" "--drop takes no value"
line "attach one --hook" "--hook takes a value"
line "attach one --hook=below" "unknown hook 'below'"
line "attach one --gap drop" "--gap says nothing without --stream"

refuses "-n: no name" "-n takes the name of a network namespace" nfac -n
refuses "-n: no such namespace" "no network namespace 'nfac-none'" nfac -n nfac-none list
refuses "--netns=" "no network namespace 'nfac-none'" nfac --netns=nfac-none list
refuses "-n: no namespace's name" "'\.\.' is no name" nfac -n .. list
gives 0 "-n: help comes without" nfac --help
