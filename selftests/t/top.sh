#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 120
#
# client (10.0.0.2) ── veth ── server (10.0.0.1; set attached twice)
#
# Proves that `nfac top` shows on a terminal (tmux's) what the sets do: rates, patterns, sources,
# skipped packets, memory; that it fits in 80x24, follows the window's size, scrolls, and gives the
# terminal back; and that its batch mode prints the same as text.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool tmux python3
load_module
ns_pair

terminal()
{
	server tmux -u -f /dev/null -S "$SOCKET" "$@"
}

# screen: what the terminal shows
screen()
{
	terminal capture-pane -p -t top
}

# shows REGEX: some line of the terminal matches
# shellcheck disable=SC2317
shows()
{
	screen | grep -qE -- "$1"
}

shown()
{
	until_true 20 shows "$2" && pass "$1" || fail "$1" "no line matches: $2
$(screen)"
}

# start COLUMNS LINES COMMAND...: in a terminal of its own
start()
{
	local columns=$1 lines=$2

	shift 2
	rm -f "$T/left"
	# a server that is about to leave takes no session
	SOCKET=$(mktemp -u "$T/tmux-XXXXXX")
	run server env TERM=xterm tmux -u -f /dev/null -S "$SOCKET" new-session -d -s top -x "$columns" -y "$lines" \
		"$*; echo \$? >$T/left; sleep 100"
}

# one request in ten milliseconds, until it is ended
cat >"$T/traffic.py" <<'END'
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("10.0.0.1", 9999))
end = time.monotonic() + 100
while time.monotonic() < end:
    try:
        s.send(b"here is an attack")
    except ConnectionRefusedError:
        pass
    time.sleep(0.01)
END

say "without a terminal"
fails_with "it is refused" "this is no terminal; -b prints screens as text" server "$NFAC" top
like "nothing is loaded: batch mode" "^no set is loaded$" "$(server "$NFAC" top -b -n 1 -d 0.1)"

printf 'attack\nnever\n' >"$T/web.txt"
printf 'alert udp any any -> any any (msg:"a rule\xff"; content:"attack"; sid:7001;)\n' >"$T/rules.rules"
run server "$NFAC" load web "$T/web.txt"
run server "$NFAC" load rules --format suricata "$T/rules.rules"
run server "$NFAC" attach web --mark 1/1
run server "$NFAC" attach rules --hook input

say "batch mode"
background client /usr/bin/python3 -S "$T/traffic.py"
server "$NFAC" top -b -n 2 -d 1 --sources >"$T/batch"
is "two screens" 2 "$(grep -c '^SET (PATTERNS), ATTACHMENT' "$T/batch")"
like "the head" "^nfac [0-9.]+  [0-9:]{8}  every 1 s  sets 2, attachments 2$" "$(<"$T/batch")"
like "memory" "^memory [0-9.]+ [KM]iB of 256 MiB \([0-9]+ %\)  events lost 0$" "$(<"$T/batch")"
# 100 a second, fewer where the machine is slow
like "a set's rates" "^web \(2\) +[1-9][0-9.]* +[0-9.]+ k?B/s +[1-9][0-9.]* +0 +0$" "$(<"$T/batch")"
like "an attachment's" "^   1 prerouting -190 +[1-9][0-9.]* +[0-9.]+ k?B/s +[1-9][0-9.]* +0 +0$" "$(<"$T/batch")"
like "a pattern's" "^web +1 +[1-9][0-9.]* +[0-9]+ [0-9:]{8}  attack$" "$(<"$T/batch")"
like "a rule's, its msg escaped" '^rules +7001 +[1-9][0-9.]* +[0-9]+ [0-9:]{8}  a rule\\xff$' "$(<"$T/batch")"
unlike "none that never matched" never "$(<"$T/batch")"
like "a source's" "^10\.0\.0\.2 +[1-9][0-9.]* +[1-9][0-9]*$" "$(<"$T/batch")"
is "no blanks at a line's end" "" "$(grep ' $' "$T/batch")"
unlike "sources are not read unless they are wanted" "^SOURCE" "$(server "$NFAC" top -b -n 1 -d 0.1)"
is "one pattern alone" 1 "$(server "$NFAC" top -b -n 1 -d 0.5 --top 1 | grep -cE '  (attack|a rule)')"
server chmod 666 /dev/nfac
server setpriv --reuid=65534 --regid=65534 --clear-groups "$NFAC" top -b -n 1 -d 0.5 >"$T/other"
server chmod 600 /dev/nfac
like "a user that may not open the device sees the figures of sysfs" "^web \(2\) +[1-9]" "$(<"$T/other")"
like "and why no patterns" "^not known: /dev/nfac: " "$(<"$T/other")"

