"""The text of a corpus's files: a file, or those of one ending in a folder, within limits."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from pathlib import Path

from barthes.corpora.story_files import MAX_FILES, MAX_TOTAL_BYTES
from barthes.errors import ReadingError, UnknownEncodingError
from barthes.reading.encoding import decode
from barthes.reading.source import STANDARD_INPUT, read_bytes

__all__ = ["read_corpus_text", "read_corpus_texts"]

_SAVE = "Save it in UTF-8."


def read_corpus_text(path: str | Path, *, remedy: str) -> str:
    """The text of one file, in UTF-8 or in UTF-16 with its byte order mark; other bytes are refused.

    Args:
        path: The file.
        remedy: What to give instead, for errors.

    Raises:
        ReadingError: It is not there, a folder, too large, or not text.
    """
    path = Path(path)
    if path.is_dir():
        raise ReadingError("this is a folder, not a file.", where=path, remedy=remedy)
    # A corpus is read again and again, a pipe only once: "-" is a file like any other here.
    source = f"{os.curdir}{os.sep}-" if str(path) == STANDARD_INPUT else path
    try:
        data = read_bytes(source)
    except ReadingError as error:
        # What to give instead is no answer to a name that is mistyped.
        missing = isinstance(error.__cause__, FileNotFoundError)
        raise ReadingError(error.problem, where=path, remedy=error.remedy if missing else remedy) from error
    return _decode(data, path)


def read_corpus_texts(
    path: str | Path, *, suffixes: tuple[str, ...], remedy: str
) -> Iterator[tuple[str, str]]:
    """The name and the text of a file, or of every file in a folder with one of the endings, by name.

    Raises:
        ReadingError: As for `read_corpus_text`; or there is no such file in the folder, or too much.
    """
    path = Path(path)
    if not path.is_dir():
        yield path.name, read_corpus_text(path, remedy=remedy)
        return
    total = 0
    for file in _list_folder(path, suffixes, remedy):
        text = read_corpus_text(file, remedy=remedy)
        total += len(text)
        if total > MAX_TOTAL_BYTES:
            problem = f"its files have more than {MAX_TOTAL_BYTES} characters."
            raise ReadingError(problem, where=path, remedy=remedy)
        yield file.name, text


def _list_folder(folder: Path, suffixes: tuple[str, ...], remedy: str) -> list[Path]:
    try:
        files = [file for file in folder.iterdir() if file.suffix.lower() in suffixes and file.is_file()]
    except OSError as error:
        raise ReadingError(f"cannot be read ({error.strerror}).", where=folder, remedy=remedy) from error
    files = sorted(file for file in files if not file.name.startswith("."))
    if not files:
        raise ReadingError(f"has no {' or '.join(suffixes)} file in it.", where=folder, remedy=remedy)
    if len(files) > MAX_FILES:
        problem = f"has {len(files)} {' or '.join(suffixes)} files, more than {MAX_FILES}."
        raise ReadingError(problem, where=folder, remedy=remedy)
    return files


def _decode(data: bytes, path: Path) -> str:
    try:
        text, note = decode(data, where=path)
    except UnknownEncodingError as error:
        raise UnknownEncodingError(error.problem, where=path, remedy=_SAVE) from error
    if note and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        line = _find_bad_line(data)
        raise UnknownEncodingError(f"line {line} is not UTF-8.", where=path, remedy=_SAVE)
    return text


def _find_bad_line(data: bytes) -> int:
    """The first line that is not UTF-8: an encoding is not guessed at where figures depend on it."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1
    return 1
