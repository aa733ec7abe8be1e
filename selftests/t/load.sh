#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 60
#
# Proves that a set goes through /dev/nfac into nfac_node and out again: sysfs says
# those of the compiler, its slab bytes are those of /proc/slabinfo, a swap and an
# unload leave nothing behind, rmmod is refused while the module is in use and
# leaves no object when it is not.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool jq
SYS=/sys/class/misc/nfac
PARAM=/sys/module/nfac/parameters
DEVICE=$TREE/selftests/t/device.py

# bytes of all slabs of nfac_node: slabs * pages in a slab * page
slabinfo()
{
	awk '$1 == "nfac_node" { print $15 * $6 * 4096 }' /proc/slabinfo
}

slabs_are()
{
	[ "$(slabinfo)" = "$1" ]
}

value()
{
	cat "$SYS/sets/$1/$2"
}

load_module
run "$NFAC" compile -o "$T/words.nfac" "$DATA/words-2358.txt"
printf 'attack\n/etc/passwd\nTT\n' >"$T/small.txt"
run "$NFAC" compile -o "$T/small.nfac" "$T/small.txt"

say "figures"
compiled=$("$NFAC" compile --json "$DATA/words-2358.txt" -o "$T/again.nfac")
run "$NFAC" load words "$T/words.nfac"
for f in patterns states node_bytes total_bytes; do
	is "$f is that of the compiler" "$(jq ".$f" <<<"$compiled")" "$(value words $f)"
done
is "the first load is generation 1" 1 "$(value words generation)"
is "slab_bytes is what slabinfo says of one set" "$(slabinfo)" "$(value words slab_bytes)"
is "and what the module says of all" "$(slabinfo)" "$(cat $SYS/slab_bytes)"
tiles=$(cat $SYS/tiles)
tile=$(sed -n 's/^#define NFAC_TILE_SHIFT\t*\([0-9]*\).*/\1/p' "$TREE/kmod/engine/blob.h")
tile=$((4 << tile))
if [ "$(awk '$1 == "nfac_node" { print $4 }' /proc/slabinfo)" = "$tile" ]; then
	ok "slack is under 5 %" test "$(value words slab_bytes)" -le $((tiles * tile * 105 / 100))
else
	skip "slack is under 5 %" "this kernel debugs its slabs: objects are larger"
fi

say "swap"
run "$NFAC" load words "$T/words.nfac"
is "the second load is generation 2" 2 "$(value words generation)"
ok "the old tiles go after the grace period" \
	until_true 10 eval "slabs_are \$(value words slab_bytes)"
is "and only the new ones are there" "$tiles" "$(cat $SYS/tiles)"
run "$NFAC" load other "$T/small.nfac"
is "two sets: a page that they share counts once" "$(slabinfo)" "$(cat $SYS/slab_bytes)"

say "integrity"
ok "the tiles are as they were loaded" "$NFAC" verify words
ok "a scrub by sysfs says so too" bash -c "echo 1 >$SYS/sets/words/scrub"
is "nothing is damaged" 0 "$(value words damaged)"

say "a refused load leaves the old set in force"
sum=$(value words checksum)
is "no blob" "EINVAL: no staged blob: nothing was written" "$($DEVICE commit words)"
is "a second commit has no blob" "EINVAL: no staged blob: nothing was written" \
	"$($DEVICE commit third "$T/small.nfac" --twice)"
run "$NFAC" unload third
like "an empty write" "^EINVAL" "$($DEVICE commit words /dev/null)"
like "a cut blob" "^EBADMSG: ." "$($DEVICE commit words "$T/words.nfac" --cut 20000)"
like "a cut header" "^EBADMSG: ." "$($DEVICE commit words "$T/words.nfac" --cut 40)"
like "not a blob" "^EBADMSG: ." "$($DEVICE commit words "$T/small.txt")"
like "another version" "^EPROTO: ." "$($DEVICE commit words "$T/words.nfac" --flip 1)"
like "a flipped bit in the nodes" "^EBADMSG: ." \
	"$($DEVICE commit words "$T/words.nfac" --flip 2000)"
for name in "" a/b . .. "with space" $'line\nend' "$(printf 'x%.0s' {1..32})"; do
	like "a set cannot be called $(printf %q "$name")" "^EINVAL: a name is" \
		"$($DEVICE commit "$name" "$T/small.nfac")"
done
like "the kernel's log names the fault" 'nfac: set "words" refused: .*\(word [0-9]+\)' "$(dmesg)"
is "generation is still 2" 2 "$(value words generation)"
is "and the checksum the same" "$sum" "$(value words checksum)"
is "small writes give the same set" ok "$($DEVICE commit words "$T/words.nfac" --chunk 777)"
is "by its checksum" "$sum" "$(value words checksum)"

