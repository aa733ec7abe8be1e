#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tells what the benchmark in the kernel measured, and adds it to bench.json.

    kernel_report.py FIGURES BENCH.JSON

FIGURES is what kmod/ printed; its lines begin with speed, streams, objects,
memory, load, refused or mismatch (see kmod/).
"""
import json
import sys
from pathlib import Path


def read(path):
    kernel = {"results": [], "streams": [], "objects": [], "memory": [], "load": []}
    for line in Path(path).read_text().splitlines():
        kind, *words = line.split()
        if kind == "speed":
            traffic, count, matcher, size, packets, median, slowest, found = words
            kernel["results"].append(
                {
                    "set": f"words-{count}",
                    "traffic": traffic,
                    "matcher": matcher,
                    "mbps": int(size) * 1000 / int(median),
                    "mbps_min": int(size) * 1000 / int(slowest),
                    "ns_a_packet": int(median) / int(packets),
                    "packets_matched": int(found),
                    "packets": int(packets),
                }
            )
        elif kind == "streams":
            traffic, patterns, directions, size, packets, median, fastest, slowest = words
            kernel["streams"].append(
                {
                    "traffic": traffic,
                    "set": patterns,
                    "directions": int(directions),
                    "mbps": int(size) * 1000 / int(median),
                    "mbps_max": int(size) * 1000 / int(fastest),
                    "mbps_min": int(size) * 1000 / int(slowest),
                    "ns_a_packet": int(median) / int(packets),
                }
            )
        elif kind == "objects":
            name, count, hot, cold = words
            kernel["objects"].append(
                {
                    "what": name,
                    "hot_ns": int(hot) / int(count),
                    "cold_ns": int(cold) / int(count),
                }
            )
        elif kind == "memory":
            name, objects, useful, asked, slab = words
            kernel["memory"].append(
                {
                    "what": name,
                    "objects": int(objects),
                    "useful_bytes": int(useful),
                    "object_bytes": int(asked),
                    "slab_bytes": int(slab),
                    "slack": 1 - int(asked) / int(slab),
                }
            )
        elif kind == "load":
            name, size, total, verify = words
            kernel["load"].append(
                {
                    "set": name,
                    "blob_bytes": int(size),
                    "seconds": int(total) / 1e9,
                    "verify_seconds": int(verify) / 1e9,
                }
            )
        elif kind == "refused":
            sys.exit(f"kernel: {line}")
        elif kind == "mismatch":
            sys.exit(f"kernel: matchers disagree: {line}")
    return kernel


def find(kernel, name, traffic, matcher):
    for r in kernel["results"]:
        if (r["set"], r["traffic"], r["matcher"]) == (name, traffic, matcher):
            return r
    return None


def speed_cell(kernel, count, traffic, matcher):
    r = find(kernel, f"words-{count}", traffic, matcher)
    return f"{r['mbps']:.1f} ({r['mbps_min']:.1f})" if r else "-"


def speed_table(kernel):
    print("\nIn the kernel (UML), honest payload, MB/s: median (slowest round)")
    print(f"{'patterns':>10} {'nfac':>16} {'nfac-portable':>16} {'xt-bm':>16} {'xt-kmp':>16}")
    for count in (1, 10, 100, 2358):
        cells = [
            speed_cell(kernel, count, "honest", matcher)
            for matcher in ("nfac", "nfac-portable", "xt-bm", "xt-kmp")
        ]
        print(f"{count:>10} " + " ".join(f"{cell:>16}" for cell in cells))
    plain = find(kernel, "words-1", "honest", "csum_partial")
    if plain:
        print(f"csum_partial over the payload: {plain['mbps']:.0f}")


def hostile_table(kernel):
    print("\nHostile payload in the kernel, MB/s: median (slowest round)")
    print(f"{'':<18} {'nfac, 2,358':>16} {'in plain C':>16} {'xt-bm, 1 rule':>16}")
    kinds = dict.fromkeys(r["traffic"] for r in kernel["results"])
    for what in (kind for kind in kinds if kind.startswith("hostile")):
        cells = [
            speed_cell(kernel, count, what, matcher)
            for count, matcher in ((2358, "nfac"), (2358, "nfac-portable"), (1, "xt-bm"))
        ]
        print(f"{what:<18} " + " ".join(f"{cell:>16}" for cell in cells))


def packet_table(kernel):
    print("\nCost of a packet, ns: median")
    names = [
        ("csum_partial", "words-1", "csum_partial"),
        ("xt-bm, 1 rule", "words-1", "xt-bm"),
        ("xt-kmp, 1 rule", "words-1", "xt-kmp"),
        ("nfac, 1", "words-1", "nfac"),
        ("nfac, 2,358", "words-2358", "nfac"),
        ("in plain C", "words-2358", "nfac-portable"),
    ]
    print(f"{'payload':>10} " + " ".join(f"{label:>15}" for label, _, _ in names))
    for size in (64, 512, 1448):
        cells = [find(kernel, name, f"packet-{size}", matcher) for _, name, matcher in names]
        row = " ".join(f"{c['ns_a_packet']:>15.0f}" if c else f"{'-':>15}" for c in cells)
        print(f"{size:>10} {row}")


def stream_rows(kernel, what, patterns):
    return {
        r["directions"]: r
        for r in kernel["streams"]
        if r["traffic"] == what and r["set"] == patterns
    }


def stream_table(kernel):
    print("\nThe hook's whole path, 2,358 patterns: what --stream costs (median; fastest round)")
    print(f"{'':>12} {'MB/s without':>14} {'1 direction':>18} {'1,024':>18} {'16,384':>18}")
    for what in ("packet-512", "packet-1448", "honest"):
        rows = stream_rows(kernel, what, "words")
        if not rows:
            continue
        cells = [
            " / ".join(f"{1 - rows[n][key] / rows[0][key]:.1%}" for key in ("mbps", "mbps_max"))
            for n in (1, 1024, 16384)
        ]
        print(f"{what:>12} {rows[0]['mbps']:>14.0f} " + " ".join(f"{c:>18}" for c in cells))


def pair_table(kernel, title, without, with_):
    """What @with_ costs beside @without, two sets of streams' lines."""
    print(f"\nThe hook's whole path, {title} (median; fastest round)")
    print(f"{'':>12} {'MB/s without':>14} {'with':>18} {'with --stream':>18}")
    for what in ("packet-512", "packet-1448", "honest"):
        plain, more = (stream_rows(kernel, what, name) for name in (without, with_))
        if not more:
            continue
        cells = [
            " / ".join(f"{1 - more[n][key] / plain[n][key]:.1%}" for key in ("mbps", "mbps_max"))
            for n in (0, 1024)
        ]
        print(f"{what:>12} {plain[0]['mbps']:>14.0f} " + " ".join(f"{c:>18}" for c in cells))


