"""The result files of a run: written one per text, read in the order of the texts, exported as one table.

::

    results/3f/3f9a41….json           the profiles of a text, one per method
    results/70/70c2d8….noted.json     the same; at least one of them has notes
    results/b1/b15e09….failed.json    why a text could not be scored

The name is a hash of the text, its id, and everything that decides its scores: a result never counts for
another version of the text or for other settings. What a start has to do follows from the names alone.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from barthes.errors import ReadingError
from barthes.files import replaced
from barthes.hashing import hash_content
from barthes.report.exports.parquet import ABOUT, check_installed, list_columns, write_rows
from barthes.report.tables import UNCERTAINTY, make_readable
from barthes.runs.inputs import Input
from barthes.runs.manifest import RunManifest, load_manifest
from barthes.runs.storage import Storage, open_storage
from barthes.salience.frame import make_frame
from barthes.salience.serialization import flatten

if TYPE_CHECKING:
    import pandas as pd

Outcome = Literal["done", "noted", "failed"]
"""What became of a text; ``noted`` if its profiles have notes."""

_FOLDER = "results"
_ENDINGS: dict[Outcome, str] = {"done": ".json", "noted": ".noted.json", "failed": ".failed.json"}


@dataclass(frozen=True)
class TextResult:
    """The result of a text: its profiles, or the reason why there are none."""

    id: str
    profiles: tuple[dict[str, Any], ...] = ()
    reason: str = ""
    tokens: int = 0  # that went through the model

    @property
    def outcome(self) -> Outcome:
        """What became of the text."""
        if self.reason:
            return "failed"
        return "noted" if any(profile["notes"] for profile in self.profiles) else "done"


class ResultFiles:
    """The result files of a run; several threads may use it at once."""

    def __init__(self, storage: Storage, manifest: RunManifest) -> None:
        self._storage = storage
        self._settings = hash_content([manifest.settings, manifest.environment])

    def scan(self, inputs: Iterable[Input], *, retry_failed: bool = False) -> dict[str, Outcome]:
        """Return what became of texts, by id, without those that are to be scored."""
        names = set(self._storage.list_files(_FOLDER))
        found: dict[str, Outcome] = {}
        for each in inputs:
            key = self._key(each)
            outcomes = [outcome for outcome, ending in _ENDINGS.items() if key + ending in names]
            if outcomes and not (retry_failed and outcomes[0] == "failed"):
                found[each.id] = outcomes[0]  # a failure before a result does not count
        return found

    def read_each(self, inputs: Iterable[tuple[Input, Outcome]]) -> Iterator[TextResult]:
        """Yield the results of texts.

        Raises:
            ReadingError: A result cannot be read, or is damaged.
        """
        names = [self._name(each, outcome) for each, outcome in inputs]
        for name, data in zip(names, self._storage.read_each(names), strict=True):
            try:
                content = json.loads(data)
                yield TextResult(content["id"], tuple(content["profiles"]), str(content["reason"]))
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                raise ReadingError(
                    "the result is damaged.",
                    where=f"{self._storage.where}/{name}",
                    remedy="Delete this file; `barthes run` then scores its text again.",
                ) from error

    def write(self, each: Input, result: TextResult) -> None:
        """Write the result of a text; raise an `OutputError` if that fails."""
        text = json.dumps(asdict(result), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        self._storage.write(self._name(each, result.outcome), text.encode("utf-8", "surrogatepass"))

    def _key(self, each: Input) -> str:
        return hash_content([self._settings, each.id, each.sha256])[:32]

    def _name(self, each: Input, outcome: Outcome) -> str:
        key = self._key(each)
        return f"{_FOLDER}/{key[:2]}/{key}{_ENDINGS[outcome]}"


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
        self._files = ResultFiles(storage, manifest)

    @property
    def unit(self) -> str:
        """The unit of a row, such as ``sentence`` or ``event``."""
        return str(self.manifest.settings["unit"])

    @property
    def columns(self) -> list[str]:
        """The columns of a row."""
        return list_columns(self.unit)

    @cached_property
    def outcomes(self) -> dict[str, Outcome]:
        """What became of each text that is done or failed, by id, in order."""
        return self._files.scan(self.manifest.inputs)

    @cached_property
    def failures(self) -> dict[str, str]:
        """The reasons of failures, by id, in order."""
        return {result.id: result.reason for result in self._read("failed")}

    def list_ids(self, *outcomes: Outcome) -> list[str]:
        """Return the ids of the texts with one of some outcomes, in order."""
        return [name for name, outcome in self.outcomes.items() if outcome in outcomes]

    def profiles(self) -> Iterator[dict[str, Any]]:
        """Yield a plain profile for each text and method, as `barthes score --format jsonl` prints them."""
        for result in self._read("done", "noted"):
            yield from result.profiles

    @property
    def readable_columns(self) -> list[str]:
        """The columns of a readable row."""
        return ["number" if name == "index" else name for name in self.columns]

    def rows(self, *, readable: bool = False) -> Iterator[tuple[Any, ...]]:
        """Yield a tuple of `columns` for each sentence or event.

        Args:
            readable: Whether to round and count as in `make_readable`; then of `readable_columns`.
        """
        for result in self._read("done", "noted"):
            try:
                yield from list(self._list_rows(result, readable))
            except (LookupError, TypeError, AttributeError) as error:  # the folder may come from others
                raise ReadingError(
                    f"the result of {result.id!r} was not written by Barthes.",
                    where=self.path,
                    remedy="Delete the folder `results`, and run the texts again.",
                ) from error

    def _list_rows(self, result: TextResult, readable: bool) -> Iterator[tuple[Any, ...]]:
        columns = self.readable_columns if readable else self.columns
        for profile in result.profiles:
            about = {name: profile[name] for name in ("story", *ABOUT)}
            for scored in profile[f"{self.unit}s"]:
                row = flatten(scored) | about
                if readable:
                    row = make_readable(row, profile["precision"])
                yield tuple(row[name] for name in columns)

    def _read(self, *outcomes: Outcome) -> Iterator[TextResult]:
        found = ((each, self.outcomes.get(each.id)) for each in self.manifest.inputs)
        return self._files.read_each((each, outcome) for each, outcome in found if outcome in outcomes)


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
    writer = csv.writer(codecs.getwriter("utf-8")(stream), lineterminator="\n")
    writer.writerow(results.readable_columns)
    writer.writerows(results.rows(readable=True))


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
