#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
#   ns client (v0, 10.9.0.1) ── veth ── ns server (v0, 10.9.0.2, NFQUEUE in mangle PREROUTING)
#
# Proves: what `nfac queue` refuses; that a capture sent over a wire yields the events that
# scan finds in the file; that drops, marks and their masks are what they should be; that
# GSO packets come whole; that a full queue drops, or lets pass with --fail-open.

. "$(dirname "$0")/lib.sh"

refuses "no queue" "--num says which queue" nfac queue "$WORDS"
refuses "no set" "no set given" nfac queue --num 0
refuses "queue past the last" "--num 65536: not a queue" nfac queue --num 65536 "$WORDS"
refuses "range upside down" "--num 3-1: not a queue" nfac queue --num 3-1 "$WORDS"
refuses "range too wide" "nor a range of up to 64" nfac queue --num 0-64 "$WORDS"
refuses "length 0" "--length 0: not a number" nfac queue --num 0 --length 0 "$WORDS"
refuses "gap without stream" "says nothing without --stream" nfac queue --num 0 --gap drop "$WORDS"
refuses "flows without stream" "say nothing without --stream" nfac queue --num 0 --flows 9 "$WORDS"
refuses "no flows" "--flows 0: not a number" nfac queue --num 0 --stream --flows 0 "$WORDS"
refuses "long silence" "--flow-idle 32768: not" nfac queue --num 0 --stream --flow-idle 32768 "$WORDS"
refuses "mark outside its mask" "value has bits outside its mask" nfac queue --num 0 --mark 2/1 "$WORDS"
refuses "bad name" "holds a slash" nfac queue --num 0 --name a/b "$WORDS"
refuses "missing file" "No such file" nfac queue --num 0 "$T/none"

. "$HERE/queue.inc"
printf 'needle\n' >"$T/needle"
python3 "$HERE/make_captures.py" "$T"
queue --name web "$T/needle"
client python3 "$HERE/send.py" v0 "$mac" "$T/ethernet.pcap"
stop
# those of IPv4 whose header a kernel takes
nfac scan --json -p "$T/needle" "$T/ethernet.pcap" 2>/dev/null |
	jq -r 'select([.packet] | inside([1, 2, 5, 6, 21])) | "\(.id) \(.offset) \(.length)"' >"$T/want"
jq -r '"\(.id) \(.offset) \(.length)"' "$T/matches" >"$T/got"
gives 0 "IPv4 packets: the $(wc -l <"$T/want") events that scan finds" cmp "$T/want" "$T/got"
is "set and pattern have their names" '["web","needle"]' "$(jq -c '[.set, .pattern]' "$T/matches" | sort -u)"
is "fragments and cut headers are counted" "2 2" \
	"$(stat_of skipped_fragment) $(stat_of skipped_truncated)"
is "so are other protocols" 1 "$(stat_of skipped_protocol)"

nfac compile -o "$T/words.nfac" "$WORDS" >/dev/null
for capture in crs-attacks benign-http; do
	queue --length 65536 "$T/words.nfac"
	client python3 "$HERE/send.py" v0 "$mac" "$DATA/$capture.pcap.gz"
	stop
	is "$capture: no packet was lost" "0 0" "$(stat_of queue_dropped) $(stat_of user_dropped)"
	nfac scan --json -s "$T/words.nfac" "$DATA/$capture.pcap.gz" 2>/dev/null |
		jq -r '"\(.id) \(.offset) \(.length)"' >"$T/want"
	jq -r '"\(.id) \(.offset) \(.length)"' "$T/matches" >"$T/got"
	gives 0 "$capture: the $(wc -l <"$T/want") events that scan finds" cmp "$T/want" "$T/got"
	is "$capture: and are counted" "$(wc -l <"$T/want")" "$(stat_of matches)"
done

# loaded anew: the match of one datagram shows which set is in force
printf 'an old thing\n' >"$T/list"
queue "$T/list"
hang_up()	# REGEX: what it then says on stderr, up to a line with the generation
{
	local said

	said=$(grep -c generation "$T/qerr")
	kill -HUP "$BG"
	for _ in $(seq 200); do
		[ "$(grep -c generation "$T/qerr")" = "$said" ] || break
		sleep 0.05
	done
	like "SIGHUP: $1" "$1" "$(cat "$T/qerr")"
}
datagram() { client bash -c "printf %s '$1' >/dev/udp/10.9.0.2/9"; settle; }
datagram "an old thing, a new thing"
printf 'a new thing\n' >"$T/list"
hang_up "^set 'list' loaded, generation 2$"
datagram "an old thing, a new thing"
printf 'a bad \\q thing\n' >"$T/list"
hang_up "^nfac: .*list:1: bad escape"
like "and stays" "^nfac: set 'list' stays as it is, generation 2" "$(cat "$T/qerr")"
datagram "an old thing, a new thing"
rm "$T/list"
hang_up "list: No such file"
stop
is "the old set, the new one, and that one for as long as the file is none" \
	"an old thing a new thing a new thing" "$(jq -r .pattern "$T/matches" | xargs)"
