"""Parse TEI P5 (and P4): the body of a text; its divisions are chapters, its `<s>` elements sentences.

Of alternative readings, corrections, regularizations, expansions and lemmas are taken. Notes, forme work
(running heads, page numbers), speakers, directions, front and back matter are marked.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import Any

from barthes.errors import ReadingError
from barthes.reading.document import Block, Draft, tidy
from barthes.reading.markup import BREAK, MarkupReader, Role, split_paragraphs
from barthes.reading.printing import count_hyphenated, joins_hyphen
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
    "p ab l lg item salute signed opener closer trailer argument byline dateline floatingtext".split()
)
_SIMPLE = frozenset(["s", "w", "pc", "lb", "pb", "cb", "gb"])
_CONTAINERS = frozenset(  # whose children are paragraphs, whatever their names
    "tei tei.2 teicorpus text group body front back div div0 div1 div2 div3 div4 div5 div6 div7 sp list "
    "floatingtext".split()
)
_INNER = ("{*}p", "{*}lg", "{*}l", "{*}floatingText")  # that make a paragraph around them two
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
    reader = _Reader(draft, root)
    draft.title = reader.read_line(_find_title(root))
    draft.author = ", ".join(filter(None, map(reader.read_line, root.iterfind(_AUTHORS))))
    reader.read(root)
    return draft


def _find_title(root: Any) -> Any | None:
    statement = next(root.iter("{*}titleStmt"), ())
    titles = [each for each in statement if name_of(each) == "title"]
    return next((each for each in titles if each.get("type") == "main"), titles[0] if titles else None)


def _find_language(root: Any) -> str:
    declared = [text.get(_LANGUAGE) for text in root.iter("{*}text")]
    declared += [language.get("ident") for language in root.iter("{*}language")]
    return next(filter(None, [*declared, root.get(_LANGUAGE)]), "")


class _Reader(MarkupReader):
    """Reads the parts of a text, and joins the words that lines and pages cut."""

    def __init__(self, draft: Draft, root: Any) -> None:
        super().__init__(draft)
        self._root = root

    def read_line(self, element: Any | None) -> str:
        """Return the text in an element on one line; nothing for None."""
        if element is None:
            return ""
        self.read_inside(element, Role())
        text, self.pieces = "".join(self.pieces), []
        return " ".join(self._close_up(text.replace(BREAK, " ")).translate(_MARKERS).split())

    def find_role(self, element: Any) -> Role | None:
        """Return what an element of TEI is."""
        name = name_of(element)
        if name in _SILENT:
            return None
        if name in _SIMPLE:
            return _find_inline(element, name)
        mark = _find_matter(element)
        if name in _MARKED:
            return Role(is_block=True, is_aside=True, mark=mark or _MARKED[name])
        if name == "head":
            return _find_heading(element)
        if name == "l" and not _holds_paragraphs(element):
            return Role(before=BREAK)
        if name in _PARAGRAPHS or _DIVISIONS.fullmatch(name) or name_of(element.getparent()) in _CONTAINERS:
            self._add_missing_heading(element, name)
            return Role(is_block=True, mark=mark)
        if name in _SPOKEN and not _holds_paragraphs(element) and not _has_quotes(element):
            return Role(before="“", after="”")
        return Role()

    def _add_missing_heading(self, division: Any, name: str) -> None:
        """Add the heading of a chapter that has only a type and perhaps a number."""
        kind = division.get("type", "").lower()
        is_chapter = kind in _CHAPTERS and _DIVISIONS.fullmatch(name)
        if is_chapter and not any(name_of(each) == "head" for each in division):
            number = division.get("n") or 1 + sum(
                1 for _ in division.itersiblings(division.tag, preceding=True)
            )
            self.end_text()
            self.draft.add(f"{kind.capitalize()} {number}", level=_find_level(division) + 1)

    def choose(self, element: Any) -> Any:
        """Return the one of several readings that is for reading."""
        if name_of(element) not in ("choice", "app", "subst"):
            return element
        children = {name_of(each): each for each in reversed(element) if name_of(each)}
        names = ["corr", "reg", "expan", "lem", "add", *reversed(children)]
        return next((children[name] for name in names if name in children), element)

    def add_text(self, text: str | None, parent: Any) -> None:
        """Add some text without characters that are our markers."""
        super().add_text(_clean(text), parent)

    def add_block(self, text: str) -> None:
        """Add paragraphs, with the spans of their sentences."""
        for part in split_paragraphs(text):
            whole, spans = _extract_spans(tidy(self._close_up(part)))
            level = 0 if self.mark else self.level
            if whole and level:
                self.draft.add(" ".join(whole.split()), level=level)
            elif whole:
                self.draft.blocks.append(Block(whole, spans=spans, mark=self.mark))

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
        if hyphen and (continued or _BREAK in markers):
            is_cut = joins_hyphen(f"{before}-", after, self._words)
            if is_cut is not None:
                return "" if is_cut or hyphen not in "-‐" else "-"
        joined = continued or _JOIN in markers
        return hyphen + (" " if " " in markers and not joined else "")

    @cached_property
    def _words(self) -> Counter[str]:
        return count_hyphenated(" ".join(map(str, self._root.itertext())))


def _clean(text: str | None) -> str:
    return text.translate(_MARKERS).replace("\u00ad", _SOFT) if text else ""


def _has_quotes(element: Any) -> bool:
    """Return whether speech has quotation marks or a dash, inside it or right before it."""
    before = element.getprevious()
    around = (before.tail if before is not None else element.getparent().text) or ""
    return first_character_of(element) in tuple(_QUOTES) or around.rstrip()[-1:] in tuple(_QUOTES)


def _find_inline(element: Any, name: str) -> Role:
    if name == "s":
        return Role(before=_BEGIN, after=_END)
    if name in ("w", "pc"):
        return _find_word(element, name)
    return Role(before=_mark_break(element, name))


def _find_matter(element: Any) -> str:
    """Return the mark of front and back matter, which a prologue or an epilogue is not."""
    kind = element.get("type", "").lower()
    if name_of(element.getparent()) not in ("front", "back"):
        return "contents" if kind in ("contents", "toc") else ""
    return "" if kind in ("prologue", "epilogue") else _MATTER.get(kind, "matter")


def _find_heading(element: Any) -> Role:
    """Return the role of a head; only those of divisions and texts are headings of the story."""
    parent = name_of(element.getparent())
    if parent in ("lg", "figure", "list", "table"):
        return Role(is_block=True, mark="heading")
    return Role(is_block=True, level=_find_level(element))


def _find_level(element: Any) -> int:
    """Return the level of a heading by the divisions around it; a text in the text begins no chapters."""
    names = [name_of(each) for each in element.iterancestors()]
    return 6 if "floatingtext" in names else min(1 + sum(map(bool, map(_DIVISIONS.fullmatch, names))), 6)


def _holds_paragraphs(element: Any) -> bool:
    return next(element.iterdescendants(*_INNER), None) is not None


def _mark_break(element: Any, name: str) -> str:
    """Return the markers for the beginning of a line, column or page; only a line ends a word by itself."""
    value = element.get("break")
    space = " " if name == "lb" else ""
    return _JOIN + _BREAK if value == "no" else space if value == "yes" else space + _BREAK


def _find_word(element: Any, name: str) -> Role:
    """Return the role of a word or a punctuation mark, with markers for what it adjoins."""
    side, part = element.get("join"), element.get("part")
    closing = name == "pc" and first_character_of(element) in tuple(".,;:!?)]”’»…")
    left = side in ("left", "both") or (closing and side is None and element.get("pre") != "true")
    before = (_JOIN if left else "") + (_CLOSE if part in ("M", "F") else "")
    after = (_JOIN if side in ("right", "both") else "") + (_OPEN if part in ("I", "M") else "")
    return Role(before=before, after=after)


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
