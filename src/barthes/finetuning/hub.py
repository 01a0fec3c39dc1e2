"""Data sets by their name on the Hugging Face hub, or in a folder of the same form: a row is a story."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from barthes.errors import BarthesError, ReadingError, UnknownNameError
from barthes.finetuning.joined_rows import PASSAGE, STRETCHES, are_sentences, join_rows
from barthes.finetuning.training_text import Texts, TrainingText

__all__ = ["LARGEST", "read_data_set"]

LARGEST = 200_000_000
"""Characters that are taken from a data set at most: weeks of training on a laptop."""

_USUAL = "text"  # the column that is taken where none is named
_TEXTS = {".txt", ".md", ""}  # endings of files that hold no table, and of folders
_FIRST = 100  # rows that are looked at where a data set does not say what its columns hold


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to read: ``NAME``, ``NAME@configuration``, ``NAME:column`` or ``NAME@configuration:column``."""

    name: str
    configuration: str | None = None
    column: str | None = None

    @property
    def shown(self) -> str:
        """The name, and the configuration where one was asked for."""
        return self.name if self.configuration is None else f"{self.name}@{self.configuration}"


def read_data_set(source: str) -> Texts:
    """The stories of a data set: its training part, a row a story, no more of it fetched than is read.

    Where rows are sentences, as those of BookCorpus, consecutive ones are joined into passages.

    Args:
        source: A data set's name on the hub, or a folder: one that `datasets` saved, or one of CSV, JSON
            Lines or Parquet files. ``@configuration`` after the name says which of several data sets
            under one name, ``:column`` which column; without it the one named ``text``, or the only one with
            text.

    Raises:
        BarthesError: The package `datasets` is not installed.
        ReadingError: There is no such data set, it cannot be had, or there is no text in it.
        UnknownNameError: It has no such column.
    """
    wanted = _divide(source)
    if not wanted.name:
        remedy = "Give it as hub=NAME, hub=NAME:column or hub=NAME@configuration."
        raise BarthesError("the data set has no name.", remedy=remedy)
    with _explaining(wanted.name):
        part, rows = _choose_part(_load(wanted), wanted.name)
        column = _choose_column(_list_text_columns(rows, wanted.name), wanted)
        return _take_rows(wanted.shown, part, rows, column)


def _take_rows(name: str, part: str, rows: Any, column: str) -> Texts:
    found, notes = [], [f"{name}: the part {part!r}, the column {column!r}."]
    taken = skipped = 0
    for number, text in enumerate(_read_rows(rows, column), start=1):
        if taken > LARGEST:
            notes.append(f"{name}: only the first {number - 1} rows were taken.")
            break
        if text.strip():
            found.append((number, text.strip()))
            taken += len(text)
        else:
            skipped += 1
    if not found:
        raise ReadingError(f"there is no text in its column {column!r}.", where=name)
    left_out = (f"{name}: {skipped} rows were left out because they hold no text.",) if skipped else ()
    texts = [text for _, text in found]
    if not are_sentences(texts):
        stories = [TrainingText(f"{name}: {number}", text) for number, text in found]
        return Texts(tuple(stories), left_out, tuple(notes))
    passages = join_rows(texts)
    notes.append(
        f"{name}: its rows are sentences rather than stories, so consecutive ones were joined to passages of"
        f" {PASSAGE:,} characters or more ({len(passages):,} in all). Where a book ends is not known:"
        " twentieths of the whole are held out, or not, in one piece."
    )
    stories = [
        TrainingText(
            f"{name}: {found[first - 1][0]} to {found[last - 1][0]}",
            text,
            f"{name}, stretch {place * STRETCHES // len(passages) + 1} of {STRETCHES}",
        )
        for place, (first, last, text) in enumerate(passages)
    ]
    return Texts(tuple(stories), left_out, tuple(notes))


def _divide(source: str) -> Wanted:
    """Name, configuration and column; signs in the path of a folder that is there belong to the path.

    Where several readings lead to a folder, the one with the longest path counts.

    >>> _divide("roneneldan/TinyStories:text")
    Wanted(name='roneneldan/TinyStories', configuration=None, column='text')
    >>> _divide("wikitext@wikitext-2-raw-v1")
    Wanted(name='wikitext', configuration='wikitext-2-raw-v1', column=None)
    """
    text = source.strip()
    before, column = _split_off(text, ":")
    name, configuration = _split_off(before, "@")
    usual = Wanted(name, configuration, column)
    folder, part = _split_off(text, "@")
    readings = [Wanted(text), usual, Wanted(before, None, column), Wanted(folder, part)]
    there = [each for each in readings if each.name and Path(each.name).exists()]
    return max(there, key=lambda each: len(each.name), default=usual)


