"""How far a run is, as its folder tells: nothing needs to be running for that."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barthes.runs.course import Course
from barthes.runs.results import RunResults
from barthes.runs.shard import Shard

__all__ = ["RunStatus", "look_at"]


@dataclass(frozen=True)
class RunStatus:
    """How far a run is.

    Attributes:
        course: Texts, results, failures.
        begun: Long texts of which some parts are done.
        damaged: Records that cannot be used; the next start does their texts again.
        failures: Why texts have no result, by id.
        settings: Of the run.
        noted: The ids of texts whose results have notes.
        left: The texts that are left for each shard that has any, if the run is divided into shards.
    """

    course: Course
    begun: int
    damaged: int
    failures: dict[str, str]
    settings: dict[str, Any]
    noted: list[str]
    left: dict[Shard, int]


def look_at(path: str | Path) -> RunStatus:
    """The status of a run.

    Raises:
        ReadingError: There is no run in that folder.
    """
    results = RunResults(path)
    finished, failures = results.finished, results.failures
    course = Course(len(results.manifest.inputs), len(finished), len(failures))
    begun = len(results.index.parts.keys() - failures.keys())
    return RunStatus(
        course,
        begun,
        results.index.damaged,
        failures,
        dict(results.manifest.settings),
        results.noted,
        _count_left(results, {*finished, *failures}),
    )


def _count_left(results: RunResults, settled: Collection[str]) -> dict[Shard, int]:
    """What the jobs of an array have still to do: the shares are those that the next start would take."""
    inputs, count = results.manifest.inputs, results.shards
    if count == 1:
        return {}
    shards = [Shard(index, count) for index in range(1, min(count, len(inputs)) + 1)]
    left = {shard: sum(each.id not in settled for each in shard.choose(inputs)) for shard in shards}
    return {shard: texts for shard, texts in left.items() if texts}
