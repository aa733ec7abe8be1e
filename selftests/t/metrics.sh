#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml
# before: metrics/unpack
# timeout: 120
#
# client (10.0.0.2) ── veth ── server (10.0.0.1; sets attached, a Prometheus on its loopback)
#
# Proves that a real Prometheus reads what nfac-metrics.service writes, that its figures are those
# of the kernel, that it evaluates each alert rule, and that each query of the dashboard has an
# answer.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
need_tool python3 curl jq
PROMETHEUS=$NFAC_CACHE/prometheus/usr/bin
[ -x "$PROMETHEUS/prometheus" ] || skip_all "prometheus is not unpacked: selftests/metrics/unpack"
load_module
ns_pair

printf 'attack\nneedle\n' >"$T/web.txt"
printf 'alert tcp any any -> any any (msg:"a \\"quoted\\" msg"; content:"attack"; sid:7001;)\n' >"$T/rules.rules"
run server "$NFAC" load web "$T/web.txt"
run server "$NFAC" load rules --format suricata "$T/rules.rules"
# not on the loopback: the metrics name the patterns, so a scrape would match
run server "$NFAC" attach web --iif veth0 --drop
run server "$NFAC" attach rules --iif veth0 --stream

say "the file of nfac-metrics.service, each second"
mkdir "$T/textfiles" "$T/sbin"
ln -s "$NFAC" "$T/sbin/nfac"
sed -n "s/\\\$\\\$/\$/g; s,@SBIN@,$T/sbin,g; s,^ExecStart=/bin/sh -c '\\(.*\\)'\$,\\1,p" \
	"$TREE/packaging/nfac-metrics.service" >"$T/unit.sh"
cat >"$T/timer.sh" <<END
export NFAC_TEXTFILES=$T/textfiles NFAC_METRICS="--top 20"
while :; do
	sh $T/unit.sh
	sleep 1
done
END
background server bash "$T/timer.sh"
ok "is there" until_true 10 test -s "$T/textfiles/nfac.prom"
ok "and sound" "$PROMETHEUS/promtool" check metrics <"$T/textfiles/nfac.prom"

say "Prometheus"
cat >"$T/prometheus.yml" <<END
global:
  scrape_interval: 1s
  evaluation_interval: 1s
rule_files:
- $TREE/packaging/prometheus/nfac.rules.yml
scrape_configs:
- job_name: node
  metrics_path: /nfac.prom
  static_configs:
  - targets: [ "127.0.0.1:9100" ]
    labels: { instance: fw1 }
END
background server /usr/bin/python3 -S -m http.server --bind 127.0.0.1 --directory "$T/textfiles" 9100 \
	>"$T/http.log" 2>&1
background server "$PROMETHEUS/prometheus" --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/tsdb" \
	--web.listen-address=127.0.0.1:9090 >"$T/prometheus.log" 2>&1

# api PATH [FIELD=VALUE]: an answer of Prometheus
api()
{
	server curl -sSG "http://127.0.0.1:9090/api/v1/$1" ${2:+--data-urlencode "$2"}
}

# value QUERY
value()
{
	api query "query=$1" | jq -r '.data.result[0].value[1]'
}

# shellcheck disable=SC2317
has_value()
{
	[ "$(value "$1")" = "$2" ]
}

ok "it reads the file" until_true 40 has_value nfac_up 1
for _ in 1 2 3; do
	udp "an attack, a needle"
done
run client ping -c2 -i0.2 -W2 10.0.0.1
run server "$NFAC" load rules --format suricata "$T/rules.rules"
is "the kernel counts" 6 "$(server cat /sys/class/misc/nfac/sets/web/matches)"
ok "Prometheus has it" until_true 20 has_value 'nfac_set_matches_total{set="web"}' 6
ok "and each pattern" until_true 20 has_value 'nfac_pattern_hits_total{set="web",pattern="needle"}' 3
is "and what was dropped" 3 "$(value 'nfac_attachment_dropped_packets_total{set="web"}')"
is "and the memory" "$(memory_used)" "$(value nfac_memory_used_bytes)"
ok "the reload is a change" until_true 20 has_value 'changes(nfac_set_generation{set="rules"}[1m])' 1

say "alert rules"
ALERTS=$(grep -c 'alert:' "$TREE/packaging/prometheus/nfac.rules.yml")
until_true 20 eval '[ "$(api rules | jq "[.data.groups[].rules[] | select(.health == \"ok\")] | length")" = $ALERTS ]'
is "each is evaluated" "$ALERTS ok" "$(api rules | jq -r '[.data.groups[].rules[].health] | "\(length) \(unique | join(" "))"')"
is "none fires" "" "$(api rules | jq -r '.data.groups[].rules[] | select(.state == "firing") | .name')"

say "the dashboard"
server "$TREE/selftests/metrics/queries" "$TREE/packaging/grafana/nfac.json" run http://127.0.0.1:9090 >"$T/answers"
like "its queries" "^[23][0-9] queries$" "$(<"$T/answers")"
is "have answers, all of them" "" "$(grep -v ' queries$' "$T/answers")"
