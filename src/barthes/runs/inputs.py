"""List the texts of a run (files, folders, patterns, tables) with their ids and hashes."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, takewhile
from pathlib import Path

from barthes.errors import ReadingError
from barthes.files import decode_name
from barthes.hashing import hash_file
from barthes.reading import find_stories
from barthes.reading.source import is_project, read_bytes
from barthes.runs.text_tables import Columns, is_table, read_rows

UNREADABLE = ""
"""The hash of a file that exists but cannot be read."""

_MAX_ID = 500  # characters


@dataclass(frozen=True, slots=True)
class Input:
    """A text of a run."""

    id: str  # unique in the run
    source: str  # the file, or the table that it is a row of
    sha256: str  # of the file's bytes, or of the row's text in UTF-8
    size: int  # in bytes
    modified: int | None = None  # time of the last change in nanoseconds; None for a row of a table

    @property
    def key(self) -> tuple[str, str]:
        """The id and the hash, which identify a version of the text."""
        return self.id, self.sha256

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return self.modified is None


def find_inputs(
    paths: Iterable[str | os.PathLike[str]],
    *,
    columns: Columns = Columns(),  # noqa: B008 - frozen
    known: Mapping[str, Input] | None = None,
) -> Iterator[Input]:
    """Yield the texts behind some paths, in their order; the texts of a folder are sorted by path.

    The id of a text in a folder is its path in that folder; of a match of a pattern, its path below the
    pattern's fixed part; of a single file, its name; of a row, the table's id.

    Args:
        paths: Files, folders, patterns such as ``tales/*.txt``, and tables (.tsv, .csv, .jsonl, .parquet).
        columns: The names of the tables' columns.
        known: Texts of an earlier start, by id. Files with the same size and time are not hashed again.

    Raises:
        ReadingError: A file is missing, a folder has no texts, two texts have the same id, or an id is
            invalid.
    """
    seen: dict[str, str] = {}
    files: set[str] = set()
    for given in paths:
        for path, name in _expand(os.fspath(given)):
            found = _list_rows(path, columns) if is_table(path) else [_open_file(path, name, known or {})]
            for each in found:
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
    """Yield each input, with its text if it is a row of a table; workers read files themselves.

    Each table is read once, from its beginning.
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
        for each in wanted.values():  # the table has changed since it was listed
            yield each, ""


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _expand(given: str) -> list[tuple[Path, str]]:
    """Return the files of a path or pattern, with their ids. Tables inside folders are ignored."""
    path = Path(given)
    if os.path.isdir(path) and not is_project(path):  # noqa: PTH112 - Path's own raises for long names
        files, root = find_stories([path]), path
    elif os.path.exists(path) or not glob.has_magic(given):  # noqa: PTH110
        files, root = [path], path.parent
    else:
        root = Path(*takewhile(lambda part: not glob.has_magic(part), path.parts[:-1]))
        matches = sorted(Path(match) for match in glob.glob(given, recursive=True))  # noqa: PTH207
        files = [match for match in matches if os.path.isfile(match) or is_project(match)]  # noqa: PTH113
        if not files:
            raise ReadingError("no file matches this pattern.", where=given, remedy="Check its folder.")
    return [(file, decode_name(file.relative_to(root).as_posix())) for file in files]


def _open_file(path: Path, name: str, known: Mapping[str, Input]) -> Input:
    """Return a file as an input.

    A file that exists but cannot be read keeps its earlier hash, or has none; it then fails when it is
    scored.
    """
    source = os.path.abspath(path)  # noqa: PTH100 - resolve() would follow links
    earlier = known.get(name)
    try:
        state = path.stat()
        if is_project(path):  # the time of the folder does not change with the files in it
            data = read_bytes(path)
            return Input(name, source, hashlib.sha256(data).hexdigest(), len(data), state.st_mtime_ns)
        stamp = (source, state.st_size, state.st_mtime_ns)
        if earlier and (earlier.source, earlier.size, earlier.modified) == stamp:
            return earlier
        return Input(name, source, hash_file(path), state.st_size, state.st_mtime_ns)
    except (OSError, ValueError) as error:
        if os.path.lexists(path) and not path.is_dir():
            return earlier if earlier and earlier.source == source else Input(name, source, UNREADABLE, 0, 0)
        cause = getattr(error, "strerror", None) or error
        remedy = "Check its name and folder."
        raise ReadingError(f"it cannot be read ({cause}).", where=path, remedy=remedy) from error


def _list_rows(path: Path, columns: Columns) -> Iterator[Input]:
    source = os.path.abspath(path)  # noqa: PTH100
    for name, text in read_rows(path, columns):
        yield Input(name, source, hash_text(text), len(text.encode("utf-8", "surrogatepass")))


def _check_id(found: Input, seen: Mapping[str, str]) -> None:
    if found.id in seen:
        raise ReadingError(
            f"two texts have the id {found.id!r}.",
            where=" and ".join(dict.fromkeys([found.source, seen[found.id]])),
            remedy="Give the folder above them, a pattern in quotes, or a table with ids.",
        )
    if not found.id.strip() or not found.id.isprintable() or len(found.id) > _MAX_ID:
        shown = found.id[:60] + ("…" if len(found.id) > 60 else "")
        raise ReadingError(
            f"the id {shown!r} is empty, longer than {_MAX_ID} characters, or not printable.",
            where=found.source,
            remedy="Rename the text.",
        )
