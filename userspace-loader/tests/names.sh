#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: that marks, labels and ports are taken by the names that iproute2, connlabel.conf and
# the list of services have for them, ports in ranges too; that an unknown name is refused with
# the one that is nearest.

. "$(dirname "$0")/lib.sh"

if ! unshare -m true 2>/dev/null; then
	skip "names" "no mount namespaces: not root, or not in this container"
	exit 0
fi
mkdir -p "$T/etc/iproute2" "$T/etc/xtables"
echo 'services: files' >"$T/etc/nsswitch.conf"
printf 'http 80/tcp www # Web\nhttps 443/tcp\nhttp-alt 8080/tcp webcache\ndomain 53/udp\n' >"$T/etc/services"
printf '# marks\n0x1000 web\n0x0000f000\tweb-bits # both\n99999999999 large\n7\n16 last' >"$T/etc/iproute2/rt_marks"
printf '# labels\n5 attack\n127\tlast\n128 none\n' >"$T/etc/connlabel.conf"
printf '6 attack\n7 other\n' >"$T/etc/xtables/connlabel.conf"
printf 'a\n' >"$T/a.txt"

# there CMD...: with these files in /etc
there()
{
	unshare -m bash -c 'mount --bind "$1" /etc && exec "${@:2}"' - "$T/etc" "$@"
}

# option WANT LINE: an attachment's line becomes this one
option()
{
	printf '[set.w]\nfiles = "%s"\n[[attach]]\nset = "w"\n%s\n' "$T/a.txt" "$2" >"$T/in.toml"
	gives 0 "$2" there "$NFAC" apply --check "$T/in.toml"
	is "is $1" "$1" "$(sed '1,/^priority/d' "$T/out")"
	cp "$T/out" "$T/again.toml"
	gives 0 "what is printed is read" there "$NFAC" apply --check "$T/again.toml"
	is "as the same" "$(cat "$T/again.toml")" "$(cat "$T/out")"
}

# refused REGEX LINE
refused()
{
	printf '[set.w]\nfiles = "%s"\n[[attach]]\nset = "w"\n%s\n' "$T/a.txt" "$2" >"$T/in.toml"
	refuses "$2" "in.toml:5: $1" there "$NFAC" apply --check "$T/in.toml"
}

option 'mark = "0x1000/0xf000"' 'mark = "web/web-bits"'
option 'mark = "0x1000/0xffffffff"' 'mark = "web"'
option 'mark = "0x1000/0xff000"' 'mark = "web/0xff000"'
option 'when-mark = "0x10/0x10"' 'when-mark = "last/last"'
option 'ct-mark = "0x1000/0xf000"' 'ct-mark = "4096/web-bits"'
refused "--mark wbe: the value is not a number of 32 bits, nor a name in /etc/iproute2/rt_marks \(did you mean 'web'\?\)" \
	'mark = "wbe"'
refused "--mark 1/web-bit: the mask is not .*'web-bits'" 'mark = "1/web-bit"'
refused "--mark large: the value" 'mark = "large"'
refused "--mark web/1: value has bits outside" 'mark = "web/1"'

option 'ct-label = 5' 'ct-label = "attack"'
option 'ct-label = 127' 'ct-label = "last"'
option 'ct-label = 7' 'ct-label = "other"'
refused "--ct-label atack: not a bit from 0 to 127, nor a name in /etc/connlabel.conf \(did you mean 'attack'\?\)" \
	'ct-label = "atack"'
refused "--ct-label none: not a bit" 'ct-label = "none"'

option 'dport = 80' 'dport = "http"'
option 'dport = [80, 443, 53]' 'dport = ["http", "https", 443, "domain", "www"]'
option 'dport = 8080' 'dport = "http-alt"'
option 'dport = "80,8000-8100"' 'dport = "http,8000-8100"'
option 'dport = "8000-8100,443"' 'dport = ["8000-8100", 443, "443-443"]'
option 'dport = "1-65535"' 'dport = "1-65535"'
refused "--dport htpps: 'htpps' is not a port: .*\(did you mean 'https'\?\)" 'dport = "htpps"'
refused "--dport http-https: 'http-https' is not a port" 'dport = "http-https"'
refused "--dport 0-5: '0-5' is not a port" 'dport = "0-5"'
option 'iif = "eth*"' 'iif = "eth*"'

rm "$T/etc/services" "$T/etc/connlabel.conf" "$T/etc/xtables/connlabel.conf" "$T/etc/iproute2/rt_marks"
refused "--dport http: 'http' is not a port" 'dport = "http"'
refused "--ct-label attack: not a bit" 'ct-label = "attack"'
refused "--mark web: the value" 'mark = "web"'
option 'dport = 80' 'dport = 80'
