"""The comment at the head of a ProppLearner text: title, collector, translator, year."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Header", "read_header"]

_COMMENT = re.compile(r"\s*/\*\*(?P<fields>.*?)\*/\s*", re.DOTALL)
_FIELD = re.compile(r"^[ \t]*\*[ \t]*(?P<key>\w[\w #\t]*+):(?P<value>.*)$", re.MULTILINE)
_YEAR = re.compile(r"\b[12]\d{3}\b")


@dataclass(frozen=True, slots=True)
class Header:
    """What the comment says.

    Attributes:
        length: How many characters stand before the story itself: the comment and white space.
        title: Empty where it is not given; so are `collector` and `translator`.
        year: The year of publication, or of the translation where it was not published; None if neither
            is given.
    """

    length: int
    title: str = ""
    collector: str = ""
    translator: str = ""
    year: int | None = None


def read_header(text: str) -> Header:
    r"""Read the comment; a text without one has an empty header.

    >>> header = read_header("/**\n * Title      : The Crane\n * Published  : 1873\n */\n\nA crane flew.")
    >>> header.title, header.year, header.length
    ('The Crane', 1873, 56)
    """
    comment = _COMMENT.match(text)
    if comment is None:
        return Header(len(text) - len(text.lstrip()))
    found = _FIELD.finditer(comment["fields"])
    fields = {field["key"].strip().lower(): field["value"].strip(" \t") for field in found}
    year = _YEAR.search(fields.get("published", "")) or _YEAR.search(fields.get("date", ""))
    return Header(
        comment.end(),
        fields.get("title", ""),
        fields.get("collector", ""),
        fields.get("translator", ""),
        int(year[0]) if year else None,
    )
