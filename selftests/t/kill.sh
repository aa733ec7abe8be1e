#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: uml debian
# timeout: 150
#
# Proves that a loader killed at any point of a load, $KILLS times (120; a thousand take
# 100 seconds), loses nothing: the set in force is the old one or the new one, whole; no
# memory, no tile and no reference is left behind.

. "$(dirname "$0")/../lib.sh"

need_module
need_cli
KILLS=${KILLS:-120}
load_module
printf 'attack\n' >"$T/old.txt"
run "$NFAC" compile -o "$T/old.nfac" "$T/old.txt"
run "$NFAC" compile -o "$T/new.nfac" "$DATA/words-2358.txt"
run "$NFAC" load s "$T/old.nfac"
tiles=$(cat /sys/class/misc/nfac/tiles)
run "$NFAC" unload s
cat >"$T/kill.py" <<'END'
import os, random, signal, sys, time
sys.path.insert(0, sys.argv[1] + "/selftests/t")
from device import call, commit_bytes, open_device

SYS = "/sys/class/misc/nfac/sets/s/"
blobs = [open(name, "rb").read() for name in sys.argv[2:4]]


def value(name):
    with open(SYS + name, encoding="ascii") as file:
        return file.read().strip()


def load(data, chunk):
    fd = open_device()
    for at in range(0, len(data), chunk):
        os.write(fd, data[at:at + chunk])
    result = call(fd, "COMMIT", commit_bytes("s"))[0]
    os.close(fd)
    return result


# what is whole, and how long a new process takes for a load here
whole = set()
took = 0
for data in blobs:
    start = time.monotonic()
    child = os.fork()
    if not child:
        os._exit(load(data, 512) != "ok")
    assert os.waitpid(child, 0)[1] == 0
    took = max(took, time.monotonic() - start)
    whole.add((value("checksum"), value("patterns"), value("damaged")))

random.seed(1)
killed = 0
for i in range(int(sys.argv[4])):
    child = os.fork()
    if not child:
        while True:
            load(blobs[i % 2], random.choice((512, 4096, 65536)))
    time.sleep(random.random() * took * 2)
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    killed += os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    now = (value("checksum"), value("patterns"), value("damaged"))
    if now not in whole:
        sys.exit(f"after kill {i + 1}: {now}")
print(killed, "killed,", int(value("generation")) > 20 and "among many loads")
END
is "$KILLS are killed, the set is whole each time" "$KILLS killed, among many loads" \
	"$(/usr/bin/python3 -S "$T/kill.py" "$TREE" "$T/old.nfac" "$T/new.nfac" "$KILLS" 2>&1)"
run "$NFAC" load s "$T/old.nfac"
ok "its tiles alone are left" until_true 20 \
	eval '[ "$(cat /sys/class/misc/nfac/tiles)" = '"$tiles"' ]'
ok "the tiles are sound" "$NFAC" verify s
run "$NFAC" unload s
is "no memory is held" 0 "$(cat /sys/class/misc/nfac/memory_used)"
is "no reference holds the module" 0 "$(cat /sys/module/nfac/refcnt)"
ok "rmmod" rmmod nfac
