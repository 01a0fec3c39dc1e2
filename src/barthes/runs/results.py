"""The results of a run as rows: one a sentence (or event) and method, in the order of the run's texts.

In that order whatever the order was in which they came, so that the same run gives the same table, byte for
byte, for any number of workers, shards and interruptions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.errors import ReadingError
from barthes.report.tables import COLUMNS
from barthes.runs.address import open_folder
from barthes.runs.index import Index
from barthes.runs.manifest import Manifest, load_manifest
from barthes.runs.records import Record
from barthes.runs.run import RESULTS
from barthes.runs.store import ResultStore
from barthes.salience.profile import rank_scores

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RunResults", "load_run"]

_ABOUT = ("method", "model", "precision", "window")


class RunResults:
    """What a run has come to so far; it may be going on.

    Args:
        path: The folder of the run, or its address.

    Raises:
        ReadingError: There is no run in it.
    """

    def __init__(self, path: str | Path) -> None:
        folder = open_folder(path)
        manifest = load_manifest(folder)
        if manifest is None:
            raise ReadingError(
                "there is no run in this folder.", where=folder.where, remedy="`barthes run` makes one."
            )
        self.path = path
        self.manifest: Manifest = manifest
        self._store = ResultStore(folder.inside(RESULTS))

    @property
    def unit(self) -> str:
        """What a row stands for: ``sentence`` or ``event``."""
        return str(self.manifest.settings["unit"])

    @property
    def columns(self) -> list[str]:
        """The columns of a row."""
        return [*COLUMNS[self.unit], *_ABOUT]

    @cached_property
    def index(self) -> Index:
        """What is there, checked when it is first asked for."""
        return self._store.scan()

    @property
    def finished(self) -> list[str]:
        """The ids of the texts that have a result, in order."""
        return [each.id for each in self.manifest.inputs if self.index.is_done(each.id, each.sha256)]

    @property
    def failures(self) -> dict[str, str]:
        """Why texts have none, by id, in order."""
        return self.index.failures_of(self.manifest.inputs)

    @property
    def noted(self) -> list[str]:
        """The ids of the texts whose results have notes, in order."""
        return self.index.noted_of(self.manifest.inputs)

    @property
    def shards(self) -> int:
        """How many shares (``--shard``) the run was divided into, as far as its files tell."""
        return self._store.shards()

    def records(self) -> Iterator[Record]:
        """The results one by one, in the order of the texts.

        Raises:
            ReadingError: A record was damaged, or moved by a run that is going on, since it was looked at.
        """
        ids = self.finished
        found = self._store.read(self.index.done[each] for each in ids)
        for expected in ids:
            record = next(found, None)
            if record is None or record.id != expected:
                raise ReadingError(
                    f"the result of {expected!r} has changed while it was read.",
                    where=self.path,
                    remedy="Try again; if it is damaged, `barthes run` does it again.",
                )
            yield record

    def profiles(self) -> Iterator[dict[str, Any]]:
        """A plain profile for each text and method, as `barthes score --format jsonl` prints them.

        Without `low`, `high` and `stability`: a run keeps scores, not what each later sentence lost.
        """
        for record in self.records():
            with self._doubting(record.id):
                content = record.content
                profiles = [self._describe(record.id, content, profile) for profile in content["profiles"]]
            yield from profiles

    def rows(self, *, one_line: bool = False) -> Iterator[tuple[Any, ...]]:
        """A tuple of `columns` for each sentence or event.

        Args:
            one_line: Whether line breaks in texts become spaces.
        """
        columns = self.columns
        for plain in self.profiles():
            about = {name: plain[name] for name in ("story", *_ABOUT)}
            with self._doubting(plain["story"]):
                flat = [_flatten(scored, one_line=one_line) | about for scored in plain[f"{self.unit}s"]]
                rows = [tuple(row[name] for name in columns) for row in flat]
            yield from rows

    @contextlib.contextmanager
    def _doubting(self, story: str) -> Iterator[None]:
        """A result whose checksum is right may still be by somebody else."""
        try:
            yield
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ReadingError(
                f"the result of {story!r} is not one that Barthes has written.",
                where=self.path,
                remedy="Do not trust this folder: give another one to `barthes run`.",
            ) from error

    def _describe(self, story: str, content: Mapping[str, Any], profile: Mapping[str, Any]) -> dict[str, Any]:
        about = {"story": story} | {name: profile[name] for name in ("method", "model", "precision")}
        plain = about | {"unit": self.unit, "window": profile["window"], "notes": profile["notes"]}
        if self.unit == "event":
            return plain | {"events": profile["events"]}
        return plain | {"sentences": list(_tell_sentences(content, profile["scores"]))}


def load_run(path: str | Path) -> pd.DataFrame:
    """The results of a run as one pandas table: a row a sentence (or event) and method.

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
    frame = pd.DataFrame(values)
    return frame.astype({"window": "Int64"})


def _tell_sentences(content: Mapping[str, Any], scores: list[float]) -> Iterator[dict[str, Any]]:
    places = zip(content["spans"], content["texts"], scores, rank_scores(scores), strict=True)
    for index, ((start, end), text, salience, rank) in enumerate(places):
        yield {"index": index, "start": start, "end": end, "text": text, "salience": salience, "rank": rank}


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
