"""Read and export the results of a run, in the order of its texts.

The order does not depend on workers, shards or interruptions, so the same run gives the same table, byte for
byte.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from barthes.errors import ReadingError
from barthes.files import replaced
from barthes.report.exports.parquet import ABOUT, check_installed, list_columns, write_rows
from barthes.report.tables import UNCERTAINTY
from barthes.runs.corpus_run import RESULTS
from barthes.runs.result_files import Index, Record, ResultFiles
from barthes.runs.run_manifest import RunManifest, load_manifest
from barthes.runs.run_settings import Shard
from barthes.runs.scheduler import RunProgress
from barthes.runs.storage import open_storage
from barthes.salience.frame import make_frame

if TYPE_CHECKING:
    import pandas as pd

_PROFILE = ("story", "method", "model", "precision", "unit", "window", "notes")


class RunResults:
    """The results of a run so far; the run may still be in progress.

    Args:
        path: The folder of the run, or its address.

    Raises:
        ReadingError: There is no run in it.
    """

    def __init__(self, path: str | Path) -> None:
        storage = open_storage(path)
        manifest = load_manifest(storage)
        if manifest is None:
            raise ReadingError(
                "there is no run in this folder.", where=storage.where, remedy="`barthes run` creates one."
            )
        self.path = path
        self.manifest: RunManifest = manifest
        self._files = ResultFiles(storage.subfolder(RESULTS))

    @property
    def unit(self) -> str:
        """The unit of a row, such as ``sentence`` or ``event``."""
        return str(self.manifest.settings["unit"])

    @property
    def columns(self) -> list[str]:
        """The columns of a row."""
        return list_columns(self.unit)

    @cached_property
    def index(self) -> Index:
        """The index of the result files, which are read when it is first used."""
        return self._files.scan()

    @property
    def finished(self) -> list[str]:
        """The ids of the texts that have a result, in order."""
        return [each.id for each in self.manifest.inputs if each.key in self.index.done]

    @property
    def failures(self) -> dict[str, str]:
        """The reasons of failures, by id, in order."""
        return self.index.failures(self.manifest.inputs)

    @property
    def noted(self) -> list[str]:
        """The ids of the texts whose results have notes, in order."""
        return [each.id for each in self.manifest.inputs if each.key in self.index.noted]

    @property
    def progress(self) -> RunProgress:
        """The progress of the run."""
        return RunProgress(len(self.manifest.inputs), len(self.finished), len(self.failures))

    def count_left(self) -> dict[Shard, int]:
        """Return the number of texts left for each shard that has any, if the run is divided into shards."""
        counts = {int(name.split(".")[0].rpartition("-")[2]) for name in self._files.names()} - {1}
        if len(counts) != 1:
            return {}
        inputs, count, ended = self.manifest.inputs, counts.pop(), {*self.finished, *self.failures}
        shards = [Shard(i, count) for i in range(1, min(count, len(inputs)) + 1)]
        left = {shard: sum(each.id not in ended for each in shard.choose(inputs)) for shard in shards}
        return {shard: texts for shard, texts in left.items() if texts}

    def records(self) -> Iterator[Record]:
        """Yield the results one by one, in the order of the texts.

        Raises:
            ReadingError: A result cannot be read, or was removed since the files were scanned.
        """
        places = [self.index.done[each.key] for each in self.manifest.inputs if each.key in self.index.done]
        try:
            yield from self._files.read(places)
        except ValueError as error:
            raise ReadingError(
                "a result has changed while it was read.",
                where=self.path,
                remedy="Try again; if it is damaged, `barthes run` scores its text again.",
            ) from error

    def profiles(self) -> Iterator[dict[str, Any]]:
        """Yield a plain profile for each text and method, as `barthes score --format jsonl` prints them."""
        names = (*_PROFILE, f"{self.unit}s")
        for record in self.records():
            with self._checking(record.id):
                profiles = [{name: profile[name] for name in names} for profile in record.content["profiles"]]
            yield from profiles

    def rows(self, *, one_line: bool = False) -> Iterator[tuple[Any, ...]]:
        """Yield a tuple of `columns` for each sentence or event.

        Args:
            one_line: Whether to replace line breaks in texts by spaces.
        """
        columns = self.columns
        for profile in self.profiles():
            about = {name: profile[name] for name in ("story", *ABOUT)}
            with self._checking(profile["story"]):
                rows = [_flatten(scored, one_line=one_line) | about for scored in profile[f"{self.unit}s"]]
                found = [tuple(row[name] for name in columns) for row in rows]
            yield from found

    @contextlib.contextmanager
    def _checking(self, name: str) -> Iterator[None]:
        """Raise a `ReadingError` for a result that Barthes has not written: folders may come from others."""
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ReadingError(
                f"the result of {name!r} was not written by Barthes.",
                where=self.path,
                remedy="Remove the folder, and run the texts again.",
            ) from error


def load_run(path: str | Path) -> pd.DataFrame:
    """Return the results of a run as one pandas table: a row per sentence (or event) and method.

    Texts are in the order of the run; those that failed or are not done yet have no rows.

    Args:
        path: The folder, or the address, that was given to ``barthes run --out``.

    Raises:
        ReadingError: There is no run in it.
    """
    results = RunResults(path)
    types = {"rank": "Int64", "window": "Int64"} | dict.fromkeys(UNCERTAINTY, "float64")
    return make_frame(list(results.rows()), types, columns=results.columns)


def export_run(results: RunResults, out: Path, *, format: str) -> None:  # noqa: A002 - the option's name
    """Write results to a file atomically, row by row; a named pipe or a device is written to directly.

    Args:
        results: The results of a run.
        out: The file.
        format: One of `EXPORT_FORMATS`.

    Raises:
        OutputError: It cannot be written, or pyarrow, which Parquet needs, is not installed.
        ReadingError: A result cannot be read.
    """
    if format == "parquet":
        check_installed()
    with replaced(out) as file:
        EXPORT_FORMATS[format](results, file)


def _write_csv(results: RunResults, stream: BinaryIO) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=False)
    try:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(results.columns)
        writer.writerows(results.rows(one_line=True))
    finally:
        text.flush()
        text.detach()  # otherwise the stream would be closed


def _write_jsonl(results: RunResults, stream: BinaryIO) -> None:
    for profile in results.profiles():
        stream.write(json.dumps(profile, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n")


def _write_parquet(results: RunResults, stream: BinaryIO) -> None:
    write_rows(results.rows(), results.columns, stream)


EXPORT_FORMATS: dict[str, Callable[[RunResults, BinaryIO], None]] = {
    "parquet": _write_parquet,
    "csv": _write_csv,
    "jsonl": _write_jsonl,
}
"""The formats of exports, each with a function that writes results to a binary stream."""


def _flatten(scored: Mapping[str, Any], *, one_line: bool) -> dict[str, Any]:
    row = dict(scored)
    if one_line:
        row["text"] = " ".join(row["text"].split())
    for argument in row.pop("arguments", ()):
        row.setdefault(argument["role"].lower(), []).append(argument["text"])
    if "trigger" in row:
        for role in ("arg0", "arg1"):
            row[role] = "; ".join(row.get(role, ()))
    return row
