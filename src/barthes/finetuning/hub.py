"""Data sets by their name on the Hugging Face hub, or in a folder of the same form: a row is a story."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from barthes.errors import BarthesError, ReadingError, UnknownNameError
from barthes.finetuning.training_text import Texts, TrainingText

__all__ = ["LARGEST", "read_data_set"]

LARGEST = 200_000_000
"""Characters that are taken from a data set at most: weeks of training on a laptop."""

_USUAL = "text"  # the column that is taken where none is named


def read_data_set(source: str) -> Texts:
    """The stories of ``NAME`` or ``NAME:column``: its training part, a row a story.

    Args:
        source: A data set's name on the hub, or a folder: one that `datasets` saved, or one of CSV, JSON
            Lines, Parquet or text files. Without a column the one named ``text``, or the only one with text.

    Raises:
        BarthesError: The package `datasets` is not installed.
        ReadingError: There is no such data set, it cannot be had, or there is no text in it.
        UnknownNameError: It has no such column.
    """
    name, column = _divide(source)
    if not name:
        raise BarthesError("the data set has no name.", remedy="Give it as hub=NAME or hub=NAME:column.")
    part, rows = _choose_part(_load(name), name)
    column = _choose_column(rows.features, column, name)
    stories, notes = [], [f"{name}: the part {part!r}, the column {column!r}."]
    taken = skipped = 0
    for number, text in enumerate(_read_rows(rows, column), start=1):
        if taken > LARGEST:
            notes.append(f"{name}: only the first {number - 1} of {len(rows)} rows were taken.")
            break
        if text.strip():
            stories.append(TrainingText(f"{name}: {number}", text.strip()))
            taken += len(text)
        else:
            skipped += 1
    if not stories:
        raise ReadingError(f"there is no text in its column {column!r}.", where=name)
    left_out = (f"{name}: {skipped} rows were left out because they are empty.",) if skipped else ()
    return Texts(tuple(stories), left_out, tuple(notes))


def _divide(source: str) -> tuple[str, str | None]:
    """The name and the column; a colon in the path of a folder that is there belongs to the path."""
    name, colon, column = source.strip().rpartition(":")
    if not colon or Path(source.strip()).exists():
        return source.strip(), None
    return name.strip(), column.strip() or None


def _import() -> ModuleType:
    try:
        return importlib.import_module("datasets")
    except ImportError as error:
        raise BarthesError(
            "data sets of the hub need the package 'datasets', which is not installed.",
            remedy='Install it with: pip install "barthes[hub]"',
        ) from error


def _load(name: str) -> Any:
    """What `datasets` makes of a name or a folder. It runs no code that comes with a data set."""
    datasets = _import()
    shown = datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        if (Path(name) / "state.json").exists() or (Path(name) / "dataset_dict.json").exists():
            return datasets.load_from_disk(name)
        return datasets.load_dataset(name)
    except Exception as error:  # hub, network, files of any format: each has errors of its own
        cause = " ".join(str(error).split())[:300] or type(error).__name__
        raise ReadingError(
            f"this data set cannot be read ({cause}).",
            where=name,
            remedy="Check its name and the network, or give a folder that holds it.",
        ) from error
    finally:
        if not shown:
            datasets.enable_progress_bars()


def _choose_part(data: Any, name: str) -> tuple[str, Any]:
    """The training part of a data set, or its first."""
    if hasattr(data, "features"):
        return str(data.split or "train"), data
    if not data:
        raise ReadingError("this data set has no rows.", where=name)
    part = "train" if "train" in data else next(iter(data))
    return part, data[part]


def _choose_column(features: Any, column: str | None, name: str) -> str:
    texts: list[str] = [
        key for key, kind in features.items() if getattr(kind, "dtype", "") in ("string", "large_string")
    ]
    if column is not None:
        if column not in texts:
            raise UnknownNameError("column of text", column, texts, where=name)
        return column
    if _USUAL in texts:
        return _USUAL
    if len(texts) == 1:
        return texts[0]
    known = f"It has: {', '.join(texts)}." if texts else "It has none with text."
    problem = "it does not say which of its columns holds the stories."
    raise ReadingError(problem, where=name, remedy=f"Give it as hub={name}:column. {known}")


def _read_rows(rows: Any, column: str) -> Iterator[str]:
    for row in rows.select_columns([column]):
        yield row[column] or ""
