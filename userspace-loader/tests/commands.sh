#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: that each command refuses what makes no sense, with a sentence and status 2,
# before it touches the device; that help and version work; that the pages are sound.

. "$(dirname "$0")/lib.sh"

gives 0 "--help" nfac --help
like "names the commands" "^  compile " "$(cat "$T/out")"
gives 0 "--version" nfac --version
like "prints it" "^nfac [0-9]" "$(cat "$T/out")"
refuses "no command" "Usage: nfac \[-n NETNS\] COMMAND" nfac
refuses "unknown command" "unknown command 'frobnicate'" nfac frobnicate
refuses "an option of a command before it" "^nfac: unknown option '--json'; options of a command follow its name$" \
	nfac --json list
refuses "a mistyped option before the command" "unknown option '--verison' \(did you mean '--version'\?\); options" nfac --verison
for pair in scna:scan scann:scan ecan:scan lod:load lst:list atach:attach dettach:detach comp:compile \
		status:stats querify:verify explian:explain qeueu:queue; do
	refuses "a mistyped command: ${pair%:*}" \
		"^nfac: unknown command '${pair%:*}' \(did you mean '${pair#*:}'\?\); \`nfac --help' lists them" \
		nfac "${pair%:*}"
done
for word in frobnicate x "" "$(printf 'scan%.0s' {1..20})"; do
	refuses "no command is near '$word'" "unknown command '$word'; .nfac --help" nfac "$word"
done
for pair in plane:plain csr:crs suricatta:suricata suri:suricata domain:domains; do
	refuses "a mistyped format: ${pair%:*}" \
		"unknown format '${pair%:*}' \(did you mean '${pair#*:}'\?\): there are plain" \
		nfac compile --format "${pair%:*}" "$WORDS"
done
refuses "no format is near" "unknown format 'yara': there are plain" nfac compile --format yara "$WORDS"
refuses "a mistyped hook" "unknown hook 'prerouing' \(did you mean 'prerouting'\?\): there are" nfac attach web --hook prerouing
for pair in "list --jsn:--json" "scan --summry:--summary" "attach web --hok input:--hook" \
		"queue --num 3 --threshold-confg x:--threshold-config" "scan --colour -e a b:--color" \
		"compile --formt=crs:--format" "scan -ne a --jsno b:--json"; do
	command=${pair%:*}
	# shellcheck disable=SC2086 # words
	refuses "a mistyped option: $command" "^nfac ${command%% *}: unrecognized option '--[a-z-]+' \(did you mean '${pair#*:}'\?\)$" \
		nfac $command
done
refuses "no option is near" "^nfac list: unrecognized option '--xyzzy'$" nfac list --xyzzy
printf 'a --jsn\n' >"$T/text"
for option in "-e --jsn" -e--jsn "--literal --jsn" "--literal=--jsn" "-ne --jsn" "--js -e --jsn" "-A 1 -e --jsn"; do
	# shellcheck disable=SC2086
	gives 0 "the value of an option is none: $option" nfac scan $option "$T/text"
done
gives 2 "nor is a word behind --" nfac scan -e a -- --jsn
like "which is a file's name" "^nfac: --jsn: No such file" "$(cat "$T/err")"
gives 0 "-h" nfac -h
cp "$T/out" "$T/help"
gives 0 "is --help" cmp "$T/help" <(nfac --help)
gives 0 "help COMMAND" nfac help attach
for c in compile scan load unload list attach detach apply save stats top watch verify explain test report queue; do
	gives 0 "$c -h" nfac $c -h
	mv "$T/out" "$T/help"
	gives 0 "$c --help" nfac $c --help
	is "$c: both are one" "$(cat "$T/help")" "$(cat "$T/out")"
	like "$c: usage" "Usage: nfac $c" "$(cat "$T/out")"
	is "$c: no blanks at a line's end" "" "$(grep ' $' "$T/out")"
	gives 0 "$c --version" nfac $c --version
	refuses "$c: unknown option" "nfac $c: unrecognized option '--frobnicate'" nfac $c --frobnicate
	like "$c is in the manual" "^\.Ss $c\$" "$(cat "$HERE/../man/nfac.8")"
	nfac $c --help | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u | while read -r o; do
		case $o in --help | --usage | --version) continue ;; esac
		grep -qE -- "Fl (-|\\\\-)?$(sed 's/^-//' <<<"$o" | sed 's/^-//')\b" "$HERE/../man/nfac.8" ||
			echo "$c $o"
	done >"$T/missing"
	is "$c: all options are in the manual" "" "$(cat "$T/missing")"
