#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: what cannot be searched as the text that it shows is announced, and never just "not
# found"; a capture is recognised by its content; each reason for a partial inspection counts.

. "$(dirname "$0")/lib.sh"

IN=$HERE/data
echo needle >"$T/needle"

echo evil-word >"$T/word"
is "a log compressed by lz4 is searched as its text" "$(lz4 -dc "$IN/access.log.lz4" | grep -c evil-word)" \
	"$(nfac scan -c -p "$T/word" "$IN/access.log.lz4")"
gives 0 "and gives its matches" nfac scan -c -p "$T/word" "$IN/access.log.lz4"
is "a log in UTF-16 is searched as its text" '{"id":1,"offset":4,"length":6,"pattern":"needle"}' \
	"$(nfac scan --json -p "$T/needle" "$IN/utf16.log")"
python3 - "$T" <<'END'
import sys

lines = "".join(f"{i} \u00e9\u20ac\U0001f600 needle\u00fc\n" for i in range(3000))
folder = sys.argv[1] + "/"
open(folder + "text", "w", encoding="utf-8").write(lines)
for encoding in "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be":
    open(folder + encoding, "wb").write(("\ufeff" + lines).encode(encoding))
    open(folder + encoding + ".cut", "wb").write(("\ufeff" + lines).encode(encoding)[:-1])
half = "\ufeffa\ud83d needle \ude00 needle \ud83d".encode("utf-16-le", "surrogatepass")
open(folder + "half", "wb").write(half)
END
nfac scan --json -p "$T/needle" "$T/text" >"$T/want"
for encoding in utf-16-le utf-16-be utf-32-le utf-32-be; do
	gives 0 "text in $encoding" nfac scan --json -p "$T/needle" "$T/$encoding"
	is "offsets count in its UTF-8" "$(cat "$T/want")" "$(cat "$T/out")"
	dd if="$T/$encoding" bs=7 status=none | nfac scan --json -p "$T/needle" - | cmp -s - "$T/want"
	is "in small pieces" "0 0" "${PIPESTATUS[1]} ${PIPESTATUS[2]}"
	gzip -c "$T/$encoding" | nfac scan --json -p "$T/needle" - | cmp -s - "$T/want"
	is "and compressed" "0 0" "${PIPESTATUS[1]} ${PIPESTATUS[2]}"
	gives 0 "cut within its last character" nfac scan -c -p "$T/needle" "$T/$encoding.cut"
	like "it is announced" "$encoding.cut: damaged text in UTF-.*U.FFFD" "$(cat "$T/err")"
done
gives 0 "surrogates without their other half" nfac scan --json -p "$T/needle" "$T/half"
is "count as three bytes each" "5 16" "$(jq .offset "$T/out" | paste -sd' ')"
is "and are announced once" 1 "$(grep -c "half: damaged text in UTF-16" "$T/err")"

echo 'needle in plain sight' >"$T/plain"
closed()	# NAME COMMAND MAGIC
{
	# shellcheck disable=SC2059 # its escapes are meant
	{ printf "$3"; printf 'bytes\0that no search sees through'; } >"$T/$1"
	gives 2 "$1: the status is that of an error" nfac scan -p "$T/needle" "$T/$1" "$T/plain"
	like "it is announced, with the command that shows the text" "/$1: .*searched as it is; its text: $2" \
		"$(cat "$T/err")"
	like "and the search goes on" "plain:.*needle" "$(cat "$T/out")"
}
closed zip "unzip -p FILE" 'PK\3\4'
closed 7z "7z x -so FILE" "7z\\274\\257'\\34"
closed rar "unrar p" 'Rar!\32\7'
closed deb "dpkg-deb" '!<arch>\ndebian-binary'
closed journal "journalctl" 'LPKSHHRH'
closed pdf "pdftotext" '%%PDF-1.7'
closed openssl "openssl enc -d" 'Salted__'
closed age "age -d" 'age-encryption.org/v1\n'
closed armour "gpg -d" '\55----BEGIN PGP MESSAGE-----'
closed gpg "gpg -d" '\205\2\14\3'
closed snoop "editcap" 'snoop\0\0\0'
gzip -c "$T/zip" >"$T/zip.gz"
gives 2 "an archive within a compressed file" nfac scan -p "$T/needle" "$T/zip.gz" "$T/plain"
like "is announced" "zip.gz: .*zip, after decompression, .*unpack it first: zcat FILE" "$(cat "$T/err")"
printf '%%PDF-\nneedle\n' >"$T/list"
gives 0 "a list of patterns may begin as a document does" nfac scan -c -p "$T/list" "$T/plain"

for name in capture.pcap1 capture; do
	cp "$IN/capnogap.pcap" "$T/$name"
	nfac scan --json -p "$IN/ag.txt" "$T/$name" >"$T/out" 2>"$T/err"
	is "$name is a capture by its content" number "$(head -1 "$T/out" | jq -r '.packet | type')"
done
gives 0 "its streams are followed" nfac scan -c --stream -p "$IN/ag.txt" "$T/capture"

for name in capgap capnogap; do
	nfac scan -c --stream -p "$IN/ag.txt" "$IN/$name.pcap" >"$T/out" 2>"$T/err"
	like "$name: more matches than are reported count" 'skipped_output_cap 1' "$(cat "$T/err")"
done
nfac scan -c --stream -p "$IN/ag.txt" "$IN/capgap.pcap" >"$T/out" 2>"$T/err"
like "and the gap before them counts, too" 'skipped_gap 1' "$(cat "$T/err")"
