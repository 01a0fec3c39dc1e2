"""What a file holds before it is a narrative: chapters of running text, and a count of what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Chapter", "Document", "describe_left_out"]

_PLURALS = {
    "table of contents": "tables of contents",
    "index": "indexes",
    "part of the front or back matter": "parts of the front or back matter",
    "part outside the reading order": "parts outside the reading order",
}


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of a document that can be read as a story of its own.

    Attributes:
        title: Its heading; empty where it has none.
        text: Running text. A blank line parts paragraphs, a single line break is one of verse; nothing else
            of the layout is left.
        spans: Where its sentences stand in the text, half-open, for formats that say so; empty for others.
    """

    title: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """The narrative part of a file.

    Attributes:
        chapters: At least one; a story without chapters is one chapter without a title.
        title: The title that the file gives itself, or nothing.
        language: The language that the file says it is in, as it says it, or nothing.
        left_out: How many things of a kind (``footnote``, ``running head`` …) are not in the chapters.
        notes: What a reader of the results should know besides.
        text: The whole text where it is more than its chapters: headings of plain text stay in it.
    """

    chapters: tuple[Chapter, ...]
    title: str = ""
    language: str = ""
    left_out: Mapping[str, int] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()
    text: str | None = None

    def join(self) -> Chapter:
        """All chapters as one, without their headings."""
        if self.text is not None:
            return Chapter("", self.text)
        if len(self.chapters) == 1:
            return self.chapters[0]
        spans: list[tuple[int, int]] = []
        position = 0
        for chapter in self.chapters:
            spans += [(position + start, position + end) for start, end in chapter.spans]
            position += len(chapter.text) + len("\n\n")
        known = all(chapter.spans for chapter in self.chapters)
        text = "\n\n".join(chapter.text for chapter in self.chapters)
        return Chapter("", text, tuple(spans) if known else ())


def describe_left_out(left_out: Mapping[str, int]) -> str | None:
    """A note that says what is not in the narrative; nothing where all of it is.

    >>> describe_left_out({"footnote": 2, "table of contents": 1, "comment": 0})
    'Left out: 2 footnotes, 1 table of contents.'
    """
    counts = [f"{count:,} {_inflect(kind, count)}" for kind, count in sorted(left_out.items()) if count]
    return f"Left out: {', '.join(counts)}." if counts else None


def _inflect(kind: str, count: int) -> str:
    return kind if count == 1 else _PLURALS.get(kind, f"{kind}s")
