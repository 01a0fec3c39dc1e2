"""Parse TEI P5 (and P4): the body of a text; its divisions are chapters, its `<s>` elements sentences.

Of alternative readings, corrections, regularizations, expansions and lemmas are taken. Notes, forme work
(running heads, page numbers), speakers, directions, front and back matter are marked.
"""

from __future__ import annotations

import html.entities
import re
from collections import Counter
from functools import cached_property
from typing import Any

from barthes.errors import ReadingError
from barthes.reading.document import Block, Draft, tidy
from barthes.reading.xml_parsing import first_character_of, name_of, parse_xml

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
# Markers in the text, of Unicode's private use area: a sentence begins, ends; no space; a line or page
# begins; the word continues in another part; this part continues it; a soft hyphen.
_BEGIN, _END, _JOIN, _BREAK, _OPEN, _CLOSE, _SOFT = "\ue000\ue001\ue002\ue003\ue004\ue005\ue006"
_MARKERS = dict.fromkeys(map(ord, (_BEGIN, _END, _JOIN, _BREAK, _OPEN, _CLOSE, _SOFT)))
_SEAM = re.compile(rf"([-‐¬⸗{_SOFT}]?)(\s?(?:[{_JOIN}{_BREAK}{_OPEN}{_CLOSE}]\s?)+)")
_LONGEST_WORD = 60  # characters
_SILENT = frozenset(
    "teiheader del rdg gap milestone certainty spangrp interpgrp linkgrp joingrp "
    "altgrp standoff fs fvlib listannotation facsimile sourcedoc graphic media formula index anchor "
    "ptr".split()
)
_MARKED = {
    "note": "note",
    "figure": "caption",
    "titlepage": "matter",
    "listbibl": "matter",
    "fw": "furniture",
    "speaker": "speaker",
    "stage": "direction",
    "castlist": "direction",
}
_PARAGRAPHS = frozenset(
    "p ab l item speaker stage salute signed opener closer trailer argument byline dateline".split()
)
_INNER = frozenset(["p", "lg", "l", "floatingtext"])  # that make a paragraph around them two
_CONTAINED = _PARAGRAPHS | {"lg", "head"}  # that make the element around them a container
_MATTER = dict.fromkeys(["contents", "toc"], "contents") | dict.fromkeys(
    ["notes", "footnotes", "endnotes"], "note"
)
_AUTHORS = "{*}teiHeader/{*}fileDesc/{*}titleStmt/{*}author"
_DIVISIONS = re.compile(r"div[0-7]?")
_SPOKEN = frozenset(["q", "said"])
_QUOTES = "\"'“”„‟‘’‚«»‹›「」『』—–"
_CHAPTERS = frozenset("chapter part book volume letter act scene canto story tale".split())


