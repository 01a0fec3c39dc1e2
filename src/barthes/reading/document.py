"""A file that was read: a list of blocks, each either text of the story or marked as something else.

::

    file ── a format ──▶ Draft ─────── chapters.build_document ──────▶ Document ── story.narrate ──▶ Narrative
                         blocks,        marks what only the             chapters     sentences of
                         some marked    whole text shows                + marks      what is not marked

A format adds every word of the file to the draft, in order, and deletes none:

- `add` for a paragraph, with its `level` for a heading;
- `add` with ``mark="note"`` (or another of `MARKS`) for a block that is not text of the story;
- `add` with ``marks=[Mark(0, 5, "speaker")]`` for a part of a paragraph, such as the name before a speech, a
  direction in brackets, the number of a note, or the number of a page in the middle of a line.

A mark says what something *is*, never that it may go: `build_document` leaves marked words out of the
chapters unless the caller keeps their kind, and lists them in `Document.marked`. Formats mark what their
markup says. What has to be recognised by place and form (contents lists, front and back matter, headings
without markup, plays) is marked by `build_document`, for all formats alike. `leave_out` only counts things
without words, such as pictures.

The function that parses a format, ``parse(data, *, where)``, returns its draft; `parse_document` then builds
the document.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from barthes.narrative import Omitted, ScriptPassage
from barthes.reading.markdown import escape

MARKS = {
    "header": "what a library adds before a text",
    "licence": "what a library adds after it",
    "contents": "tables of contents, lists of pictures, navigation",
    "heading": "titles and headings",
    "note": "footnotes, endnotes and their numbers, comments of editors",
    "matter": "prefaces, indexes, title pages and the like",
    "speaker": "names before speeches",
    "direction": "stage directions and cast lists",
    "caption": "captions of pictures",
    "furniture": "page numbers, running heads, menus",
}
"""The kinds of what is not text of the story."""

_COUNTED = re.compile(r".*?(?= of | outside |$)")  # the noun in “table of contents”
_OPENING = 12  # words by which the beginning of a chapter is found
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


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of a document that can be read as a story of its own.

    Attributes:
        title: Its heading; empty if it has none.
        text: Running text. A blank line separates paragraphs, a single line break is one of verse; nothing
            else of the layout is left.
        spans: Half-open spans of its sentences in the text, if the format marks them.
        start: Where its sentences begin in the text: after a title that the text contains.
        passages: The action and the speeches of a screenplay.
        omitted: See `Narrative`.
        marks: What in the text is not scored, in order.
    """

    title: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()
    start: int = 0
    passages: tuple[ScriptPassage, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """The narrative part of a file.

    Attributes:
        chapters: At least one; a story without chapters is one chapter without a title.
        title: The title in the file, or nothing.
        language: The language that the file declares, as it writes it, or nothing.
        left_out: How many things of a kind (``footnote``, ``running head`` …) are not in the chapters.
        notes: What else a reader of the results should know.
        whole: The whole text where it is more than its chapters: headings of plain text stay in it.
        division: How the chapters were found and how sure that is, where the format does not mark them.
        written_as: See `Narrative`.
        author: The author that the file names, or nothing.
        marked: What is in none of the chapters, in order: kind and text.
    """

    chapters: tuple[Chapter, ...]
    title: str = ""
    language: str = ""
    left_out: Mapping[str, int] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()
    whole: Chapter | None = None
    division: str = ""
    written_as: str = "txt"
    author: str = ""
    marked: tuple[tuple[str, str], ...] = ()

    def join(self) -> Chapter:
        """Return all chapters as one, without their headings unless the text is plain."""
        if self.whole is not None:
            return self.whole
        return self.chapters[0] if len(self.chapters) == 1 else join_parts("", self.chapters)

    def find_chapters(self) -> tuple[tuple[int, str], ...]:
        """Return where each chapter begins in the text of `join`, with its title; empty for a single one.

        A chapter begins with its heading if the text has it. Line breaks and spaces may differ.
        """
        if len(self.chapters) < 2:
            return ()
        position, found = 0, []
        for chapter in self.chapters:
            start = end = position
            if self.whole is not None:
                opening = _match_words(chapter.text).search(self.whole.text, position)
                if opening is None:
                    return ()
                heading = _match_words(chapter.title).search(self.whole.text, position, opening.start())
                start, end = (heading or opening).start(), opening.end()
            found.append((start, chapter.title))
            position = end if self.whole is not None else end + len(chapter.text) + len("\n\n")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or a heading.

    Attributes:
        text: On one line, unless it is verse: a line break in it is the author's.
        level: 0 for a paragraph, 1 to 6 for a heading.
        anchors: The names under which links lead here.
        spans: The spans of its sentences, if the format marks them.
        gap: The blank lines before it, in plain text.
        indent: The spaces before its first line, in plain text.
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
    indent: int = 0
    passages: tuple[ScriptPassage, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    mark: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass
class DocumentDraft:
    """What has been read of a file so far: its blocks in order, and a count of what was left out.

    Attributes:
        contents: The entries of the tables of contents that were left out, a list for each paragraph.
        contents_end: The index of the block that followed the last of them.
        chapter_level: The level of the headings that begin chapters; 0 for what `build_document` chooses.
        division: How the chapters were found, and how sure that is.
        pending: Lines that are omitted from the text before the next block; see `Block`.
        has_title_line: Whether the title is one of them.
        written_as: See `Narrative`.
    """

    title: str = ""
    language: str = ""
    blocks: list[Block] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    contents: list[list[str]] = field(default_factory=list)
    contents_end: int = 0
    chapter_level: int = 0
    division: str = ""
    pending: list[Omitted] = field(default_factory=list)
    has_title_line: bool = False
    written_as: str = "md"
    author: str = ""

    def omit(self, line: str, *, plain: str | None = None) -> None:
        """Note a line that is not in the text but is written back before the next block; see `Omitted`."""
        if line := tidy(line):
            self.pending.append(Omitted(0, f"{line}\n\n", plain=plain and f"{plain}\n\n"))

    def add(
        self,
        text: str,
        *,
        level: int = 0,
        anchors: Iterable[str] = (),
        omitted: tuple[Omitted, ...] = (),
        mark: str = "",
        marks: Iterable[Mark] = (),
    ) -> None:
        """Add a paragraph or heading; without words it is kept only if links lead to it.

        The spans of `marks` are those in `text` as it is given.
        """
        text, marks = tidy_marked(text, marks)
        if text or anchors:
            text = text if level == 0 else " ".join(text.split())
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
        """Add a paragraph of a word processor: ``title``, ``subtitle``, ``caption`` or any other style.

        Two line breaks in succession separate paragraphs.
        """
        if style == "title":
            self.title = " ".join(text.split()) or self.title
            self.has_title_line = self.has_title_line or bool(text.strip())
            written = f"# {escape(self.title, is_heading=True)}"
            self.omit(written if text.strip() else "", plain=self.title)
        elif style in ("subtitle", "caption"):
            self.leave_out("heading" if style == "subtitle" else "caption", bool(text.strip()))
            self.omit(escape(tidy(text)) if style == "subtitle" else "", plain=tidy(text))
        else:
            for part in re.split(r"\n\s*\n", text):
                self.add(part, level=level)

    def leave_out(self, kind: str, count: int = 1) -> None:
        """Count things that are not part of the story."""
        if count:
            self.left_out[kind] += count


def _match_words(text: str) -> re.Pattern[str]:
    """Return a pattern for the first words of a text, whatever stands between them."""
    words = islice(re.finditer(r"\w+", text), _OPENING)
    return re.compile(r"\W+".join(re.escape(word[0]) for word in words) or r"(?!)")


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
    text = "\n\n".join(part.text for part in parts)
    spans = spans if known else []
    return Chapter(
        title,
        text,
        tuple(spans),
        passages=tuple(passages),
        omitted=tuple(omitted),
        marks=tuple(marks),
    )


def describe_left_out(left_out: Mapping[str, int]) -> str | None:
    """Return a note on what is not in the narrative; None if nothing was left out.

    >>> describe_left_out({"footnote": 2, "table of contents": 1, "comment": 0, "text box": 3})
    'Left out: 2 footnotes, 1 table of contents, 3 text boxes.'
    """
    listed = list_counts(left_out)
    return f"Left out: {listed}." if listed else None


def list_counts(counts: Mapping[str, int]) -> str:
    """Return how many things there are of each kind, in alphabetical order.

    >>> list_counts({"speech": 2, "paragraph of action": 1})
    '1 paragraph of action, 2 speeches'
    """
    return ", ".join(
        f"{count:,} {kind if count == 1 else _pluralize(kind)}"
        for kind, count in sorted(counts.items())
        if count
    )


def _pluralize(kind: str) -> str:
    return _COUNTED.sub(_pluralize_noun, kind, count=1)


def _pluralize_noun(found: re.Match[str]) -> str:
    noun = found[0]
    if noun.endswith("is"):
        return noun[:-2] + "es"
    return noun + ("es" if noun.endswith(("x", "s", "ch")) else "s")


def tidy(text: str) -> str:
    r"""Remove what only served the layout of a text: runs of spaces, soft hyphens, ligatures of the font.

    >>> tidy("  The \t wol\u00adf \n  was of\ufb01cially\u00a0gone. ")
    'The wolf\nwas officially gone.'
    """
    return _BREAKS.sub("\n", _SPACES.sub(" ", text.translate(_TIDIED))).strip()


def tidy_marked(text: str, marks: Iterable[Mark]) -> tuple[str, tuple[Mark, ...]]:
    """Tidy a text and move the marks in it; those without words go.

    >>> tidy_marked("  BEN.   Who is  it? ", [Mark(2, 6, "speaker")])
    ('BEN. Who is it?', (Mark(start=0, end=4, kind='speaker'),))
    """
    given = sorted(marks)
    tidied = tidy(text)
    if not given:
        return tidied, ()
    places = _align(text, tidied)
    moved = (Mark(places[start], places[end], kind) for start, end, kind in given)
    return tidied, tuple(mark for mark in moved if tidied[mark.start : mark.end].strip())


def _align(text: str, tidied: str) -> list[int]:
    """Return the place in a tidied text of each character before it was tidied, and of its end."""
    sizes = [len("".join(each.translate(_TIDIED).split())) for each in text]
    solid = [index for index, each in enumerate(tidied) if not each.isspace()]
    places, count = list[int](), 0
    for size in sizes:
        places.append(solid[count] if size and count < len(solid) else solid[count - 1] + 1 if count else 0)
        count += size
    return [*places, len(tidied)]
