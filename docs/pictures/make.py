#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Draws the pictures of the documentation.

    make.py             draw all of them, next to this file
    make.py LOG         first take the terminal's lines from what `make demo` printed

The pictures of the automaton are computed from EXAMPLE and TEXT. The picture of
the terminal shows demo.txt: the steps DEMO of a log, long lines cut. Plain SVG,
readable on light and on dark pages.
"""
import sys
from pathlib import Path

EXAMPLE = ["etc", "/etc/passwd", "password"]
TEXT = "GET /etc/password HTTP/1.1"
GRAM = 4
STRIDE = 4
DEMO = ("2. ", "4. ", "7. ", "9. ", "10. ")     # steps of the demo that are shown
COLUMNS = 110
REPEATED = 2            # lines of one step that differ only in their time

BLUE, AMBER, VIOLET, GREEN, GREY = "#2f81f7", "#d29922", "#a371f7", "#3fb950", "#808080"
STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.code { font: 13px ui-monospace, monospace } .small { font-size: 11px }
.title { font-size: 15px; font-weight: 600 } .middle { text-anchor: middle }
.end { text-anchor: end }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
</style>"""
TERMINAL = """<style>
text { font: 13px ui-monospace, monospace; fill: #e6edf3; white-space: pre }
.title { fill: #58a6ff; font-weight: 600 } .command { fill: #7ee787 }
</style>"""


class Picture:
    """Collects shapes and writes them as one SVG file."""

    def __init__(self, width, height, title, style=STYLE):
        self.width, self.height = width, height
        self.parts = [style, f"<title>{title}</title>"]
        self.markers = {}

    def text(self, x, y, words, kind=""):
        words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{words}</text>')

    def box(self, x, y, width, height, colour, opacity=0.12, radius=5, dash=""):
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
            f' rx="{radius}" fill="{colour}" fill-opacity="{opacity}" stroke="{colour}"{dash}/>'
        )

    def circle(self, x, y, radius, colour, opacity=0.15):
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}"'
            f' fill-opacity="{opacity}" stroke="{colour}"/>'
        )

    def arrow(self, path, colour=GREY, dash=""):
        """An arrow along an SVG path."""
        name = "a" + colour[1:]
        self.markers[name] = colour
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.4"'
            f' marker-end="url(#{name})"{dash}/>'
        )

    def labelled(self, x, y, width, height, lines, colour):
        """A box with lines of text: the first one is its title."""
        self.box(x, y, width, height, colour)
        for i, line in enumerate(lines):
            self.text(x + width / 2, y + 20 + 17 * i, line, "middle" if i == 0 else "small middle")

    def save(self, path):
        marker = (
            '<marker id="{0}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
            ' markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{1}"/></marker>'
        )
        markers = "".join(marker.format(*item) for item in self.markers.items())
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}"'
            f' width="{self.width}" height="{self.height}" role="img">\n'
            f"<defs>{markers}</defs>\n" + "\n".join(self.parts) + "\n</svg>\n"
        )


def transitions(patterns):
    """Transitions of the automaton between states of GRAM bytes and more, by failures too.

    A state is named by the bytes that lead to it from the root."""
    prefixes = {p[:n] for p in patterns if len(p) >= GRAM for n in range(GRAM, len(p) + 1)}
    found = {}
    for state in prefixes:
        for label in {p[-1] for p in prefixes}:
            text = state + label
            for cut in range(len(text) - GRAM):
                if text[cut:] in prefixes:
                    found[state, label] = text[cut:]
                    break
    return prefixes, found


