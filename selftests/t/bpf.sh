#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: debian
# timeout: 120
#
# client (10.0.0.2, fd00::2) ── veth0 ── server (10.0.0.1, fd00::1; BPF programs on veth0)
#
# Proves that BPF programs at XDP and tc inspect packets by nfac_bpf.ko: drop an attack, let the rest
# pass, with the counters, events and policies of any attachment; behind link headers, and in
# fragments. That the verifier refuses calls with wrong arguments. That a set is replaced under
# traffic, and attachments, sets, modules and devices go in any order, with nothing left.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool nft socat tc clang bpftool
FRAMES=$TREE/selftests/t/frames.py
OBJECT=$TREE/userspace-loader/build/bpf/nfac.bpf.o
[ -f "$OBJECT" ] || skip_all "the tool was built without clang or libbpf"
[ -f "${NFAC_KO%/*}/nfac_bpf.ko" ] || skip_all "this kernel's modules have no BTF, or it is older than 6.0"
load_module
ns_pair
printf 'attack\n' >"$T/one.txt"
run server "$NFAC" load one "$T/one.txt"

of()
{
	server bash -c 'cd /sys/class/misc/nfac/sets/*/attachments/'"$ID"' && cat "$@" | xargs' _ "$@"
}

attach()
{
	ID=$(server "$NFAC" attach one "$@" 2>"$T/notice") && [ -n "$ID" ] ||
		{ fail "attach $*" "$(<"$T/notice")"; exit 1; }
	say "attachment $ID: $*"
}

frames()
{
	run client /usr/bin/python3 -S "$FRAMES" "$@"
}

program()	# what is at XDP
{
	server ip -d link show dev veth0 | sed -n 's/.* \(xdp[a-z]*\)[ /].*/\1/p; s/.*prog.xdp id [0-9]* name \([a-z_]*\).*/\1/p' | xargs
}

filters()
{
	server tc filter show dev veth0 ingress | grep -o 'name [a-z_]*' | sort -u | xargs
}

built()	# OBJECT SOURCE [DEFINE]...
{
	run clang -target bpf -O2 -g -Wall -I"$TREE/uapi" -idirafter "/usr/include/$(gcc -print-multiarch)" \
		"${@:3}" -c -o "$1" "$2"
}

# count: packets that IP received
cat >"$T/rules.nft" <<'END'
table inet t {
	counter got { }
	counter marked { }
	chain c {
		type filter hook prerouting priority 0;
		udp dport 9999 counter name got
		mark & 0xff == 0x12 counter name marked
	}
}
END
run server nft -f "$T/rules.nft"

say "without nfac_bpf.ko"
fails_with "an attachment is refused" "takes the module nfac_bpf" \
	server "$NFAC" attach one --hook xdp --dev veth0
run insmod "${NFAC_KO%/*}/nfac_bpf.ko"
later unload_module nfac_bpf

say "XDP"
attach --hook xdp --dev veth0 --drop
is "the program is in the driver" "xdp nfac_xdp" "$(program)"
udp attack
udp harmless
udp attack 9999 fd00::1
is "an attack is dropped before IP has it, anything else is not" "3 2 2 1" \
	"$(of packets matched_packets dropped_packets) $(counted t got)"
like "list shows the device" "xdp -190 --dev veth0 --drop" "$(server "$NFAC" list)"
like "and so does its JSON" '"hook":"xdp","priority":-190,"dev":"veth0"' "$(server "$NFAC" list --json)"
like "and Prometheus" 'hook="xdp",device="veth0"' "$(server "$NFAC" stats --prometheus)"
before=$(memory_used)
server bash -c 'echo $$ >"$1"; exec "${@:2}"' - "$T/pid" "$NFAC" watch one --json >"$T/events" &
watched "$before"
later end_process "$(<"$T/pid")"
udp "an attack"
ok "an event" until_true 10 grep -q attack "$T/events"
like "has pattern, offset, verdict and hook" \
	'"offset":3,.*"length":6' "$(<"$T/events")"