def parse(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of a TEI file."""
    root = parse_xml(data, where=where)
    if next(root.iter("{*}body"), None) is None:
        remedy = "Give a file whose <text> has a <body>."
        raise ReadingError("this TEI file has no <body>.", where=where, remedy=remedy)
    draft = Draft(language=_find_language(root))
    reader = _Reader(draft, root, where)
    draft.title = reader.read_line(_find_title(root))
    draft.author = ", ".join(filter(None, map(reader.read_line, root.iterfind(_AUTHORS))))
    for part in root.iter("{*}front", "{*}body", "{*}back"):
        if next(part.iterancestors("{*}floatingText"), None) is None:
            reader.read_part(part)
    return draft


def _find_title(root: Any) -> Any | None:
    statement = next(root.iter("{*}titleStmt"), ())
    titles = [each for each in statement if name_of(each) == "title"]
    return next((each for each in titles if each.get("type") == "main"), titles[0] if titles else None)


def _find_language(root: Any) -> str:
    declared = [text.get(_LANGUAGE) for text in root.iter("{*}text")]
    declared += [language.get("ident") for language in root.iter("{*}language")]
    return next(filter(None, [*declared, root.get(_LANGUAGE)]), "")


class _Reader:
    """Reads the parts of a text in document order."""

    def __init__(self, draft: Draft, root: Any, where: str) -> None:
        self._draft = draft
        self._root = root
        self._where = where
        self._mark = ""
        self._inside: list[Any] = []  # marked elements in the paragraph that is read

    def read_line(self, element: Any | None) -> str:
        """Return the text in an element on one line; nothing for None."""
        marked = "" if element is None else "".join(self._read(element))
        self._inside.clear()
        return " ".join(self._close_up(marked).translate(_MARKERS).split())

    def read_part(self, part: Any) -> None:
        """Add a body, or front or back matter, which is marked but for a prologue or an epilogue."""
        if name_of(part) == "body":
            self._visit(part, 1)
            return
        for child in part:
            if child.get("type") in ("prologue", "epilogue"):
                self._visit_division(child, 1)
            else:
                self._read_marked(child, _MATTER.get(child.get("type", "").lower(), "matter"))

    def _read_marked(self, element: Any, mark: str) -> None:
        """Add an element, all of it marked."""
        before, self._mark = self._mark, self._mark or mark
        if any(name_of(each) in _CONTAINED for each in element.iterdescendants()):
            self._visit(element, 6)
        else:
            self._add(element)
        self._mark = before

    def _visit(self, parent: Any, level: int) -> None:
        counts: Counter[str] = Counter()
        verse: list[Any] = []  # lines without a group around them, as in <sp>
        for child in [*parent, None]:
            name = "" if child is None else name_of(child)
            if verse and name != "l":
                self._add_lines(verse)
                verse = []
            if child is None:
                break
            counts[name] += 1
            if not name:
                self._add_text(self._expand(child))
            elif name == "head":
                self._add(child, level=level)
            elif name == "lg" and any(name_of(each) == "l" for each in child):
                self._add_verse(child)
            elif name == "l" and not any(name_of(each) in _INNER for each in child.iterdescendants()):
                verse.append(child)
            elif name in _MARKED:
                self._read_marked(child, _MARKED[name])
            elif name in _PARAGRAPHS and any(name_of(each) in _INNER for each in child.iterdescendants()):
                self._add_mixed(child, level)
            elif name in _PARAGRAPHS:
                self._add(child)
            elif _DIVISIONS.fullmatch(name):
                self._visit_division(child, level, number=counts[name])
            elif name in ("front", "back") or name in _SILENT:
                continue
            elif any(name_of(each) in _CONTAINED for each in child.iterdescendants()):
                # a list, quote, sp …; the heads of a text in the text begin no chapters
                self._visit(child, 6 if name == "floatingtext" else level)
            else:
                self._add(child)
            if (
                name and not isinstance(parent, list) and (child.tail or "").strip()
            ):  # text between paragraphs
                self._add_text(" ".join(_clean(child.tail).split()))

    def _visit_division(self, division: Any, level: int, *, number: int = 1) -> None:
        kind = division.get("type", "").lower()
        if kind in ("contents", "toc") and not self._mark:
            self._read_marked(division, "contents")
            return
        deeper = min(level + 1, 6)
        if kind in _CHAPTERS and not any(name_of(each) == "head" for each in division):
            self._draft.add(f"{kind.capitalize()} {division.get('n') or number}", level=deeper)
        self._visit(division, deeper)

    def _add_mixed(self, element: Any, level: int) -> None:
        """Add a paragraph with a letter or a song in it: the text around it is a paragraph too."""
        pieces = [_clean(element.text)]
        for child in element:
            if name_of(child) not in _MARKED and any(name_of(each) in _INNER for each in child.iter()):
                self._add_text(" ".join("".join(pieces).split()))
                self._visit([child] if name_of(child) in _INNER else child, level)
                pieces = []
            else:
                pieces += self._read_one(child)
            pieces.append(_clean(child.tail))
        self._add_text(" ".join("".join(pieces).split()))

    def _add_verse(self, group: Any) -> None:
        self._add_lines([each for each in group if name_of(each) == "l"])
        self._visit([each for each in group if name_of(each) in ("lg", "head")], 6)

    def _add_lines(self, lines: list[Any]) -> None:
        texts = (" ".join("".join(self._read(each)).split()) for each in lines)
        self._add_text("\n".join(texts))

    def _add(self, element: Any, *, level: int = 0) -> None:
        self._add_text(" ".join("".join(self._read(element)).split()), level=level)

    def _add_text(self, marked: str, *, level: int = 0) -> None:
        text, spans = _extract_spans(tidy(self._close_up(marked)))
        if text:
            level = 0 if self._mark else level
            whole = " ".join(text.split()) if level else text
            self._draft.blocks.append(Block(whole, level, spans=() if level else spans, mark=self._mark))
        inside, self._inside = self._inside, []
        for element in inside:
            self._read_marked(element, _MARKED[name_of(element)])

    def _read(self, element: Any) -> list[str]:
        pieces = [_clean(element.text)]
        for child in element:
            pieces += self._read_one(child)
            pieces.append(_clean(child.tail))
        return pieces

    def _read_one(self, child: Any) -> list[str]:
        name = name_of(child)
        if not name:
            return [self._expand(child)]
        if name in _MARKED:
            self._inside.append(child)
        if name in _MARKED or name in _SILENT:
            return []
        if name in ("lb", "pb", "cb", "gb"):
            return _mark_break(child, name)
        if name in ("choice", "app", "subst"):
            return self._choose(child)
        inside = self._read(child)
        if name == "s":
            return [_BEGIN, *inside, _END]
        if name in ("w", "pc"):
            return _mark_word(child, inside, name)
        if name in _SPOKEN and not _has_quotes(child):
            return ["“", *inside, "”"]
        return inside

    def _choose(self, element: Any) -> list[str]:
        children = {name_of(each): each for each in reversed(element) if name_of(each)}
        names = ["corr", "reg", "expan", "lem", "add", *reversed(children)]
        return next((self._read(children[name]) for name in names if name in children), [])

    def _expand(self, entity: Any) -> str:
        """Return the character that a reference stands for in HTML; entities of the file are not read."""
        name = getattr(entity, "name", None)
        if name is None:  # a comment
            return ""
        if f"{name};" in html.entities.html5:
            return html.entities.html5[f"{name};"]
        problem = f"it uses the entity &{name[:100]};, which is not in it."
        remedy = "Write the character itself; entities are not expanded, for safety."
        raise ReadingError(problem, where=self._where, remedy=remedy)

    def _close_up(self, marked: str) -> str:
        """Join words at the markers, and remove all markers but those of sentences."""
        lines = (_SEAM.sub(self._join, " ".join(line.split())) for line in marked.split("\n"))
        return "\n".join(lines).replace(_SOFT, "")

    def _join(self, seam: re.Match[str]) -> str:
        """Return what stands at a seam; a word cut by a hyphen keeps it if it always has it elsewhere."""
        hyphen, markers = seam[1], seam[2]
        continued = _OPEN in markers and _CLOSE in markers
        before = seam.string[max(0, seam.start() - _LONGEST_WORD) : seam.start()]
        after = seam.string[seam.end() : seam.end() + _LONGEST_WORD]
        if hyphen and (continued or _BREAK in markers) and before[-1:].isalpha() and after[:1].isalpha():
            head, rest = re.split(r"\W", before)[-1].lower(), re.split(r"\W", after)[0].lower()
            known = self._words[f"{head}-{rest}"] and not self._words[head + rest]
            compound = hyphen in "-‐" and after[0].isupper() and before[-1].islower()  # Anglo-Saxon
            return "-" if known or compound else ""
        joined = continued or _JOIN in markers
        return hyphen + (" " if " " in markers and not joined else "")

    @cached_property
    def _words(self) -> Counter[str]:
        text = " ".join(map(str, self._root.itertext())).lower()
        return Counter(re.findall(r"\w+(?:-\w+)*", text))


def _clean(text: str | None) -> str:
    return text.translate(_MARKERS).replace("\u00ad", _SOFT) if text else ""


def _has_quotes(element: Any) -> bool:
    """Return whether speech has quotation marks or a dash, inside it or right before it."""
    before = element.getprevious()
    around = (before.tail if before is not None else element.getparent().text) or ""
    return first_character_of(element) in tuple(_QUOTES) or around.rstrip()[-1:] in tuple(_QUOTES)


def _mark_break(element: Any, name: str) -> list[str]:
    """Return the markers for the beginning of a line, column or page; only a line ends a word by itself."""
    value = element.get("break")
    space = " " if name == "lb" else ""
    return [_JOIN, _BREAK] if value == "no" else [space] if value == "yes" else [space, _BREAK]


def _mark_word(element: Any, inside: list[str], name: str) -> list[str]:
    """Return a word or a punctuation mark with markers for what it adjoins."""
    side, part = element.get("join"), element.get("part")
    closing = name == "pc" and first_character_of(element) in tuple(".,;:!?)]”’»…")
    left = side in ("left", "both") or (closing and side is None and element.get("pre") != "true")
    before = [_JOIN if left else "", _CLOSE if part in ("M", "F") else ""]
    return [*before, *inside, _JOIN if side in ("right", "both") else "", _OPEN if part in ("I", "M") else ""]


def _extract_spans(marked: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the text without markers, and the sentences if they cover it without overlapping."""
    pieces = re.split(f"([{_BEGIN}{_END}])", marked)
    text, spans, begin, loose = "", [], None, False
    for piece in pieces:
        if piece == _BEGIN:
            loose = loose or begin is not None
            begin = len(text)
        elif piece == _END:
            if begin is not None and text[begin:].strip():
                sentence = text[begin:]
                start = begin + len(sentence) - len(sentence.lstrip())
                spans.append((start, start + len(sentence.strip())))
            begin = None
        else:
            loose = loose or (begin is None and bool(piece.strip()))
            text += piece
    shift = len(text) - len(text.lstrip())
    moved = tuple((start - shift, end - shift) for start, end in spans)
    return text.strip(), () if loose else moved
