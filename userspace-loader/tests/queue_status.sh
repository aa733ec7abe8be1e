#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
#   ns client (v0, 10.9.0.1) ── veth ── ns server (v0, 10.9.0.2, NFQUEUE in mangle PREROUTING)
#
# Proves: that `nfac stats` shows a running queue's counters as text, as JSON and to Prometheus, those
# of its own network namespace alone, without the module; that a socket that a killed process left is
# no error and goes away; that readers that do not read delay nothing; and that a queue without a
# writable /run inspects all the same.

. "$(dirname "$0")/lib.sh"
. "$HERE/queue.inc"

printf 'needle\n' >"$T/needle"
datagrams() { client python3 "$HERE/send.py" v0 - udp 10.9.0.2 "$1" "$2"; }
# what `nfac stats` shows in the server's namespace
stats() { server "$NFAC" stats "$@"; }
# where it is not known which namespace is the first one, all have one folder
folder=/run/nfac
! stat -L /proc/1/ns/net >/dev/null 2>&1 || folder=$folder/netns-$(stat -Lc %i /run/netns/$S)
sockets()	# PID...: those of these processes
{
	local pid

	for pid; do
		(cd "$folder" 2>/dev/null && ls queue-*-"$pid".sock 2>/dev/null)
	done
}

refuses "no module and no queue" "is the module loaded" stats
queue --name web --drop --dport 7 "$T/needle"
first=$BG
is "a socket of its own" "queue-3-$first.sock" "$(sockets $first)"
is "which only its owner opens" "600 700" "$(stat -c %a "$folder/queue-3-$first.sock" "$folder" | xargs)"
datagrams 7 5
datagrams 8 3
settle
gives 0 "stats --json" stats --json
is "its counters" '{"queue":3,"last_queue":3,"pid":'"$first"',"set":"web","generation":1,"packets":5,"matches":5,"matched_packets":5,"dropped_packets":5}' \
	"$(jq -c '{queue, last_queue, pid, set, generation, packets, matches, matched_packets, dropped_packets}' "$T/out")"
kill -USR1 "$first"
for _ in $(seq 100); do
	grep -q '"type":"stats"' "$T/events" && break
	sleep 0.05
done
is "are those that SIGUSR1 prints" "$(grep '"type":"stats"' "$T/events" | jq -Sc 'del(.type)')" \
	"$(jq -Sc 'del(.queue, .last_queue, .pid)' "$T/out")"
is "as text" "QUEUE SET PACKETS MATCHES MATCHED SCANNED DROPPED LOST
3 web 5 5 5 $(jq .bytes "$T/out") B 5 0" "$(stats | tr -s ' ')"
stats --prometheus >"$T/prometheus"
like "to Prometheus" '^nfac_queue_dropped_packets_total\{set="web",queue="3"\} 5$' "$(<"$T/prometheus")"
like "reasons, too" '^nfac_queue_skipped_packets_total\{set="web",queue="3",reason="fragment"\} 0$' "$(<"$T/prometheus")"
like "the module is not loaded" '^nfac_up 0$' "$(<"$T/prometheus")"
is "each metric has one type" "" "$(grep '^# TYPE' "$T/prometheus" | cut -d' ' -f3 | sort | uniq -d)"
is "by the set's name" 3 "$(stats --json web | jq .queue)"
gives 2 "another set" stats other
is "another namespace's are not shown" "" "$(client "$NFAC" stats --json 2>/dev/null)"
: >"$T/qerr2"
gives 0 "a second queue" server bash -c "\"\$1\" queue --num 5-6 --name two \"\$2\" 2>\"\$3\" & echo \$! >\"\$4\"" \
	- "$NFAC" "$T/needle" "$T/qerr2" "$T/pid2"
second=$(<"$T/pid2")
for _ in $(seq 100); do
	grep -q ready "$T/qerr2" && break
	sleep 0.05
done
is "both, by their numbers" "3 web
5-6 two" "$(stats | awk '$1 ~ /^[0-9]/ { print $1, $2 }')"

# readers: many at once, and some that connect and never read
cat >"$T/idle.py" <<'END'
import socket, sys, time
held = []
for _ in range(64):
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    held.append(s)
print("held", flush=True)
sys.stdin.read()
END
mkfifo "$T/hold"
python3 "$T/idle.py" "$folder/queue-3-$first.sock" <"$T/hold" >"$T/held" &
idle=$!
exec 5>"$T/hold"
for _ in $(seq 100); do
	grep -q held "$T/held" && break
	sleep 0.05
done
readers=()
for i in $(seq 8); do
	stats --json web >"$T/read.$i" &
	readers+=($!)
done
datagrams 7 20
wait "${readers[@]}"
is "each of eight readers has an answer" "8 3" "$(cat "$T"/read.? | jq .queue | uniq -c | xargs)"
settle
is "and no packet was lost" 25 "$(stats --json web | jq .packets)"
exec 5>&-
wait $idle
is "the readers that did not read could connect" held "$(cat "$T/held")"

# a full queue: the kernel's counters, while it runs
kill -STOP "$second"
server iptables -t mangle -F
server iptables -t mangle -A PREROUTING -i v0 -j NFQUEUE --queue-num 5
kill -9 "$second"
for _ in $(seq 100); do
	kill -0 "$second" 2>/dev/null || break
	sleep 0.05
done
is "a killed process leaves its socket" 2 "$(sockets $first $second | wc -l)"
gives 0 "which is no error" stats --json
is "and no queue" web "$(jq -r .set "$T/out")"
like "nor a message" "^$" "$(cat "$T/err")"
server iptables -t mangle -F
server iptables -t mangle -A PREROUTING -i v0 -j NFQUEUE --queue-num 3
stop
is "ended: its socket is gone" "queue-5-$second.sock" "$(sockets $first $second)"
queue --length 2 "$T/needle"
is "the next process removes what the killed one left" "queue-3-$BG.sock" "$(sockets $second "$BG")"
kill -STOP "$BG"
datagrams 7 50
kill -CONT "$BG"
settle
stats --json >"$T/out"
is "the kernel's count of a full queue, while it runs" "50 true" \
	"$(jq -r '"\(.packets + .queue_dropped) \(.queue_dropped > 0)"' "$T/out")"
last=$BG
is "its name is the file's" needle "$(jq -r .set "$T/out")"
stop
is "and at the end" "$(jq .queue_dropped "$T/out")" "$(stat_of queue_dropped)"
is "nothing is left" "" "$(ls -d "$folder"/queue-*-"$last".sock 2>/dev/null)"

# a container: /run cannot be written
: >"$T/qerr"
ip netns exec $S unshare -m sh -c 'mount -t tmpfs -o ro none /run && exec "$0" "$@"' "$NFAC" queue --num 3 --json --all-events \
	"$T/needle" >"$T/events" 2>"$T/qerr" </dev/null &
BG=$!
for _ in $(seq 100); do
	grep -q ready "$T/qerr" && break
	sleep 0.05
done
like "one message" "queue-3-[0-9]+.sock: Read-only file system; nfac stats will not show this queue" "$(<"$T/qerr")"
is "and the queue is ready" 2 "$(wc -l <"$T/qerr")"
datagrams 7 4
stop
is "it inspects" 4 "$(stat_of matches)"