like "and the addresses" '"10\.0\.0\.2".*"10\.0\.0\.1"' "$(<"$T/events")"
like "and the hook" '"hook":"xdp"' "$(<"$T/events")"
end_process "$(<"$T/pid")"
before=$(of packets matched_packets dropped_packets)
list=()
for w in plain vlan qinq tags4 pppoe vlanpppoe mpls; do
	list+=("$w-udp4" attack / "$w-udp6" attack / "$w-udp4" harmless /)
done
frames "${list[@]::${#list[@]}-1}"
# shellcheck disable=SC2046
set -- $before $(of packets matched_packets dropped_packets)
is "behind each kind of link header" "21 14 14" "$(($4 - $1)) $(($5 - $2)) $(($6 - $3))"
before=$(of skipped_too_deep skipped_truncated skipped_fragment skipped_protocol)
frames tags18-udp4 attack / cut-udp4 attack / mismatch-udp4 attack / mismatch-udp6 attack / \
	fragment attack / vlan-fragment attack / arp-udp4
# shellcheck disable=SC2046
set -- $before $(of skipped_too_deep skipped_truncated skipped_fragment skipped_protocol)
is "what cannot be inspected is counted by its reason" "1 3 2 1" \
	"$(($5 - $1)) $(($6 - $2)) $(($7 - $3)) $(($8 - $4))"
detach_all
is "the last attachment takes the program along" "" "$(program)"

say "a configuration file"
printf '[set.one]\nfiles = "one.txt"\n[[attach]]\nset = "one"\nhook = "xdp"\ndev = "veth0"\n' \
	>"$T/nfac.toml"
run server "$NFAC" apply "$T/nfac.toml"
is "apply loads the program, too" "xdp nfac_xdp" "$(program)"
like "save has the hook" '^hook = "xdp"' "$(server "$NFAC" save)"
like "and the device" '^dev = "veth0"' "$(server "$NFAC" save)"
printf '[set.one]\nfiles = "one.txt"\n' >"$T/nfac.toml"
run server "$NFAC" apply "$T/nfac.toml"
is "and removes it" "" "$(program)"

say "several attachments"
printf 'attack\nworse\n' >"$T/two.txt"
run server "$NFAC" load two "$T/two.txt"
attach --hook xdp --dev veth0 --priority 5
FIRST=$ID
SECOND=$(server "$NFAC" attach two --hook xdp --dev veth0 --drop --priority 4)
udp attack
udp harmless
is "one that drops, at a lower priority, leaves the other nothing" "1 0" \
	"$(of packets matched_packets)"
run server "$NFAC" detach "$SECOND"
is "the program stays" "xdp nfac_xdp" "$(program)"
udp attack
is "and the other one has it" "2 1" "$(ID=$FIRST of packets matched_packets)"
detach_all
run server "$NFAC" unload two

say "frames in several buffers"
built "$T/t.o" "$TREE/selftests/t/bpf.bpf.c"
for ns in client server; do
	run ip -n $ns link set veth0 mtu 9000
done
run ip -n server link set dev veth0 xdpdrv obj "$T/t.o" program several_buffers
attach --hook xdp --dev veth0 --drop
like "another program stays, and a message names the function it must call" \
	"'several_buffers'.* must call bpf_nfac_xdp_match" "$(<"$T/notice")"
got=$(counted t got)
big()
{
	client /usr/bin/python3 -S -c '
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for at in sys.argv[1:]:
    s.sendto(b"." * int(at) + b"attack" + b"." * (8000 - int(at)), ("10.0.0.1", 9999))
    s.sendto(b"." * 8000, ("10.0.0.1", 9999))' "$@"
}
run big 0 2000 3326 3700 4090 5000 7994
is "are searched across them" "14 7 7" "$(of packets matched_packets dropped_packets)"
is "and dropped" 7 $(($(counted t got) - got))
detach_all
is "another's program is not removed" "xdp several_buffers" "$(program)"
run ip -n server link set dev veth0 xdpdrv off

