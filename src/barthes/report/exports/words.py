"""Words and punctuation marks, by rules that need no parser and no particular language."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator

__all__ = ["find_words"]

_LINKS = "'’-‐\u200c\u200d"  # they join the letters on either side of them, and stand alone elsewhere


def find_words(text: str, start: int, end: int, *, cuts: Collection[int] = ()) -> Iterator[tuple[int, int]]:
    """The words and marks in a stretch of text as half-open spans; white space is in none of them.

    Args:
        text: The whole text.
        start: Where the stretch begins.
        end: Where it ends.
        cuts: Offsets that no word may cross: *didn't* is two words where one of them is an event.

    >>> text = "Don't go, wolf!"
    >>> [text[a:b] for a, b in find_words(text, 0, len(text))]
    ["Don't", 'go', ',', 'wolf', '!']
    """
    barriers = frozenset(cuts)
    position = start
    while position < end:
        if text[position].isspace():
            position += 1
            continue
        stop = position + 1
        if _is_letter(text[position]):
            while stop < end and stop not in barriers and _continues(text, stop, end):
                stop += 1
        yield position, stop
        position = stop


def _continues(text: str, offset: int, end: int) -> bool:
    """Whether a word goes on at the offset: with a letter, or with a link between two letters."""
    if _is_letter(text[offset]):
        return True
    linked = text[offset] in _LINKS and _is_letter(text[offset - 1])
    return linked and offset + 1 < end and _is_letter(text[offset + 1])


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"
