"""Atomic writes, reading errors and file names."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from barthes.errors import BarthesError, OutputError, ReadingError


def decode_name(path: str | os.PathLike[str]) -> str:
    """Return a path as printable text; bytes that are not UTF-8 become �.

    >>> decode_name("caf\\udce9.txt")
    'caf�.txt'
    """
    return os.fsencode(path).decode("utf-8", "replace")


def expand_home(name: str | os.PathLike[str]) -> Path:
    """Return a path with ``~`` replaced by the home folder; ``~name`` of an unknown user is kept.

    >>> expand_home("~nobody-of-that-name/tales").as_posix()
    '~nobody-of-that-name/tales'
    """
    return Path(os.path.expanduser(name))  # noqa: PTH111 - Path's own raises for an unknown user


def make_folder(folder: Path) -> None:
    """Create a folder and its parents if they do not exist; raise OutputError if it is not writable."""
    remedy = "Choose a folder with write access and free space."
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = "is a file, not a folder" if folder.is_file() else f"cannot be created ({error.strerror})"
        raise OutputError(f"{what}.", where=folder, remedy=remedy) from error
    if not os.access(folder, os.W_OK):
        raise OutputError("is not writable.", where=folder, remedy=remedy)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file atomically: readers see either the old content or all of the new content.

    Replaces the target of a symbolic link, and writes directly to a named pipe or a device.

    Raises:
        OutputError: The folder is missing or read-only, or the disk is full. No partial file is left.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    with replaced(path) as file:
        file.write(data)


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` if the block succeeds; see `write_atomically`."""
    try:
        special = path.exists() and not path.is_file()
        with path.open("wb") if special else _write_temporary(Path(os.path.realpath(path))) as file:
            yield file
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror or error}).",
            where=path,
            remedy="Choose an existing folder with write access and free space.",
        ) from error


@contextlib.contextmanager
def reading(where: str | Path) -> Iterator[None]:
    """Turn any error in the block into a ReadingError with the file and the cause.

    >>> try:
    ...     with reading("run/results"):
    ...         raise ConnectionError("the line is dead.")
    ... except ReadingError as error:
    ...     print(error.where, error.problem)
    run/results cannot be read (the line is dead).
    """
    try:
        yield
    except BarthesError:
        raise
    except Exception as error:
        raise ReadingError(
            f"cannot be read ({describe_cause(error)}).",
            where=where,
            remedy="Check the disk or the address, and your access to it.",
        ) from error


def describe_cause(error: Exception) -> str:
    """Return the first line of an error's message, or its type if there is none.

    >>> describe_cause(OSError(28, "No space left")), describe_cause(TimeoutError())
    ('No space left', 'TimeoutError')
    """
    lines = (getattr(error, "strerror", None) or str(error)).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


@contextlib.contextmanager
def _write_temporary(path: Path) -> Iterator[BinaryIO]:
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())  # noqa: PTH101 - mkstemp's 0600 would surprise
        os.replace(temporary, path)  # noqa: PTH105 - the one call that is atomic
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
