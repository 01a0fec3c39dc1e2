"""A story from a file or from standard input. Formats other than plain text will be told apart here."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from barthes.errors import EmptyNarrativeError
from barthes.narrative import Narrative
from barthes.reading.encoding import decode
from barthes.reading.plain_text import read_text
from barthes.reading.source import STANDARD_INPUT, read_bytes

__all__ = ["read"]


def read(
    source: str | os.PathLike[str],
    *,
    language: str = "en",
    sentences: bool = False,
    title: str | None = None,
) -> Narrative:
    """The narrative in a file, or on standard input for ``-``.

    Args:
        source: The file's path, or ``-``.
        language: An ISO code such as ``en`` or ``de``.
        sentences: Whether each line is one sentence already.
        title: Its name; by default the file's, without its ending.

    Returns:
        A narrative whose offsets count the characters of the decoded text. Its notes say so when the
        encoding was not UTF-8.

    Raises:
        ReadingError: The file cannot be read, is too large, or is not text.
        EmptyNarrativeError: There is nothing in it but white space.
        UnknownNameError: There is no such language.
    """
    is_stdin = os.fspath(source) == STANDARD_INPUT
    where = "standard input" if is_stdin else os.fspath(source)
    text, note = decode(read_bytes(source), where=where)
    name = title if title is not None else ("stdin" if is_stdin else Path(source).stem)
    try:
        narrative = read_text(text, language=language, title=name, sentences=sentences)
    except EmptyNarrativeError as error:
        raise EmptyNarrativeError(
            error.problem, where=where, remedy="Give a file with words in it."
        ) from error
    return replace(narrative, notes=(*narrative.notes, note)) if note else narrative
