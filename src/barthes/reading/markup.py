"""Put the text of a tree of elements into blocks with marks: one walk for HTML, EPUB, DOCX, ODT and TEI.

A format is a subclass of `MarkupReader` that says by a `Role` what each element is. The walk separates the
paragraphs, keeps line breaks, puts marks around parts of paragraphs, and reads what stands beside the text,
such as notes, after the paragraph that it is in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from barthes.reading.document import Draft, mark_text

BREAK = "\N{LINE SEPARATOR}"
"""Stands for a line break of the author until white space is tidied."""

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Role:
    """What an element is in a text.

    Attributes:
        is_block: Whether it separates paragraphs.
        is_aside: Whether it is read after the paragraph that it is in.
        continues: Whether it continues the paragraph before it, as the text after an initial does.
        level: 1 to 6 for a heading.
        mark: What it is, if it is not text of the story: see `Draft.add_styled`.
        before: What stands before its text: a line break, a quotation mark …
        after: What stands after it.
    """

    is_block: bool = False
    is_aside: bool = False
    continues: bool = False
    level: int = 0
    mark: str = ""
    before: str = ""
    after: str = ""


class MarkupReader:
    """Reads elements in document order, and adds their paragraphs and headings to a draft.

    All of them have the same mark, if one is given.
    """

    def __init__(self, draft: Draft, mark: str = "") -> None:
        self.draft = draft
        self.mark = mark
        self.level = 0
        self.pieces: list[str] = []
        self._asides: list[tuple[Any, Role]] = []

    def find_role(self, element: Any) -> Role | None:
        """Return what an element is; None for one that has no text at all."""
        raise NotImplementedError

    def choose(self, element: Any) -> Any:
        """Return the element to read: the element itself, or the chosen one of its alternatives."""
        return element

    def begin(self, element: Any, role: Role) -> None:
        """Prepare for what is in an element."""

    def finish(self, element: Any, role: Role) -> None:
        """End what `begin` has begun."""

    def read(self, element: Any) -> None:
        """Add an element with everything in it."""
        self._read(element, Role(is_block=True))

    def enter(self, element: Any) -> None:
        """Read an element by its role."""
        role = self.find_role(element)
        if role is None:
            return
        if role.is_aside and self.pieces:
            self._asides.append((element, role))
        else:
            self._read(element, role)

    def _read(self, element: Any, role: Role) -> None:
        if role.is_block and not role.continues:
            self.end_text()
        before, start = (self.mark, self.level), len(self.pieces)
        is_part = bool(role.mark) and not role.is_block and not self.mark  # of a paragraph
        if role.is_block:
            self.mark, self.level = self.mark or role.mark, role.level or self.level
        self.begin(element, role)
        self.read_inside(self.choose(element), role)
        self.finish(element, role)
        if role.is_block:
            self.end_text()
            self.mark, self.level = before
            self._read_asides()
        elif is_part and self.pieces[start:]:
            self.pieces[start:] = [mark_text(role.mark, "".join(self.pieces[start:]))]

    def _read_asides(self) -> None:
        asides, self._asides = self._asides, []
        for element, role in asides:
            self._read(element, role)

    def read_inside(self, element: Any, role: Role) -> None:
        """Read the text in an element, and the elements in it."""
        self.pieces.append(role.before)
        self.add_text(element.text, element)
        for child in element:
            self.enter(child)
            self.add_text(child.tail, element)
        self.pieces.append(role.after)

    def add_text(self, text: str | None, parent: Any) -> None:
        """Add some text that stands in an element, without the line breaks of the file."""
        if text:
            self.pieces.append(_SPACE.sub(" ", text))

    def end_text(self) -> None:
        """Add what has been read since the last paragraph."""
        text, self.pieces = "".join(self.pieces), []
        if text.strip(f" {BREAK}"):
            self.add_block(text)

    def add_block(self, text: str) -> None:
        """Add the text of a block, which two line breaks divide into paragraphs."""
        lines = "\n".join(text.split(BREAK))
        self.draft.add_styled(self.mark, lines, level=0 if self.mark else self.level)


def split_paragraphs(text: str) -> Iterator[str]:
    """Split the text of a block where two line breaks follow each other; a single one is a line of verse."""
    lines = (" ".join(line.split()) for line in text.split(BREAK))
    for part in re.split(r"\n{2,}", "\n".join(lines).strip("\n")):
        if part.strip():
            yield part