say "generic XDP, the ready program by hand"
run ip -n server link set dev veth0 xdpgeneric obj "$OBJECT" program nfac_xdp
got=$(counted t got)
udp attack
is "without an attachment all passes" 1 $(($(counted t got) - got))
attach --hook xdp --dev veth0 --drop
is "an attachment takes it as it is" "" "$(<"$T/notice")"
udp attack
udp harmless
run big 7000
is "drops an attack, large ones too" "4 2 2" "$(of packets matched_packets dropped_packets)"
detach_all
is "the program is gone, as any ready one" "" "$(program)"

say "the example of docs/bpf.md"
sed -n '/^    \/\/ own.bpf.c/,/_license/s/^    //p' "$TREE/docs/bpf.md" >"$T/own.bpf.c"
built "$T/own.o" "$T/own.bpf.c"
run ip -n server link set dev veth0 xdp obj "$T/own.o" program own
attach --hook xdp --dev veth0
got=$(counted t got)
udp attack
udp attack
udp harmless
is "drops what matches, though the attachment does not" "3 2 0 1" \
	"$(of packets matched_packets dropped_packets) $(($(counted t got) - got))"
like "and counts by pattern" '"key": 1,' "$(bpftool map dump name dropped)"
like "each" '"value": 2' "$(bpftool map dump name dropped)"
detach_all
run ip -n server link set dev veth0 xdp off

say "tc"
attach --hook tc --dev veth0 --drop --dport 8080
TCP=$ID
attach --hook tc --dev veth0 --mark 0x12/0xff --proto udp
is "one filter for both" "name nfac_tc" "$(filters)"
udp attack
udp harmless
is "marks what matches" "2 1 1" "$(of packets matched_packets) $(counted t marked)"
server socat -u TCP-LISTEN:8080,reuseaddr,fork OPEN:"$T/got",creat,append 2>/dev/null &
later end_process $!
until_true 10 client bash -c 'exec 3<>/dev/tcp/10.0.0.1/8080' 2>/dev/null || fail "the server listens"
client timeout 10 bash -c 'exec 3<>/dev/tcp/10.0.0.1/8080; printf harmless >&3; sleep 0.5; printf "an attack" >&3; sleep 0.5' \
	2>/dev/null
ok "TCP, whose data are in fragments of the skb" until_true 5 grep -q harmless "$T/got"
unlike "arrives without the attack" attack "$(<"$T/got")"
ok "which is dropped each time" test "$(ID=$TCP of dropped_packets)" -ge 1
before=$(of packets matched_packets)
frames vlan-udp4 attack / qinq-udp6 attack / pppoe-udp4 harmless / mpls-udp4 attack
# shellcheck disable=SC2046
set -- $before $(of packets matched_packets)
is "behind link headers" "4 3" "$(($3 - $1)) $(($4 - $2))"
detach_all
is "the last one takes the filter along" "" "$(filters)"

say "a program at egress, one attachment by its id"
# UDP alone: the client sends the dropped segment again and again
attach --hook tc --dev veth0 --proto udp
built "$T/id.o" "$TREE/selftests/t/bpf.bpf.c" -DATTACHMENT="$ID" -DOFFSET=3
run server tc filter add dev veth0 egress bpf da obj "$T/id.o" sec tc
client nft -f - <<'END'
table inet t {
	counter got { }
	chain c {
		type filter hook prerouting priority 0;
		udp dport 9 counter name got
	}
}
END
server bash -c 'for t in "an attack" attack harmless; do printf "$t" >/dev/udp/10.0.0.2/9; done' 2>/dev/null
is "has pattern, offset and length" "3 2" "$(of packets matched_packets)"
like "and acts by them" "packets 2 " "$(client nft list counter inet t got)"
run server "$NFAC" detach "$ID"
server bash -c 'printf "an attack" >/dev/udp/10.0.0.2/9' 2>/dev/null
like "when the attachment is gone, the program goes on without" "packets 3 " \
	"$(client nft list counter inet t got)"
