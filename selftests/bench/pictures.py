#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Draws the README's pictures from bench.json: memory, throughput, growth.

    pictures.py bench.json pictures/

Plain SVG that reads on light and on dark pages. A matcher keeps its colour in
all of them; a bar that would dwarf the others is cut and says its number.
"""
import json
import math
import sys
from pathlib import Path

COLOURS = {
    "nfac": "#2f81f7",
    "nfac-portable": "#6ba6f9",
    "nfac-nofilter": "#a3c6fb",
    "hyperscan": "#d29922",
    "daachorse": "#a371f7",
    "daachorse-5": "#c9aef9",
    "rust-nfa": "#db6d28",
    "rust-dfa": "#e9a780",
}
REFERENCE = "words-2358"
STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.small { font-size: 11px } .title { font-size: 15px; font-weight: 600 }
.grid { stroke: #808080; stroke-opacity: .25 } .axis { stroke: #808080 }
.end { text-anchor: end } .middle { text-anchor: middle }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
</style>"""


class Picture:
    """Collects shapes and writes them out as one file."""

    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = [STYLE, f"<title>{title}</title>"]

    def add(self, shape):
        self.parts.append(shape)

    def text(self, x, y, words, kind=""):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{words}</text>')

    def line(self, x1, y1, x2, y2, kind):
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def bar(self, x, y, width, height, colour, opacity=1.0):
        self.add(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height}"'
            f' rx="2" fill="{colour}" fill-opacity="{opacity}"/>'
        )

    def save(self, path):
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}"'
            f' width="{self.width}" height="{self.height}" role="img">'
        )
        mark = "<!-- SPDX-License-Identifier: GPL-2.0 -->"
        path.write_text("\n".join([mark, head, *self.parts, "</svg>", ""]))


class Bench:
    """What bench.json says, by name."""

    def __init__(self, path):
        root = json.loads(Path(path).read_text())
        self.speed = {(r["set"], r["traffic"], r["matcher"]): r["mbps"] for r in root["results"]}
        self.builds = {(b["set"], b["matcher"]): b for b in root["builds"] if not b["refused"]}

    def bytes(self, name, matcher):
        build = self.builds.get((name, matcher))
        return build["bytes"] if build else None

    def patterns(self, name):
        return next((b["patterns"] for (s, _), b in self.builds.items() if s == name), None)

    def states(self, name):
        return self.builds[name, "nfac"]["states"]


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def bars(picture, top, rows, cut, unit):
    """One horizontal bar a row: (label, colour, value, opacity)."""
    left, right = 130, picture.width - 110
    for i, (label, colour, value, opacity) in enumerate(rows):
        y = top + i * 26
        width = (right - left) * min(value, cut) / cut
        picture.text(left - 8, y + 14, label, "end")
        picture.bar(left, y, width, 18, colour, opacity)
        if value > cut:
            x = left + width - 24
            picture.add(
                f'<path d="M{x:.0f} {y - 2} l6 11 l-6 11 m5 0 l6 -11 l-6 -11"'
                ' fill="none" stroke="#808080" stroke-width="2"/>'
            )
        picture.text(left + width + 6, y + 14, f"{number(value)} {unit}", "small")


def draw_memory(bench, path):
    states = bench.states(REFERENCE)
    rows = []
    for matcher in ("nfac", "hyperscan", "daachorse", "rust-nfa", "daachorse-5", "rust-dfa"):
        held = bench.bytes(REFERENCE, matcher)
        if held:
            rows.append((matcher, COLOURS[matcher], held / states, 1.0))
    picture = Picture(720, 62 + 26 * len(rows), "Memory a state")
    picture.text(12, 24, "Memory a state, 2,358 patterns, all that is needed to match", "title")
    bars(picture, 44, rows, 20, "B")
    picture.save(path)