done
if command -v mandoc >/dev/null; then
	is "manual pages are sound" "" "$(mandoc -Tlint "$HERE"/../man/nfac* 2>/dev/null | grep -v 'referenced manual')"
else
	skip "manual pages are sound" "mandoc is not installed"
fi

# a set or a list through a pipe: which of them is known when it has been read
piped()	# DESC REGEX TEXT [OPTION]...
{
	printf "$3" >"$T/piped"
	refuses "$1" "$2" bash -c 'cat "$1" | "$2" queue --num 0 "${@:3}" -' - "$T/piped" "$NFAC" "${@:4}"
}
piped "a compiled set through a pipe is taken for one" "standard input: not a sound compiled set" 'NFACxxx\000'
piped "what is for lists is not" "standard input: --nocase is for lists" 'NFACxxx\000' --nocase
piped "a list is read as one" "standard input:2: bad escape" 'a\n\\q\n'
piped "also where it begins as a set does" "standard input:2: bad escape" 'NFAC\n\\q\n'
piped "in its format" "standard input:1: not a rule" 'a\n' --format suricata
piped "an empty pipe is none" "standard input: no pattern" ''
refuses "nor is a folder" "$T: this is a directory" nfac queue --num 0 "$T"

# set names
long=$(printf 'n%.0s' $(seq 32))
for c in "load:$WORDS" unload attach stats watch verify; do
	args=()
	[ "${c#*:}" = "$c" ] || args=("${c#*:}")
	c=${c%%:*}
	refuses "$c: empty name" "set's name is empty" nfac $c "" "${args[@]}"
	refuses "$c: name too long" "too long: 32 bytes, the limit is 31" nfac $c "$long" "${args[@]}"
	refuses "$c: name with a slash" "holds a slash" nfac $c a/b "${args[@]}"
	refuses "$c: name with a space" "byte 2 is a space" nfac $c "a b" "${args[@]}"
	refuses "$c: name of two lines" 'set name .a\\nb\\x1b.: byte 2 is' nfac $c $'a\nb\e' "${args[@]}"
	refuses "$c: name .." "cannot be named '\.\.'" nfac $c .. "${args[@]}"
done

refuses "load: no file" "give a name and a file" nfac load web
refuses "load: missing file" "$T/none: No such file" nfac load web "$T/none"
refuses "load: a folder" "this is a directory" nfac load web "$T"
printf 'a\n\\q\n' >"$T/bad.txt"
refuses "load: bad patterns" "bad.txt:2: bad escape" nfac load web "$T/bad.txt"
printf 'NFAC\n\\q\n' >"$T/bad.txt"
refuses "load: also where they begin as a set does" "bad.txt:2: bad escape" nfac load web "$T/bad.txt"
: >"$T/empty.nfac"
refuses "load: empty blob" "empty, not a compiled set" nfac load web "$T/empty.nfac"
nfac compile -o "$T/w.nfac" "$WORDS" >/dev/null
refuses "load: two blobs" "one compiled file" nfac load web "$T/w.nfac" "$T/w.nfac"