def draw_states(path):
    """The states of the example, with the transition that crosses from one path to the other."""
    prefixes, found = transitions(EXAMPLE)
    picture = Picture(860, 300, "The states of the example's automaton")
    picture.text(10, 22, "Patterns: " + ", ".join(EXAMPLE), "title")
    picture.text(10, 44, "A state is a prefix of a pattern. Shallower than four bytes there is none:"
                 " the text's last four bytes (a q-gram) find it by hashing.")
    where = {}
    for row, pattern in enumerate(p for p in EXAMPLE if len(p) >= GRAM):
        y = 115 + 100 * row
        picture.box(20, y - 20, 150, 40, AMBER)
        picture.text(95, y - 3, f"entries[{pattern[:GRAM]!r}]".replace("'", '"'), "code middle")
        picture.text(95, y + 13, "a perfect hash table", "small middle")
        for depth in range(GRAM, len(pattern) + 1):
            where[pattern[:depth]] = (225 + 80 * (depth - GRAM), y)
        picture.arrow(f"M170,{y} H205", AMBER)
    for (state, label), to in sorted(found.items()):
        (x, y), (right, below) = where[state], where[to]
        if to == state + label:
            picture.arrow(f"M{x + 16},{y} H{right - 19}", BLUE)
            picture.text((x + right) / 2, y - 7, label, "code middle")
        else:
            picture.arrow(f"M{x},{y + 17} L{right + 8},{below - 19}", VIOLET)
            picture.text((x + right) / 2 + 14, (y + below) / 2 + 18, label, "code")
    for state, (x, y) in where.items():
        end = state in EXAMPLE
        picture.circle(x, y, 17, GREEN if end else BLUE, 0.45 if end else 0.15)
        picture.text(x, y + 5, str(len(state)), "middle")
        if end:
            picture.text(x, y + 34, f"reports {state}", "small middle")
    picture.text(20, 276, "The number is the depth. Blue: the next byte of the pattern. Violet: the text"
                 " leaves /etc/passwd and goes on in password.", "small")
    picture.save(path)


def draw_search(path):
    """What each step of the search does with TEXT."""
    prefixes, found = transitions(EXAMPLE)
    long = [p for p in EXAMPLE if len(p) >= GRAM]
    grams = {p[k:k + GRAM] for p in long for k in range(STRIDE) if len(p) - k >= GRAM}
    starts = {p[:GRAM + 1] for p in long}
    left, cell = 170, 25
    picture = Picture(left + cell * len(TEXT) + 25, 345, "The search of a text, step by step")

    def mark(at, n, y, colour, words=""):
        picture.box(left + cell * at + 2, y, cell * n - 4, 22, colour, 0.3, 3)
        picture.text(left + cell * (at + n / 2), y + 16, words, "code middle")

    def title(y, words, more):
        picture.text(10, y + 10, words)
        picture.text(10, y + 25, more, "small")

    title(18, "text", "offset in the payload")
    for i, byte in enumerate(TEXT):
        mark(i, 1, 14, GREY, byte)
        picture.text(left + cell * (i + 0.5), 50, str(i), "small middle")
    title(70, "1. prefilter", "a probe every 4 bytes")
    groups = []
    for at in range(STRIDE - 1, len(TEXT) - GRAM + 1, STRIDE):
        passed = TEXT[at:at + GRAM] in grams
        mark(at, GRAM, 70, GREEN if passed else GREY, TEXT[at:at + GRAM])
        if passed:
            groups += range(at - STRIDE + 1, at + 1)
    title(120, "2. candidates", "four for each hit")
    for at in groups:
        mark(at, 1, 120, AMBER, "?")
    title(170, "3. confirm", "Bloom filter, 5 bytes")
    confirmed = [at for at in groups if TEXT[at:at + GRAM + 1] in starts]
    for at in confirmed:
        mark(at, GRAM + 1, 170, GREEN, TEXT[at:at + GRAM + 1])
    title(220, "4. walk", "entry, then transitions")
    at = confirmed[0]
    state, pos, matches = TEXT[at:at + GRAM], at + GRAM, []
    mark(at, GRAM, 220, AMBER, "entry")
    while pos < len(TEXT):
        after = found.get((state, TEXT[pos]))
        if after is None:
            break
        mark(pos, 1, 220, BLUE if after == state + TEXT[pos] else VIOLET, TEXT[pos])
        state, pos = after, pos + 1
        matches += [(pos - len(p), p) for p in long if state.endswith(p)]
    mark(pos, 1, 220, GREY, "x")
    title(270, "5. report", "short patterns too")
    for short in (p for p in EXAMPLE if len(p) < GRAM):
        matches += [(i, short) for i in range(len(TEXT)) if TEXT[i:].startswith(short)]
    for at, pattern in sorted(matches, key=lambda m: m[0] + len(m[1])):
        mark(at, len(pattern), 270, GREEN, pattern)
    picture.text(10, 328, "Violet: the byte for which the walk leaves the path of /etc/passwd."
                 " x: the byte that leads to no state; the prefilter goes on behind it.", "small")
    picture.save(path)


