"""Write text as Markdown that is read as the same text."""

from __future__ import annotations

import re

from barthes.narrative import Omitted, write_omitted

_INLINE = re.compile(
    r"(?<!\s)\*|\*(?!\s)|(?<!\w)_(?!\s)|(?<!\s)_(?!\w)|`|~(?=~)|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\[(?=\^)|\^(?=\[)"
    r"|\](?=[(\[:])|\\(?=[!-/:-@\[-`{-~\n]|\Z)|(?<=\s)#(?=#*\Z)"
)
# What would be a heading, a list, a quotation or a rule at the beginning of a line, where a cut may leave any
# sentence.
_START = re.compile(
    r"(?:\A|\n|(?<=[.!?:…\"”’»)\]])\s+)"
    r"(?:(?=#{1,6}(?:\s|\Z)|>|[-+*](?:\s|\Z)|[-=]+[^\S\n]*(?:\n|\Z))|\d{1,9}(?=[.)](?:\s|\Z)))"
)
_RULE = re.compile(r"([*_-])(?:\s*\1){2,}\s*")


def find_marks(text: str) -> list[Omitted]:
    r"""Return the backslashes that a paragraph needs, and two spaces at the end of lines that are to stay.

    >>> write_omitted("1984. That was *the* year.", find_marks("1984. That was *the* year."))
    '1984\\. That was \\*the\\* year.'
    >>> find_marks("***"), find_marks("2 * 3 is snake_case & more.")
    ([], [])
    """
    if _RULE.fullmatch(text):
        return []
    escaped = {found.start() for found in _INLINE.finditer(text)} | {
        found.end() for found in _START.finditer(text)
    }
    breaks = (found.start() for found in re.finditer("\n", text))
    marks = [*(Omitted(place, "\\") for place in escaped), *(Omitted(place, "  ") for place in breaks)]
    return sorted(marks)


def escape(text: str) -> str:
    """Return a paragraph or the text of a heading as Markdown."""
    return write_omitted(text, find_marks(text))