def pair_bar(kernel, what, without, with_, limit):
    plain, more = (stream_rows(kernel, "honest", name) for name in (without, with_))
    for directions, how in ((0, ""), (1024, " --stream")):
        bar(f"kernel: {what}{how}", more[directions]["mbps"] / plain[directions]["mbps"], ">=", limit)


def object_table(kernel):
    print("\nTo take an object for a direction and give it back, ns: median")
    print(f"{'':<20} {'hot':>8} {'cold':>8}")
    for o in kernel["objects"]:
        print(f"{o['what']:<20} {o['hot_ns']:>8.0f} {o['cold_ns']:>8.0f}")


def memory_table(kernel):
    print("\nNodes of the 2,358 patterns in slab memory, bytes")
    print(f"{'':<20} {'objects':>10} {'useful':>12} {'asked for':>12} {'slab':>12} {'slack':>8}")
    for m in kernel["memory"]:
        print(
            f"{m['what']:<20} {m['objects']:>10} {m['useful_bytes']:>12}"
            f" {m['object_bytes']:>12} {m['slab_bytes']:>12} {m['slack']:>7.1%}"
        )


def bar(what, value, sign, limit):
    good = value >= limit if sign == ">=" else value <= limit
    print(f"{'ok' if good else 'MISS':<4} {what:<62} {value:8.3f}  ({sign} {limit:.2f})")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: kernel_report.py FIGURES BENCH.JSON")
    kernel = read(sys.argv[1])
    speed_table(kernel)
    hostile_table(kernel)
    packet_table(kernel)
    stream_table(kernel)
    pair_table(kernel, "605 rules: confirmation beside their anchors alone", "anchors", "rules")
    pair_table(kernel, "CRS phrases: the decoded view", "raw", "decoded")
    object_table(kernel)
    memory_table(kernel)
    print()
    nfac = find(kernel, "words-2358", "honest", "nfac")
    plain = find(kernel, "words-2358", "honest", "nfac-portable")
    one = find(kernel, "words-1", "honest", "xt-bm")
    if nfac and plain and one:
        bar("kernel: 2,358 patterns against one xt_string bm rule",
            nfac["mbps"] / one["mbps"], ">=", 0.5)
        bar("kernel: the same in plain C", plain["mbps"] / one["mbps"], ">=", 0.5)
    honest = stream_rows(kernel, "honest", "words")
    if honest:
        for directions, limit in ((1024, 0.15), (16384, 0.25)):
            bar(f"kernel: --stream, {directions:,} directions: share of the hook's speed",
                1 - honest[directions]["mbps"] / honest[0]["mbps"], "<=", limit)
        pair_bar(kernel, "605 rules confirmed against their anchors", "anchors", "rules", 0.85)
        pair_bar(kernel, "CRS phrases with the decoded view against without", "raw", "decoded", 0.8)
    for m in kernel["memory"]:
        if m["what"] == "nfac-tiles":
            bar("kernel: slack of the slab (UML)", m["slack"], "<=", 0.05)
    if kernel["load"]:
        slowest = max(kernel["load"], key=lambda one: one["seconds"])
        bar("kernel: load of gen-100k, seconds (slowest)", slowest["seconds"], "<=", 1.0)
    path = Path(sys.argv[2])
    root = json.loads(path.read_text()) if path.exists() else {"results": []}
    root["kernel"] = kernel
    path.write_text(json.dumps(root, indent=1) + "\n")


if __name__ == "__main__":
    main()