def draw_throughput(bench, path):
    rows = []
    for matcher, colour in COLOURS.items():
        for traffic, opacity in (("honest", 1.0), ("hostile", 0.55)):
            speed = bench.speed.get((REFERENCE, traffic, matcher))
            if speed:
                label = matcher if traffic == "honest" else traffic
                rows.append((label, colour, speed, opacity))
    picture = Picture(720, 62 + 26 * len(rows), "Throughput")
    picture.text(12, 24, "Throughput on one core, 2,358 patterns: honest, and nfac's worst hostile kind", "title")
    bars(picture, 44, rows, max(row[2] for row in rows), "MB/s")
    picture.save(path)


def panel(picture, top, title, series, ticks):
    """Lines over the number of patterns, both axes logarithmic."""
    left, right, height = 80, picture.width - 120, 210
    xs = [math.log10(x) for line in series.values() for x, _ in line]
    ys = [math.log10(y) for line in series.values() for _, y in line]
    low, high = min(ys) - 0.1, max(ys) + 0.1

    def place(x, y):
        across = (math.log10(x) - min(xs)) / (max(xs) - min(xs))
        up = (math.log10(y) - low) / (high - low)
        return left + (right - left) * across, top + 20 + height * (1 - up)

    picture.text(12, top + 4, title, "title")
    steps = (1,) if high - low > 2.5 else (1, 2, 5)
    for exponent in range(math.floor(low), math.ceil(high) + 1):
        for value in (step * 10.0**exponent for step in steps):
            if low <= math.log10(value) <= high:
                _, y = place(10 ** min(xs), value)
                picture.line(left, y, right, y, "grid")
                picture.text(left - 8, y + 4, f"{value:,.6g}", "small end")
    for count in ticks:
        x, _ = place(count, 10**low)
        picture.line(x, top + 20, x, top + 20 + height, "grid")
        picture.text(x, top + 36 + height, f"{count:,}", "small middle")
    ends = []
    for matcher, line in series.items():
        points = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y in line)
        width = 3 if matcher == "nfac" else 1.6
        picture.add(
            f'<polyline points="{points}" fill="none" stroke="{COLOURS[matcher]}"'
            f' stroke-width="{width}"/>'
        )
        for x, y in line:
            cx, cy = place(x, y)
            picture.add(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="3" fill="{COLOURS[matcher]}"/>')
        ends.append([*place(*line[-1]), matcher])
    # names that would overprint each other are pushed apart
    ends.sort(key=lambda end: end[1])
    for before, end in zip(ends, ends[1:]):
        end[1] = max(end[1], before[1] + 13)
    for _, y, matcher in ends:
        picture.text(right + 10, y + 4, matcher, "small")


def draw_growth(bench, path):
    sets = [REFERENCE, "gen-10k", "gen-30k", "gen-100k"]
    shown = ("nfac", "hyperscan", "daachorse", "rust-nfa", "rust-dfa")
    memory, honest, hostile = {}, {}, {}
    for name in sets:
        count = bench.patterns(name)
        for matcher in shown:
            held = bench.bytes(name, matcher)
            if held:
                memory.setdefault(matcher, []).append((count, held / 1e6))
            for traffic, series in (("honest", honest), ("hostile", hostile)):
                speed = bench.speed.get((name, traffic, matcher))
                if speed:
                    series.setdefault(matcher, []).append((count, speed))
    ticks = [bench.patterns(name) for name in sets if bench.patterns(name)]
    picture = Picture(720, 870, "Growth with the number of patterns")
    panel(picture, 24, "Memory over the number of patterns, MB", memory, ticks)
    panel(picture, 314, "Honest traffic over the number of patterns, MB/s", honest, ticks)
    panel(picture, 604, "nfac's worst hostile kind over the number of patterns, MB/s", hostile, ticks)
    picture.text(80, 862, "2,358: the reference list; the others generated, the last all of 20 bytes", "small")
    picture.save(path)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: pictures.py BENCH.JSON DIR")
    bench, out = Bench(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    draw_memory(bench, out / "memory.svg")
    draw_throughput(bench, out / "throughput.svg")
    draw_growth(bench, out / "growth.svg")


if __name__ == "__main__":
    main()
