"""The results of a run as profiles and rows, in the order of the run's texts, and how far it is.

In that order whatever the order was in which they came, so that the same run gives the same table, byte for
byte, for any number of workers, shards and interruptions.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from barthes.errors import ReadingError
from barthes.files import replaced
from barthes.report.exports.parquet import check_installed
from barthes.report.tables import COLUMNS, UNCERTAINTY
from barthes.runs.corpus_run import RESULTS
from barthes.runs.result_files import Index, Record, ResultFiles
from barthes.runs.run_manifest import RunManifest, load_manifest
from barthes.runs.run_settings import Shard
from barthes.runs.scheduler import RunProgress
from barthes.runs.storage import open_storage

if TYPE_CHECKING:
    import pandas as pd

_ABOUT = ("method", "model", "precision", "window")
_ROWS = 50_000  # of a row group: the same rows give the same bytes
_INTEGERS = frozenset({"index", "sentence", "start", "end", "rank", "window"})
_NUMBERS = frozenset({"salience", "low", "high", "stability"})


class RunResults:
    """What a run has come to so far; it may still be running.

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
                "there is no run in this folder.", where=storage.where, remedy="`barthes run` makes one."
            )
        self.path = path
        self.manifest: RunManifest = manifest
        self._files = ResultFiles(storage.inside(RESULTS))

    @property
    def unit(self) -> str:
        """What a row stands for: ``sentence`` or ``event``."""
        return str(self.manifest.settings["unit"])

    @property
    def columns(self) -> list[str]:
        """The columns of a row."""
        return [*COLUMNS[self.unit], *_ABOUT, *UNCERTAINTY[self.unit]]

    @cached_property
    def index(self) -> Index:
        """What the result files hold, checked when it is first asked for."""
        return self._files.scan()

    @property
    def finished(self) -> list[str]:
        """The ids of the texts that have a result, in order."""
        return [each.id for each in self.manifest.inputs if each.key in self.index.done]

    @property
    def failures(self) -> dict[str, str]:
        """Why texts have none, by id, in order."""
        return self.index.failures(self.manifest.inputs)

    @property
    def noted(self) -> list[str]:
        """The ids of the texts whose results have notes, in order."""
        return [each.id for each in self.manifest.inputs if each.key in self.index.noted]

    @property
    def progress(self) -> RunProgress:
        """How far the run is."""
        return RunProgress(len(self.manifest.inputs), len(self.finished), len(self.failures))

    @property
    def begun(self) -> int:
        """How many long texts are done in part."""
        settled = {*self.finished, *self.failures}
        return sum(each.key in self.index.parts and each.id not in settled for each in self.manifest.inputs)

    def count_left(self) -> dict[Shard, int]:
        """Return the number of texts left for each shard that has any, if the run is divided into shards."""
        counts = {int(name.split(".")[0].rpartition("-")[2]) for name in self._files.names()} - {1}
        if len(counts) != 1:
            return {}
        inputs, count, settled = self.manifest.inputs, counts.pop(), {*self.finished, *self.failures}
        shards = [Shard(i, count) for i in range(1, min(count, len(inputs)) + 1)]
        left = {shard: sum(each.id not in settled for each in shard.choose(inputs)) for shard in shards}
        return {shard: texts for shard, texts in left.items() if texts}

    def records(self) -> Iterator[Record]:
        """Yield the results one by one, in the order of the texts.

        Raises:
            ReadingError: A result cannot be read, or was removed since the files were scanned.
        """
        done = [each for each in self.manifest.inputs if each.key in self.index.done]
        try:
            yield from self._files.read(self.index.done[each.key] for each in done)
        except ValueError as error:
            raise ReadingError(
                "a result has changed while it was read.",
                where=self.path,
                remedy="Try again; if it is damaged, `barthes run` scores its text again.",
            ) from error

    def profiles(self) -> Iterator[dict[str, Any]]:
        """Yield a plain profile for each text and method, as `barthes score --format jsonl` prints them."""
        names = ("story", "method", "model", "precision", "unit", "window", "notes", f"{self.unit}s")
        for record in self.records():
            with self._checking(record.id):
                profiles = [{name: profile[name] for name in names} for profile in record.content["profiles"]]
            yield from profiles

    def rows(self, *, one_line: bool = False) -> Iterator[tuple[Any, ...]]:
        """Yield a tuple of `columns` for each sentence or event.

        Args:
            one_line: Whether line breaks in texts become spaces.
        """
        columns, key = self.columns, f"{self.unit}s"
        for profile in self.profiles():
            about = {name: profile[name] for name in ("story", *_ABOUT)}
            with self._checking(profile["story"]):
                rows = [_flatten(scored, one_line=one_line) | about for scored in profile[key]]
                found = [tuple(row[name] for name in columns) for row in rows]
            yield from found

    @contextlib.contextmanager
    def _checking(self, name: str) -> Iterator[None]:
        """Results are written by us, but folders may come from others.

        Raises:
            ReadingError: One does not hold what it must.
        """
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ReadingError(
                f"the result of {name!r} is not one that Barthes has written.",
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
    import pandas as pd

    results = RunResults(path)
    values: dict[str, list[Any]] = {name: [] for name in results.columns}
    for row in results.rows():
        for name, value in zip(values, row, strict=True):
            values[name].append(value)
    kinds = {"rank": "Int64", "window": "Int64"} | dict.fromkeys(UNCERTAINTY[results.unit], "float64")
    return pd.DataFrame(values).astype(kinds)


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


def export_run(results: RunResults, out: Path, *, format: str) -> None:  # noqa: A002 - the option's name
    """Write the results to a file atomically; a named pipe or a device gets them as they come.

    Args:
        results: Of a run.
        out: The file.
        format: One of `EXPORT_FORMATS`.

    Raises:
        OutputError: It cannot be written, or pyarrow, which Parquet needs, is not installed.
        ReadingError: A result cannot be read.
    """
    if format == "parquet":
        check_installed()
    with replaced(out) as file:
        export_to_stream(results, file, format=format)


def export_to_stream(results: RunResults, stream: BinaryIO, *, format: str) -> None:  # noqa: A002
    """Write the results to a stream of bytes."""
    EXPORT_FORMATS[format](results, stream)


def _write_csv(results: RunResults, stream: BinaryIO) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=False)
    try:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(results.columns)
        writer.writerows(results.rows(one_line=True))
    finally:
        text.flush()
        text.detach()  # or the stream would be closed with it


def _write_jsonl(results: RunResults, stream: BinaryIO) -> None:
    for plain in results.profiles():
        stream.write(json.dumps(plain, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n")


def _write_parquet(results: RunResults, stream: BinaryIO) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    kinds = dict.fromkeys(_INTEGERS, pa.int64()) | dict.fromkeys(_NUMBERS, pa.float64())
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in results.columns])
    rows = results.rows()
    with ParquetWriter(stream, schema) as writer:
        while group := list(islice(rows, _ROWS)):
            columns = [
                pa.array(column, type=kind)
                for column, kind in zip(zip(*group, strict=True), schema.types, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


EXPORT_FORMATS: dict[str, Callable[[RunResults, BinaryIO], None]] = {
    "parquet": _write_parquet,
    "csv": _write_csv,
    "jsonl": _write_jsonl,
}
"""How the results of a run can be written."""