say "a writer that is killed"
until_true 10 slabs_are "$(cat $SYS/slab_bytes)"
used=$(cat $SYS/memory_used)
$DEVICE stage "$T/words.nfac" >"$T/staged" &
pid=$!
until_true 20 grep -q staged "$T/staged" || fail "the blob is staged"
ok "what is staged counts" test "$(cat $SYS/memory_used)" -gt "$used"
kill -9 $pid
wait $pid 2>/dev/null
is "and is gone with its writer" "$used" "$(cat $SYS/memory_used)"
is "generation is still 3" 3 "$(value words generation)"

say "the namespace's limit"
limit=$(cat $PARAM/netns_memory_limit)
echo $((used + 100000)) >$PARAM/netns_memory_limit
is "sysfs shows it" $((used + 100000)) "$(cat $SYS/memory_limit)"
is "a blob past the limit is not staged" "write: EFBIG" \
	"$($DEVICE commit words "$T/words.nfac" --chunk 4096)"
echo $((used + 300000)) >$PARAM/netns_memory_limit
like "a set past the limit is refused by name" "^EDQUOT: .*netns_memory_limit" \
	"$($DEVICE commit words "$T/words.nfac")"
echo "$limit" >$PARAM/netns_memory_limit
is "nothing is held for what was refused" "$used" "$(cat $SYS/memory_used)"

say "arguments"
$DEVICE ioctl >"$T/ioctl"
while IFS=: read -r what want; do
	is "$what" "$what:$want" "$(grep "^$what:" "$T/ioctl")"
done <<'END'
version 2: EPROTO
too short: EINVAL
huge: EINVAL
longer, zero: ENOENT
longer, not zero: EINVAL
unknown flag: EINVAL
unload of nothing: ENOENT
verify of nothing: ENOENT
subscribe to nothing: ENOENT
detach of nothing: ENOENT
unknown ioctl: ENOTTY
bad pointer: EFAULT
END
cat >"$T/attach" <<'END'
EINVAL hook=5
EINVAL priority=-2147483648
EINVAL priority=2147483647
EINVAL flags=0x80000000
EINVAL flags=6 mark=0x10 mark_mask=0xf
EINVAL flags=2 mark_mask=0xf
EINVAL flags=4
EINVAL flags=0x10 when_mark=2 when_mask=1
EINVAL flags=0x1000000 candidate_mark=2 candidate_mask=1
EINVAL flags=0x1000000
EINVAL flags=2 candidate_mask=1
EINVAL flags=0x1000004 mark_mask=3 candidate_mask=2
EINVAL flags=2 ct_label=5
EINVAL flags=0x400 ct_label=128
EINVAL nports=17
EINVAL nports=0 port=80
EINVAL protocol=50
EINVAL protocol=256 flags=0x200
EINVAL hook=3 iif=lo
EINVAL hook=0 oif=lo
EINVAL pad=1
EINVAL flags=0x800
END
cut -d' ' -f2- "$T/attach" | $DEVICE attach words - >"$T/attached"
while read -r want fields; do
	read -r got <&3
	is "attach with $fields" "$want" "$got"
done <"$T/attach" 3<"$T/attached"
is "attach of a set that is not there" ENOENT "$($DEVICE attach nosuch)"
is "read() and poll()" "143 EINVAL
144 EAGAIN
subscribed twice: EBUSY" "$($DEVICE read)"

say "references"
run "$NFAC" attach words
id=$(ls $SYS/sets/words/attachments)
fails_with "unload while attached is refused" "in use|busy" "$NFAC" unload words
fails_with "rmmod while attached is refused" "in use" rmmod nfac
run "$NFAC" load words "$T/words.nfac"
ok "a swap while attached" test "$(value words generation)" = 4
run "$NFAC" detach "$id"
ok "unload" "$NFAC" unload words
run "$NFAC" unload other
is "no tile is left" 0 "$(cat $SYS/tiles)"
is "no slab is left" 0 "$(slabinfo)"
is "no memory is held" 0 "$(cat $SYS/memory_used)"
$DEVICE hold >"$T/hold" &
pid=$!
until_true 20 grep -q open "$T/hold" || fail "the device is open"
fails_with "rmmod while /dev/nfac is open is refused" "in use" rmmod nfac
kill -9 $pid
wait $pid 2>/dev/null
run "$NFAC" load words "$T/words.nfac"
ok "rmmod with an unused set" rmmod nfac
is "no cache is left" "" "$(grep nfac_ /proc/slabinfo)"
unlike "the kernel found no object left over" "nfac_node.*(remaining|still)|BUG nfac" "$(dmesg)"
