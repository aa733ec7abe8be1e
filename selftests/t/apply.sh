#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 200
#
# client (10.0.0.2) ── veth ── server (10.0.0.1; what apply attaches)
#
# Proves that `nfac apply` puts a file into force, changes and removes what differs and touches
# nothing else; that a fault, and a step that fails, leave the old configuration; that no packet
# passes uninspected meanwhile, also when apply is killed $KILLS times (40); that save, apply and
# save again are the same; that load and attach lines of nfac.conf are read.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/rules.inc"

need_module
need_cli
need_tool iptables-nft
KILLS=${KILLS:-40}
load_module
rule_modules xt_nfac
rule_extensions
ns_pair
printf 'attack\n' >"$T/a.txt"
printf 'something else\nattack\n' >"$T/b.txt"
printf 'wicked\n' >"$T/c.txt"

# attach [LINE]...: a table of set s that drops
attach()
{
	printf '[[attach]]\nset = "s"\ndrop = true\nno-report = true\n'
	[ $# = 0 ] || printf '%s\n' "$@"
}

# ids of the set's attachments
ids()
{
	server ls "/sys/class/misc/nfac/sets/$1/attachments" | sort -n | xargs
}

generation()
{
	server cat "/sys/class/misc/nfac/sets/$1/generation"
}

say "from nothing"
{ printf '[set.s]\nfiles = "a.txt"\n[set.other]\nfiles = "c.txt"\n'; attach
  attach 'hook = "input"' 'proto = "udp"'; printf '[[attach]]\nset = "other"\nhook = "output"\n'; } >"$T/one.toml"
is "a dry run says what would be" "+ set s: 1 patterns
+ set other: 1 patterns
+ attach s: prerouting -190 --drop --no-report
+ attach s: input -190 --proto udp --drop --no-report
+ attach other: output -190" "$(server "$NFAC" apply --dry-run "$T/one.toml")"
is "and does nothing" "" "$(server "$NFAC" list)"
out=$(server "$NFAC" apply "$T/one.toml")
is "apply says what it did" 5 "$(grep -c '^+ ' <<<"$out")"
like "the set is there" "^s: 1 patterns" "$(server "$NFAC" list)"
is "and attached twice" "1 2" "$(ids s)"
is "again there is nothing to do" "" "$(server "$NFAC" apply "$T/one.toml")"
is "so nothing was loaded again, or attached" "1 1 1 2" "$(generation s) $(generation other) $(ids s)"
is "another namespace sees none of it" "" "$(client "$NFAC" list)"
is "-n goes to that namespace" "$(server "$NFAC" list)" "$("$NFAC" -n server list)"
# the host's own packets (neighbour discovery) may come in between
counters() { sed 's/"skipped_protocol":[0-9]*/"skipped_protocol":N/g'; }
out=$("$NFAC" -n server stats --json | counters)
is "and shows its counters" "$(server "$NFAC" stats --json | counters)" "$out"
like "of its sets" '"set":"s"' "$out"
is "apply by -n" "" "$("$NFAC" --netns server apply "$T/one.toml")"

say "save"
server "$NFAC" save >"$T/saved.toml"
is "what is saved is in force" "" "$(server "$NFAC" apply "$T/saved.toml")"
is "saved again it is the same" "$(<"$T/saved.toml")" "$(server "$NFAC" save)"
run server "$NFAC" apply --empty
is "--empty removes everything" "" "$(server "$NFAC" list)"
is "and holds no memory" 0 "$(memory_used)"
run server "$NFAC" apply "$T/saved.toml"
is "from nothing to the same" "$(<"$T/saved.toml")" "$(server "$NFAC" save)"
run server "$NFAC" load by-hand --nocase "$T/c.txt"
is "what load was given is saved" "[set.by-hand]
files = [\"$T/c.txt\"]
nocase = true" "$(server "$NFAC" save | head -3)"
is "what is not in the file goes" "- set by-hand: 1 patterns" "$(server "$NFAC" apply "$T/saved.toml")"
server bash -c "'$NFAC' load piped - <'$T/c.txt'" >/dev/null
out=$(server "$NFAC" save 2>"$T/err")
like "a set from a pipe is saved as its copy" '^files = \["/run/nfac/netns-[0-9]*/piped.nfac"\]' "$out"
like "and a message says so" "set 'piped': it is not known from which files" "$(<"$T/err")"
run server "$NFAC" apply "$T/saved.toml"

say "protocols that are allowed"
{ cat "$T/one.toml"; attach 'hook = "forward"' 'skip = "drop"' 'allow-protocol = ["icmp", 132, 253]'
  attach 'hook = "forward"' 'skip = "drop"' 'allow-protocol = "all"'
  attach 'hook = "forward"' 'skip = "drop"'; } >"$T/allow.toml"
is "are attached" "+ attach s: forward -190 --drop --skip drop --allow-protocol icmp,sctp,253 --no-report
+ attach s: forward -190 --drop --skip drop --allow-protocol all --no-report
+ attach s: forward -190 --drop --skip drop --no-report" "$(server "$NFAC" apply "$T/allow.toml")"
server "$NFAC" save >"$T/allowed.toml"
is "and saved" 'allow-protocol = "icmp,sctp,253"
allow-protocol = "all"' "$(grep allow "$T/allowed.toml")"
is "what is saved is in force" "" "$(server "$NFAC" apply "$T/allowed.toml")"
is "list --json has them" '["icmp","sctp","253"] null []' "$(server "$NFAC" list --json |
	jq -c '.attachments[]? | select(.skip_drop) | .allow_protocol' | xargs -d '\n')"
run server "$NFAC" apply "$T/saved.toml"

say "changes"
before=$(ids s)
sed 's/"a.txt"/"b.txt"/' "$T/one.toml" >"$T/two.toml"
is "a set that changed" "~ set s: 2 patterns, were 1" "$(server "$NFAC" apply "$T/two.toml")"
is "was swapped, and its attachments stay" "2 $before" "$(generation s) $(ids s)"
{ printf '[set.s]\nfiles = "b.txt"\n'; attach; attach 'hook = "input"' 'dport = [9999, 53]'; } >"$T/three.toml"
is "an attachment that changed, a set and an attachment that go" "- set other: 1 patterns
~ attach s: input -190 --dport 9999,53 --drop --no-report, was input -190 --proto udp --drop --no-report
- attach other: output -190" "$(server "$NFAC" apply "$T/three.toml")"
is "the attachment that did not change stays" "${before% *}" "$(ids s | cut -d' ' -f1)"
unlike "the set is gone" '^other' "$(server "$NFAC" list)"
is "nothing is left to do" "" "$(server "$NFAC" apply --dry-run "$T/three.toml")"

say "refused"
server "$NFAC" save >"$T/before.toml"
before="$(generation s) $(ids s)"
# refused DESC REGEX FILE: and everything is as before
refused()
{
	fails_with "$1" "$2" server "$NFAC" apply "$T/$3"
	like "$1: a message says so" "nothing was changed" "$(<"$T/.out")"
	is "$1: what is in force" "$(<"$T/before.toml")" "$(server "$NFAC" save)"
	is "$1: the attachments stay" "${before#* }" "$(ids s)"
}
{ cat "$T/one.toml"; echo 'hok = "input"'; } >"$T/bad.toml"
refused "a mistake" "bad.toml:[0-9]*: .*did you mean 'hook'" bad.toml
{ cat "$T/one.toml"; attach 'hook = "ingress"' 'dev = "nosuch"'; } >"$T/bad.toml"
is "there is a plan whose last step will fail" 5 "$(server "$NFAC" apply --dry-run "$T/bad.toml" | wc -l)"
refused "it fails, and the steps before it are undone" "bad.toml:18: .*no device 'nosuch'" bad.toml
unlike "the set that came is gone again" '^other' "$(server "$NFAC" list)"
printf '[set.s]\nfiles = "a.txt"\n' >"$T/bad.toml"
for ((i = 0; i < 65; i++)); do
	attach "priority = $i"
done >>"$T/bad.toml"
refused "too many attachments" "bad.toml:[0-9]*: set 's': too many attachments" bad.toml
is "what was there inspects still" 2 "$(server "$NFAC" list | grep -c -- --drop)"
: >"$T/bad.toml"
refused "an empty file" "no set; .nfac apply --empty." bad.toml
run server "$NFAC" load held "$T/c.txt"
server "$NFAC" save >"$T/before.toml"
run server iptables-nft -A INPUT -m nfac --set held -j DROP
refused "a rule holds a set that would go" "set 'held' is not in .*one.toml, and cannot be unloaded: 1 rules" one.toml
run server iptables-nft -D INPUT 1
run server "$NFAC" apply "$T/one.toml"

say "as much as there is, at boot"
run server "$NFAC" apply --empty
{ cat "$T/one.toml"; printf '[set.bad]\nfiles = "none.txt"\n[[attach]]\nset = "bad"\n'
  attach 'hook = "ingress"' 'dev = "nosuch"'; } >"$T/part.toml"
fails_with "--partial reports the set" "part.toml:18: set 'bad' is refused" \
	server "$NFAC" apply --partial "$T/part.toml"
like "and the attachment" "part.toml:22: .*no device 'nosuch'" "$(<"$T/.out")"
is "the rest is in force" "2 1" "$(server "$NFAC" list | grep -c ' --drop') $(server "$NFAC" list | grep -c ' output ')"
run server "$NFAC" load by-hand "$T/c.txt"
fails "again" server "$NFAC" apply --partial "$T/part.toml"
like "nothing is removed while there are faults" '^by-hand' "$(server "$NFAC" list)"
is "and nothing attached twice" 3 "$(server "$NFAC" list | grep -c '^ ')"

say "lines of nfac.conf"
cat >"$T/nfac.conf" <<END
load s $T/a.txt
attach s --drop --no-report   # everywhere
END
out=$(server "$NFAC" apply "$T/nfac.conf" 2>"$T/err")
like "they are applied" "^- set other" "$out"
like "and a message names the command that converts them" "nfac.conf: .*nfac apply --check $T/nfac.conf >/etc/nfac/nfac.toml" "$(<"$T/err")"
server "$NFAC" apply --check "$T/nfac.conf" >"$T/converted.toml"
is "converted they are the same" "" "$(server "$NFAC" apply "$T/converted.toml")"

say "under traffic"
{ printf '[set.s]\nfiles = "a.txt"\n'; attach; } >"$T/one.toml"
{ printf '[set.s]\nfiles = "b.txt"\n'; attach 'priority = -250' 'proto = "udp"'; } >"$T/two.toml"
{ printf '[set.x]\nfiles = "b.txt"\n'; attach 'hook = "input"' | sed 's/"s"/"x"/'; } >"$T/three.toml"
{ cat "$T/two.toml"; attach 'hook = "ingress"' 'dev = "nosuch"'; } >"$T/bad.toml"
run server "$NFAC" apply "$T/one.toml"
cat >"$T/traffic.py" <<'END'
import os, socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("10.0.0.1", 9999))
sent = answered = 0
end = time.monotonic() + 120
while not os.path.exists(sys.argv[1]) and time.monotonic() < end:
    for _ in range(10):
        # where a datagram passes, no socket is there, and an ICMP error says so
        try:
            s.send(b"here is an attack, every time")
            sent += 1
        except ConnectionRefusedError:
            answered += 1
    time.sleep(0.005)
