"""Where a corpus's files come from: a folder, a zip archive or a single file.

Archives are read in memory and never unpacked, with limits against those that would swell up.
"""

from __future__ import annotations

import lzma
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NoReturn, TypeVar

from barthes.errors import ReadingError

__all__ = ["MAX_BYTES", "MAX_FILES", "MAX_RATIO", "MAX_TOTAL_BYTES", "read_story_files"]

MAX_FILES = 1_000
MAX_BYTES = 32 * 2**20
"""One file, unpacked. The longest of ProppLearner has 0.7 MB."""
MAX_TOTAL_BYTES = 256 * 2**20
MAX_RATIO = 100
"""Unpacked to packed bytes of one file. ProppLearner's tales swell 4.5 to 4.8 times."""

Item = TypeVar("Item")

_SUFFIX = ".sty"
_REMEDY = "Give the corpus's folder of .sty files, or its zip archive."


def read_story_files(path: str | Path) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each `.sty` file, by the number in its name, then by name.

    Raises:
        ReadingError: There is nothing there, no `.sty` file in it, two of the same name, or it is too big.
    """
    path = Path(path)
    try:
        if path.is_dir():
            yield from _read_folder(path)
        elif path.suffix.lower() == _SUFFIX:
            yield path.name, _read_limited(path)
        else:
            yield from _read_archive(path)
    except OSError as error:
        raise ReadingError(
            f"cannot be read ({error.strerror or error}).", where=path, remedy=_REMEDY
        ) from error


def _read_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    found = {PurePosixPath(path.relative_to(folder).as_posix()): path for path in paths}
    total = 0
    for path in _choose(found, folder):
        content = _read_limited(path)
        total += len(content)
        if total > MAX_TOTAL_BYTES:
            _refuse(folder, f"its .sty files have more than {MAX_TOTAL_BYTES} bytes.")
        yield path.name, content


def _read_limited(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        _refuse(path, f"has more than {MAX_BYTES} bytes.")
    return content


def _read_archive(path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = {PurePosixPath(member.filename): member for member in archive.infolist()}
            chosen = _choose(members, path)
            _check_sizes(chosen, path)
            for member in chosen:
                yield PurePosixPath(member.filename).name, _read_member(archive, member, path)
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, ValueError) as error:
        raise ReadingError(f"is not a sound zip archive ({error}).", where=path, remedy=_REMEDY) from error
    except (NotImplementedError, RuntimeError) as error:  # a compression we lack; a password
        raise ReadingError(f"cannot be unpacked ({error}).", where=path, remedy=_REMEDY) from error


def _check_sizes(members: list[zipfile.ZipInfo], path: Path) -> None:
    if sum(member.file_size for member in members) > MAX_TOTAL_BYTES:
        _refuse(path, f"its .sty files would unpack to more than {MAX_TOTAL_BYTES} bytes.")
    for member in members:
        if member.file_size > MAX_BYTES:
            _refuse(path, f"{member.filename} would unpack to {member.file_size} bytes.")
        if member.file_size > MAX_RATIO * max(member.compress_size, 1):
            _refuse(path, f"{member.filename} would swell more than {MAX_RATIO} times.")


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> bytes:
    # the sizes in a directory may lie; reading stops at the limit whatever they say
    with archive.open(member) as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        _refuse(path, f"{member.filename} unpacks to more than {MAX_BYTES} bytes.")
    return content


def _choose(found: Mapping[PurePosixPath, Item], where: Path) -> list[Item]:
    """The `.sty` files among what was found, in the order of the stories."""
    names = sorted((name for name in found if _is_story(name)), key=_story_order)
    if not names:
        _refuse(where, "has no .sty file in it.")
    if len(names) > MAX_FILES:
        _refuse(where, f"has {len(names)} .sty files, more than {MAX_FILES}.")
    for name, count in Counter(name.name for name in names).items():
        if count > 1:
            _refuse(where, f"has {count} files called {name}; only one of them can be that story.")
    return [found[name] for name in names]


def _is_story(name: PurePosixPath) -> bool:
    """A `.sty` file that a person put there, not the shadow of one that a system keeps."""
    shadow = any(part.startswith((".", "__MACOSX")) for part in name.parts)
    return name.suffix.lower() == _SUFFIX and not shadow


def _story_order(name: PurePosixPath) -> tuple[int, str]:
    number = re.search(r"\d{1,9}", name.stem)
    return (int(number[0]) if number else 10**9, name.name)


def _refuse(where: Path, problem: str) -> NoReturn:
    raise ReadingError(problem, where=where, remedy=_REMEDY)
