"""Writing files whole or not at all, what is wrong with reading them, and their names as text."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from barthes.errors import BarthesError, OutputError, ReadingError

__all__ = ["decode_name", "expand_home", "reading", "replaced", "write_atomically"]


def decode_name(path: str | os.PathLike[str]) -> str:
    """A path as text that can be written anywhere: bytes that are not UTF-8 become �.

    >>> decode_name("caf\\udce9.txt")
    'caf�.txt'
    """
    return os.fsencode(path).decode("utf-8", "replace")


def expand_home(name: str | os.PathLike[str]) -> Path:
    """The path that a name stands for, with the home folder in the place of ``~``.

    That of an unknown user stays as it is, and is not there.

    >>> expand_home("~nobody-of-that-name/tales").as_posix()
    '~nobody-of-that-name/tales'
    """
    return Path(os.path.expanduser(name))  # noqa: PTH111 - Path's own raises for an unknown user


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees either what was there before or all of the new content.

    A link stays, and the file that it leads to is replaced. What is there and is no regular file (a named
    pipe, a device) is written to as it is.

    Raises:
        OutputError: The folder is missing or read-only, or the disk is full; nothing is left behind.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    with replaced(path) as file:
        file.write(data)


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of another when all of it has been written, as for `write_atomically`.

    Raises:
        OutputError: It cannot be written; nothing is left behind, here and whatever else is raised.
    """
    try:
        special = path.exists() and not path.is_file()
        with path.open("wb") if special else _put_aside(Path(os.path.realpath(path))) as file:
            yield file
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror or error}).",
            where=path,
            remedy="Choose a folder that exists, is yours and has room.",
        ) from error


@contextlib.contextmanager
def reading(where: str | Path) -> Iterator[None]:
    """Tell what goes wrong while a file is read; every file system has errors of its own.

    Raises:
        ReadingError: It names the file.

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
        lines = (getattr(error, "strerror", None) or str(error)).strip().splitlines()
        cause = lines[0].rstrip(".") if lines else type(error).__name__
        raise ReadingError(
            f"cannot be read ({cause}).",
            where=where,
            remedy="Check the disk or the address, and who may read it.",
        ) from error


@contextlib.contextmanager
def _put_aside(path: Path) -> Iterator[BinaryIO]:
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
