"""Where a sentence may end: full stops, exclamation and question marks, and the quotes that close on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["QUOTES", "Site", "find_sites"]

QUOTES = "\"'“”„‟‘’‚«»‹›「」『』"
"""All quotes. Which of them open and which close differs by country: where they stand decides."""

_WIDE = "。．！？｡"  # Chinese and Japanese: no space follows, and “ and 「 always open
_STOPS = ".!?…‼⁇⁈⁉‽։؟۔।॥။።፧"
_CLOSERS = r"""["'“”‘’‟«»‹›)\]}_*]"""
_OPENERS = rf"[\s{re.escape(QUOTES)}(\[{{（【〈《¿¡_*\-–—]"

# Marks may be repeated ("?!") or spaced (". . ."), and a closing quote may stand apart, as in « Halte ! ».
_SITE = re.compile(
    rf"(?:(?P<wide>[{_WIDE}]+[…!?]*)(?P<wide_closers>[”’」』）】〉》)]*)"
    rf"|(?P<marks>[{_STOPS}]+(?:\s(?:\.\s)*\.(?=\s|$))?)"
    rf"(?P<closers>(?:{_CLOSERS}|\s[”»\"](?=\s|$))*))"
    rf"(?P<gap>\s*)(?={_OPENERS}*(?P<lead>))"
)


@dataclass(frozen=True, slots=True)
class Site:
    """A place where a sentence may end.

    Attributes:
        mark: Offset of the first mark, such as the full stop.
        marks: The marks, such as ``?!``.
        closers: The quotes and brackets that close on them.
        end: Offset one past the closers: where the sentence would end.
        start: Offset of the next character that is not white space: where the next one would start.
        lead: Offset of the next character that is neither white space, quote, bracket nor dash.
        following: That character, or nothing at the end of the text.
    """

    mark: int
    marks: str
    closers: str
    end: int
    start: int
    lead: int
    following: str

    @property
    def closes_quote(self) -> bool:
        """Whether a quotation ends here."""
        return any(closer in QUOTES for closer in self.closers)

    @property
    def is_exclaimed(self) -> bool:
        """Whether the sentence would end in an exclamation or a question."""
        return self.marks[-1] in "!?‼⁇⁈⁉‽"

    @property
    def is_ellipsis(self) -> bool:
        """Whether the marks are dots of omission."""
        return self.marks.count(".") > 1 or "…" in self.marks

    @property
    def is_wide(self) -> bool:
        """Whether the mark is a full-width one, as in Chinese and Japanese."""
        return self.marks[0] in _WIDE

    @property
    def is_spaced(self) -> bool:
        """Whether white space follows."""
        return self.start > self.end


def find_sites(text: str) -> Iterator[Site]:
    """The places where a sentence may end, in order.

    >>> [site.end for site in find_sites('"Stop!" she cried. It rained.')]
    [7, 18, 29]
    """
    position = 0
    while match := _SITE.search(text, position):
        lead = match.start("lead")
        yield Site(
            mark=match.start(),
            marks=match["wide"] or match["marks"],
            closers=match["wide_closers"] or match["closers"] or "",
            end=match.start("gap"),
            start=match.end("gap"),
            lead=lead,
            following=text[lead : lead + 1],
        )
        position = match.end()
