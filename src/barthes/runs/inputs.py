"""The texts of a run: files, folders, patterns and tables, by id and hash, without the texts themselves."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from barthes.errors import ReadingError
from barthes.files import decode_name
from barthes.hashing import hash_file
from barthes.reading import find_stories
from barthes.runs.tables import Columns, is_table, read_rows

__all__ = ["UNREADABLE", "Input", "find_inputs", "hash_text", "open_texts"]

UNREADABLE = ""
"""The hash of a file that is there, but cannot be read."""

_LONGEST = 500  # characters of an id


@dataclass(frozen=True, slots=True)
class Input:
    """A text of a run.

    Attributes:
        id: Its name, which no other text of the run has.
        source: The file that it is, or the table that it is a row of.
        sha256: Of the file's bytes, or of the row's text in UTF-8.
        size: Bytes.
        changed: When the file was last changed, in nanoseconds; None for a row of a table.
    """

    id: str
    source: str
    sha256: str
    size: int
    changed: int | None = None

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return self.changed is None


class _Found(NamedTuple):
    """A file, and what it is called."""

    path: Path
    id: str


def find_inputs(
    paths: Iterable[str | os.PathLike[str]],
    *,
    columns: Columns = Columns(),  # noqa: B008 - frozen
    known: Mapping[str, Input] | None = None,
) -> Iterator[Input]:
    """The texts behind some paths, in their order; a folder's sorted by path.

    A text in a folder is called by its path in that folder, one that a pattern finds by its path below the
    pattern's fixed part, a single file by its name, and a row of a table by its id.

    Args:
        paths: Files, folders, patterns such as ``tales/*.txt``, and tables (.tsv, .csv, .jsonl, .parquet).
        columns: What the tables' columns are called.
        known: Texts of an earlier start, by id: files of the same size and time of change are not hashed
            again.

    Raises:
        ReadingError: There is no such file or no text in a folder, two texts have one id, or an id is unfit.
    """
    seen: dict[str, str] = {}
    files: set[str] = set()
    for given in paths:
        for found in _expand(os.fspath(given)):
            inputs = _open_table(found.path, columns) if is_table(found.path) else [_open_file(found, known)]
            for each in inputs:
                if not each.is_row and each.source in files:
                    continue  # the same file, named twice
                _check_id(each, seen)
                seen[each.id] = each.source
                files.add(each.source)
                yield each


def open_texts(
    inputs: Iterable[Input],
    *,
    columns: Columns = Columns(),  # noqa: B008 - frozen
) -> Iterator[tuple[Input, str | None]]:
    """Each input with its text, where it is a row of a table; files are left to whoever scores them.

    A table is read once, from its beginning, whatever part of it is wanted.
    """
    for source, group in groupby(inputs, key=lambda each: each.source if each.is_row else None):
        if source is None:
            yield from ((each, None) for each in group)
            continue
        wanted = {each.id: each for each in group}
        for name, text in read_rows(Path(source), columns):
            if (each := wanted.pop(name, None)) is not None:
                yield each, text
            if not wanted:
                break
        for each in wanted.values():  # somebody has changed the table since it was listed
            yield each, ""


def hash_text(text: str) -> str:
    """SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _expand(given: str) -> list[_Found]:
    path = Path(given)
    # Not Path's own: they raise where a name is too long.
    if not os.path.exists(path) and glob.has_magic(given):  # noqa: PTH110
        root = _fixed_part(path)
        matches = sorted(Path(match) for match in glob.glob(given, recursive=True))  # noqa: PTH207 - a string
        files = [match for match in matches if os.path.isfile(match)]  # noqa: PTH113
        if not files:
            raise ReadingError("no file matches this pattern.", where=given, remedy="Check its folder.")
        return [_Found(file, _name(file.relative_to(root))) for file in files]
    if os.path.isdir(path):  # noqa: PTH112
        return [_Found(file, _name(file.relative_to(path))) for file in _walk(path)]
    return [_Found(path, _name(Path(path.name)))]


def _walk(folder: Path) -> list[Path]:
    """The stories of a folder; tables in it are not taken for texts: they may be of anything."""
    return find_stories([folder])


def _fixed_part(pattern: Path) -> Path:
    """The folders of a pattern before its first wildcard."""
    parts: list[str] = []
    for part in pattern.parts[:-1]:
        if glob.has_magic(part):
            break
        parts.append(part)
    return Path(*parts)


def _name(path: Path) -> str:
    return decode_name(path.as_posix())


def _open_file(found: _Found, known: Mapping[str, Input] | None) -> Input:
    """A file as an input; one that is there and cannot be read has no hash, and fails when its turn comes.

    Unless an earlier start could read it: then it is what it was, and what was done of it still counts.
    """
    source = os.path.abspath(found.path)  # noqa: PTH100 - resolve() would follow links
    earlier = (known or {}).get(found.id)
    try:
        state = found.path.stat()
        stamp = (source, state.st_size, state.st_mtime_ns)
        if earlier is not None and (earlier.source, earlier.size, earlier.changed) == stamp:
            return earlier
        return Input(found.id, source, hash_file(found.path), state.st_size, state.st_mtime_ns)
    except (OSError, ValueError) as error:
        if os.path.lexists(found.path) and not found.path.is_dir():
            if earlier is not None and earlier.source == source:
                return earlier
            return Input(found.id, source, UNREADABLE, 0, 0)
        cause = getattr(error, "strerror", None) or error
        raise ReadingError(
            f"it cannot be read ({cause}).", where=found.path, remedy="Check its name and folder."
        ) from error


def _open_table(path: Path, columns: Columns) -> Iterator[Input]:
    source = os.path.abspath(path)  # noqa: PTH100
    for name, text in read_rows(path, columns):
        yield Input(name, source, hash_text(text), len(text.encode("utf-8", "surrogatepass")))


def _check_id(found: Input, seen: Mapping[str, str]) -> None:
    if found.id in seen:
        other = seen[found.id]
        where = found.source if found.source == other else f"{found.source} and {other}"
        raise ReadingError(
            f"two texts have the id {found.id!r}.",
            where=where,
            remedy="Give the folder above them, a pattern in quotes, or a table with ids.",
        )
    if not found.id.strip() or not found.id.isprintable() or len(found.id) > _LONGEST:
        shown = found.id[:60] + ("…" if len(found.id) > 60 else "")
        raise ReadingError(
            f"the id {shown!r} is empty, longer than {_LONGEST} characters, or not printable.",
            where=found.source,
            remedy="Give the text another name.",
        )
