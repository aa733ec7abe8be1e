#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 90
#
# client (10.0.0.2) ── veth ── server (10.0.0.1; set attached, dropping what matches)
#
# Proves that no packet passes unscanned while a set is loaded anew under traffic, that
# attachments come and go under traffic, and that readers get every event or learn
# how many they lost.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool jq
DEVICE=$TREE/selftests/t/device.py
load_module
ns_pair
printf 'attack\n' >"$T/a.txt"
printf 'something else\nattack\nattic\n' >"$T/b.txt"
run "$NFAC" compile -o "$T/a.nfac" "$T/a.txt"
run "$NFAC" compile -o "$T/b.nfac" "$T/b.txt"

cat >"$T/traffic.py" <<'END'
import os, socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("10.0.0.1", 9999))
sent = 0
end = time.monotonic() + 60
# until it is stopped, but never for ever
while not os.path.exists(sys.argv[1]) and time.monotonic() < end:
    for _ in range(10):
        try:
            s.send(b"here is an attack, every time")
        except ConnectionRefusedError:
            print("answered")
            continue
        sent += 1
    # else the loads wait, where there is one CPU
    time.sleep(0.01)
print(sent)
END

of()
{
	server bash -c "cat /sys/class/misc/nfac/sets/s/attachments/$1/$2"
}

# sixty_four WHAT CALL: of 66 times that a process makes device.py's CALL
sixty_four()
{
	cat >"$T/$1.py" <<END
import sys
sys.path.insert(0, "$TREE/selftests/t")
from device import NAME, attach_bytes, call, open_device
fd = open_device()
answers = [$2[0] for _ in range(66)]
print(answers.count("ok"), answers[-1])
END
	is "sixty-four, and no more" "64 ENOSPC" "$(server /usr/bin/python3 -S "$T/$1.py")"
}

say "swap under traffic"
run server "$NFAC" load s "$T/a.nfac"
A=$(server "$NFAC" attach s --drop --no-report)
client /usr/bin/python3 -S "$T/traffic.py" "$T/stop" >"$T/sent" &
pid=$!
until_true 20 eval '[ "$(of $A packets)" -gt 100 ]' || fail "traffic flows"
before=$(of "$A" packets)
for i in $(seq 25); do
	server "$NFAC" load s "$T/b.nfac" >/dev/null || fail "swap $i"
	server "$NFAC" load s "$T/a.nfac" >/dev/null || fail "swap $i back"
done
after=$(of "$A" packets)
touch "$T/stop"
wait $pid
pass "fifty swaps"
ok "while packets came" test "$after" -gt "$before"
is "the generation counts the loads" 51 "$(server cat /sys/class/misc/nfac/sets/s/generation)"
sent=$(grep -v answered "$T/sent")
is "every packet was inspected" "$sent" "$(of "$A" packets)"
is "every packet matched" "$sent" "$(of "$A" matches)"
is "every packet was dropped: none was answered" "$sent " \
	"$(of "$A" dropped_packets) $(grep answered "$T/sent")"
ok "one load is left in memory" until_true 10 \
	eval '[ "$(cat /sys/class/misc/nfac/slab_bytes)" = 4096 ]'

say "attach and detach under traffic"
rm "$T/stop"
client /usr/bin/python3 -S "$T/traffic.py" "$T/stop" >"$T/sent" &
pid=$!
for i in $(seq 10); do
	B=$(server "$NFAC" attach s --hook input --mark 1/1) || fail "attach $i"
	C=$(server "$NFAC" attach s --priority -300) || fail "attach $i"
	server "$NFAC" detach "$B" || fail "detach $i"
	server "$NFAC" detach "$C" || fail "detach $i"
done
touch "$T/stop"
wait $pid
pass "ten times two"
is "the one that stays saw every packet" "$((sent + $(grep -v answered "$T/sent")))" \
	"$(of "$A" matches)"
run server "$NFAC" detach "$A"

say "more attachments than there may be"
is "a set of another namespace cannot be attached" ENOENT "$("$DEVICE" attach s)"
sixty_four attach 'call(fd, "ATTACH", attach_bytes("s"))'
detach_all

say "more readers than there may be"
sixty_four subscribe \
	'call(open_device(), "SUBSCRIBE", NAME.pack(NAME.size, 1, b"", 0, 0))'

say "readers"
echo 64 >/sys/module/nfac/parameters/event_ring
A=$(server "$NFAC" attach s)
server timeout 60 "$DEVICE" events 70 >"$T/one" &
one=$!
server timeout 60 "$DEVICE" events 70 >"$T/two" &
two=$!
until_true 20 grep -q listening "$T/one" && until_true 20 grep -q listening "$T/two" ||
	fail "two readers are subscribed"
cat >"$T/one.py" <<'END'
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
# not connected: an answer by ICMP is no error
for i in range(int(sys.argv[1])):
    s.sendto(b"attack", ("10.0.0.1", 9999))
    time.sleep(float(sys.argv[2]))
END
client /usr/bin/python3 -S "$T/one.py" 70 0.01
ok "the first has its events" wait $one
ok "the second too" wait $two
is "the same ones, each once, in order" "$(seq -f 'packet %.0f pattern 1 lost 0' 70)" \
	"$(tail -n +2 "$T/one")"
ok "both of them" cmp "$T/one" "$T/two"

server timeout 60 "$DEVICE" events 65 "$T/awake" >"$T/slow" &
slow=$!
until_true 20 grep -q listening "$T/slow" || fail "a reader is subscribed"
client /usr/bin/python3 -S "$T/one.py" 100 0
is "a reader that sleeps: the set counts what it lost" 36 \
	"$(server cat /sys/class/misc/nfac/sets/s/dropped_events)"
touch "$T/awake"
ok "it wakes and reads" until_true 20 eval '[ "$(wc -l <"$T/slow")" -ge 65 ]'
client /usr/bin/python3 -S "$T/one.py" 1 0
ok "and goes on" wait $slow
is "the next event that it gets says how many it lost" \
	"packet 171 pattern 1 lost 36" "$(tail -1 "$T/slow")"
ok "the numbers of packets agree with that" awk '
	/packet/ { if (last && $2 != last + 1 + $6) exit 1; last = $2 }' "$T/slow"
server "$NFAC" detach "$A"
