#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 300
# before: services/unpack
#
# Proves of the units, under a systemd that boots a Debian in the server's namespace: nfac.service
# inserts the module (on user-mode Linux) and puts nfac.toml into force at boot, its reload adds, changes and removes and
# refuses a mistake, its stop removes everything; nfac-watch.service writes events, and goes on in a
# new file when logrotate took the old one; the metrics' timer writes a file; nfac-update.service
# puts into force what it fetched.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/services.inc"

need_module
need_cli
need_tool jq
debian_mount
ns_pair

run install -m 755 "$NFAC" "$DEBIAN/usr/sbin/nfac"
run make -s -C "$TREE" install-system "DESTDIR=$DEBIAN" PREFIX=/usr UNITDIR=/lib/systemd/system
# Where the kernel has no other modules, modprobe finds this one. An index of all those of a stock
# kernel takes minutes to make.
modules=$DEBIAN/lib/modules/$(uname -r)
if [ -d "$modules" ]; then
	load_module
else
	run mkdir -p "$modules/extra"
	run cp "$NFAC_KO" "$modules/extra/"
	: >"$modules/modules.order"
	: >"$modules/modules.builtin"
	run chroot "$DEBIAN" depmod "$(uname -r)"
	later unload_module
fi
for unit in systemd-udevd systemd-udev-trigger systemd-networkd systemd-timesyncd systemd-logind firewalld ufw \
	getty@tty1 console-getty; do
	ln -sf /dev/null "$DEBIAN/etc/systemd/system/$unit.service"
done
run mkdir -p "$DEBIAN/var/lib/prometheus/node-exporter"
config=$DEBIAN/etc/nfac/nfac.toml
printf 'attack\n' >"$DEBIAN/etc/nfac/words"
cat >"$config" <<'END'
[set.web]
files = "/etc/nfac/words"
[[attach]]
set = "web"
proto = "udp"
END
printf 'fetched\n' >"$DEBIAN/etc/nfac/fetched"
cat >"$DEBIAN/etc/nfac/update.d/up.conf" <<'END'
FETCH='cp /etc/nfac/fetched .'
COMPILE='--format plain'
END
ok "the units are enabled" chroot "$DEBIAN" systemctl enable nfac nfac-watch nfac-update.timer nfac-metrics.timer

# it mounts what it needs below its own root, as in a container
run mkdir "$DEBIAN/above"
cat >"$T/boot" <<END
cd "$DEBIAN" && pivot_root . above && exec chroot . /usr/bin/env -i container=nfac PATH=/usr/sbin:/usr/bin:/sbin:/bin \\
	sh -c 'mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t cgroup2 cgroup /sys/fs/cgroup
		exec /lib/systemd/systemd --unit=multi-user.target --show-status=false'
END
background nsenter --net=/run/netns/server unshare --pid --fork --mount bash "$T/boot"
UNSHARE=$BG
# shellcheck disable=SC2317
first_child()
{
	INIT=$(pgrep -P $UNSHARE)
}
ok "systemd is started" until_true 10 first_child
later kill -9 "$INIT"

# below CMD...: with the root and the processes of that systemd, and in the server's namespace
below()
{
	nsenter -t "$INIT" --mount --pid --net --root --wd env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
		"$@" </dev/null
}

attachments()
{
	below nfac list | sed -nE 's/^ +[0-9]+: //p' | paste -sd';'
}

# events FILE: destination ports of its alerts
events()
{
	jq -r .dest_port "$DEBIAN/var/log/nfac/$1" 2>/dev/null | paste -sd' '
}

# shellcheck disable=SC2317
up()
{
	below systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'
}
ok "it boots" until_true 200 up
is "no unit has failed" "" "$(below systemctl --failed --no-legend)"
is "nfac.service has put nfac.toml into force" "prerouting -190 --proto udp" "$(attachments)"

say "events"
# shellcheck disable=SC2317
watches()
{
	[ "$(below systemctl is-active nfac-watch)" = active ] && test -f "$DEBIAN/var/log/nfac/eve.json"
}
ok "nfac-watch.service runs" until_true 20 watches
udp "an attack" 1001
# shellcheck disable=SC2317
has_events()
{
	[ "$(events "$1")" = "$2" ]
}
ok "it writes an event" until_true 20 has_events eve.json 1001
ok "logrotate takes the file" below logrotate -f /etc/logrotate.d/nfac
until_true 20 test -f "$DEBIAN/var/log/nfac/eve.json"
udp "an attack" 1002
ok "the next event is in a new file" until_true 20 has_events eve.json 1002
is "the first one is in the old file" 1001 "$(events eve.json.1)"
is "the file's owner and mode are as logrotate makes it" "root adm 640" "$(stat -c '%U %G %a' "$DEBIAN/var/log/nfac/eve.json")"

say "reload"
printf 'attack\nevil\n' >"$DEBIAN/etc/nfac/words"
cat >>"$config" <<'END'
[[attach]]
set = "web"
hook = "input"
drop = true
END
ok "reload adds" below systemctl reload nfac
is "an attachment" "prerouting -190 --proto udp;input -190 --drop" "$(attachments)"
like "and swaps the set" "^web: 2 patterns.*generation 2$" "$(below nfac list)"
sed -i 's/"input"/"output"/; /^drop/d' "$config"
ok "reload changes and removes" below systemctl reload nfac
is "an attachment" "prerouting -190 --proto udp;output -190" "$(attachments)"
echo 'dorp = true' >>"$config"
fails "reload refuses a mistake" below systemctl reload nfac
is "and leaves what is in force" "prerouting -190 --proto udp;output -190" "$(attachments)"
like "the journal says which" "nfac.toml:9: .*'dorp' \(did you mean 'drop'" "$(below journalctl -u nfac --no-pager)"
sed -i '/^dorp/d' "$config"

say "timers"
metrics=$DEBIAN/var/lib/prometheus/node-exporter/nfac.prom
ok "the metrics' timer writes a file" until_true 60 test -f "$metrics"
like "of metrics" '^nfac_up 1$' "$(cat "$metrics")"
is "the update's timer waits" active "$(below systemctl is-active nfac-update.timer)"
printf '[set.up]\nfiles = "/var/lib/nfac/up/current.nfac"\n' >>"$config"
ok "nfac-update.service fetches" below systemctl start nfac-update
like "and puts the set into force" "^up: 1 patterns" "$(below nfac list)"

say "stop"
ok "stop" below systemctl stop nfac
is "nothing is in force" "" "$(below nfac list)"
ok "start" below systemctl start nfac
is "what is configured is in force again" "prerouting -190 --proto udp;output -190" "$(attachments)"
is "no unit has failed" "" "$(below systemctl --failed --no-legend)"
ok "both stop" below systemctl stop nfac nfac-watch
