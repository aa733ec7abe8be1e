#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves of nfac-update: that a new set is compiled, tried and put into force; that one which does
# not compile, matches benign traffic or is refused leaves the old one; that versions are kept,
# pruned and rolled back, and one that was rolled back is not taken again.

. "$(dirname "$0")/lib.sh"

export NFAC NFAC_UPDATE_CONF=$T/update.d NFAC_UPDATE_STATE=$T/state
mkdir "$T/update.d" "$T/state" "$T/source"
DIR=$T/state/web

update()
{
	"$HERE/../../packaging/nfac-update" "$@"
}

# APPLY replaces `nfac apply`: it verifies the set, and may be made to fail
cat >"$T/update.d/web.conf" <<END
FETCH='cp $T/source/* .'
COMPILE='--format suricata -q'
BENIGN=$DATA/benign-http.pcap.gz
LIMIT=3
KEEP=3
APPLY='[ ! -e $T/fail ] && cp $DIR/current.nfac $T/applied.nfac'
END
# rules WORD...: what is fetched from now on
rules()
{
	local word sid=0

	for word; do
		sid=$((sid + 1))
		echo "alert tcp any any -> any any (msg:\"$word\"; content:\"$word\"; sid:$sid;)"
	done >"$T/source/web.rules"
}
current()
{
	basename "$(readlink "$DIR/current.nfac")"
}
# text WORD: the word, if the first rule of what is in force looks for it
text()
{
	nfac explain "$T/applied.nfac" 1 | grep -o "$1" | head -1
}

rules xyzzy-one
gives 0 "the first version" update
like "says so" "web: .*\.nfac is in force, it matches benign traffic 0 times" "$(cat "$T/out")"
is "it is in force" xyzzy-one "$(text xyzzy-one)"
first=$(current)
gives 0 "again" update web
like "there is nothing new" "web: nothing new" "$(cat "$T/out")"
is "and no other version" "web * $first" "$(update --list)"

rules xyzzy-two
gives 0 "the next" update
is "is in force" xyzzy-two "$(text xyzzy-two)"
second=$(current)
is "the first is kept" "web   $first
web * $second" "$(update --list web)"

rules 'GET /' 'HTTP/1.1'
gives 1 "one that matches benign traffic" update
like "says how often, and the limit" "matches benign traffic [0-9]+ times, the limit is 3; most often:" "$(cat "$T/err")"
like "and by what" '[0-9]+ "(pattern|msg)":"(GET /|HTTP/1.1)"' "$(cat "$T/err")"
is "is not in force" "xyzzy-two $second" "$(text xyzzy-two) $(current)"
gives 0 "and is kept" test -s "$DIR/refused.nfac"

echo 'alert tcp any any -> any any (content:"a' >"$T/source/web.rules"
gives 2 "one that does not compile" update
is "is not in force" "$second" "$(current)"
rm "$T/source/web.rules"
gives 2 "nothing was fetched" update
sed -i 's/^FETCH=.*/FETCH=false/' "$T/update.d/web.conf"
gives 2 "the command fails" update
like "and a message says so" "web: FETCH failed" "$(cat "$T/err")"
sed -i "s,^FETCH=.*,FETCH='cp $T/source/* .'," "$T/update.d/web.conf"

rules xyzzy-three
touch "$T/fail"
gives 2 "apply refuses" update
like "and a message says so" "apply refused it; the set before stays in force" "$(cat "$T/err")"
is "the version before is current" "$second" "$(current)"
is "and the refused one is not kept" 2 "$(update --list | wc -l)"
rm "$T/fail"
gives 0 "it does not any more" update
third=$(current)
is "it is in force" xyzzy-three "$(text xyzzy-three)"

gives 0 "roll back" update --rollback web
is "to the version before" "xyzzy-two $second" "$(text xyzzy-two) $(current)"
gives 0 "an update that fetches it again" update
like "does not take it" "is the version that was rolled back" "$(cat "$T/out")"
is "it is not in force" "$second" "$(current)"
touch "$T/fail"
gives 2 "roll back, and apply refuses" update --rollback web
is "nothing changed" "$second" "$(current)"
rm "$T/fail"
gives 0 "roll back further" update --rollback web
is "to the first" "xyzzy-one $first" "$(text xyzzy-one) $(current)"
gives 2 "there is none before" update --rollback web
gives 0 "the third is withdrawn, too" test -e "$DIR/$third.withdrawn"

