"""Read data sets of the Hugging Face hub, or local folders in the same form, as training texts."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from barthes.errors import BarthesError, ReadingError, UnknownNameError
from barthes_research.finetuning.texts import Texts, TrainingText

LARGEST = 200_000_000  # characters read from a data set: weeks of training on a laptop
_PASSAGE = 6000  # minimum characters of joined rows: about a thousand words, more than a block
_STRETCHES = 20  # parts of joined rows that are held out as a unit, because neighbouring passages are similar
_SENTENCE = (25, 150)  # rows whose median is below this many words and characters are sentences, not stories
_MIN_ROWS = 50  # fewer rows are always taken as stories
_FIRST = 100  # rows inspected if a data set does not declare the types of its columns


class _Address(NamedTuple):
    name: str
    configuration: str | None = None
    column: str | None = None


def read_data_set(source: str) -> Texts:
    """Return the stories of a data set's training part; rows are streamed.

    Each row is a story. Rows that are sentences, as in BookCorpus, are joined into passages. Otherwise some
    sentences of a book would be held out while others are trained on, and a model would learn that a text
    ends after every sentence.

    Args:
        source: ``NAME``, ``NAME@configuration``, ``NAME:column`` or ``NAME@configuration:column``. The name
            is a data set on the hub, or a folder of CSV, JSON Lines or Parquet files. The default column is
            ``text``, or the only one that contains text.
    """
    address = _parse(source)
    if not address.name:
        remedy = "Give it as hub=NAME, hub=NAME:column or hub=NAME@configuration."
        raise BarthesError("the data set has no name.", remedy=remedy)
    with _explain_errors(address.name):
        data = _load(address)
        part = "train" if "train" in data else next(iter(data))
        rows = data[part]
        shown = address.name if address.configuration is None else f"{address.name}@{address.configuration}"
        return _take_rows(shown, part, rows, _choose_column(rows, address))


def _parse(source: str) -> _Address:
    """Split a source into name, configuration and column; an existing folder is a name.

    >>> _parse("wikitext@wikitext-2-raw-v1:page")
    _Address(name='wikitext', configuration='wikitext-2-raw-v1', column='page')
    """
    text = source.strip()
    if Path(text).exists():
        return _Address(text)
    before, column = _split_off(text, ":")
    name, configuration = _split_off(before, "@")
    return _Address(name, configuration, column)


def _split_off(text: str, sign: str) -> tuple[str, str | None]:
    name, found, rest = text.rpartition(sign)
    return (name.strip(), rest.strip() or None) if found else (text, None)


@contextmanager
def _explain_errors(name: str) -> Iterator[None]:
    """Turn any error of the hub, the network or a file into a ReadingError that names the data set."""
    try:
        yield
    except BarthesError:
        raise
    except StopIteration as error:  # from the first part or row
        raise ReadingError("this data set has no rows.", where=name) from error
    except Exception as error:  # every file format has its own errors
        cause = " ".join(str(error).split())[:300] or type(error).__name__
        raise ReadingError(
            f"this data set cannot be read ({cause}).",
            where=name,
            remedy="Check its name and the network, or give a local folder."
            f" If it has several configurations, give hub={name}@configuration.",
        ) from error


def _load(address: _Address) -> Any:
    """Open a data set with `datasets`, which does not run code that comes with it."""
    folder = Path(address.name)
    endings = {path.suffix.lower() for path in folder.rglob("*")} if folder.is_dir() else set()
    if ".txt" in endings and endings <= {".txt", ".md", ""}:  # `datasets` would make each line a row
        raise ReadingError(
            "this is a folder of texts, not a data set: each line would be a story.",
            where=address.name,
            remedy="Give it without hub= to make each file a story.",
        )
    try:
        datasets = importlib.import_module("datasets")
    except ImportError as error:
        raise BarthesError(
            "data sets of the hub need the package 'datasets', which is not installed.",
            remedy="Install it with: pip install datasets",
        ) from error
    were_disabled = datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        return datasets.load_dataset(address.name, address.configuration, streaming=True)
    finally:
        if not were_disabled:
            datasets.enable_progress_bars()


def _choose_column(rows: Any, address: _Address) -> str:
    """Return the column to read, of those that contain text by their declared types or in the first rows."""
    if rows.features is not None:
        types = {key: getattr(kind, "dtype", "") for key, kind in rows.features.items()}
        columns = [key for key, kind in types.items() if kind in ("string", "large_string")]
    else:
        first = list(rows.take(_FIRST))
        if not first:
            raise ReadingError("this data set has no rows.", where=address.name)
        keys = (key for row in first for key, value in row.items() if isinstance(value, str))
        columns = list(dict.fromkeys(keys))
    if address.column is not None:
        if address.column not in columns:
            raise UnknownNameError("column of text", address.column, columns, where=address.name)
        return address.column
    if "text" in columns:
        return "text"
    if len(columns) == 1:
        return str(columns[0])
    known = f"It has: {', '.join(columns)}." if columns else "None of its columns contains text."
    problem = "it is not clear which column contains the stories."
    raise ReadingError(problem, where=address.name, remedy=f"Give it as hub={address.name}:column. {known}")


def _take_rows(name: str, part: str, rows: Any, column: str) -> Texts:
    numbers: list[int] = []
    texts: list[str] = []
    notes = [f"{name}: read the part {part!r}, column {column!r}."]
    characters = empty = 0
    for number, row in enumerate(rows.select_columns([column]), start=1):
        if characters > LARGEST:
            notes.append(f"{name}: only the first {number - 1} rows were read.")
            break
        text = row.get(column)
        if isinstance(text, str) and text.strip():  # cells may be empty or, further down, numbers
            numbers.append(number)
            texts.append(text.strip())
            characters += len(text)
        else:
            empty += 1
    if not texts:
        raise ReadingError(f"there is no text in its column {column!r}.", where=name)
    if empty:
        notes.append(f"{name}: skipped {empty} rows without text.")
    if _are_sentences(texts):
        stories = _join_rows(name, numbers, texts)
        notes.append(
            f"{name}: its rows are sentences rather than stories, so consecutive rows were joined into"
            f" {len(stories):,} passages of {_PASSAGE:,} characters or more. Because the ends of books are"
            " unknown, passages are held out in contiguous parts of a twentieth each."
        )
    else:
        stories = [TrainingText(f"{name}: {n}", text) for n, text in zip(numbers, texts, strict=True)]
    return Texts(tuple(stories), tuple(notes))


def _are_sentences(rows: Sequence[str]) -> bool:
    """Return whether rows are too short to be stories."""
    if len(rows) < _MIN_ROWS:
        return False
    words, characters = median(len(row.split()) for row in rows), median(map(len, rows))
    return words < _SENTENCE[0] and characters < _SENTENCE[1]  # not all languages use spaces


def _join_rows(name: str, numbers: Sequence[int], rows: Sequence[str]) -> list[TrainingText]:
    """Join consecutive rows into passages of at least `_PASSAGE` characters."""
    ends, count = [0], 0
    for end, row in enumerate(rows, start=1):
        count += len(row)
        if count >= _PASSAGE or end == len(rows):
            ends.append(end)
            count = 0
    passages = list(pairwise(ends))
    return [
        TrainingText(
            f"{name}: {numbers[first]} to {numbers[end - 1]}",
            " ".join(rows[first:end]),
            f"{name}, stretch {place * _STRETCHES // len(passages) + 1} of {_STRETCHES}",
        )
        for place, (first, end) in enumerate(passages)
    ]
