"""The texts of a run: files, folders, patterns, and tables with one text per row.

`find_inputs` lists them with ids and hashes; `open_texts` reads those that are to be scored.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from barthes.errors import BarthesError, ReadingError
from barthes.files import decode_name, reading
from barthes.hashing import hash_bytes, hash_file
from barthes.narrative import Narrative
from barthes.reading import find_stories
from barthes.reading.rows import MalformedError, Row, parse_json_lines, parse_table
from barthes.reading.source import is_project, read_bytes

UNREADABLE = ""
"""The hash of a file that exists but cannot be read."""

_MAX_ID = 500  # characters
_TABLES = (".tsv", ".csv", ".jsonl", ".parquet")
_SHOWN = 200  # characters of column names in messages
_CORRECT = "Correct it, leave it out, or name the columns of ids and texts."


Columns = tuple[str, str]
"""The names of the columns with the id and the text of each row of a table."""

COLUMNS: Columns = ("id", "text")
"""The usual names."""


@dataclass(frozen=True, slots=True)
class Input:
    """A text of a run."""

    id: str  # unique in the run
    source: str  # the file, or the table that it is a row of
    sha256: str  # of the file's bytes, or of the row's text in UTF-8
    size: int  # in bytes, or the characters of a row
    modified: int | None = None  # time of the last change in nanoseconds; None for a row of a table

    @classmethod
    def parse(cls, values: Any) -> Input:
        """Return an input from its fields; raise a ValueError for anything else."""
        kinds = [type(value) for value in values]
        if kinds[:4] != [str, str, str, int] or kinds[4:] not in ([int], [type(None)]):
            raise ValueError("not an input")
        return cls(*values)

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return self.modified is None


@dataclass(frozen=True, slots=True)
class Text:
    """A text to score."""

    input: Input
    content: str | bytes | Narrative  # of a row, of a file, or a story that has been read already
    problem: str = ""  # why the content cannot be read


def find_inputs(
    paths: Iterable[str | os.PathLike[str]],
    *,
    columns: Columns = COLUMNS,
    known: Mapping[str, Input] | None = None,
) -> Iterator[Input]:
    """Yield the texts behind some paths, in their order; the texts of a folder are sorted by path.

    The id of a file is its path, as `barthes score` names it; of a row, the table's id.

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
            is_table = path.suffix.lower() in _TABLES
            found = _list_rows(path, columns) if is_table else [_open_file(path, name, known or {})]
            for each in found:
                if not each.is_row and each.source in files:
                    continue  # the same file, named twice
                _check_id(each, seen)
                seen[each.id] = each.source
                files.add(each.source)
                yield each


def open_texts(inputs: Iterable[Input], *, columns: Columns = COLUMNS) -> Iterator[Text]:
    """Yield each text with its content; each table is read once, from its beginning."""
    for source, group in groupby(inputs, key=lambda each: each.source if each.is_row else None):
        if source is None:
            yield from map(_read_file, group)
            continue
        wanted = {each.id: each for each in group}
        for name, text in read_rows(Path(source), columns):
            if (each := wanted.pop(name, None)) is not None:
                yield _check_hash(each, text)
            if not wanted:
                break
        for each in wanted.values():  # the table has changed since it was listed
            yield _check_hash(each, "")


def _read_file(each: Input) -> Text:
    try:
        return _check_hash(each, read_bytes(each.source))
    except BarthesError as error:
        return Text(each, b"", str(error))


def _check_hash(each: Input, content: str | bytes) -> Text:
    if _hash(content) == each.sha256:
        return Text(each, content)
    return Text(each, "", f"{each.id}: it has changed since the run started. Run the same command again.")


def _hash(content: str | bytes) -> str:
    return hash_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))


def _expand(given: str) -> list[tuple[Path, str]]:
    """Return the files of a path or pattern, with their ids. Tables inside folders are ignored."""
    path = Path(given)
    if os.path.isdir(path) and not is_project(path):  # noqa: PTH112 - Path's own raises for long names
        files = find_stories([path])
    elif os.path.exists(path) or not glob.has_magic(given):  # noqa: PTH110
        files = [path]
    else:
        matches = sorted(Path(match) for match in glob.glob(given, recursive=True))  # noqa: PTH207
        files = [match for match in matches if os.path.isfile(match) or is_project(match)]  # noqa: PTH113
        if not files:
            raise ReadingError("no file matches this pattern.", where=given, remedy="Check its folder.")
    return [(file, decode_name(file.as_posix())) for file in files]