def _split_off(text: str, sign: str) -> tuple[str, str | None]:
    name, found, rest = text.rpartition(sign)
    return (name.strip(), rest.strip() or None) if found else (text, None)


def _import() -> ModuleType:
    try:
        return importlib.import_module("datasets")
    except ImportError as error:
        raise BarthesError(
            "data sets of the hub need the package 'datasets', which is not installed.",
            remedy='Install it with: pip install "barthes[hub]"',
        ) from error


@contextmanager
def _explaining(name: str) -> Iterator[None]:
    """Say of whatever the hub, the network or a file raises which data set it was."""
    try:
        yield
    except BarthesError:
        raise
    except Exception as error:  # each format of files has errors of its own
        if isinstance(error, StopIteration):  # of the first row
            raise ReadingError("this data set has no rows.", where=name) from error
        cause = " ".join(str(error).split())[:300] or type(error).__name__
        raise ReadingError(
            f"this data set cannot be read ({cause}).",
            where=name,
            remedy="Check its name and the network, or give a folder that holds it."
            f" Where several are under one name: hub={name}@configuration.",
        ) from error


def _load(wanted: Wanted) -> Any:
    """What `datasets` makes of a name or a folder. It runs no code that comes with a data set."""
    folder = Path(wanted.name)
    _refuse_texts(folder)
    datasets = _import()
    shown = datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        if (folder / "state.json").exists() or (folder / "dataset_dict.json").exists():
            if wanted.configuration is not None:
                problem = "a saved data set has no configurations."
                raise ReadingError(problem, where=wanted.name, remedy="Give its name alone.")
            return datasets.load_from_disk(wanted.name)
        return datasets.load_dataset(wanted.name, wanted.configuration, streaming=True)
    finally:
        if not shown:
            datasets.enable_progress_bars()


def _refuse_texts(folder: Path) -> None:
    """Text files are no data set: `datasets` would make a row of every line.

    Raises:
        ReadingError: There are only text files in the folder.
    """
    endings = {path.suffix.lower() for path in folder.rglob("*")} if folder.is_dir() else set()
    if ".txt" in endings and endings <= _TEXTS:
        raise ReadingError(
            "this is a folder of texts, and no data set: each line would be a story.",
            where=str(folder),
            remedy="Give it without hub=, and each file is a story.",
        )


def _choose_part(data: Any, name: str) -> tuple[str, Any]:
    """The training part of a data set, or its first."""
    if hasattr(data, "features"):
        return str(data.split or "train"), data
    if not data:
        raise ReadingError("this data set has no rows.", where=name)
    part = "train" if "train" in data else next(iter(data))
    return part, data[part]


def _list_text_columns(rows: Any, name: str) -> list[str]:
    """The columns that hold text, by their declared kinds or, where none are declared, by the first rows."""
    if rows.features is None:
        kinds: dict[str, set[type]] = {}
        for row in rows.take(_FIRST):
            for key, value in row.items():
                kinds.setdefault(key, set()).add(type(value))
        if not kinds:
            raise ReadingError("this data set has no rows.", where=name)
        return [key for key, found in kinds.items() if str in found]
    strings = ("string", "large_string")
    return [key for key, kind in rows.features.items() if getattr(kind, "dtype", "") in strings]


def _choose_column(texts: list[str], wanted: Wanted) -> str:
    if wanted.column is not None:
        if wanted.column not in texts:
            raise UnknownNameError("column of text", wanted.column, texts, where=wanted.name)
        return wanted.column
    if _USUAL in texts:
        return _USUAL
    if len(texts) == 1:
        return texts[0]
    known = f"It has: {', '.join(texts)}." if texts else "It has none with text."
    problem = "it does not say which of its columns holds the stories."
    raise ReadingError(problem, where=wanted.name, remedy=f"Give it as hub={wanted.name}:column. {known}")


def _read_rows(rows: Any, column: str) -> Iterator[str]:
    for row in rows.select_columns([column]):
        text = row.get(column)
        yield text if isinstance(text, str) else ""  # an empty cell, or a number further down
