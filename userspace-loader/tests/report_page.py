#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reads a page of `nfac report` back: report_page.py PAGE [MATCHES]

MATCHES are the lines of `nfac scan --stream --json` over the same captures. Fails if a figure of the
page differs from what they add up to, if tags are not closed, or if the page has anything that
a browser would load or run.
"""
import collections
import html.parser
import json
import sys

VOID = {"meta", "rect", "line", "path", "br"}
ALLOWED = {"html", "head", "title", "style", "body", "main", "header", "section", "div", "p", "h1", "h2", "b", "i", "small",
           "code", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "svg", "text", "g"} | VOID


class Page(html.parser.HTMLParser):
    """Tables by their id, tiles by their title, and the text of the page."""

    def __init__(self):
        super().__init__()
        self.open, self.tables, self.rows, self.text, self.bars = [], {}, None, [], 0

    def handle_starttag(self, tag, attrs):
        assert tag in ALLOWED, f"<{tag}>"
        for name, value in attrs:
            assert name not in ("src", "href") and not name.startswith("on"), (tag, name, value)
        attrs = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.rows = self.tables.setdefault(attrs["id"], [])
        if tag == "tr" and "tbody" in self.open:
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")
        if attrs.get("class") == "period":
            self.bars += 1

    def handle_endtag(self, tag):
        assert tag in VOID or self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text.append(data)
        if "td" in self.open:
            self.rows[-1][-1] += data


def number(text):
    return int(text.replace(",", ""))


def check(page, matches):
    """Figures of the page against those of scan --json."""
    text = "".join(page.text)

    def adds_up(table, column, counts):
        got = {row[0]: number(row[column]) for row in page.tables[table]}
        assert got == {str(k): v for k, v in counts.items()}, (table, column, got, counts)

    def distinct(key, value):
        sets = collections.defaultdict(set)
        for m in matches:
            sets[m[key]].add(value(m))
        return {k: len(v) for k, v in sets.items()}

    def connection(m):
        return (m["proto"], *sorted([(m["src"], m["sport"]), (m["dst"], m["dport"])]))

    adds_up("patterns", 3, collections.Counter(m["id"] for m in matches))
    inexact = collections.Counter({m["id"]: 0 for m in matches})
    inexact.update(m["id"] for m in matches if m.get("inexact"))
    adds_up("patterns", 4, inexact)
    adds_up("patterns", 5, distinct("id", lambda m: (m.get("file"), m["packet"])))
    adds_up("patterns", 6, distinct("id", connection))
    adds_up("patterns", 7, distinct("id", lambda m: m["src"]))
    for table, key in (("sources", "src"), ("destinations", "dst")):
        adds_up(table, 2, collections.Counter(m[key] for m in matches))
        adds_up(table, 4, distinct(key, connection))
        adds_up(table, 5, distinct(key, lambda m: m["id"]))
    exact = [m for m in matches if not m.get("inexact")]
    packets = len({(m.get("file"), m["packet"]) for m in exact})
    assert f"With --drop, {packets:,} of " in text, text[:600]
    assert f"), in {len({connection(m) for m in exact}):,} of " in text
    assert f"Matches{len(matches):,}{len(exact):,} exact, {len(matches) - len(exact):,} inexact" in text
    assert sum(number(row[2]) for row in page.tables["inputs"]) == len(matches)
    print(len(matches), "matches,", len(page.tables["patterns"]), "patterns,", len(page.tables["sources"]), "sources agree")


def main():
    page = Page()
    with open(sys.argv[1], encoding="utf-8") as f:
        page.feed(f.read())
    assert page.open == [], page.open
    assert page.bars <= 96, page.bars
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as f:
            check(page, [json.loads(line) for line in f])
    else:
        print(json.dumps({"tables": page.tables, "text": "".join(page.text), "bars": page.bars}))


main()
