# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What a selftest sources first. It gives KTAP on stdout, namespaces with a fixed
# plan of addresses, and a cleanup that undoes everything in reverse order.
#
#   . "$(dirname "$0")/../lib.sh"
#
#   say TEXT                 a comment
#   run CMD...               show and run; the test is over if it fails
#   ok DESC CMD...           one result: CMD succeeds
#   fails DESC CMD...        one result: CMD fails with a status 1..125 (no crash, no timeout)
#   fails_with DESC REGEX CMD...   the same, and its stderr or stdout has REGEX
#   is DESC WANT GOT         one result: two strings are equal
#   like DESC REGEX TEXT     one result: some line of TEXT matches (grep -E)
#   unlike DESC REGEX TEXT   one result: none does
#   pass DESC | fail DESC [WHY]
#   skip DESC REASON         counted as skipped, with the reason; never silently
#   skip_all REASON          nothing can be tested here: leave
#   plan N                   optional: how many results there must be
#   until_true SECONDS CMD...   poll (20 times a second) until CMD succeeds; status 1 if never
#   background CMD...        start CMD, remember its pid in $BG, end it at cleanup
#   later CMD...             run CMD at cleanup, last one first
#
#   load_module [PARAM=...]  insert $NFAC_KO; unload_module [NAME] removes it (both by kmod)
#   need_module, need_cli, need_tool NAME...   skip_all if it is not there
#   ns_new NAME              one empty namespace, lo up;  ns_del NAME
#   ns_pair [C S]            two namespaces and a veth pair (names: client, server)
#   in_ns NAME CMD...        client CMD..., server CMD... are short for the pair
#   udp TEXT [PORT [HOST]]   one datagram from the client (9999, 10.0.0.1)
#   detach_all [NAME]        every attachment of a namespace (the server's)
#   counted TABLE NAME...    packets of the named counters of the server's nftables
#   memory_used              bytes that the server's namespace has of the module
#   watched BEFORE [N]       one result: since memory_used printed BEFORE, N (1) more are subscribed
#
# Python is called with -S where nothing but its own modules is used: what else is installed can
# take as long to look through as the start itself.
#
# Folder $T is the test's own and goes away with it. $NFAC is the command line tool.
#
#   ns "client" (veth0, 10.0.0.2/24, fd00::2/64) ── veth ── (veth0, 10.0.0.1/24, fd00::1/64) ns "server"