for word in four five six seven; do
	rules xyzzy-$word
	gives 0 "update $word" update
done
is "three are kept" 3 "$(update --list | wc -l)"
is "the last is in force" xyzzy-seven "$(text xyzzy-seven)"
is "no folder is left" "" "$(ls "$DIR" | grep fetch-)"

sed -i '/BENIGN/d' "$T/update.d/web.conf"
rules xyzzy-eight
gives 0 "without a capture" update
like "it says that it was not tried" "BENIGN names no capture" "$(cat "$T/err")"
echo 'BENIGN=/nonexistent' >>"$T/update.d/web.conf"
rules xyzzy-nine
gives 2 "with one that is not there" update
is "the one before stays" xyzzy-eight "$(text xyzzy-eight)"
sed -i '/BENIGN/d' "$T/update.d/web.conf"
(flock 9; update >"$T/out" 2>"$T/err"; echo $? >"$T/rc") 9>"$DIR/lock"
is "two at once" "2 nfac-update: web: another nfac-update is at work" "$(cat "$T/rc") $(cat "$T/err")"
printf 'LIMIT=many\n' >"$T/update.d/bad.conf"
gives 2 "a limit that is none" update bad
gives 2 "a set without a file" update none
printf 'FETCH="cp $NOT_SET/nowhere/* ."\n' >"$T/update.d/unset.conf"
gives 2 "a variable that is not set" update unset
like "is empty for the command" "FETCH failed" "$(cat "$T/err")"
rm "$T/update.d/unset.conf"
gives 2 "a name that is none" update ../web
gives 2 "an option that is none" update --back web
gives 2 "rollback of what" update --rollback
printf 'KEEP=1\n' >"$T/update.d/bad.conf"
if ! command -v suricata-update >/dev/null; then
	gives 2 "nothing to fetch by" update bad
	like "and a message says so" "suricata-update is not installed" "$(cat "$T/err")"
fi
# without APPLY: `nfac apply`, which prints what changed
cat >"$T/nfac" <<END
#!/bin/bash
[ "\$1" = apply ] && exec cat "$T/changes"
exec "$NFAC" "\$@"
END
chmod +x "$T/nfac"
printf 'FETCH="cp %s/source/* ."\nCOMPILE="--format suricata"\n' "$T" >"$T/update.d/default.conf"
echo "+ set default: 1 patterns" >"$T/changes"
rules xyzzy-ten
NFAC=$T/nfac gives 0 "apply puts it into force" update default
is "what changed is printed" "+ set default: 1 patterns" "$(grep '^+' "$T/out")"
like "and that it is in force" "default: .*\.nfac is in force$" "$(cat "$T/out")"
: >"$T/changes"
rules xyzzy-eleven
NFAC=$T/nfac gives 0 "apply changes nothing, because the configuration does not load the set" update default
like "a message asks for that" "changed nothing: does nfac.toml load $T/state/default/current.nfac\?" "$(cat "$T/err")"
like "and does not say that it is in force" "default: .*\.nfac is current$" "$(cat "$T/out")"
# the command that is installed, as far as this script sees it
mkdir "$T/bin"
cat >"$T/bin/suricata-update" <<'END'
#!/bin/bash
while [ "$1" != -o ]; do shift; done
echo 'alert tcp any any -> any any (content:"from-suricata-update"; sid:1;)' >"$2/suricata.rules"
END
chmod +x "$T/bin/suricata-update"
sed "s,^PATH=,&$T/bin:," "$HERE/../../packaging/nfac-update" >"$T/nfac-update"
echo "APPLY='cp $T/state/bad/current.nfac $T/applied.nfac'" >>"$T/update.d/bad.conf"
gives 0 "suricata-update, where it is installed" bash "$T/nfac-update" bad
is "is what fetches" from-suricata-update "$(text from-suricata-update)"
