"""The texts of a run: files, folders, patterns and tables, listed by id and hash."""

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
from barthes.runs.text_tables import Columns, is_table, read_rows

UNREADABLE = ""
"""The hash of a file that exists but cannot be read."""

_LONGEST = 500  # characters of an id


@dataclass(frozen=True, slots=True)
class Input:
    """A text of a run.

    Attributes:
        id: Its name, unique in the run.
        source: The file, or the table that it is a row of.
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
    def key(self) -> tuple[str, str]:
        """Which text it is, and which version of it: id and hash."""
        return self.id, self.sha256

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return self.changed is None


def find_inputs(
    paths: Iterable[str | os.PathLike[str]],
    *,
    columns: Columns = Columns(),  # noqa: B008 - frozen
    known: Mapping[str, Input] | None = None,
) -> Iterator[Input]:
    """Yield the texts behind some paths, in their order; a folder's sorted by path.

    The id of a text in a folder is its path in that folder; of one that a pattern finds, its path below the
    pattern's fixed part; of a single file, its name; of a row, the table's id.

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
    """Yield each input with its text if it is a row of a table; files are read by the workers.

    A table is read once, from its beginning.
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
    """Return the files of a path or pattern, with their ids. Tables in folders are not taken for texts."""
    path = Path(given)
    # Not Path's own checks: they raise where a name is too long.
    if os.path.isdir(path):  # noqa: PTH112
        return [(file, _name(file.relative_to(path))) for file in find_stories([path])]
    if os.path.exists(path) or not glob.has_magic(given):  # noqa: PTH110
        return [(path, _name(Path(path.name)))]
    fixed = takewhile(lambda part: not glob.has_magic(part), path.parts[:-1])
    root = Path(*fixed)
    matches = sorted(Path(match) for match in glob.glob(given, recursive=True))  # noqa: PTH207
    files = [match for match in matches if os.path.isfile(match)]  # noqa: PTH113
    if not files:
        raise ReadingError("no file matches this pattern.", where=given, remedy="Check its folder.")
    return [(file, _name(file.relative_to(root))) for file in files]


def _name(path: Path) -> str:
    return decode_name(path.as_posix())


def _open_file(path: Path, name: str, known: Mapping[str, Input]) -> Input:
    """Return a file as an input.

    One that exists and cannot be read keeps the hash of an earlier start, or has none; then it fails when it
    is scored.
    """
    source = os.path.abspath(path)  # noqa: PTH100 - resolve() would follow links
    earlier = known.get(name)
    try:
        state = path.stat()
        stamp = (source, state.st_size, state.st_mtime_ns)
        if earlier and (earlier.source, earlier.size, earlier.changed) == stamp:
            return earlier
        return Input(name, source, hash_file(path), state.st_size, state.st_mtime_ns)
    except (OSError, ValueError) as error:
        if os.path.lexists(path) and not path.is_dir():
            return earlier if earlier and earlier.source == source else Input(name, source, UNREADABLE, 0, 0)
        cause = getattr(error, "strerror", None) or error
        raise ReadingError(
            f"it cannot be read ({cause}).", where=path, remedy="Check its name and folder."
        ) from error


def _list_rows(path: Path, columns: Columns) -> Iterator[Input]:
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
