"""Read the text of one file of a corpus."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

from barthes.errors import ReadingError, UnknownEncodingError
from barthes.reading.encoding import decode
from barthes.reading.source import STANDARD_INPUT, read_bytes

_SAVE = "Save it in UTF-8."


def read_corpus_text(path: str | Path, *, remedy: str) -> str:
    """Read the text of one file, in UTF-8 or in UTF-16 with a byte order mark; errors say the `remedy`.

    Raises:
        ReadingError: It does not exist, is a folder, too large, or not text in these encodings.
    """
    path = Path(path)
    if path.is_dir():
        raise ReadingError("this is a folder, not a file.", where=path, remedy=remedy)
    return _decode(read_corpus_bytes(path, remedy=remedy), path)


def read_corpus_bytes(path: Path, *, remedy: str) -> bytes:
    """Read one file; errors say the `remedy`.

    Raises:
        ReadingError: It does not exist, or cannot be read.
    """
    # A corpus may be read repeatedly, but a pipe only once: "-" is an ordinary file name here.
    source = f"{os.curdir}{os.sep}-" if str(path) == STANDARD_INPUT else path
    try:
        return read_bytes(source)
    except ReadingError as error:
        # The format is not the problem if the name is mistyped.
        missing = isinstance(error.__cause__, FileNotFoundError)
        raise ReadingError(error.problem, where=path, remedy=error.remedy if missing else remedy) from error


def _decode(data: bytes, path: Path) -> str:
    """Decode UTF-8 or UTF-16; the encoding is not guessed, because results depend on it."""
    try:
        text, note = decode(data, where=path)
    except UnknownEncodingError as error:
        raise UnknownEncodingError(error.problem, where=path, remedy=_SAVE) from error
    if note and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise UnknownEncodingError(f"line {line} is not UTF-8.", where=path, remedy=_SAVE) from error
    return text
