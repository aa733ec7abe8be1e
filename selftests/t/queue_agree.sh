#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 400
#
# client ─┬─ veth0 ── server (10.0.0.1; set attached)
#         └─ copy ─── twin   (10.0.0.1; nfac queue, behind a rule in prerouting)
#
# Proves that the module and `nfac queue` agree, event for event and counter for counter,
# on the same frames: the cases of stream.py, generated connections (cut, mixed, sent
# again, out of order, with each policy), and both captures.
# `nfac scan --stream` of a capture of these frames agrees with them, too, where the module
# follows streams and leaves the packets as they are.
# All have flow.c and matcher.c in common; what is compared is all that is around them.
# Left out: a set loaded anew and several attachments at once, which a queue does not have.
#
# The long run, of ten thousand connections, and of the captures by streams too:
#
#   selftests/run -k queue_agree -e NFAC_CONNECTIONS=10000      (NFAC_SEED: another course)
#
# Else there are 100, under an emulator 40, and one capture.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/stream.inc"

stream_setup
ns_new twin
run ip link add copy netns client type veth peer name copy address 02:00:00:00:00:01 netns twin
run ip -n client link set copy mtu 65535 up
run ip -n twin link set copy mtu 65535 up
run ip -n twin addr add 10.0.0.1/24 dev copy
stream_drop_marked
cat >"$T/queue.nft" <<'END'
table inet q {
	chain c {
		type filter hook prerouting priority -190;
		iifname "copy" queue to 7
	}
}
END
run in_ns twin nft -f "$T/queue.nft"
export NFAC_QUEUE=$T/s.nfac
CONNECTIONS=100 CAPTURES=crs-attacks
[ -z "${NFAC_CONNECTIONS:-}" ] || CAPTURES+=" benign-http"
case ${NFAC_KERNEL:-} in
debian*|x86*)	CONNECTIONS=40 ;;
esac

cases "$TREE/selftests/t/stream.py" "$T/s.nfac" cuts offsets again gaps wrap drop syn bad \
	urgent table large
cases "$TREE/selftests/t/stream_random.py" "$T/s.nfac" "${NFAC_CONNECTIONS:-$CONNECTIONS}" "${NFAC_SEED:-1}" \
	attack tac needle-in-the-pile

# rules over streams: a module without conntrack knows of a connection what a queue knows
stream_rules_setup
# each queue fills the memory of its table, which has windows for rules: a smaller one is enough
echo 8192 >/sys/module/nfac/parameters/flows_max
NFAC_RULES=1 NFAC_QUEUE=$T/rules.nfac cases "$TREE/selftests/t/stream_rules.py" "$TREE/selftests/compare/keywords.rules"

echo 32768 >/sys/module/nfac/parameters/flows_max

# the decoded view, over streams too
printf '%s\n' the-end-of-what-was-sent ../etc/passwd 'union select' plain >"$T/d.txt"
run "$NFAC" compile --decode url -o "$T/d.nfac" "$T/d.txt"
run server "$NFAC" load s "$T/d.nfac"
NFAC_QUEUE=$T/d.nfac cases "$TREE/selftests/t/decode_stream.py"
run server "$NFAC" load s "$T/s.nfac"

FILES=()
for capture in $CAPTURES; do
	gunzip <"$DATA/$capture.pcap.gz" >"$T/$capture.pcap"
	FILES+=("$T/$capture.pcap")
done
printf '%s\n' the-end-of-what-was-sent >"$T/end"
run "$NFAC" compile --format crs -o "$T/crs.nfac" "$T/end" "$DATA"/crs/*.data
run server "$NFAC" load s "$T/crs.nfac"
NFAC_QUEUE=$T/crs.nfac
cases "$TREE/selftests/t/queue_capture.py" ${NFAC_CONNECTIONS:+--streams} "${FILES[@]}"
