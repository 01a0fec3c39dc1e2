"""Files that are, byte for byte, what was published: copying and hashing with a pinned SHA-256."""

from __future__ import annotations

import hashlib
from typing import IO, TYPE_CHECKING

from barthes.errors import ChecksumError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["copy_checked", "file_sha256"]

_CHUNK = 1 << 20


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copy_checked(
    stream: IO[bytes],
    destination: Path,
    *,
    size: int,
    sha256: str,
    where: str | Path,
    remedy: str,
    report: Callable[[int], None] = lambda done: None,
) -> None:
    """Copy a stream into a file, which is kept only if it has that size and that SHA-256.

    At most `size` bytes are ever written, however long the stream is.

    Args:
        stream: What to copy.
        destination: The file to write.
        size: The published length, in bytes.
        sha256: The published SHA-256, in hexadecimal.
        where: What to name in an error.
        remedy: What to advise in an error.
        report: Called with the number of bytes copied so far.
    """
    digest, done = hashlib.sha256(), 0
    try:
        with destination.open("wb") as file:
            while chunk := stream.read(min(_CHUNK, size - done + 1)):
                done += len(chunk)
                if done > size:
                    raise ChecksumError(
                        f"is longer than the {size:,} bytes published.", where=where, remedy=remedy
                    )
                digest.update(chunk)
                file.write(chunk)
                report(done)
        if done < size:
            raise ChecksumError(f"is {done:,} bytes long, not {size:,}.", where=where, remedy=remedy)
        if (found := digest.hexdigest()) != sha256:
            raise ChecksumError(
                f"is not the file that was published: SHA-256 {sha256} expected, {found} found.",
                where=where,
                remedy=remedy,
            )
    except BaseException:
        destination.unlink(missing_ok=True)
        raise
