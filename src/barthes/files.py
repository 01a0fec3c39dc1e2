"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from barthes.errors import OutputError

__all__ = ["write_atomically"]


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees either what was there before or all of the new content.

    Raises:
        OutputError: The folder is missing or read-only, or the disk is full; nothing is left behind.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())  # noqa: PTH101 - mkstemp's 0600 would surprise
        os.replace(temporary, path)  # noqa: PTH105 - the one call that is atomic
        temporary = None
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror}).",
            where=path,
            remedy="Choose a folder that exists, is yours and has room.",
        ) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
