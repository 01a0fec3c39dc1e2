"""Stories on their way in: written to disk as they come, and refused as soon as they are too long."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

from barthes.reading.formats import ENDINGS
from barthes.web.limits import Limits

__all__ = [
    "TooLargeError",
    "clean_file_name",
    "clean_title",
    "find_suffix",
    "is_blank",
    "name_text",
    "receive",
]


class TooLargeError(Exception):
    """More bytes than a story may have."""


async def receive(chunks: AsyncIterator[bytes], path: Path, *, limits: Limits) -> int:
    """Write what comes to a file; gives the number of bytes. Nothing is left behind if it fails.

    Raises:
        TooLargeError: There are more than `limits.size`.
        TimeoutError: It takes longer than `limits.upload_seconds`.
    """
    size = 0
    try:
        with path.open("xb") as file:
            async with asyncio.timeout(limits.upload_seconds):
                async for chunk in chunks:
                    size += len(chunk)
                    if size > limits.size:
                        raise TooLargeError
                    file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return size


def find_suffix(name: str) -> str:
    """The ending of a file's name, where stories have such endings; it only helps to tell formats apart.

    >>> find_suffix("Tale.EPUB"), find_suffix("../../etc/passwd"), find_suffix("Mr. Fox")
    ('.epub', '', '')
    """
    ending = "." + name.rpartition(".")[2].lower()
    return ending if ending in ENDINGS else ""


def is_blank(path: Path) -> bool:
    """Whether there is nothing in a file but white space."""
    with path.open("rb") as file:
        return not any(chunk.strip() for chunk in iter(lambda: file.read(1_000_000), b""))


def clean_title(name: str) -> str:
    """A title on one line, of moderate length; it may hold slashes, as it is no path.

    >>> clean_title("Either  and/or\\nneither")
    'Either and/or neither'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())[:200]


def clean_file_name(name: str) -> str:
    """The name of a file on one line, without the folders that lead to it.

    >>> clean_file_name("C:\\\\tales\\\\The  old\\nwolf.txt")
    'The old wolf.txt'
    """
    return clean_title(re.split(r"[/\\]", name)[-1] or name)


def name_text(path: Path) -> str:
    """What to call a text that came without a name: its first words.

    Returns:
        An empty string where the file begins with nothing that could be read as words.
    """
    with path.open("rb") as file:
        start = file.read(2_000).decode("utf-8", "ignore")
    words = clean_title(start.strip()[:400]).split()
    title = ""
    for word in words[:12]:
        if len(title) + len(word) > 56:
            return f"{title} …"
        title = f"{title} {word}".strip()
    return title if len(words) <= 12 else f"{title} …"