def draw_packet(path):
    """The packet's way."""
    picture = Picture(860, 420, "The packet's way")
    steps = [
        ("netfilter hook", "prerouting, -190", "", GREY),
        ("hook.c", "nfac_hook(): selects", "by mark, device, port", BLUE),
        ("payload.c", "nfac_payload_find():", "which bytes", BLUE),
        ("pattern_set.h", "nfac_set_load(): the set", "in force, under RCU", BLUE),
    ]
    for i, (name, first, second, colour) in enumerate(steps):
        picture.labelled(15 + 212 * i, 30, 180, 66, [name, first, second], colour)
        if i:
            picture.arrow(f"M{15 + 212 * i - 32},63 H{15 + 212 * i - 3}")
    picture.text(15, 18, "The packet's way: no allocation, no sleep, no contended lock", "title")
    picture.labelled(440, 145, 180, 66, ["skb_scan.c", "each linear piece or", "fragment in place"], BLUE)
    picture.labelled(652, 145, 180, 66, ["stream.c", "with --stream: checksum,", "hash, bucket's lock"], VIOLET)
    picture.arrow("M700,96 L560,142")
    picture.arrow("M742,96 V142", VIOLET)
    picture.labelled(652, 250, 180, 66, ["engine/stream/flow.c", "next, late, resent or", "behind a gap"], VIOLET)
    picture.arrow("M742,211 V247", VIOLET)
    picture.arrow("M652,262 L545,214", VIOLET)
    picture.labelled(228, 145, 180, 66, ["engine/scan.c", "limits of the pattern,", "1,024 matches a packet"], GREEN)
    picture.arrow("M440,178 H411")
    picture.labelled(15, 145, 180, 66, ["engine/match/", "nfac_match_block():", "see automaton.md"], GREEN)
    picture.arrow("M228,168 H198")
    picture.arrow("M195,190 H225", GREEN)
    picture.labelled(228, 250, 180, 66, ["hook.c", "nfac_hook_found():", "for each match"], BLUE)
    picture.arrow("M318,211 V247", GREEN)
    picture.labelled(15, 250, 180, 66, ["event.c", "a ring for each reader", "of /dev/nfac"], AMBER)
    picture.arrow("M228,283 H198", AMBER)
    picture.labelled(228, 342, 180, 66, ["hook.c", "mark, ct mark, label;", "NF_ACCEPT or NF_DROP"], BLUE)
    picture.arrow("M318,316 V339")
    picture.labelled(15, 342, 180, 66, ["stats.c", "a counter for each CPU", "and reason"], AMBER)
    picture.arrow("M228,375 H198", AMBER)
    picture.labelled(440, 342, 180, 66, ["nftables", "rules in later chains", "read the mark"], GREY)
    picture.arrow("M408,375 H437")
    picture.save(path)


def draw_load(path):
    """The load's way."""
    picture = Picture(860, 330, "The load's way")
    picture.text(15, 18, "The load's way: user space compiles, the kernel verifies", "title")
    picture.box(8, 30, 410, 190, GREY, 0.05)
    picture.text(20, 50, "user space: userspace-loader/", "small")
    picture.box(430, 30, 422, 290, GREY, 0.05)
    picture.text(442, 50, "kernel: kmod/", "small")
    picture.labelled(20, 62, 118, 66, ["formats/", "plain, crs,", "suricata"], AMBER)
    picture.labelled(154, 62, 118, 66, ["compiler/", "trie, failures,", "layout, prefilter"], AMBER)
    picture.labelled(288, 62, 118, 66, ["set file", "one blob, see", "engine/blob.h"], AMBER)
    picture.arrow("M138,95 H151")
    picture.arrow("M272,95 H285")
    picture.labelled(288, 145, 118, 60, ["nfac load", "write(), then", "ioctl COMMIT"], AMBER)
    picture.arrow("M347,128 V142")
    picture.labelled(445, 142, 118, 66, ["session.c", "stages the blob", "within budget.c"], BLUE)
    picture.arrow("M406,175 H442")
    picture.labelled(580, 142, 122, 66, ["engine/verify/", "nfac_blob_verify():", "every word"], GREEN)
    picture.arrow("M563,175 H577")
    picture.labelled(718, 142, 122, 66, ["load.c", "tiles and tables", "into slab memory"], BLUE)
    picture.arrow("M702,175 H715")
    picture.labelled(718, 62, 122, 60, ["tile_store.c", "cache nfac_node,", "128 bytes a tile"], BLUE)
    picture.arrow("M779,142 V125")
    picture.labelled(580, 62, 122, 60, ["refused", "errno, word, reason;", "old set in force"], VIOLET)
    picture.arrow("M641,142 V125", VIOLET)
    picture.labelled(718, 240, 122, 66, ["pattern_set.c", "nfac_set_publish():", "RCU pointer"], BLUE)
    picture.arrow("M779,208 V237")
    picture.labelled(580, 240, 122, 66, ["grace period", "packets leave", "the old load"], GREY)
    picture.arrow("M718,273 H705")
    picture.labelled(445, 240, 118, 66, ["workqueue", "frees the old", "tiles"], GREY)
    picture.arrow("M580,273 H566")
    picture.save(path)