# attach REGEX OPTION...
wrong()
{
	local re=$1

	shift
	refuses "attach $*" "$re" nfac attach web "$@"
}
wrong "unknown hook 'below'" --hook below
wrong "hook ingress takes the device: --dev" --hook ingress
wrong "there are inet, ip, ip6 and bridge" --family arp
wrong "hook ingress is that of a device" --family bridge --hook ingress --dev eth0
wrong "give a number" --family bridge --priority filter
wrong "conntrack sees packets at priority -200" --family bridge --priority -200 --ct-label 5
wrong "nothing says where a packet came in" --family bridge --hook postrouting --iif eth0
wrong "hook prerouting have no outgoing interface" --family bridge --oif eth0
wrong "hook egress takes the device: --dev" --hook egress
wrong "hook input is not that of a device" --hook input --dev eth0
wrong "hook prerouting is not that of a device" --dev eth0
wrong "hook ingress is that of one device, which --dev names" --hook ingress --iif eth0
wrong "hook egress is that of one device, which --dev names" --hook egress --dev eth0 --oif eth0
wrong "hook ingress comes before conntrack" --hook ingress --dev eth0 --ct-mark 1/1
wrong "hook xdp takes the device: --dev" --hook xdp
wrong "hook xdp is that of one device, which --dev names" --hook xdp --dev eth0 --iif eth0
wrong "hook xdp sees no answers" --hook xdp --dev eth0 --strict
wrong "hook tc sees no answers" --hook tc --dev eth0 --stream
wrong "in hook xdp a packet has no mark yet" --hook xdp --dev eth0 --mark 1/1
wrong "in hook xdp a packet has no mark yet" --hook xdp --dev eth0 --when-mark 1/1
wrong "hook tc comes before conntrack" --hook tc --dev eth0 --ct-label 5
wrong "hook tc is that of a device" --family bridge --hook tc --dev eth0
wrong "at most 15 bytes" --hook ingress --dev abcdefghijklmnop
wrong "priority 2147483647 is out of range" --priority 2147483647
wrong "priority -2147483648 is out of range" --priority=-2147483648
wrong "is not a number" --priority 99999999999
wrong "is not a number" --priority 12x
wrong "is not a number" --priority ""
wrong "unknown priority 'late'" --priority late
wrong "unknown protocol 'sctp'" --proto sctp
wrong "'0' is not a port" --dport 0
wrong "'65536' is not a port" --dport 80,65536
wrong "'' is not a port" --dport 80,
wrong "'htpt' is not a port: 1 to 65535, a range as 8000-8100, or a service's name" --dport 80,htpt
wrong "'80-' is not a port" --dport 80-
wrong "'80-90-99' is not a port" --dport 80-90-99
wrong "'-80' is not a port" --dport=-80
wrong "the range from 90 to 80 is empty" --dport 90-80
wrong "more than 8 ports and ranges of ports" --dport "$(seq -s, 1 8),80-90"
wrong "comes at the end alone" --iif 'e*h'
wrong "comes at the end alone" --oif '*eth' --hook forward
wrong "is that of one device, without" --hook ingress --dev 'eth*'
wrong "more than 16 ports" --dport "$(seq -s, 1 17)"
wrong "mark 0x10/0x0f: value has bits outside its mask" --mark 0x10/0x0f
wrong "ct-mark 0x10/0x0f: value has bits outside its mask" --ct-mark 0x10/0x0f
wrong "when-mark 0x10/0x0f: value has bits outside its mask" --when-mark 0x10/0x0f
wrong "mark 1/0: the mask is 0" --mark 1/0
wrong "the value is not a number of 32 bits" --mark 0x100000000
wrong "the value is not a number of 32 bits" --mark=-1
wrong "the mask is not a number of 32 bits" --mark 1/x
wrong "the mask is not a number of 32 bits" --mark 1/
wrong "not a bit from 0 to 127" --ct-label 128
wrong "says nothing without --stream" --gap drop
wrong "there are restart, pass and drop" --stream --gap maybe
wrong "udp leaves none" --stream --proto udp
wrong "there are pass and drop" --skip maybe
wrong "says nothing without --skip drop" --allow-protocol icmp
wrong "'imcp' is not a protocol: 0 to 255, a name of /etc/protocols, or all" \
	--skip drop --allow-protocol esp,imcp
