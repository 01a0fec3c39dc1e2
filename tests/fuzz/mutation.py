"""Damage a file: bytes, tags, members of archives, wrong sizes, repeated pieces.

Every choice comes from a `random.Random`, so that hypothesis can shrink failures and a seed repeats them.
"""

from __future__ import annotations

import contextlib
import io
import random
import re
import zipfile
from collections.abc import Callable

__all__ = ["AMPLIFIED", "amplify", "mutate"]

AMPLIFIED = 60_000
"""Size in bytes of a repeated piece; quadratic time on it takes minutes, not milliseconds."""

_TOKENS = [
    b"<", b">", b"</", b"/>", b"&", b"&#0;", b"&#55296;", b"&nbsp;", b"<![CDATA[", b"]]>", b"<!--", b"-->",
    b"<?xml version='1.0' encoding='utf-7'?>", b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"\x00", b"\xff\xfe",
    b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\r", b"\n\n", b"\x0c", b"\x1a",
    b"\xe2\x80\xa8",
    b"<p>", b"<div>", b"<q>", b"<table><tr><td>", b"<s>", b"<lb break='no'/>", b"<w:p>",
    b"<text:s text:c='9'/>",
    b"<text:s text:c='999999999'/>", b"-1", b"0", b"99999999999999999999", b"1e999", b"NaN", b"Infinity",
    b"null", b"true", b"[]", b"{}", b'"', b"'", b"\\", b"\\ud800", b"\t", b",", b";", b"obj", b"endobj",
    b"stream\n", b"endstream", b"<<", b">>", b"/Kids", b"1 0 R", b"(", b")", b"BT", b"ET", b"%PDF-1.7",
    b"PK\x01\x02", b"{", b"}", b"\\u-9 ", b"\\'", b"\\bin9 ", b"\\uc9 ", b"\\*", b"\\f9 ", b"\\ansicpg9 ",
    b"{\\footnote ", b"[[", b"]]", b"/*", b"*/", b"\n\nMARY\n", b"\n\nINT. ", b"\n\n.", b"\n\n@", b"***",
]  # fmt: skip


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Return the file with one to four damages, in an archive mostly in one of its members."""
    for _ in range(chance.randint(1, 4)):
        if not data.startswith(b"PK") or chance.random() >= 0.75:
            data = chance.choice(_DAMAGES)(data, chance)
        else:
            data = _change_member(data, chance, lambda content: chance.choice(_DAMAGES)(content, chance))
    return data


def amplify(data: bytes, chance: random.Random, *, size: int = AMPLIFIED) -> bytes:
    """Return the file with a short piece of it, or of markup, repeated many times."""
    if data.startswith(b"PK"):
        return _change_member(data, chance, lambda content: amplify(content, chance, size=size))
    start = chance.randrange(len(data) + 1)
    piece = data[start : start + chance.randint(1, 60)]
    if chance.random() < 0.4 or not piece:
        piece = chance.choice([b" ", b"\n", b"\xc2\xa0", b"a", b"A.", b"1", *_TOKENS])
    return data[:start] + piece * (size // len(piece)) + data[start:]


def _flip(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(chance.randint(1, 8)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _cut(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] if chance.random() < 0.8 else data[place:]


def _drop(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data) + 1)
    return data[:start] + data[start + chance.choice([1, 2, 10, 100, 1000]) :]


def _move(data: bytes, chance: random.Random) -> bytes:
    start, to = chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)
    piece = data[start : start + chance.choice([1, 4, 30, 300])]
    return data[:to] + piece + data[to:]


def _insert(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(_TOKENS) * chance.choice([1, 1, 1, 3, 300]) + data[place:]


def _replace_number(data: bytes, chance: random.Random) -> bytes:
    """Replace a number: a length, offset, level or count."""
    places = [index for index, byte in enumerate(data) if 48 <= byte <= 57]
    if not places:
        return _flip(data, chance)
    place = chance.choice(places)
    number = chance.choice([b"-1", b"0", b"7", b"65536", b"4294967296", b"9" * 30, b"1.5"])
    return data[:place] + number + data[place + 1 :]


def _nest(data: bytes, chance: random.Random) -> bytes:
    """Nest an element in itself many times."""
    starts = [match.start() for match in re.finditer(rb"<[A-Za-z]", data)]
    if not starts:
        return _insert(data, chance)
    start = chance.choice(starts)
    end = data.find(b">", start) + 1
    name = data[start + 1 : end].split(b" ")[0].strip(b"/>")
    times = chance.choice([2, 50, 250, 400])
    tag = data[start:end].replace(b"/>", b">")
    return data[:start] + tag * times + b"wolf" + (b"</" + name + b">") * times + data[start:]


_DAMAGES = [_flip, _cut, _drop, _move, _insert, _replace_number, _nest]


def _change_member(data: bytes, chance: random.Random, change: Callable[[bytes], bytes]) -> bytes:
    """Rewrite the archive with one of its members changed, renamed, missing or duplicated."""
    members: list[tuple[str, bytes]] = []
    with contextlib.suppress(Exception), zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    if not members:  # or it has been damaged before
        return _flip(data, chance)
    index = chance.randrange(len(members))
    name, content = members[index]
    draw = chance.random()
    if draw < 0.1:
        del members[index]
    elif draw < 0.2:
        members[index] = (chance.choice(["x", "../" + name, "/" + name, name.upper(), name + "/"]), content)
    elif draw < 0.3:
        members.append((members[chance.randrange(len(members))][0] + "2", content))
    else:
        members[index] = (name, change(content))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", chance.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for each, inside in dict(members).items():
            archive.writestr(each, inside)
    return buffer.getvalue()
