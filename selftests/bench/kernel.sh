#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The benchmark inside the kernel, on UML: nfac's work in the hook beside
# xt_string's (bm, kmp) and one plain pass, and what nodes cost in slab memory.
#
#   kernel.sh NFAC-BENCH DATA BENCH.JSON     adds "kernel" to BENCH.JSON
#
# TABLES="streams" in the environment: that table alone.
#
# A work folder is laid out for kbuild with copies of the module's sources, so that
# no object file lands in the tree.

set -u
HERE=$(cd "$(dirname "$0")" && pwd)
TOP=$(cd "$HERE/../.." && pwd)
BENCH=$1 DATA=$2 JSON=$3
WORK=$(mktemp -d "${TMPDIR:-/tmp}/nfac-bench-XXXXXX") || exit 1
trap 'rm -rf "$WORK"' EXIT
trap 'exit 130' INT TERM

die() { echo "kernel.sh: $*" >&2; exit 1; }

KERNEL=$("$TOP/selftests/vm/kernel" uml) || die "no UML kernel, see selftests/vm/deps"

mkdir "$WORK/in" "$WORK/build" "$WORK/out"
"$BENCH" --data "$DATA" --export "$WORK/in" || die "no input"
make -s -C "$TOP/userspace-loader" >/dev/null || die "the tool does not build"
"$TOP/userspace-loader/nfac" compile --format suricata -o "$WORK/in/rules.nfac" "$DATA"/et/*.rules \
	>/dev/null 2>&1 || die "the rules do not compile"
"$TOP/userspace-loader/nfac" compile --format crs -o "$WORK/in/decoded.nfac" "$DATA"/crs/*.data \
	>/dev/null 2>&1 || die "the phrases do not compile"
mkdir -p "$WORK/build/bench"
cp "$HERE"/kmod/*.[ch] "$WORK/build/bench/"
cp "$HERE/kmod/Kbuild" "$WORK/build/"
for folder in kmod uapi; do
	(cd "$TOP" && find $folder \( -name '*.[chS]' -o -name '*.mk' -o -name Kbuild \) ! -name '*.mod.c' \
		-exec cp --parents {} "$WORK/build/" \;)
done
nice make -C "$KERNEL" M="$WORK/build" ARCH=um -j2 modules >"$WORK/log" 2>&1 ||
	{ grep -E -A4 'error|undefined' "$WORK/log" >&2; die "the module does not build"; }
grep -A4 warning: "$WORK/log" >&2

cat >"$WORK/guest" <<EOF
set -e
mount -t debugfs none /sys/kernel/debug 2>/dev/null || true
# by default the table fits the memory of the guest
insmod $WORK/build/nfac_bench.ko folder=$WORK/in flows_max=32768
cd /sys/kernel/debug/nfac_bench
cat ${TABLES:-speed packets streams objects memory load} >\$OUT/figures
rmmod nfac_bench
EOF
"$TOP/selftests/vm/boot" -k uml -n -m 768M -o "$WORK/out" sh "$WORK/guest" ||
	{ grep -h nfac "$WORK/out/console.log" >&2; die "the guest failed"; }
"$HERE/kernel_report.py" "$WORK/out/figures" "$JSON"