run server tc qdisc del dev veth0 clsact

say "the verifier"
load_fails() # DESC REGEX PROGRAM
{
	# ip ends with 255
	fails_with "refuses $1" "$2" bash -c '! ip -n server link set dev veth0 xdpgeneric obj "$0" program "$1" || exit 0; exit 1' \
		"$T/t.o" "$3"
}
load_fails "a size past the memory" "invalid.*stack|min value|mem, len pair" past_stack
load_fails "memory that is none" "scalar|mem, len pair|R3" no_memory
load_fails "a context that is none" "ctx|context|R1|arg#0" no_context
load_fails "a function of tc at XDP" "bpf_nfac_skb_match.*not allowed|not allowed" of_tc
is "and nothing is loaded" "" "$(program)"
run ip -n server link set dev veth0 xdpgeneric obj "$T/t.o" program too_small
got=$(counted t got)
udp harmless
is "too small a struct is refused at run time" 1 $(($(counted t got) - got))
run ip -n server link set dev veth0 xdpgeneric off

say "a set is replaced while packets flow"
printf 'else\nattack\nmore\n' >"$T/more.txt"
attach --hook xdp --dev veth0 --drop
got=$(counted t got)
client bash -c 'echo $$ >"$0"; for ((i = 0; i < 100000; i++)); do printf attack >/dev/udp/10.0.0.1/9999; done' \
	"$T/pid" 2>/dev/null &
FLOOD=$!
for _ in 1 2 3 4 5; do
	server "$NFAC" load one "$T/more.txt" >/dev/null && server "$NFAC" load one "$T/one.txt" >/dev/null ||
		fail "load"
done
ok "hundreds passed meanwhile" until_true 20 eval '[ "$(of packets)" -gt 200 ]'
fails_with "a set is not unloaded while it is attached" "in use|busy|attached" server "$NFAC" unload one
kill "$(<"$T/pid")"
wait $FLOOD 2>/dev/null
is "none was missed" 0 $(($(counted t got) - got))
is "and each was counted" "$(of packets)" "$(of dropped_packets)"

say "modules"
fails "nfac_bpf.ko stays while a program is loaded" rmmod nfac_bpf
fails "and nfac.ko" rmmod nfac
run ip -n server link set dev veth0 xdp off
# the kernel frees a program later
ok "without it the module can go" until_true 10 rmmod nfac_bpf
udp attack
is "without program and nfac_bpf.ko the attachment is idle" 1 $(($(counted t got) - got))
detach_all
run insmod "${NFAC_KO%/*}/nfac_bpf.ko"

say "a device that goes"
run ip link add p0 netns client type veth peer name p1 netns server
run ip -n client link set p0 up
run ip -n server link set p1 up
run server "$NFAC" attach one --hook xdp --dev p1 --drop
run server "$NFAC" attach one --hook tc --dev p1
client bash -c 'while :; do /usr/bin/python3 -S "$0" --dev p0 udp4 attack / vlan-udp6 attack || break; done' "$FRAMES" 2>/dev/null &
sleep 0.5
run ip -n server link del p1
wait $!
unlike "takes its attachments along" "--dev p1" "$(server "$NFAC" list)"
run server "$NFAC" attach one --hook xdp --dev veth0
run server "$NFAC" attach one --hook tc --dev veth0
ns_del server
ok "so does a namespace" until_true 10 eval '[ "$(</sys/module/nfac/refcnt)" = 1 ]'
ok "nothing holds nfac_bpf.ko" until_true 10 rmmod nfac_bpf