def draw_overview(path):
    """The README's picture."""
    picture = Picture(860, 235, "How nfac fits into a Linux firewall")
    picture.labelled(15, 15, 150, 66, ["patterns, rules", "words, CRS phrases,", "Suricata rules"], AMBER)
    picture.labelled(205, 15, 150, 66, ["nfac compile", "one automaton", "for all of them"], AMBER)
    picture.labelled(395, 15, 150, 66, ["/dev/nfac", "the kernel verifies", "every word"], BLUE)
    picture.labelled(585, 15, 260, 66, ["set in slab memory", "replaced under RCU: no packet", "passes uninspected"], GREEN)
    for x in (165, 355, 545):
        picture.arrow(f"M{x},48 H{x + 37}")
    picture.labelled(15, 145, 150, 66, ["packet", "reassembled, with", "its connection"], GREY)
    picture.labelled(205, 145, 150, 66, ["netfilter hook", "prerouting,", "priority -190"], BLUE)
    picture.labelled(395, 145, 150, 66, ["payload", "TCP or UDP data,", "or the TCP stream"], BLUE)
    picture.labelled(585, 145, 110, 66, ["automaton", "bounded work", "for each byte"], GREEN)
    picture.labelled(735, 145, 110, 66, ["nftables", "drop, mark, log", "what matched"], GREY)
    for x in (165, 355, 545, 695):
        picture.arrow(f"M{x},178 H{x + 37}")
    picture.arrow("M640,81 V142", GREEN)
    picture.save(path)


def draw_terminal(path, lines):
    """Lines of a terminal: titles, commands (with a prompt) and what they printed."""
    width = 30 + 7.83 * max(map(len, lines))
    picture = Picture(round(width), 30 + 18 * len(lines) + 10, "What make demo prints", TERMINAL)
    picture.parts.append(
        f'<rect width="{picture.width}" height="{picture.height}" rx="8" fill="#0d1117"/>'
    )
    for i, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        picture.parts.append(f'<circle cx="{18 + 18 * i}" cy="16" r="5" fill="{colour}"/>')
    for i, line in enumerate(lines):
        words = line.split()
        kind = "title" if words and words[0].rstrip(".").isdigit() and not line.startswith(" ") else ""
        if words and words[0].endswith("$"):
            kind = "command"
        picture.text(15, 46 + 18 * i, line.replace(" ", "\u00a0"), kind)
    picture.save(path)


def demo_lines(log):
    """The lines of a log of `make demo` that the picture shows."""
    lines, shown, watched = [], False, 0
    for line in log.read_text().splitlines():
        if line[:1].isdigit():
            shown = line.startswith(DEMO)
            if shown and lines:
                lines.append("")
        watched += ": pattern " in line
        if not shown or not line.strip() or (": pattern " in line and watched > REPEATED):
            continue
        line = line[2:] if line.startswith("   ") else line
        lines.append(line if len(line) <= COLUMNS else line[:COLUMNS - 3] + "...")
    return lines


def main():
    here = to = Path(__file__).resolve().parent
    if len(sys.argv) > 1:
        (here / "demo.txt").write_text("\n".join(demo_lines(Path(sys.argv[1]))) + "\n")
    draw_states(to / "states.svg")
    draw_search(to / "search.svg")
    draw_packet(to / "packet.svg")
    draw_load(to / "load.svg")
    draw_overview(to / "overview.svg")
    draw_terminal(to / "demo.svg", (here / "demo.txt").read_text().splitlines())


main()