is "the statistics have the generation" 2 "$(stat_of generation)"

# SIGUSR1 prints the statistics, and ends nothing
printf 'a new thing\n' >"$T/list"
queue "$T/list"
datagram "a new thing"
kill -USR1 "$BG"
datagram "a new thing"
lives=$(kill -0 "$BG" && echo yes)
stop
is "SIGUSR1: the queue goes on" "yes 2" "$lives $(stat_of matches | tail -1)"
is "and prints the statistics so far" 2 "$(grep -c '"type":"stats"' "$T/events")"

# a list through a pipe is read once, from its first byte on; a name that JSON escapes
mkfifo "$T/pipe"
seq 100000 102000 >"$T/pipe" &
queue --name 'a"b\' "$T/pipe"
datagram "100000 100584 100585 101999"
stop
is "a list through a pipe" "100000 100584 100585 101999" "$(jq -r .pattern "$T/matches" | xargs)"
is "a name with quotes" 'a"b\' "$(jq -r .set "$T/stats")"

# marks: rules behind the queue count them; foreign bits are 0xf0
server iptables -t mangle -I PREROUTING -i v0 -j MARK --set-mark 0xf0
server iptables -A INPUT -m mark --mark 0xf1 -p udp --dport 7
server iptables -A INPUT -m mark --mark 0xf0 -p udp --dport 8
count() { server iptables -nvxL INPUT | awk -v p="dpt:$1" '$0 ~ p { print $1 }'; }
queue --mark 0x1/0xf --dport 7 "$T/needle"
client python3 "$HERE/send.py" v0 - udp 10.9.0.2 7 5
client python3 "$HERE/send.py" v0 - udp 10.9.0.2 8 5
stop
is "a match sets the mark's bits, no others" 5 "$(count 7)"
is "another port is not inspected" 5 "$(count 8)"
is "the event has the mark" 241 "$(jq .mark "$T/matches" | sort -u)"
queue --drop --when-mark 0xf0/0xff "$T/needle"
client python3 "$HERE/send.py" v0 - udp 10.9.0.2 7 5
stop
is "dropped" "5 5" "$(stat_of dropped_packets) $(count 7)"
queue --drop --when-mark 0x10/0xff "$T/needle"
client python3 "$HERE/send.py" v0 - udp 10.9.0.2 8 5
stop
is "another mark is not inspected" "0 10" "$(stat_of packets) $(count 8)"

# protocols that are not inspected
arrives() { client ping -c1 -W1 -q 10.9.0.2 >/dev/null && echo yes || echo no; }
for options in "" "--skip drop" "--skip drop --allow-protocol esp,icmp" "--skip drop --allow-protocol all" \
	"--skip drop --allow-protocol esp" "--skip drop --dport 80"; do
	# shellcheck disable=SC2086
	queue $options "$T/needle"
	arrived=$(arrives)
	stop
	case $options in
	"--skip drop" | *"protocol esp") want="no 1 1" ;;
	*) want="yes 1 0" ;;
	esac
	is "queue $options: does a ping arrive?" "$want" \
		"$arrived $(stat_of skipped_protocol) $(stat_of dropped_packets)"
done

# GSO: the sender's own large packets
server iptables -t mangle -F
client iptables -t mangle -A OUTPUT -o v0 -p tcp --dport 9 -j NFQUEUE --queue-num 3
for _ in $(seq 200); do
	printf 'needle%0994d' 0
done >"$T/body"
ip netns exec $S timeout 20 python3 -c '
import socket
s = socket.create_server(("10.9.0.2", 9))
c, _ = s.accept()
while c.recv(65536):
    pass' &
sink=$!
S_SAVED=$S S=$C
queue --length 1024 "$T/needle"
for _ in $(seq 60); do
	client timeout 10 python3 -c '
import socket, sys
s = socket.create_connection(("10.9.0.2", 9))
s.sendall(open(sys.argv[1], "rb").read())' "$T/body" 2>/dev/null && break
	sleep 0.05
done
wait $sink
stop
# where one packet ends and the next begins is the sender's affair: a few may be cut
like "matches in large packets" '^(1[5-9][0-9]|200)$' "$(stat_of matches)"
is "which are larger than segments" true "$(jq -s 'map(.payload) | max > 1460' "$T/matches")"
client iptables -t mangle -F
S=$S_SAVED

# events that find no room, or no reader, must not switch the filter off
unwritten()	# WHY: descriptor 7 is where they cannot be written
{
	: >"$T/qerr"
	ip netns exec $S "$NFAC" queue --num 3 "$T/needle" >&7 2>"$T/qerr" </dev/null &
	BG=$!
	for _ in $(seq 100); do
		grep -q ready "$T/qerr" && break
		sleep 0.05
	done
	for _ in 1 2 3; do
		client python3 "$HERE/send.py" v0 - udp 10.9.0.2 8 5
		settle
	done
	end_queue
	is "$1: status" 2 $?
	BG=
	is "$1: a message says when it begins" 1 "$(grep -c "cannot write the events: $1" "$T/qerr")"
	is "$1: and all is inspected" "packets 15" "$(grep '^packets ' "$T/qerr")"
}