set -u
TREE=${TREE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
NFAC=${NFAC:-$TREE/userspace-loader/nfac}
# shellcheck disable=SC2034  # for the tests
DATA=$TREE/selftests/data
# any other locale is a dozen files for each process to open and map, which under an emulator
# takes twice as long as all that a cat or grep does
export LC_ALL=C

KTAP_N=0 KTAP_FAILED=0 KTAP_PLAN= KTAP_OVER=
LATER=() BG=
T=$(mktemp -d "${TMPDIR:-/tmp}/nfac-t-XXXXXX") || exit 1

echo "KTAP version 1"

say()
{
	printf '# %s\n' "$*"
}

plan()
{
	KTAP_PLAN=$1
	echo "1..$1"
}

pass()
{
	KTAP_N=$((KTAP_N + 1))
	echo "ok $KTAP_N ${1//#/}"
}

fail()
{
	KTAP_N=$((KTAP_N + 1))
	KTAP_FAILED=$((KTAP_FAILED + 1))
	echo "not ok $KTAP_N ${1//#/}"
	shift
	[ $# -eq 0 ] || printf '%s\n' "$*" | sed 's/^/#   /'
	return 1
}

skip()
{
	KTAP_N=$((KTAP_N + 1))
	echo "ok $KTAP_N ${1//#/} # SKIP ${2:?a reason}"
}

skip_all()
{
	KTAP_OVER=1
	echo "1..0 # SKIP ${1:?a reason}"
	exit 4
}

# The exit trap: no result is lost when a script ends early, by set -e or by a bug.
# shellcheck disable=SC2317
ktap_end()
{
	local rc=$? i

	trap - EXIT
	for ((i = ${#LATER[@]} - 1; i >= 0; i--)); do
		eval "${LATER[i]}" >/dev/null 2>&1
	done
	rm -rf "$T"
	[ -z "$KTAP_OVER" ] || exit 4
	if [ $rc != 0 ]; then
		fail "the script ran to its end" "it left with status $rc"
	elif [ -n "$KTAP_PLAN" ] && [ "$KTAP_PLAN" != $KTAP_N ]; then
		fail "$KTAP_PLAN results were planned" "there are $KTAP_N"
	elif [ $KTAP_N = 0 ]; then
		fail "the script tested something"
	fi
	[ -n "$KTAP_PLAN" ] || echo "1..$KTAP_N"
	[ $KTAP_FAILED = 0 ]
	exit
}
trap ktap_end EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

show()
{
	local q

	printf -v q '%q ' "$@"
	printf '# $ %s\n' "${q% }"
}

# captured CMD...: run it with all output in $T/.out, shown as comments; its status.
# No process besides CMD: on user-mode Linux each one costs 10 ms and more.
captured()
{
	local rc out

	show "$@"
	"$@" >"$T/.out" 2>&1 </dev/null
	rc=$?
	[ -s "$T/.out" ] || return $rc
	{ out=$(<"$T/.out"); } 2>/dev/null
	out=${out:0:4000}
	printf '#   %s\n' "${out//$'\n'/$'\n'#   }"
	return $rc
}

run()
{
	captured "$@" || {
		local rc=$?
		fail "$*" "status $rc"
		exit 1
	}
}

ok()
{
	local desc=$1 rc

	shift
	captured "$@"
	rc=$?
	[ $rc = 0 ] && pass "$desc" || fail "$desc" "status $rc"
}

fails()
{
	local desc=$1 rc

	shift
	captured "$@"
	rc=$?
	[ $rc != 0 ] && [ $rc -lt 124 ] && pass "$desc" || fail "$desc" "status $rc"
}

fails_with()
{
	local desc=$1 re=$2 rc

	shift 2
	captured "$@"
	rc=$?
	if [ $rc = 0 ] || [ $rc -ge 124 ]; then
		fail "$desc" "status $rc"
	elif ! grep -qE -- "$re" "$T/.out"; then
		fail "$desc" "no line matches: $re"
	else
		pass "$desc"
	fi
}

is()
{
	[ "$2" = "$3" ] && pass "$1" || fail "$1" "wanted: $2
got:    $3"
}

like()
{
	grep -qE -- "$2" <<<"$3" && pass "$1" || fail "$1" "no line matches: $2
$3"
}

unlike()
{
	! grep -qE -- "$2" <<<"$3" && pass "$1" || fail "$1" "a line matches: $2
$3"
}

until_true()
{
	local end=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000))

	shift
	while ! "$@" >/dev/null 2>&1; do
		[ "${EPOCHREALTIME/[.,]/}" -lt $end ] || return 1
		sleep 0.05
	done
}

later()
{
	local q

	printf -v q '%q ' "$@"
	LATER+=("$q")
}

# shellcheck disable=SC2317
end_process()
{
	kill "$1" 2>/dev/null || return 0
	until_true 3 process_gone "$1" || kill -9 "$1"
	wait "$1"
}

# shellcheck disable=SC2317
process_gone()
{
	! kill -0 "$1" || grep -q '^State:.Z' "/proc/$1/status"
}

background()
{
	show "$@" '&'
	"$@" </dev/null &
	BG=$!
	later end_process $BG
}

need_tool()
{
	local t

	for t; do
		command -v "$t" >/dev/null || skip_all "$t is not installed"
	done
}

need_cli()
{
	[ -x "$NFAC" ] || skip_all "$NFAC is not built"
}

need_module()
{
	[ -n "${NFAC_KO:-}" ] && [ -f "$NFAC_KO" ] || skip_all "no nfac.ko for this kernel"
}

# modprobe's own work: what the module needs first, then the module by its path
load_module()
{
	local dep

	need_module
	for dep in $(modinfo -F depends "$NFAC_KO" | tr , ' '); do
		modprobe "$dep" 2>/dev/null
	done
	later unload_module
	run insmod "$NFAC_KO" "$@"
}

# A namespace that was deleted keeps its rules and attachments until the kernel has swept it up.
# shellcheck disable=SC2317
unload_module()
{
	until_true 10 module_is_out "${1:-nfac}"
}

# shellcheck disable=SC2317
module_is_out()
{
	[ ! -d "/sys/module/$1" ] || rmmod "$1"
}

# by ip(8) where the test made the namespace itself
in_ns()
{
	if [ -e "/run/netns-mounts/$1" ]; then
		"$NFAC_NETNS" exec "$@"
	else
		ip netns exec "$@"
	fi
}

# batch NAME LINE...: several commands of ip(8) in one namespace by one process
batch()
{
	local ns=$1 line

	shift
	for line; do
		printf '# $ ip -n %s %s\n' "$ns" "$line"
	done
	printf '%s\n' "$@" | ip -n "$ns" -batch - || { fail "ip -n $ns -batch"; exit 1; }
}

# Addresses are usable at once, and nothing unasked is on the wire: a new device reports its
# multicast groups twice at once, not again up to a second later.
ns_new()
{
	run ip netns add "$1"
	later ns_del "$1"
	[ -z "${NFAC_NETNS:-}" ] || run "$NFAC_NETNS" keep "$1"
	in_ns "$1" bash -c 'cd /proc/sys/net/ipv6/conf
		for i in all default; do
			echo 0 >$i/accept_dad
			echo 0 >$i/router_solicitations
			echo 1 >$i/mldv2_unsolicited_report_interval
		done'
	batch "$1" "link set lo up"
}

ns_del()
{
	local p

	for p in $(ip netns pids "$1" 2>/dev/null); do
		kill -9 "$p"
	done
	[ ! -e "/run/netns-mounts/$1" ] || "$NFAC_NETNS" forget "$1"
	ip netns del "$1"
}

ns_pair()
{
	CLIENT=${1:-client} SERVER=${2:-server}
	ns_new "$CLIENT"
	ns_new "$SERVER"
	run ip link add veth0 address 02:00:00:00:00:02 netns "$CLIENT" type veth \
		peer name veth0 address 02:00:00:00:00:01 netns "$SERVER"
	# neighbours are known from the start: a first packet that waits for ARP, or a
	# second for IPv6, would make the tests slow and their counters unsure
	batch "$CLIENT" "addr add 10.0.0.2/24 dev veth0" "addr add fd00::2/64 dev veth0 nodad" \
		"link set veth0 up" \
		"neigh add 10.0.0.1 lladdr 02:00:00:00:00:01 dev veth0 nud permanent" \
		"neigh add fd00::1 lladdr 02:00:00:00:00:01 dev veth0 nud permanent"
	batch "$SERVER" "addr add 10.0.0.1/24 dev veth0" "addr add fd00::1/64 dev veth0 nodad" \
		"link set veth0 up" \
		"neigh add 10.0.0.2 lladdr 02:00:00:00:00:02 dev veth0 nud permanent" \
		"neigh add fd00::2 lladdr 02:00:00:00:00:02 dev veth0 nud permanent"
	until_true 5 in_ns "$CLIENT" ping -c1 -W0.2 10.0.0.1 &&
		until_true 5 in_ns "$CLIENT" ping -c1 -W0.2 fd00::1 ||
		{ fail "the pair of namespaces is up"; exit 1; }
}

client()
{
	in_ns "$CLIENT" "$@"
}

server()
{
	in_ns "$SERVER" "$@"
}

# no socket listens there, and bash reports the ICMP error
udp()
{
	client bash -c "printf %s '$1' >/dev/udp/${3:-10.0.0.1}/${2:-9999}" 2>/dev/null
}

detach_all()
{
	local ns=${1:-$SERVER} ids

	# the glob is for that namespace: sysfs shows each its own
	ids=$(in_ns "$ns" bash -c 'cd /sys/class/misc/nfac/sets && ls -d */attachments/*' 2>/dev/null |
		sed 's,.*/,,')
	# shellcheck disable=SC2086
	[ -z "$ids" ] || run in_ns "$ns" "$NFAC" detach $ids
}

# not by jq, which takes longer to start than all the rest
counted()
{
	local table=$1 listing name found=()

	shift
	listing=$(server nft list counters table inet "$table")
	for name; do
		[[ $listing =~ counter\ $name\ \{[[:space:]]+packets\ ([0-9]+) ]] &&
			found+=("${BASH_REMATCH[1]}") || found+=(none)
	done
	echo "${found[*]}"
}

memory_used()
{
	server cat /sys/class/misc/nfac/memory_used
}

# rings_came BEFORE N: a ring has event_ring slots, a slot is an event (struct nfac_event, 136
# bytes) and a word of its own: N rings are more than N times the events, fewer are less
# shellcheck disable=SC2317
rings_came()
{
	[ "$(memory_used)" -ge $(($1 + $2 * $(</sys/module/nfac/parameters/event_ring) * 136)) ]
}

watched()
{
	ok "${2:-1} watch" until_true 20 rings_came "$1" "${2:-1}"
}
