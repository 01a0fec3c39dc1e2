"""The bytes of a story, from a file or from standard input, up to a limit."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

from barthes.errors import ReadingError

__all__ = ["LARGEST", "STANDARD_INPUT", "read_bytes"]

LARGEST = 50_000_000
"""Bytes: a longer file is not a story (War and Peace has 3.4 million)."""

STANDARD_INPUT = "-"


def read_bytes(source: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, or of standard input for ``-``.

    Raises:
        ReadingError: There is no such file, it is a folder, may not be read, or is larger than `LARGEST`.
    """
    if os.fspath(source) == STANDARD_INPUT:
        return _read_limited(sys.stdin.buffer, "standard input")
    path = Path(source)
    try:
        with path.open("rb") as file:
            return _read_limited(file, path)
    except FileNotFoundError as error:
        raise ReadingError(
            "there is no such file.", where=path, remedy="Check its name and folder."
        ) from error
    except IsADirectoryError as error:
        remedy = "Give the files in it."
        raise ReadingError("this is a folder, not a story.", where=path, remedy=remedy) from error
    except PermissionError as error:
        remedy = "Check who may read it, and that it is a file."
        raise ReadingError("it may not be read.", where=path, remedy=remedy) from error
    except (OSError, ValueError) as error:  # ValueError: a null in the name
        cause = getattr(error, "strerror", None) or error
        raise ReadingError(
            f"it cannot be read ({cause}).", where=path, remedy="Check its name and disk."
        ) from error


def _read_limited(file: BinaryIO, where: str | Path) -> bytes:
    """Everything in a file; what is too large is refused before it is all in memory."""
    size = os.fstat(file.fileno()).st_size if _has_descriptor(file) else 0
    data = b"" if size > LARGEST else file.read(LARGEST + 1)  # pipes and devices do not tell their size
    if max(size, len(data)) > LARGEST:
        raise ReadingError(
            f"it is larger than {LARGEST // 1_000_000} MB.", where=where, remedy="Cut it into stories."
        )
    return data


def _has_descriptor(file: BinaryIO) -> bool:
    try:
        file.fileno()
    except OSError:  # a stream in memory
        return False
    return True