print(sent > 100, answered)
END
client /usr/bin/python3 -S "$T/traffic.py" "$T/stop" >"$T/sent" &
pid=$!
for i in $(seq 8); do
	for name in two three one bad; do
		server "$NFAC" apply "$T/$name.toml" >/dev/null 2>&1 ||
			[ $name = bad ] || fail "apply $i: $name"
	done
done
# how long one takes here, in milliseconds
start=${EPOCHREALTIME/[.,]/}
for name in two three one; do
	run "$NFAC" -n server apply "$T/$name.toml"
done
took=$(((${EPOCHREALTIME/[.,]/} - start) / 3000))
RANDOM=1 killed=0 names=(one two three)
for i in $(seq "$KILLS"); do
	"$NFAC" -n server apply "$T/${names[i % 3]}.toml" >/dev/null 2>&1 &
	apply=$!
	wait_ms=$((RANDOM % (took + 1)))
	printf -v pause '%d.%03d' $((wait_ms / 1000)) $((wait_ms % 1000))
	sleep "$pause"
	kill -9 $apply 2>/dev/null
	wait $apply 2>/dev/null
	[ $? != 137 ] || killed=$((killed + 1))
done
touch "$T/stop"
wait $pid
ok "some were killed ($killed of $KILLS)" test $killed -gt $((KILLS / 4))
is "each attack was dropped, none was answered" "True 0" "$(<"$T/sent")"
run server "$NFAC" apply "$T/one.toml"
is "what a killed one left is put right" "$(server "$NFAC" apply --check "$T/one.toml")" \
	"$(server "$NFAC" save)"
run server "$NFAC" apply --empty
is "no memory is held" 0 "$(memory_used)"
