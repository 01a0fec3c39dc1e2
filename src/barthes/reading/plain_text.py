"""Plain text to narrative: split into sentences, or one sentence a line already."""

from __future__ import annotations

import re

from barthes.annotation.languages import resolve_language
from barthes.errors import EmptyNarrativeError, NarrativeError
from barthes.narrative import Narrative

__all__ = ["read_text"]

_LINE = re.compile(r"[^\r\n]+")


def read_text(text: str, *, language: str = "en", title: str = "", sentences: bool = False) -> Narrative:
    """The narrative of a text, which it keeps exactly as it is.

    Args:
        text: The story.
        language: An ISO code such as ``en`` or ``de``.
        title: Its name, for tables and errors.
        sentences: Whether each line of the text is one sentence already; blank lines are passed over.

    Raises:
        EmptyNarrativeError: There is nothing in the text but white space.
        NarrativeError: There is half a surrogate pair in it.
        UnknownNameError: There is no such language.

    >>> [str(sentence) for sentence in read_text("The wolf came.\\nIt rained. Hard.", sentences=True)]
    ['The wolf came.', 'It rained. Hard.']
    """
    code = resolve_language(language)
    _check(text, title)
    return Narrative(text, _find_lines(text) if sentences else _split(text, code), title=title, language=code)


def _split(text: str, language: str) -> tuple[tuple[int, int], ...]:
    from barthes.annotation import split_sentences  # spaCy comes with it

    return split_sentences(text, language=language)


def _find_lines(text: str) -> tuple[tuple[int, int], ...]:
    """The spans of the lines, without white space at their ends, that are not blank."""
    lines = ((match.start(), match[0]) for match in _LINE.finditer(text))
    indents = ((start, line, len(line) - len(line.lstrip())) for start, line in lines if line.strip())
    return tuple((start + indent, start + len(line.rstrip())) for start, line, indent in indents)


def _check(text: str, title: str) -> None:
    if not any(character.isprintable() and not character.isspace() for character in text):
        found = "there is nothing in it but white space." if text else "it is empty."
        raise EmptyNarrativeError(found, where=title or None, remedy="Give a text with words in it.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise NarrativeError(
            f"character {error.start + 1} is half a surrogate pair.",
            where=title or None,
            remedy="Decode the text with errors='replace'.",
        ) from error
