# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What a test of the command line sources first. Folder $T is its own and goes away.
#
#   gives STATUS DESC CMD...     one result: CMD ends with STATUS; its stdout is in
#                                $T/out, its stderr in $T/err
#   refuses DESC REGEX CMD...    one result: status 2, nothing on stdout, REGEX on stderr
#   is DESC WANT GOT             one result: two strings are equal
#   like DESC REGEX TEXT         one result: some line of TEXT matches (grep -E)
#   nfac ARGUMENT...             the tool, under $VALGRIND if that is set
#   skip DESC REASON

set -u
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
NFAC=${NFAC:-$HERE/../nfac}
DATA=$HERE/../../selftests/data
WORDS=$DATA/words-2358.txt
N=0 FAILED=0
T=$(mktemp -d "${TMPDIR:-/tmp}/nfac-cli-XXXXXX") || exit 1
export LC_ALL=C.UTF-8
# a leak is a failure, of a status that no test expects
export ASAN_OPTIONS=exitcode=99:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1

finish()
{
	local rc=$?

	trap - EXIT
	rm -rf "$T"
	[ $rc = 0 ] || fail "the script ran to its end" "it left with status $rc"
	[ $N -gt 0 ] || fail "the script tested something"
	echo "1..$N"
	[ $FAILED = 0 ]
	exit
}
trap finish EXIT

pass()
{
	N=$((N + 1))
	echo "ok $N $1"
}

fail()
{
	N=$((N + 1))
	FAILED=$((FAILED + 1))
	echo "not ok $N $1"
	[ $# = 1 ] || printf '%s\n' "$2" | head -20 | sed 's/^/#   /'
}

skip()
{
	N=$((N + 1))
	echo "ok $N $1 # SKIP ${2:?a reason}"
}

nfac()
{
	${VALGRIND:+valgrind -q --error-exitcode=99 --leak-check=full} "$NFAC" "$@"
}

gives()
{
	local want=$1 desc=$2 rc

	shift 2
	"$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
	if [ $rc = "$want" ]; then
		pass "$desc"
	else
		fail "$desc" "$*: status $rc, wanted $want: $(head -c 2000 "$T/err")"
	fi
}

refuses()
{
	local desc=$1 re=$2 rc

	shift 2
	"$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
	if [ $rc != 2 ]; then
		fail "$desc" "$*: status $rc: $(head -c 2000 "$T/err")"
	elif [ -s "$T/out" ]; then
		fail "$desc" "$*: it printed $(head -c 200 "$T/out")"
	elif ! grep -qE -- "$re" "$T/err"; then
		fail "$desc" "wanted: $re
got: $(head -c 2000 "$T/err")"
	else
		pass "$desc"
	fi
}

is()
{
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "wanted: $2
got: $3"
	fi
}

like()
{
	if grep -qE -- "$2" <<<"$3"; then
		pass "$1"
	else
		fail "$1" "wanted: $2
got: $3"
	fi
}