server iptables -t mangle -F
server iptables -t mangle -A PREROUTING -i v0 -p udp -j NFQUEUE --queue-num 3
[ ! -w /dev/full ] || unwritten "No space" 7>/dev/full
unwritten "Broken pipe" 7> >(true)

# EVE: what the rule says about itself
cat >"$T/eve.rules" <<'END'
alert udp any any -> any any (msg:"a needle"; content:"needle"; sid:9; gid:3; rev:4; classtype:misc-attack; metadata:a b;)
END
server iptables -t mangle -F
server iptables -t mangle -A PREROUTING -i v0 -p udp -j NFQUEUE --queue-num 3
ip netns exec $S "$NFAC" queue --num 3 --eve --format suricata "$T/eve.rules" \
	>"$T/events" 2>"$T/qerr" </dev/null &
BG=$!
for _ in $(seq 100); do
	grep -q ready "$T/qerr" && break
	sleep 0.05
done
client python3 "$HERE/send.py" v0 "$mac" "$T/ethernet.pcap"
client python3 - <<'END'
import socket
import struct

s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.9.0.1", 1053))
for _ in range(2):
    s.sendto(struct.pack(">6H", 1, 256, 1, 0, 0, 0) + b"\6needle\7example\0\0\1\0\1", ("10.9.0.2", 53))
END
drained
end_queue
BG=
is "EVE has what a DNS query says; one that is folded is printed without its packet" \
	'["dns",[{"type":"query","rrname":"needle.example"}]]
[null,null]' "$(jq -c 'select(.src_port == 1053) | [.app_proto, .dns.query]' "$T/events")"
is "EVE has the rule's group, revision, class, priority and metadata" \
	'[3,9,4,"a needle","Misc Attack",2,{"a":["b"]}]' \
	"$(jq -c 'select(.event_type == "alert") | .alert |
		[.gid, .signature_id, .rev, .signature, .category, .severity,
			(.metadata | {a})]' "$T/events" | sort -u)"
is "EVE is as Suricata's schema has it" "$(wc -l <"$T/events") lines" \
	"$(python3 "$HERE/eve_schema.py" <"$T/events")"
is "EVE has the figures of nfac among the metadata" '["eve"]' \
	"$(jq -sc 'map(select(.alert) | .alert.metadata.nfac_set) | add | unique' "$T/events")"
is "statistics are a record of EVE, as far as it has them" "$(sed -n 's/^packets //p' "$T/qerr") $(sed -n 's/^matches //p' "$T/qerr") 0" \
	"$(jq -r 'select(.event_type == "stats") | .stats | "\(.decoder.pkts) \(.detect.alert) \(.ips.blocked)"' "$T/events")"
like "and all of them are text on standard error" '^packets [1-9]' "$(grep '^packets ' "$T/qerr")"

# a queue that is full: the program is stopped while 50 packets come
full()	# OPTION...: how many pass
{
	server iptables -t mangle -F
	server iptables -Z
	server iptables -t mangle -A PREROUTING -i v0 -p udp -j NFQUEUE --queue-num 3
	queue --length 4 "$@" "$T/needle"
	kill -STOP "$BG"
	client python3 "$HERE/send.py" v0 - udp 10.9.0.2 8 50
	settle
	kill -CONT "$BG"
	drained
	stop
}
server iptables -F
server iptables -A INPUT -p udp --dport 8
full
is "full: dropped and counted" "46 4" "$(stat_of queue_dropped) $(count 8)"
full --fail-open
is "full with --fail-open: all pass" 50 "$(count 8)"
: >"$T/qerr"
ip netns exec $S "$NFAC" queue --num 3 "$T/needle" >/dev/null 2>"$T/qerr" </dev/null &
BG=$!
for _ in $(seq 100); do
	grep -q ready "$T/qerr" && break
	sleep 0.05
done
refuses "a queue that is taken" "queue 3.* another program has this queue" \
	server "$NFAC" queue --num 3 "$T/needle"
end_queue
BG=

# what the kernel cannot check
cat >"$T/pcre.rules" <<'END'
alert udp any any -> any any (content:"needle"; pcre:"/n.{4}e$/"; sid:1;)
alert udp any any -> any any (content:"needle"; pcre:"/n.{5}e$/"; sid:2;)
END
server iptables -t mangle -F
server iptables -t mangle -A PREROUTING -i v0 -p udp -j NFQUEUE --queue-num 3
for mode in "" --confirm; do
	# shellcheck disable=SC2086
	queue $mode -q --format suricata "$T/pcre.rules"
	client python3 "$HERE/send.py" v0 - udp 10.9.0.2 8 1
	stop
	is "pcre ${mode:-alone}" "$([ -n "$mode" ] && echo "1 null" || echo "1 true 2 true")" \
		"$(jq -r '"\(.id) \(.inexact)"' "$T/matches" | sort -u | xargs)"
done
