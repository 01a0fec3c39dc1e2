"""The worker of the web server: reads and scores the story of a job.

Besides the messages of every worker it sends

- ``("read", narrative)``,
- ``("ended", changes of the job)``, after the result was written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.narrative import Narrative
from barthes.units import regroup
from barthes.web.job import Job
from barthes.web.server import Limits
from barthes.web.worker import JobCancelled, Worker

if TYPE_CHECKING:
    from barthes.salience.profile import Profile


@dataclass(frozen=True, slots=True)
class ScoringTask:
    """A job as the worker gets it.

    Attributes:
        job: What was asked for.
        story: The file to read.
        profile: The file to write.
        limits: The limits of the server.
    """

    job: Job
    story: Path
    profile: Path
    limits: Limits


class JobWorker(Worker):
    """Reads and scores stories, and writes their profiles."""

    def answer(self, task: ScoringTask) -> dict[str, Any]:
        """Run a job; return the changes that end it."""
        try:
            profile = self._score(task)
            profile.save(task.profile)
        except JobCancelled:
            return {"state": "cancelled"}
        except Exception as error:
            return {"state": "failed", "problem": self.explain(error)}
        return {"state": "finished", "notes": list(profile.notes)}

    def _score(self, task: ScoringTask) -> Profile:
        job = task.job
        self.send("phase", "reading")
        narrative = regroup(_read(task), job.unit)
        self.send("read", narrative)
        return self.score(narrative, job.method, job.unit, job.model)


def _read(task: ScoringTask) -> Narrative:
    # Imported here, because the server imports this module too.
    from barthes.reading.formats import parse_document
    from barthes.reading.source import read_bytes
    from barthes.reading.story import narrate

    job = task.job
    named = job.name or job.title
    document = parse_document(
        read_bytes(task.story),
        where=named,
        name=f"story{job.suffix}",
        encoding=job.encoding,
        with_speakers=job.with_speakers,
    )
    narrative = narrate(
        document,
        chapter=job.chapter,
        language=job.language,
        sentences=job.lines,
        with_speakers=job.with_speakers,
        title=named if job.titled else None,
        where=named,
        name=named,
    )
    task.limits.check_length(narrative, where=named)
    if job.language == "xx" and not job.lines:
        note = "There are no rules for this language: sentences were split by punctuation only."
        return replace(narrative, notes=(*narrative.notes, note))
    return narrative
