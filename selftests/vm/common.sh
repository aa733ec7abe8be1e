# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the scripts of this folder share: where things are cached, and a lock.
#
# Everything costly lives in $CACHE, keyed by what it was made from, made in a
# temporary folder and renamed into place: a killed build leaves nothing half done.

VM=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034  # for those who source this
TREE=$(cd "$VM/../.." && pwd)
CACHE=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/nfac
JOBS=${JOBS:-$(nproc)}
mkdir -p "$CACHE" || exit 1

say()
{
	echo "${0##*/}: $*" >&2
}

die()
{
	say "$*"
	exit 1
}

# need TOOL PACKAGE...: a tool and the Debian packages that bring it
need()
{
	local tool=$1

	shift
	command -v "$tool" >/dev/null 2>&1 || die "$tool is missing: run $VM/deps (or apt-get install $*)"
}

# private_apt NAME SUITE...: sets APT_OPTIONS to an apt configuration in the cache that has these
# suites, taken from the machine's own Debian source, and leaves the machine's as it is
private_apt()
{
	local name=$1 dir=$CACHE/apt uri key suite

	shift
	# its own lists: an update removes those of other suites
	mkdir -p "$dir/lists-$name/partial" "$dir/archives/partial"
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Component: main' \
		'Created-By: Packages' | grep '/debian/*$' | head -1)
	[ -n "$uri" ] || die "no apt source of Debian bookworm to take $* from"
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	for suite; do
		echo "deb [signed-by=$key] $uri $suite main"
	done >"$dir/$name.list.new"
	cmp -s "$dir/$name.list.new" "$dir/$name.list" ||
		mv "$dir/$name.list.new" "$dir/$name.list"
	# shellcheck disable=SC2034  # for the caller
	APT_OPTIONS=(-o "Dir::Etc::sourcelist=$dir/$name.list" -o Dir::Etc::sourceparts=-
		     -o "Dir::State::lists=$dir/lists-$name" -o "Dir::Cache=$dir")
}

# leave VARIANT FOLDER STATUS RC: exit as a guest has ended. STATUS is what it said itself, empty
# where it came to no end; RC its process's. Its console.log, and qemu.log if any, are in FOLDER.
leave()
{
	local variant=$1 log=$2/console.log status=$3 rc=$4 saved

	if [ -z "$status" ]; then
		if [ "$rc" = 124 ] || [ "$rc" = 137 ] || [ "$rc" = 143 ]; then
			say "$variant: no end in its time"
			status=124
		else
			say "$variant: the kernel died (status $rc)"
			status=134
		fi
		[ -s "$2/qemu.log" ] && tail -5 "$2/qemu.log" >&2
	fi
	if ! "$VM/scan-log" "$variant" "$log" >&2; then
		[ "$status" != 0 ] && say "the command's own status: $status"
		[ "$status" = 124 ] || [ "$status" = 134 ] || status=99
	fi
	if [ "$status" -ge 99 ]; then
		saved=$CACHE/last-$variant.log
		cp "$log" "$saved.$$" && mv "$saved.$$" "$saved"
		[ "$status" -ge 124 ] && tail -25 "$log" >&2
		say "the kernel's log: $saved"
	fi
	exit "$status"
}
