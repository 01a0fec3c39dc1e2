"""Writing files whole or not at all, and their names as text."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from barthes.errors import OutputError

__all__ = ["decode_name", "write_atomically"]


def decode_name(path: str | os.PathLike[str]) -> str:
    """A path as text that can be written anywhere: bytes that are not UTF-8 become �.

    >>> decode_name("caf\\udce9.txt")
    'caf�.txt'
    """
    return os.fsencode(path).decode("utf-8", "replace")


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees either what was there before or all of the new content.

    A link stays, and the file that it leads to is replaced. What is there and is no regular file (a named
    pipe, a device) is written to as it is.

    Raises:
        OutputError: The folder is missing or read-only, or the disk is full; nothing is left behind.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _replace(Path(os.path.realpath(path)), data)
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror}).",
            where=path,
            remedy="Choose a folder that exists, is yours and has room.",
        ) from error


def _replace(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
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
