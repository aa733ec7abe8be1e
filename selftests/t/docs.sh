#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# needs: host
# timeout: 60
#
# Proves that the documentation names what exists: files, sections and functions; that the
# example of docs/automaton.md prints what the page says; and that the README is one page.

. "$(dirname "$0")/../lib.sh"

cd "$TREE" || exit 1
need_tool python3

# problems KIND: what the documents name and the tree does not have, a line each
problems()
{
	python3 -S - "$1" <<'PYTHON'
import os, re, subprocess, sys

def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()

def anchors(path):
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"(?m)^#+ (.*)$", text(path))}

folders = ["kmod", "uapi", "userspace-loader", "kunit-tests", "selftests/fuzz", "selftests/bench"]
code = "".join(text(os.path.join(at, name)) for folder in folders
               for at, _, names in os.walk(folder) for name in names if name.endswith((".c", ".h")))
words = set(re.findall(r"\w+", code))
pages = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"]
pages += ["docs/" + name for name in os.listdir("docs") if name.endswith(".md")]
for page in pages:
    if sys.argv[1] == "links":
        for link in re.findall(r"\]\(([^)]+)\)", text(page)):
            path, _, anchor = link.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(to):
                print(f"{page}: no file {link}")
            elif anchor and anchor not in anchors(to):
                print(f"{page}: no section {link}")
    else:
        for name in sorted(set(re.findall(r"`(?:struct |enum )?([A-Za-z_]\w*)\(\)", text(page)) +
                               re.findall(r"`(?:struct |enum )?((?:nfac|NFAC)_\w+)`", text(page)))):
            if name not in words and name not in ("read", "write", "open", "ioctl"):
                print(f"{page}: no {name}")
PYTHON
}

# printed FILE: what the indented lines of a page say that the tool prints as JSON
printed()
{
	sed -n 's/^    \({.*}\)$/\1/p' "$1"
}

is "links lead to files and sections" "" "$(problems links)"
is "functions, structures and constants exist" "" "$(problems names)"
is "the README has at most 130 lines" "" "$(awk 'NR == 131 { print "it has more" }' README.md)"

need_cli
printf 'etc\n/etc/passwd\npassword\n' >"$T/three.txt"
printf 'GET /etc/password HTTP/1.1' >"$T/request"
is "the example of docs/automaton.md" "$(printed docs/automaton.md)" \
	"$("$NFAC" compile --json -o "$T/three.nfac" "$T/three.txt" && "$NFAC" scan --json -s "$T/three.nfac" "$T/request")"