wrong "'256' is not a protocol" --skip drop --allow-protocol 256
wrong "'' is not a protocol" --strict --allow-protocol icmp,
wrong "'udp' is inspected" --strict --allow-protocol udp
wrong "'6' is inspected" --skip drop --allow-protocol 6
wrong "at most 15 bytes" --iif abcdefghijklmnop
wrong "name is empty" --oif ""
wrong "hook output came in by no interface" --hook output --iif eth0
wrong "hook prerouting have no outgoing interface" --oif eth0
wrong "hook prerouting conntrack sees packets at priority -200" --ct-mark 1/1 --priority raw
wrong "hook prerouting conntrack sees packets at priority -200" --ct-label 5 --priority conntrack
wrong "hook output conntrack sees packets at priority -200" --ct-label 5 --hook output --priority=-201
for o in "proto tcp" "proto udp" "mark 1/1" "when-mark 2/2" "ct-mark 1/1" "ct-label 5" "hook input" \
	"priority 5" "iif eth0" "oif eth1" "gap drop" "skip drop"; do
	# shellcheck disable=SC2086
	wrong "--${o% *} is given twice" --dport 80 --dport 81 --${o% *} ${o#* } --ipv4 --${o% *}=${o#* }
done
printf 'a\n' >"$T/one.txt"
refuses "compile: two outputs" "--output is given twice" \
	nfac compile -o "$T/twice.nfac" --output "$T/again.nfac" "$T/one.txt"
is "compile: neither is written" "" "$(ls "$T" | grep -E 'twice|again')"
for c in compile "load web" "scan -p $T/one.txt" "queue --num 0"; do
	# shellcheck disable=SC2086
	refuses "${c%% *}: two formats of patterns" "--format is given twice" \
		nfac $c --format plain --format crs "$T/one.txt"
	# shellcheck disable=SC2086
	refuses "${c%% *}: the same format twice" "--format is given twice" \
		nfac $c --format=crs --format=crs "$T/one.txt"
done
refuses "scan: two sets" "--set is given twice" nfac scan -s "$T/w.nfac" -s "$T/w.nfac" "$T/one.txt"
refuses "scan: two paths" "--path is given twice" \
	nfac scan -p "$T/one.txt" --path portable --path nofilter "$T/one.txt"
is "scan: pattern files add up" 2 "$(nfac scan --count-matches -p "$T/one.txt" -p "$T/one.txt" "$T/one.txt")"
refuses "attach: no set" "no set named" nfac attach
refuses "attach: two sets" "one set at a time" nfac attach a b
refuses "detach: no id" "no attachment named" nfac detach
refuses "detach: id 0" "'0' is not an attachment's id" nfac detach 0
refuses "detach: no number" "'web' is not an attachment's id" nfac detach 1 web
refuses "stats: two formats" "either --json or --prometheus" nfac stats --json --prometheus
refuses "stats: two sets" "one set at a time" nfac stats a b
refuses "stats: --top of what" "--top says nothing without --patterns or --prometheus" nfac stats --top 3
for n in 0 -1 x 4294967296; do
	refuses "stats: --top $n" "--top $n: not a number from 1 to" nfac stats --patterns "--top=$n"
done
refuses "stats: --top twice" "--top is given twice" nfac stats --patterns --top 1 --top 2
refuses "stats: patterns of Prometheus" "--prometheus has patterns with --top" nfac stats --patterns --prometheus
refuses "top: no terminal" "this is no terminal; -b prints" nfac top
for d in 0 0.05 3601 nan inf 1s "" -1; do
	refuses "top: a delay of '$d'" "not seconds from 0.1 to 3600" nfac top -b "--delay=$d"
done
refuses "top: no screen" "-n 0: not a number from 1" nfac top -b -n 0
refuses "top: two delays" "--delay is given twice" nfac top -b -d 1 -d 2
refuses "top: --top on a terminal" "--top says nothing without -b" nfac top --top 3
refuses "top: an argument" "Too many arguments" nfac top web
# where ncurses is missing, the command says so and the rest builds
for f in "$HERE"/../commands/top*.c; do
	gives 0 "${f##*/} without ncurses" "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -UHAVE_NCURSES -Wall -Wextra -Werror \
		-fsyntax-only -I"$HERE/.." -I"$HERE/../../uapi" "$f"
done
refuses "watch: count 0" "not a number from 1" nfac watch --count 0
refuses "watch: bad timeout" "not a duration" nfac watch --nft-timeout soon
refuses "watch: a timeout of nothing" "says nothing without --nft-set" nfac watch --nft-timeout 5m
refuses "watch: two timeouts" "--nft-timeout is given twice" \
	nfac watch --nft-set a/b --nft-timeout 5m --nft-set c/d --nft-timeout 6m
refuses "watch: two formats" "either --json, --eve or --journal" nfac watch --json --eve
refuses "watch: a format and the journal" "either --json, --eve or --journal" \
	nfac watch --eve --journal
refuses "queue: two formats" "either --json, --eve or --journal" \
	nfac queue --num 0 --json --eve "$T/none"
refuses "watch: a file that cannot be made" "$T/no/log: No such file" nfac watch -o "$T/no/log"
refuses "queue: two queues" "--num is given twice" nfac queue --num 0 --num 1 "$T/none"
refuses "watch: two sets" "one set, or all" nfac watch a b

if [ ! -e /dev/nfac ]; then
	refuses "load: no device" "/dev/nfac: .*is the module loaded\? try: modprobe nfac" nfac load web "$WORDS"
	for c in "unload web" list save "attach web" "detach 1" "top -b" watch verify; do
		# shellcheck disable=SC2086
		refuses "$c: no device" "is the module loaded" nfac $c
	done
	refuses "stats: no module" "/sys/class/misc/nfac: .*is the module loaded" nfac stats
	refuses "stats --patterns: no module" "/dev/nfac: .*is the module loaded" nfac stats --patterns
	gives 0 "stats --prometheus: no module" nfac stats --prometheus --top 3
	is "is a sample, too" "$(printf 'nfac_build_info{version="%s",set_version="%s"} 1\nnfac_up 0' \
		"$(nfac --version | cut -d' ' -f2)" \
		"$(sed -n 's/^#define NFAC_BLOB_VERSION[[:space:]]*//p' "$HERE/../../kmod/engine/blob.h")")" \
		"$(grep -v '^#' "$T/out")"
else
	skip "commands without the device" "/dev/nfac is there"
fi
