#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves: scan reads the packets of every interface and section of a pcapng file, whatever their
# link types, snap lengths, byte orders, block types and clocks; damage is an error; encrypted frames
# of 802.11 count.

. "$(dirname "$0")/lib.sh"

printf 'needle\n' >"$T/needle"
cat >"$T/make.py" <<'END'
import os
import struct
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import make_captures as m

FOLDER = sys.argv[2]


def block(order, kind, body):
    body += bytes(-len(body) % 4)
    size = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + size + body + size


def section(order="<", version=1):
    return block(order, 0x0a0d0d0a, struct.pack(order + "IHHq", 0x1a2b3c4d, version, 0, -1))


def interface(link, snap=65535, order="<", options=b""):
    return block(order, 1, struct.pack(order + "HHI", link, 0, snap) + options)


def packet(number, frame, time=0, order="<", sent=None):
    head = struct.pack(order + "IIIII", number, time >> 32, time & 0xffffffff, len(frame), sent or len(frame))
    return block(order, 6, head + frame)


def old(number, frame, order="<"):
    return block(order, 2, struct.pack(order + "HHIIII", number, 0, 0, 0, len(frame), len(frame)) + frame)


def simple(frame, sent=None, order="<"):
    return block(order, 3, struct.pack(order + "I", sent or len(frame)) + frame)


def write(name, *blocks):
    with open(os.path.join(FOLDER, name), "wb") as f:
        f.write(b"".join(blocks))


ip = m.ip4(6, m.tcp(b"a needle"))
ether = m.ethernet(ip)
for order, name in ("<", "little"), (">", "big"):
    write("links-" + name, section(order), interface(1, 65535, order), interface(101, 128, order),
          interface(239, 0, order), interface(127, 70, order),
          packet(0, ether, order=order), packet(1, ip, order=order), old(2, m.nflog(ip), order),
          block(order, 5, bytes(12)), packet(3, m.radiotap(m.wifi(ip)), order=order),
          simple(ether, order=order), old(1, ip, order))
write("sections", section("<"), interface(1), packet(0, ether), section(">"), interface(101, 0, ">"),
      packet(0, ip, order=">"), section("<"), interface(276), packet(0, m.cooked("ethernet", ip)))
write("snapped", section(), interface(1, len(ether) - 2), simple(ether[:-2], len(ether)))
write("unknown", section(), interface(1), interface(195), packet(0, ether), packet(1, bytes(40)),
      packet(1, bytes(40)), packet(0, ether))
whole = section() + interface(1) + packet(0, ether) + packet(0, ether)
for cut in 1, 5, 30, len(packet(0, ether)) - 2:
    write(f"cut-{cut}", whole[:-cut])
write("lengths", whole[:-4], bytes(4))
write("long", whole, struct.pack("<II", 6, 1 << 30))
write("uneven", whole, struct.pack("<II", 6, 13), bytes(20))
write("nowhere", whole, packet(1, ether))
write("beyond", whole, block("<", 6, struct.pack("<IIIII", 0, 0, 0, 99999, 99999) + ether))
write("version", section(version=2))
write("option", section(), interface(1, options=struct.pack("<HH", 9, 5000)))
write("short", section(), interface(1), block("<", 6, bytes(8)))

# a SYN of another connection, @apart seconds after the first, by the clock of an interface
def segment(seq, payload, flags=0x18):
    return m.ip4(6, struct.pack(">HHIIBBHHH", 4000, 80, seq, 1, 0x50, flags, 512, 0, 0) + payload)


