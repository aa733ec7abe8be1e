# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the scripts of this folder share: where things are cached, and a lock.
#
# Everything costly lives in $CACHE, keyed by what it was made from, made in a
# temporary folder and renamed into place: a killed build leaves nothing half done.

VM=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034  # for the scripts that source this
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

# minimal_debian SUITE SOURCES FOLDER PACKAGE,...: makes a minimal Debian by mmdebstrap; its log is
# FOLDER.log. SOURCES is a sources.list, which the new Debian keeps. As root.
minimal_debian()
{
	local suite=$1 sources=$2 folder=$3 packages=$4

	need mmdebstrap mmdebstrap
	rm -rf "$folder.tmp"
	# an archive that is a copy may be older than its lists say they are valid
	mmdebstrap --variant=minbase --include="$packages" --aptopt='Acquire::Check-Valid-Until "false"' \
		"$suite" "$folder.tmp" "$sources" >"$folder.log" 2>&1 ||
		{ tail -5 "$folder.log" >&2; die "cannot make a Debian $suite"; }
	mv -T "$folder.tmp" "$folder" || die "cannot rename $folder.tmp"
}

# in_root FOLDER COMMAND...: runs a command in a Debian of minimal_debian(). BINDS are folders of the
# machine that it has at their own path. The mounts go away with the command. As root.
BINDS=()
in_root()
{
	local root=$1 bind

	shift
	for bind in "${BINDS[@]}"; do
		mkdir -p "$root$bind" || return 1
	done
	# shellcheck disable=SC2016  # the inner shell expands them
	unshare -m bash -c '
		root=$1
		shift
		# ip netns changes how the mount at / is shared, so that there must be one
		mount --bind "$root" "$root" || exit 1
		while [ "$1" != -- ]; do
			mount --rbind "$1" "$root$1" || exit 1
			shift
		done
		shift
		mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind /sys "$root/sys" &&
			exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
				HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' in_root "$root" \
		"${BINDS[@]}" -- "$@"
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
