#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A plain reference of the decoded view (kmod/engine/decoded_view.h)

decode.py make PATTERNS TEXT SEED     a list, and a text with its words in many encodings
decode.py find PATTERNS TEXT          the matches: "BEGIN LENGTH ID DECODED", in order; LENGTH is
    that of the encoded bytes
decode.py encode HOW < TEXT           each byte but letters and digits encoded: percent, twice,
    unicode, wide, overlong
"""
import random
import re
import sys

ESCAPE = re.compile(rb"%([0-9a-fA-F]{2})|%[uU]([0-9a-fA-F]{4})|(\+)", re.DOTALL)


def characters(match):
    """The bytes that an escape encodes."""
    if match[3]:
        return b" "
    if match[1]:
        return bytes([int(match[1], 16)])
    code = int(match[2], 16)
    if 0xff01 <= code <= 0xff5e:
        code -= 0xfee0
    return bytes([code]) if code < 0x100 else chr(code).encode("utf-8", "surrogatepass")


def is_overlong(tail):
    """The ASCII character that these bytes are an overlong form of, or None."""
    if tail[-1] & 0xc0 != 0x80:
        return None
    if len(tail) == 2 and tail[0] in (0xc0, 0xc1):
        return (tail[0] & 1) << 6 | tail[1] & 0x3f
    if len(tail) == 3 and tail[0] == 0xe0 and tail[1] in (0x80, 0x81):
        return (tail[1] & 0x3f) << 6 | tail[2] & 0x3f
    if len(tail) == 4 and tail[:2] == b"\xf0\x80" and tail[2] in (0x80, 0x81):
        return (tail[2] & 0x3f) << 6 | tail[3] & 0x3f
    return None


def reading(text):
    """One reading of [(byte, begin, end, ...)]: the same, with whether each byte was changed."""
    plain = bytes(c[0] for c in text)
    out, at = [], 0
    while at < len(plain):
        match = ESCAPE.match(plain, at)
        put = characters(match) if match else plain[at:at + 1]
        after = match.end() if match else at + 1
        for byte in put:
            out.append((byte, text[at][1], text[after - 1][2], match is not None))
            for bytes_ in (2, 3, 4):
                tail = out[-bytes_:]
                code = is_overlong(bytes(c[0] for c in tail)) if len(tail) == bytes_ else None
                if code is not None and any(c[3] for c in tail):
                    out[-bytes_:] = [(code, tail[0][1], tail[-1][2], True)]
                    break
        at = after
    return out


def occurrences(view, words, decoded):
    plain = bytes(c[0] for c in view)
    for number, word in enumerate(words, 1):
        at = plain.find(word)
        while at >= 0:
            part = view[at:at + len(word)]
            # a byte of %uXXXX's UTF-8 ends where the next one begins
            behind = view[at + len(word)][1] if at + len(word) < len(view) else view[-1][2]
            if not decoded or any(c[3] for c in part):
                yield part[0][1], behind - part[0][1], number, int(decoded)
            at = plain.find(word, at + 1)


def find(words, raw):
    view = [(byte, at, at + 1, False) for at, byte in enumerate(raw)]
    found = list(occurrences(view, words, False))
    for _ in range(2):
        view = reading(view)
        found += occurrences(view, words, True)
        view = [c[:3] + (False,) for c in view]
    return sorted(found)


def encode_byte(byte, how):
    if how == "percent":
        return b"%%%02x" % byte
    if how == "twice":
        return b"%%25%02X" % byte
    if how == "unicode":
        return b"%%u%04x" % byte
    if how == "wide" and 0x21 <= byte < 0x7f:
        return b"%%u%04X" % (byte + 0xfee0)
    if how == "overlong" and byte < 0x80:
        return b"%%%02x%%%02x" % (0xc0 | byte >> 6, 0x80 | byte & 0x3f)
    if how == "overlong3" and byte < 0x80:
        return b"%%e0%%%02x%%%02x" % (0x80 | byte >> 6, 0x80 | byte & 0x3f)
    if how == "nested":
        return b"%%25%%%02x%%%02x" % tuple(b"%02x" % byte)
    if how == "plus" and byte == 0x20:
        return b"+"
    return bytes([byte])


HOWS = ["percent", "twice", "unicode", "wide", "overlong", "overlong3", "nested", "plus", "plain"]


def make(words_path, text_path, seed):
    pick = random.Random(seed)
    words = [b"/etc/passwd", b"<script>", b"union select", b"a+b", b"%2e", b"..", b"\xc3\xa9t",
             b"aa", b"=", b"% %"]
    with open(words_path, "wb") as f:
        f.writelines(w.replace(b"\xc3\xa9", b"\\xc3\\xa9") + b"\n" for w in words)
    text = bytearray()
    while len(text) < 40000:
        kind = pick.randrange(10)
        if kind < 6:
            for byte in pick.choice(words):
                text += encode_byte(byte, pick.choice(HOWS))
        elif kind == 6:
            text += pick.choice([b"%", b"%u", b"%2", b"%25", b"+", b"%u00", b"%c0", b"\xc0", b"\xae",
                                 b"%e0%80", b"%f0%80%80%af", b"%u00e9t", b"%u20ac"])
        elif kind == 7:
            text += bytes(pick.choice(b"abcdef /.=<>") for _ in range(pick.randrange(60)))
        elif kind == 8:
            text += bytes(pick.choice(b"%+2fFeEuU0") for _ in range(pick.randrange(20)))
        else:
            text += bytes(pick.choice(b"abcdef") for _ in range(pick.choice([1, 100, 3000])))
    with open(text_path, "wb") as f:
        f.write(bytes(text).replace(b"\n", b" "))


def main(command, *words):
    if command == "make":
        make(words[0], words[1], int(words[2]))
    elif command == "find":
        with open(words[0], "rb") as f:
            patterns = [w.replace(b"\\xc3\\xa9", b"\xc3\xa9") for w in f.read().splitlines()]
        with open(words[1], "rb") as f:
            for match in find(patterns, f.read()):
                print(*match)
    else:
        for byte in sys.stdin.buffer.read():
            plain = chr(byte).isalnum() or byte == 0x0a
            sys.stdout.buffer.write(bytes([byte]) if plain else encode_byte(byte, words[0]))


main(*sys.argv[1:])