def checked(packet):
    body = packet[20:]
    total = sum(struct.unpack(f">{len(body) // 2}H", body[:len(body) // 2 * 2]))
    total += body[-1] << 8 if len(body) % 2 else 0
    total += sum(struct.unpack(">4H", packet[12:20])) + 6 + len(body)
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return packet[:36] + struct.pack(">H", ~total & 0xffff) + packet[38:]


for name, units, option in (("micro", 10**6, b""), ("nano", 10**9, struct.pack("<HHI", 9, 1, 9)),
                            ("binary", 1 << 10, struct.pack("<HHI", 9, 1, 0x8a)),
                            ("offset", 10**6, struct.pack("<HHq", 14, 8, 1 << 33))):
    for apart in 5, 500:
        segments = (segment(0, b"", 2), segment(1, b"nee"), segment(9000, b"", 2))
        times = (1000 * units, 1000 * units, (1000 + apart) * units)
        write(f"clock-{name}-{apart}", section(), interface(101, options=option),
              *(packet(0, checked(s), t) for s, t in zip(segments, times)))

# frames of 802.11: encrypted; without a body; of management; aggregated; a later fragment
later = bytearray(m.wifi(ip))
later[22] = 1
frames = (m.wifi(ip, b"\x08\x42"), m.wifi(ip, b"\x48\x02"), m.wifi(ip, b"\x80\x00"),
          m.wifi(ip, b"\x88\x02", b"\x80\0"), bytes(later), m.wifi(ip))
write("wifi", section(), interface(105), *(packet(0, f) for f in frames))
END
python3 "$T/make.py" "$HERE" "$T" || fail "the captures are made"

# packets NAME: those in which a needle is; stderr is in $T/err
packets()
{
	nfac scan --json -p "$T/needle" "$T/$1" 2>"$T/err" | jq .packet | xargs
}

for order in little big; do
	is "interfaces of four link types, $order-endian" "1 2 3 4 5 6" "$(packets links-$order)"
	is "nothing is missing" "" "$(cat "$T/err")"
	is "through a pipe, in small pieces" 6 \
		"$(dd if="$T/links-$order" bs=5 status=none | nfac scan -c -p "$T/needle" -)"
	is "compressed" 6 "$(gzip -c "$T/links-$order" | nfac scan -c -p "$T/needle" -)"
done
is "sections of both byte orders" "1 2 3" "$(packets sections)"
is "a packet cut by the snap length" "" "$(packets snapped)"
like "counts" "1 packets are in the capture in part only" "$(cat "$T/err")"
gives 2 "an interface of a link type that is not known" nfac scan -c -p "$T/needle" "$T/unknown"
is "the others are searched" 2 "$(cat "$T/out")"
is "it is announced once" 1 "$(grep -c "link type .*(195) of an interface is not understood" "$T/err")"

damaged()	# NAME MATCHES REGEX
{
	gives 2 "$1 is an error" nfac scan -c -p "$T/needle" "$T/$1"
	is "what precedes it is searched" "$2" "$(cat "$T/out")"
	like "it says after which packet" "$1: after packet [0-9]+: $3" "$(cat "$T/err")"
}
for cut in 1 5 30; do
	damaged cut-$cut 1 "truncated block"
done
damaged "cut-$(basename "$T"/cut-[4-9][0-9]* | head -1 | tr -dc 0-9)" 1 "truncated block"
damaged lengths 1 "a block's two lengths differ"
damaged long 2 "a block's length is damaged"
damaged uneven 2 "a block's length is damaged"
damaged nowhere 2 "a packet of an interface that is not described"
damaged beyond 2 "a packet is longer than its block"
damaged version 0 "a section of a version other than 1"
damaged option 0 "truncated interface"
damaged short 0 "truncated block"

for clock in micro nano binary offset; do
	for apart in 5 500; do
		nfac scan --stream --flow-idle 60 -c -p "$T/needle" "$T/clock-$clock-$apart" >"$T/out" 2>"$T/err"
		like "a clock in $clock: another SYN after $apart seconds" "flow_restarts $((apart > 60))" "$(cat "$T/err")"
	done
done

is "of 802.11 an unencrypted frame with data is searched" 6 "$(packets wifi)"
like "an encrypted one counts" "1 packets not inspected: encrypted" "$(cat "$T/err")"
like "and all others" "4 packets not inspected: neither IPv4 nor IPv6" "$(cat "$T/err")"
