"""A file that was read: a list of blocks, each either text of the story or marked as something else.

::

    file ── a format ──▶ Draft ── structure.build_document ──▶ Document ── story.narrate ──▶ Narrative
                         blocks,   marks what only the          chapters     sentences of
                         some      whole text shows             + marks      what is not marked
                         marked

A format adds every word of the file to the draft, in order, and deletes none:

- `Draft.add` for a paragraph, with its `level` for a heading;
- `Draft.add` with ``mark="note"`` (or another of `MARKS`) for a block that is not text of the story;
- `mark_text` around a part of a paragraph, such as the name before a speech or the number of a note.

A mark says what something *is*, never that it may go: `build_document` leaves marked words out of the
sentences unless the caller keeps their kind, and lists them in `Document.marked`. Formats mark what their
markup says. What has to be recognized by place and form (contents lists, front and back matter, headings
without markup, plays) is marked by `build_document`, for all formats alike.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import NamedTuple

from barthes.errors import UnknownNameError
from barthes.narrative import Omitted, Part, ScriptPassage

MARKS = {
    "header": "what a library and its transcribers add to a text",
    "licence": "what a library adds after it",
    "contents": "tables of contents, lists of pictures",
    "heading": "titles and headings",
    "note": "footnotes, endnotes and their numbers, comments of editors",
    "matter": "title pages, prefaces, indexes and the like",
    "speaker": "names before speeches",
    "direction": "stage directions, cast lists, transitions of screenplays",
    "caption": "captions of pictures",
    "furniture": "page numbers, running heads, menus",
}
"""The kinds of what is not text of the story."""

NOTICEABLE = 0.05
"""Share of the words that may be left out without saying so first."""

_KINDS = tuple(MARKS)
_OPENINGS = {chr(0xF5000 + index): kind for index, kind in enumerate(_KINDS)}
_CLOSING = chr(0xF5000 + len(_KINDS))
_SENTINEL = re.compile(f"[{''.join(_OPENINGS)}{_CLOSING}]")
_INLINE = ("speaker", "direction")  # that stay in the text, with their marks
_WORD = re.compile(r"[^\W_]+")
_SPACES = re.compile(r"[^\S\n]+")
_BREAKS = re.compile(r" ?\n ?")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))  # soft hyphens, joiners without width
_LIGATURES = dict(zip(range(0xFB00, 0xFB07), "ff fi fl ffi ffl st st".split(), strict=True))
_FORBIDDEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000)])
_TIDIED = _INVISIBLE | _LIGATURES | _FORBIDDEN


class Mark(NamedTuple):
    """A part of a text that is not text of the story: its half-open span, and its kind (one of `MARKS`)."""

    start: int
    end: int
    kind: str


class Marked(NamedTuple):
    """Marked words: their kind and their text."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of a document that can be read as a story of its own.

    Attributes:
        title: Its heading; empty if it has none.
        text: Running text. A blank line separates paragraphs, a single line break is one of verse; nothing
            else of the layout is left.
        spans: Half-open spans of its sentences in the text, if the format marks them.
        passages: The action and the speeches of a screenplay.
        omitted: See `Narrative`.
        marks: What in the text is not scored, in order.
    """

    title: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()
    passages: tuple[ScriptPassage, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    marks: tuple[Mark, ...] = ()

    def copy_scored(self) -> str:
        """Return the text without what is marked."""
        return Block(self.text).cut(self.marks).text

    def count_scored(self) -> int:
        """Return the number of words that are not marked."""
        return count_words(self.copy_scored())


@dataclass(frozen=True, slots=True)
class Document:
    """The narrative part of a file.

    Attributes:
        chapters: At least one; a story without chapters is one chapter without a title.
        title: The title in the file, or nothing.
        language: The language that the file declares, as it writes it, or nothing.
        marked: All words that are not scored, in order, with their kinds.
        notes: What else a reader of the results should know.
        whole: The unchanged text of a plain text file; None for other formats.
        starts: Where the chapters begin in `whole`.
        division: How the chapters were found and how sure that is, where the format does not mark them.
        written_as: See `Narrative`.
        author: The author that the file names, or nothing.
    """

    chapters: tuple[Chapter, ...]
    title: str = ""
    language: str = ""
    marked: tuple[Marked, ...] = ()
    notes: tuple[str, ...] = ()
    whole: Chapter | None = None
    starts: tuple[int, ...] = ()
    division: str = ""
    written_as: str = "txt"
    author: str = ""

    def join(self) -> Chapter:
        """Return all chapters as one; that of plain text is the whole file."""
        if self.whole is not None:
            return self.whole
        return self.chapters[0] if len(self.chapters) == 1 else join_parts("", self.chapters)

    def find_chapters(self) -> tuple[tuple[int, str], ...]:
        """Return where each chapter begins in the text of `join`, with its title; empty for a single one."""
        if len(self.chapters) < 2:
            return ()
        starts = list(self.starts)
        if self.whole is None:
            starts = [0]
            for chapter in self.chapters[:-1]:
                starts.append(starts[-1] + len(chapter.text) + len("\n\n"))
        return tuple(zip(starts, (chapter.title for chapter in self.chapters), strict=True))

    def list_parts(self) -> list[Part]:
        """Return the number, the title and the scored words of each chapter."""
        return [
            Part(number, " ".join(chapter.title.split()) or "(untitled)", chapter.count_scored())
            for number, chapter in enumerate(self.chapters, start=1)
        ]

    def describe_marked(self, words: str = "words") -> str | None:
        """Return a note on the `words` that are not scored; None if all of them are.

        It begins with their share if that is noticeable.
        """
        counts = self._count_marked()
        listed = ", ".join(f"{counts[kind]:,} {kind}" for kind in MARKS if counts[kind])
        if not listed:
            return None
        share = f"{100 * self._measure_marked():.0f} % of the {words} are not scored"
        return f"{share if self.is_shortened() else f'{words.capitalize()} not scored'}: {listed}."

    def is_shortened(self) -> bool:
        """Return whether a noticeable part of the words is not scored."""
        return self._measure_marked() > NOTICEABLE

    def _count_marked(self) -> Counter[str]:
        counts = Counter[str]()
        for kind, text in self.marked:
            counts[kind] += count_words(text)
        return counts

    def _measure_marked(self) -> float:
        """Return the share of the words that are marked."""
        marked = self._count_marked().total()
        return marked / max(marked + sum(chapter.count_scored() for chapter in self.chapters), 1)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or a heading.

    Attributes:
        text: On one line, unless it is verse: a line break in it is the author's.
        level: 0 for a paragraph, 1 to 6 for a heading.
        anchors: The names under which links lead here.
        spans: The spans of its sentences, if the format marks them.
        gap: The blank lines before it, in plain text.
        place: Its half-open span in the file, in plain text.
        passages: Itself, if it is action or a speech of a screenplay.
        omitted: What is written back around it and inside it; see `Narrative`.
        mark: What it is, if it is not text of the story: one of `MARKS`.
        marks: The parts of it that are not text of the story, in order.
    """

    text: str
    level: int = 0
    anchors: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    gap: int = 1
    place: tuple[int, int] = (0, 0)
    passages: tuple[ScriptPassage, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    mark: str = ""
    marks: tuple[Mark, ...] = ()

    @property
    def line(self) -> str:
        """The text on one line, without the underscores that stand for italics."""
        return " ".join(self.text.replace("_", "").split())

    @property
    def is_text(self) -> bool:
        """Whether it may be text of the story."""
        return bool(self.text) and not self.mark and not self.level

    def mark_as(self, kind: str) -> Block:
        """Return the block, marked as something else than text."""
        return replace(self, mark=kind, level=0)

    def set_apart(self, keep: Iterable[str]) -> tuple[Block, list[Marked]]:
        """Return the block without the marked parts that do not stay in a text, and all marked parts."""
        marks = [mark for mark in self.marks if mark.kind not in keep]
        found = [Marked(mark.kind, self.text[mark.start : mark.end]) for mark in marks]
        gone = [self._take_space(mark) for mark in marks if mark.kind not in _INLINE]
        return replace(self, marks=tuple(marks)).cut(gone), found

    def _take_space(self, mark: Mark) -> Mark:
        """Return a mark with the space before it, if there is no word right after it."""
        follows = self.text[mark.end : mark.end + 1]
        is_spaced = self.text[: mark.start].endswith(" ") and not follows.isalnum()
        return mark._replace(start=mark.start - is_spaced)

    def cut(self, parts: Sequence[Mark]) -> Block:
        """Return the block without some parts, in order; marks on these go, and others move."""
        if not parts:
            return self
        pieces, position = list[str](), 0
        for start, end, _ in parts:
            pieces.append(self.text[position:start])
            position = max(position, end)

        starts = [start for start, _, _ in parts]
        gone = [0, *accumulate(end - start for start, end, _ in parts)]

        def move(place: int) -> int:
            before = bisect_left(starts, place)
            return place - gone[before] + (max(parts[before - 1].end - place, 0) if before else 0)

        moved = (Mark(move(start), move(end), kind) for start, end, kind in self.marks)
        text = "".join([*pieces, self.text[position:]]).rstrip()
        return replace(self, text=text, marks=tuple(mark for mark in moved if mark.start < mark.end))


@dataclass
class Draft:
    """What has been read of a file so far: its blocks in order.

    Attributes:
        file_title: The title of the file, if its text has none.
        contents: The entries of the table of contents of the format: their titles and anchors.
        chapter_level: The level of the headings that begin chapters; 0 for what `build_document` chooses.
        division: How the chapters were found, and how sure that is.
        raw: The whole file, if it is plain text.
        pending: Lines that are omitted from the text before the next block; see `Block`.
        has_title_line: Whether the title is one of them.
        written_as: See `Narrative`.
    """

    title: str = ""
    language: str = ""
    blocks: list[Block] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    file_title: str = ""
    contents: list[tuple[str, str]] = field(default_factory=list)
    chapter_level: int = 0
    division: str = ""
    raw: str = ""
    pending: list[Omitted] = field(default_factory=list)
    has_title_line: bool = False
    written_as: str = "md"
    author: str = ""

    def omit(self, line: str, kind: str) -> None:
        """Note a line that is not in the text but is written back before the next block; see `Omitted`."""
        if line := tidy(line):
            self.pending.append(Omitted(0, f"{line}\n\n", kind))

    def add(
        self,
        text: str,
        *,
        level: int = 0,
        anchors: Iterable[str] = (),
        omitted: tuple[Omitted, ...] = (),
        mark: str = "",
    ) -> None:
        """Add a paragraph or heading; without words it is kept only if links lead to it."""
        text, marks = tidy_marked(text)
        if text or anchors:
            self._append(Block(text, level, tuple(anchors), omitted=omitted, mark=mark, marks=marks))

    def add_passage(self, kind: str, speaker: str, text: str, omitted: Iterable[Omitted] = ()) -> None:
        """Add a paragraph of action or a speech of a screenplay."""
        if text:
            passage = ScriptPassage(0, len(text), kind, speaker)
            self._append(Block(text, passages=(passage,), omitted=tuple(omitted)))

    def _append(self, block: Block) -> None:
        if self.pending and block.text and not block.mark:
            block = replace(block, omitted=(*self.pending, *block.omitted))
            self.pending = []
        self.blocks.append(block)

    def add_styled(self, style: str, text: str, *, level: int = 0) -> None:
        """Add a paragraph of a word processor: ``title``, ``subtitle``, a kind of mark, or any other style.

        Two line breaks in succession separate paragraphs.
        """
        if style in ("title", "subtitle"):
            line = tidy_marked(text)[0]
            if style == "title" and line:
                self.title = " ".join(line.split())
                self.has_title_line = True
            self.omit(" ".join(line.split()), "heading 1" if style == "title" else "")
            self.add(text, mark="heading")
        elif style in MARKS:
            self.add(text, mark=style)
        else:
            for part in re.split(r"\n\s*\n", text):
                self.add(part, level=level)


def join_parts(title: str, parts: Sequence[Chapter | Block]) -> Chapter:
    """Join texts by blank lines; their spans are kept if all of them have some."""
    spans: list[tuple[int, int]] = []
    passages: list[ScriptPassage] = []
    omitted: list[Omitted] = []
    marks: list[Mark] = []
    position = 0
    for part in parts:
        marks += [Mark(position + start, position + end, kind) for start, end, kind in part.marks]
        spans += [(position + start, position + end) for start, end in part.spans]
        passages += [
            ScriptPassage(position + start, position + end, *who) for start, end, *who in part.passages
        ]
        omitted += [each._replace(place=position + each.place) for each in part.omitted]
        position += len(part.text) + len("\n\n")
    known = all(part.spans for part in parts)
    return Chapter(
        title,
        "\n\n".join(part.text for part in parts),
        tuple(spans if known else ()),
        passages=tuple(passages),
        omitted=tuple(omitted),
        marks=tuple(marks),
    )


def check_kinds(kinds: Iterable[str]) -> None:
    """Raise UnknownNameError for a kind of marks that there is not."""
    for kind in kinds:
        if kind not in MARKS:
            raise UnknownNameError("kind of words", kind, MARKS)


def count_words(text: str) -> int:
    """Return the number of words: runs of letters and digits.

    >>> count_words("The wolf's den, 1893.")
    5
    """
    return len(_WORD.findall(text))


def fold(text: str) -> str:
    """Return the words of a text in lower case, for comparison."""
    return " ".join(_WORD.findall(text)).casefold()


def mark_text(kind: str, text: str) -> str:
    """Return a part of a paragraph with signs around it that `Draft.add` turns into a mark."""
    return f"{chr(0xF5000 + _KINDS.index(kind))}{text}{_CLOSING}"


def tidy(text: str) -> str:
    r"""Remove what only served the layout of a text: runs of spaces, soft hyphens, ligatures of the font.

    >>> tidy("  The \t wol\u00adf \n  was of\ufb01cially\u00a0gone. ")
    'The wolf\nwas officially gone.'
    """
    return _BREAKS.sub("\n", _SPACES.sub(" ", text.translate(_TIDIED))).strip()


def tidy_marked(text: str) -> tuple[str, tuple[Mark, ...]]:
    """Tidy a text, and return the marks that `mark_text` has put into it.

    >>> tidy_marked(f"  {mark_text('speaker', 'BEN.  ')} Who is  it? ")
    ('BEN. Who is it?', (Mark(start=0, end=4, kind='speaker'),))
    """
    found = list(_SENTINEL.finditer(text))
    if not found:
        return tidy(text), ()
    bare, marks, opened = _SENTINEL.sub("", text), list[Mark](), list[tuple[str, int]]()
    for index, sign in enumerate(found):
        if sign[0] != _CLOSING:
            opened.append((_OPENINGS[sign[0]], sign.start() - index))
        elif opened:
            kind, start = opened.pop()
            if not opened:
                marks.append(Mark(start, sign.start() - index, kind))
    tidied = tidy(bare)
    places = _align(bare, tidied)
    moved = (Mark(places[start], places[end], kind) for start, end, kind in marks)
    trimmed = (mark._replace(end=mark.start + len(tidied[mark.start : mark.end].rstrip())) for mark in moved)
    return tidied, tuple(mark for mark in trimmed if mark.start < mark.end)


def _align(text: str, tidied: str) -> list[int]:
    """Return the place in a tidied text of each character before it was tidied, and of its end."""
    sizes = [len("".join(each.translate(_TIDIED).split())) for each in text]
    solid = [index for index, each in enumerate(tidied) if not each.isspace()]
    places, count = list[int](), 0
    for size in sizes:
        places.append(solid[count] if count < len(solid) else len(tidied))
        count += size
    return [*places, len(tidied)]
