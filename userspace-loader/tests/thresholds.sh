#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2154
#
# Proves: --threshold-config refuses a bad line with its number and says what it accepts; a
# suppressed rule has no effect in `nfac queue`, one beyond its limit is not reported, and the
# file prevails over a rule's own threshold as in Suricata.

. "$(dirname "$0")/lib.sh"

# bad WHAT REGEX LINE: the line is the third of its file
bad()
{
	printf '# a comment\n\n%s\n' "$3" >"$T/bad.config"
	refuses "$1" "bad.config:3: $2" nfac watch --threshold-config "$T/bad.config"
}

bad "rate_filter" "rate_filter changes .*suppress, threshold and event_filter are accepted" \
	"rate_filter gen_id 1, sig_id 1, track by_src, count 1, seconds 1, new_action drop, timeout 9"
bad "an unknown word" "'supress' is not suppress, threshold or event_filter" "supress gen_id 1, sig_id 1"
bad "no numbers" "'suppress gen_id NUMBER, sig_id NUMBER' is wanted" "suppress"
bad "a group that is no number" "'suppress gen_id NUMBER" "suppress gen_id one, sig_id 1"
bad "a rule past 32 bits" "'suppress gen_id NUMBER" "suppress gen_id 1, sig_id 4294967296"
bad "a rule without a group" "a rule has a group" "suppress gen_id 0, sig_id 5"
bad "half a suppression" "this is wanted: suppress gen_id G" "suppress gen_id 1, sig_id 5, track by_src"
bad "an unknown direction" "'track by_both': track by_src, by_dst or by_either is wanted" \
	"suppress gen_id 1, sig_id 5, track by_both, ip 10.0.0.1"
bad "a bad address" "'10.0.0.256' is not an address" \
	"suppress gen_id 1, sig_id 5, track by_src, ip [10.0.0.1, 10.0.0.256]"
bad "a bad network" "'10.0.0.0/33' is not an address or a network" \
	"suppress gen_id 1, sig_id 5, track by_src, ip 10.0.0.0/33"
bad "a variable" "'.HOME_NET': no variable is known here" "suppress gen_id 1, sig_id 5, track by_src, ip \$HOME_NET"
bad "an empty list" "'' is not an address" "suppress gen_id 1, sig_id 5, track by_src, ip []"
bad "a threshold without seconds" "this is wanted: threshold gen_id G" \
	"threshold gen_id 1, sig_id 5, type limit, track by_src, count 1"
bad "a threshold of nothing" "this is wanted: threshold" \
	"threshold gen_id 1, sig_id 5, type limit, track by_src, count 0, seconds 9"
bad "a line that goes on" "'x' is not suppress" "x \\
gen_id 1"
printf 'suppress gen_id 1, \\\n sig_id 1\nx\n' >"$T/bad.config"
refuses "lines that are joined count" "bad.config:3: 'x'" nfac watch --threshold-config "$T/bad.config"
refuses "no file" "none: No such file" nfac watch --threshold-config "$T/none"
refuses "queue: a bad file" "bad.config:3: 'x'" \
	nfac queue --num 0 --threshold-config "$T/bad.config" "$WORDS"

. "$HERE/queue.inc"

cat >"$T/a.rules" <<'END'
drop udp any any -> any any (content:"needle"; sid:1;)
drop udp any any -> any any (content:"needle"; gid:3; sid:2;)
drop udp any any -> any any (content:"needle"; threshold:type limit, track by_src, count 1, seconds 600; sid:3;)
END
server iptables -F
server iptables -A INPUT -p udp --dport 8

# limited OPTION...: with $T/config; five datagrams
limited()
{
	server iptables -Z
	queue --drop --format suricata --threshold-config "$T/config" "$@" "$T/a.rules"
	client python3 "$HERE/send.py" v0 - udp 10.9.0.2 8 5
	stop
}

# events of each rule, and packets that passed
result()
{
	echo "$(jq -r .id "$T/matches" | sort | uniq -c | awk '{ print $2 "*" $1 }' | xargs)," \
		"$(server iptables -vnxL INPUT | awk '/dpt:8/ { print $1 }') pass"
}

: >"$T/config"
limited
is "an empty file changes nothing" "1*5 2*5 3*5, 0 pass" "$(result)"
printf 'suppress gen_id 1, sig_id 1\r\nsuppress gen_id 3, sig_id 0\n' >"$T/config"
limited
is "a rule, and all of a group" "3*5, 0 pass" "$(result)"
is "no match of theirs counts" 5 "$(stat_of matches)"
echo 'suppress gen_id 0, sig_id 0' >"$T/config"
limited
is "all rules: no verdict" ", 5 pass" "$(result)"
cat >"$T/config" <<'END'
suppress gen_id 1, sig_id 1, track by_src, ip 10.9.0.0/30
suppress gen_id 1, sig_id 1, track by_dst, ip 10.9.0.1
suppress gen_id 3, sig_id 2, track by_either, ip [2001:db8::/32, \
	10.9.0.2]
suppress gen_id 1, sig_id 3, track by_src, ip [10.0.0.0/8, !10.9.0.1]
END
limited
is "by source, by either, but not by another" "3*5, 0 pass" "$(result)"
sed -i 's/by_src, ip 10.9.0.0/by_dst, ip 10.10.0.0/' "$T/config"
limited
is "another destination" "1*5 3*5, 0 pass" "$(result)"

cat >"$T/config" <<'END'
suppress gen_id 3, sig_id 0
threshold gen_id 1, sig_id 1, type limit, track by_src, count 2, seconds 600
suppress gen_id 1, sig_id 3
END
limited
is "beyond a limit a rule is silent, and drops" "1*2, 0 pass" "$(result)"
is "its matches count" 5 "$(stat_of matches)"
echo 'threshold gen_id 1, sig_id 1, type limit, track by_src, count 4, seconds 600' >>"$T/config"
limited
is "of two the last holds" "1*4, 0 pass" "$(result)"
sed -i '$d; s/type limit/type threshold/' "$T/config"
limited
is "each second one: the others have no effect" "1*2, 3 pass" "$(result)"
sed -i 's/type threshold/type both/; s/^threshold/event_filter/' "$T/config"
limited
is "the second one, then silent" "1*1, 1 pass" "$(result)"

if "$NFAC" queue --num 0 --confirm "$T/none" 2>&1 | grep -q "without libpcre2"; then
	skip "a rule's own threshold" "nfac was built without libpcre2"
	exit 0
fi
echo 'threshold gen_id 0, sig_id 0, type limit, track by_src, count 3, seconds 600' >"$T/config"
limited --confirm
is "a rule's own prevails over one for all" "1*3 2*3 3*1, 0 pass" "$(result)"
echo 'threshold gen_id 1, sig_id 3, type limit, track by_dst, count 4, seconds 600' >>"$T/config"
limited --confirm
is "one for the rule prevails over its own" "1*3 2*3 3*4, 0 pass" "$(result)"

# a pattern of no rule: its own group
printf 'needle\n' >"$T/plain"
printf 'suppress gen_id 1, sig_id 1\n' >"$T/config"
queue --threshold-config "$T/config" "$T/plain"
client python3 "$HERE/send.py" v0 - udp 10.9.0.2 8 2
stop
is "a pattern is no rule of group 1" 2 "$(wc -l <"$T/matches")"
printf 'suppress gen_id 1000, sig_id 1\n' >"$T/config"
queue --threshold-config "$T/config" "$T/plain"
client python3 "$HERE/send.py" v0 - udp 10.9.0.2 8 2
stop
is "its group is 1000" 0 "$(wc -l <"$T/matches")"