def _open_file(path: Path, name: str, known: Mapping[str, Input]) -> Input:
    """Return a file as an input; one that exists but cannot be read fails when it is scored."""
    source = os.path.abspath(path)  # noqa: PTH100 - resolve() would follow links
    try:
        state = path.stat()
        if is_project(path):  # the time of the folder does not change with the files in it
            data = read_bytes(path)
            return Input(name, source, hash_bytes(data), len(data), state.st_mtime_ns)
        earlier, stamp = known.get(name), (source, state.st_size, state.st_mtime_ns)
        if earlier and (earlier.source, earlier.size, earlier.modified) == stamp:
            return earlier
        return Input(name, source, hash_file(path), state.st_size, state.st_mtime_ns)
    except (OSError, ValueError) as error:
        if os.path.lexists(path) and not path.is_dir():
            return Input(name, source, UNREADABLE, 0, 0)
        cause = getattr(error, "strerror", None) or error
        remedy = "Check its name and folder."
        raise ReadingError(f"it cannot be read ({cause}).", where=path, remedy=remedy) from error


def _list_rows(path: Path, columns: Columns) -> Iterator[Input]:
    source = os.path.abspath(path)  # noqa: PTH100
    for name, text in read_rows(path, columns):
        yield Input(name, source, _hash(text), len(text))


def _check_id(found: Input, seen: Mapping[str, str]) -> None:
    if found.id in seen:
        raise ReadingError(
            f"two texts have the id {found.id!r}.",
            where=" and ".join(dict.fromkeys([found.source, seen[found.id]])),
            remedy="Give each text an id of its own.",
        )
    if not found.id.strip() or not found.id.isprintable() or len(found.id) > _MAX_ID:
        shown = found.id[:60] + ("…" if len(found.id) > 60 else "")
        raise ReadingError(
            f"the id {shown!r} is empty, longer than {_MAX_ID} characters, or not printable.",
            where=found.source,
            remedy="Rename the text.",
        )


def read_rows(path: Path, columns: Columns = COLUMNS) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each row of a table; a null text is empty.

    Raises:
        ReadingError: The file cannot be read or lacks a column, or a row has no id or text. The error names
            the line. One bad row rejects the table, so that the list of texts is never ambiguous.
    """
    is_delimited = path.suffix.lower() in (".tsv", ".csv")  # there, the case of column names does not matter
    names = [name.lower() if is_delimited else name for name in columns]
    for row in _parse_rows(path, names):
        try:
            cells = row.check()
            if cells.get(names[1], 0) is None:
                cells[names[1]] = ""
            yield _get_text(cells, names[0]), _get_text(cells, names[1])
        except MalformedError as error:
            raise ReadingError(f"line {row.line}: {error}.", where=path, remedy=_CORRECT) from error


def _parse_rows(path: Path, names: Sequence[str]) -> Iterable[Row]:
    with reading(path):
        if path.suffix.lower() == ".parquet":
            return _read_parquet(path, names)
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ReadingError("it is not UTF-8.", where=path, remedy="Save it as UTF-8.") from error
    if path.suffix.lower() == ".jsonl":
        return parse_json_lines(text)
    return parse_table(text, names, where=path, remedy=_CORRECT)


def _read_parquet(path: Path, names: Sequence[str]) -> Iterator[Row]:
    from barthes.report.exports.parquet import check_installed

    check_installed()
    from pyarrow.parquet import ParquetFile

    with reading(path), ParquetFile(path) as file:
        batches = file.iter_batches(columns=[name for name in names if name in file.schema_arrow.names])
        rows = (row for batch in batches for row in batch.to_pylist())
        yield from (Row(number, row) for number, row in enumerate(rows, start=1))


def _get_text(cells: Mapping[str, Any], name: str) -> str:
    value = cells.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        columns = ", ".join(map(str, cells))[:_SHOWN] or "none"
        there = "" if name in cells else f"; there are: {columns}"
        raise MalformedError(f"it has {'no' if value is None else 'another kind of'} {name!r}{there}")
    return value
