#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 60
#
# client (10.0.0.2) ── veth ── server (10.0.0.1; the set that nfac-update makes, dropping)
#
# Proves that what nfac-update fetched is in force in the kernel, that a set which matches benign
# traffic is not, and that a rollback puts the version before into force, by swaps of one set.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
load_module
ns_pair
mkdir "$T/update.d"
export NFAC NFAC_UPDATE_CONF=$T/update.d NFAC_UPDATE_STATE=$T
printf '[set.s]\nfiles = "s/current.nfac"\n[[attach]]\nset = "s"\ndrop = true\n' >"$T/nfac.toml"
cat >"$T/update.d/s.conf" <<END
FETCH='cp $T/words .'
BENIGN=$DATA/benign-http.pcap.gz
APPLY='"\$NFAC" apply $T/nfac.toml'
END

update()
{
	server "$TREE/packaging/nfac-update" "$@"
}

# drops WORD: does the server drop it?
drops()
{
	local before after

	before=$(server cat /sys/class/misc/nfac/sets/s/dropped_packets)
	udp "$1"
	after=$(server cat /sys/class/misc/nfac/sets/s/dropped_packets)
	echo $((after - before))
}

echo attack-one >"$T/words"
ok "the first version" update
is "is in force" "1 0" "$(drops attack-one) $(drops attack-two)"
id=$(server bash -c 'ls /sys/class/misc/nfac/sets/s/attachments')
echo attack-two >"$T/words"
ok "the second" update
is "is in force" "0 1" "$(drops attack-one) $(drops attack-two)"
echo HTTP >"$T/words"
fails_with "one that matches benign traffic is not" "the limit is 0" update
is "so the second is" "0 1" "$(drops HTTP) $(drops attack-two)"
ok "roll back" update --rollback s
is "the first is in force again" "1 0" "$(drops attack-one) $(drops attack-two)"
is "by three loads of one set, and one attachment" "3 $id" \
	"$(server cat /sys/class/misc/nfac/sets/s/generation) $(server bash -c 'ls /sys/class/misc/nfac/sets/s/attachments')"