say "a terminal of 80x24"
start 80 24 "$NFAC" top -d 0.5
shown "sets" "^web \(2\) +[1-9]"
shown "patterns" "^web +1 +[1-9].*  attack$"
is "it fits" "" "$(screen | awk 'length > 80 || NR > 24')"
is "sources are not shown" "" "$(screen | grep ^SOURCE)"
terminal send-keys -t top s
shown "until the key s: sources" "^10\.0\.0\.2 +[1-9]"
shown "beside patterns" "^web +1 +[1-9].*  attack$"
terminal send-keys -t top s
# shellcheck disable=SC2317
no_sources()
{
	! shows "^SOURCE"
}
ok "and s again: none" until_true 20 no_sources
run client ping -c3 -i0.2 -W2 10.0.0.1
shown "what was not inspected, by reason" "^protocol +[0-9.]+ +[3-9]$"

say "its size"
run terminal resize-window -t top -x 60 -y 12
shown "narrower and lower: the head stays" "^nfac [0-9.]+ .*every 0.5 s"
is "within 60x12" "" "$(screen | awk 'length > 60 || NR > 12')"
terminal send-keys -t top Down Down Down Down Down Down Down Down Down Down Down Down
shown "scrolled: the patterns" "^web +1 +[1-9]"
shown "below the head" "^memory "
terminal send-keys -t top PageUp PageUp
shown "and back" "^SET \(PATTERNS\)"
run terminal resize-window -t top -x 200 -y 50
shown "larger: all of it" "^web +1 +[1-9].*  attack$"
run terminal resize-window -t top -x 10 -y 2
sleep 1
run terminal resize-window -t top -x 80 -y 24
shown "after a size that shows nothing" "^web +1 +[1-9].*  attack$"

say "its end"
terminal send-keys -t top q
ok "q quits" until_true 20 test -s "$T/left"
is "with status 0" 0 "$(<"$T/left")"
ok "the terminal is given back" until_true 20 no_sources
terminal kill-server
start 80 24 "$NFAC" top -d 0.5 -n 2
ok "after -n screens it leaves, too" until_true 20 test -s "$T/left"
is "with status 0" 0 "$(<"$T/left")"
terminal kill-server
start 80 24 "$NFAC" top
shown "Ctrl-C" "^web \(2\)"
terminal send-keys -t top C-c
ok "ends it as well" until_true 20 test -s "$T/left"
is "with status 0" 0 "$(<"$T/left")"
terminal kill-server
say "an error while the screen is shown"
limit=$(</sys/module/nfac/parameters/netns_memory_limit)
start 80 24 "$NFAC" top -d 0.5
shown "the screen" "^web \(2\)"
echo 1000 >/sys/module/nfac/parameters/netns_memory_limit
terminal send-keys -t top s
ok "no room for a reader's ring ends it" until_true 20 test -s "$T/left"
is "with status 2" 2 "$(<"$T/left")"
shown "and its message is there" "^nfac: /dev/nfac: no room for events"
echo "$limit" >/sys/module/nfac/parameters/netns_memory_limit
terminal kill-server
start 80 24 env TERM=nonesuch "$NFAC" top
ok "a terminal that is not known" until_true 20 test -s "$T/left"
is "is an error" 2 "$(<"$T/left")"
shown "with a sentence" "^nfac: the terminal 'nonesuch' is not known"
terminal kill-server
