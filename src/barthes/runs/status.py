"""How far a run is, as its folder tells: nothing needs to be running for that."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barthes.runs.course import Course
from barthes.runs.results import RunResults

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
    """

    course: Course
    begun: int
    damaged: int
    failures: dict[str, str]
    settings: dict[str, Any]


def look_at(path: str | Path) -> RunStatus:
    """The status of a run.

    Raises:
        ReadingError: There is no run in that folder.
    """
    results = RunResults(path)
    finished, failures = results.finished, results.failures
    course = Course(len(results.manifest.inputs), len(finished), len(failures))
    begun = len(results.index.parts.keys() - failures.keys())
    return RunStatus(course, begun, results.index.damaged, failures, dict(results.manifest.settings))
