#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: host
# before: metrics/unpack
# timeout: 240
#
# Proves that the alert rules are sound, that each alert fires when its test says so and not else,
# and that a test notices an alert that never fires; that the dashboard is well formed; that the
# output without the module is sound, too; and that the unit writes a file of it, whole or not at all.

. "$(dirname "$0")/../lib.sh"

need_cli
need_tool python3
cd "$TREE/packaging" || exit 1
PROMTOOL=$("$TREE/selftests/metrics/unpack")/promtool
[ -x "$PROMTOOL" ] || { fail "promtool is unpacked"; exit 1; }

ok "the rules are sound" "$PROMTOOL" check rules prometheus/nfac.rules.yml
cp prometheus/*.yml "$T"
cd "$T" || exit 1
ok "each alert does what its test says" "$PROMTOOL" test rules nfac.rules.test.yml
for alert in $(sed -n 's/^  - alert: //p' nfac.rules.yml); do
	# the expression that follows, on one line or on several
	awk -v alert="$alert" '$0 == "  - alert: " alert { ours = 1 }
		ours && /^    expr:/ { print "    expr: vector(0) > 1"; skip = 1; next }
		skip && /^      / { next }
		{ skip = 0 }
		/^$/ { ours = 0 }
		{ print }' "$TREE/packaging/prometheus/nfac.rules.yml" >nfac.rules.yml
	fails "$alert: one that never fires fails its test" "$PROMTOOL" test rules nfac.rules.test.yml
done

cd "$TREE/packaging" || exit 1
QUERIES=$TREE/selftests/metrics/queries
is "the dashboard is well formed" "" "$("$QUERIES" grafana/nfac.json check)"
ok "it has queries" test "$("$QUERIES" grafana/nfac.json names | wc -l)" -ge 15
"$NFAC" stats --prometheus >"$T/metrics"
ok "what the tool prints without the module" "$PROMTOOL" check metrics <"$T/metrics"

say "the unit"
mkdir "$T/textfiles" "$T/sbin"
unit=$(sed -n "s/\\\$\\\$/\$/g; s,@SBIN@,$T/sbin,g; s,^ExecStart=/bin/sh -c '\\(.*\\)'\$,\\1,p" nfac-metrics.service)
like "has a command" "nfac stats --prometheus" "$unit"
write()
{
	NFAC_TEXTFILES=$T/textfiles NFAC_METRICS="--top 20" sh -c "$unit"
}
ln -s "$NFAC" "$T/sbin/nfac"
ok "it writes" write
is "one file" nfac.prom "$(ls "$T/textfiles")"
like "of metrics" "^nfac_up [01]$" "$(cat "$T/textfiles/nfac.prom")"
printf '#!/bin/sh\necho half\nexit 2\n' >"$T/half"
chmod +x "$T/half"
ln -sf "$T/half" "$T/sbin/nfac"
fails "where nfac fails" write
like "the old file stays" "^nfac_up [01]$" "$(cat "$T/textfiles/nfac.prom")"
