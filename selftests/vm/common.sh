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
