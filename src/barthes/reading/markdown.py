"""Write text as Markdown that is read as the same text."""

from __future__ import annotations

import re

from barthes.narrative import Omitted, write_omitted

_INLINE = re.compile(
    r"(?<!\s)\*|\*(?!\s)|(?<!\w)_++|_++(?!\w)|`|~(?=~)|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\[(?=\^)|\^(?=\[)"
    r"|\](?=[(\[:])|\\(?=[!-/:-@\[-`{-~\n]|\Z)|(?<!\S)#(?=#*\Z)"
)
# What would be a heading, a list, a quotation or a rule at the beginning of a line, where a cut may leave any
# sentence.
_START = re.compile(
    r"(?:\A|\n|(?<=[.!?:…\"”’»)\]])\s+)"
    r"(?:(?=#{1,6}(?:\s|\Z)|>|[-+*](?:\s|\Z)|[-=]+[^\S\n]*(?:\n|\Z))|\d{1,9}(?=[.)](?:\s|\Z)))"
)
_RULE = re.compile(r"([*_-])(?:\s*\1){2,}\s*")


def find_marks(text: str, *, is_heading: bool = False) -> list[Omitted]:
    r"""Return the backslashes that a text needs, and two spaces at the end of lines that are to stay.

    >>> write_omitted("1984. That was *the* year.", find_marks("1984. That was *the* year."))
    '1984\\. That was \\*the\\* year.'
    >>> find_marks("***"), find_marks("2 * 3 is snake_case & more.")
    ([], [])
    """
    if _RULE.fullmatch(text):
        return []
    escaped = {place for found in _INLINE.finditer(text) for place in range(*found.span())}
    if not is_heading:
        escaped |= {found.end() for found in _START.finditer(text)}
    breaks = [Omitted(found.start(), "  ", plain="") for found in re.finditer("\n", text)]
    return sorted([*(escape_character(text, place) for place in escaped), *breaks])


def escape_character(text: str, place: int) -> Omitted:
    """Return the backslash before a character, and that character."""
    return Omitted(place, f"\\{text[place]}", 1, plain=text[place])


def escape(text: str, *, is_heading: bool = False) -> str:
    """Return a paragraph or the text of a heading as Markdown."""
    return write_omitted(text, find_marks(text, is_heading=is_heading))
