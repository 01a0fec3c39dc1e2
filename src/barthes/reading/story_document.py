"""Data types of a file that was read: blocks while it is parsed, and chapters of running text after."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from barthes.narrative import Omitted, ScriptPassage
from barthes.reading.markdown import escape

_COUNTED = re.compile(r".*?(?= of | outside |$)")  # the noun in “table of contents”
_OPENING = 12  # words by which the beginning of a chapter is found
_SPACES = re.compile(r"[^\S\n]+")
_BREAKS = re.compile(r" ?\n ?")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))  # soft hyphens, joiners without width
_LIGATURES = dict(zip(range(0xFB00, 0xFB07), "ff fi fl ffi ffl st st".split(), strict=True))
_FORBIDDEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000)])
_TIDIED = _INVISIBLE | _LIGATURES | _FORBIDDEN


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
    """

    title: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()
    start: int = 0
    passages: tuple[ScriptPassage, ...] = ()
    omitted: tuple[Omitted, ...] = ()


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
    """

    text: str
    level: int = 0
    anchors: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    gap: int = 1
    indent: int = 0
    passages: tuple[ScriptPassage, ...] = ()
    omitted: tuple[Omitted, ...] = ()


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
    ) -> None:
        """Add a paragraph or heading; without words it is kept only if links lead to it."""
        text = tidy(text)
        if text or anchors:
            text = text if level == 0 else " ".join(text.split())
            self._append(Block(text, level, tuple(anchors), omitted=omitted))

    def add_passage(self, kind: str, speaker: str, text: str, omitted: Iterable[Omitted] = ()) -> None:
        """Add a paragraph of action or a speech of a screenplay."""
        if text:
            passage = ScriptPassage(0, len(text), kind, speaker)
            self._append(Block(text, passages=(passage,), omitted=tuple(omitted)))

    def _append(self, block: Block) -> None:
        if self.pending and block.text:
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
    position = 0
    for part in parts:
        spans += [(position + start, position + end) for start, end in part.spans]
        passages += [
            ScriptPassage(position + start, position + end, *who) for start, end, *who in part.passages
        ]
        omitted += [each._replace(place=position + each.place) for each in part.omitted]
        position += len(part.text) + len("\n\n")
    known = all(part.spans for part in parts)
    text = "\n\n".join(part.text for part in parts)
    spans = spans if known else []
    return Chapter(title, text, tuple(spans), passages=tuple(passages), omitted=tuple(omitted))


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
