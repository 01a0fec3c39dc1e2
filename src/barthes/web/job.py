"""A job: the request, its state, and its progress while it runs."""

from __future__ import annotations

import math
import secrets
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from barthes.salience.profile import Profile

State = Literal["waiting", "running", "finished", "failed", "cancelled", "interrupted"]


class _JobFields(BaseModel):
    """The public fields of a job.

    Attributes:
        id: Sixteen hexadecimal digits; also the name of its folder.
        title: The story's title: the given one, or the file's name, or the one found in the file; of a
            chapter, with the chapter's.
        model: The language model, or None.
        language: An ISO code, for splitting sentences; None is what the file says, else English.
        lines: Whether each line is one sentence.
        encoding: That of plain text, Markdown, HTML or Fountain; None is what was found out.
        with_speakers: Whether speakers, stage directions and scene headings of a play are sentences.
        chapter: Only this chapter, counted from 1; None is the whole file.
        created: Time of the request (ISO 8601, UTC).
        problem: The error message, if it failed.
        notes: What readers of the scores should know.
    """

    id: str
    title: str
    method: str
    unit: str
    model: str | None
    language: str | None
    lines: bool
    encoding: str | None
    with_speakers: bool
    chapter: int | None
    created: str
    state: State
    ended: str | None
    seconds: float | None = Field(description="Time that the work took.")
    sentences: int | None
    problem: str | None
    notes: list[str]


class JobView(_JobFields):
    """A job and its state."""

    before: int = Field(description="Number of jobs ahead of this one.")
    downloads: dict[str, str] = Field(description="Addresses of results by ending; empty until finished.")


class Job(_JobFields):
    """A job as it is stored.

    Attributes:
        suffix: The ending of the uploaded file, such as ``.epub``, or ``.txt`` for a pasted text.
        name: The title as given, before the file was read; used again when the job is restarted.
        titled: Whether `name` replaces the title found in the file.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True)

    suffix: str
    name: str = ""
    titled: bool

    @classmethod
    def new(cls, **fields: Any) -> Job:
        """Return a job that is waiting."""
        start = {"id": secrets.token_hex(8), "created": _now(), "state": "waiting", "notes": []}
        unknown = dict.fromkeys(("ended", "seconds", "sentences", "problem"))
        return cls.model_validate(start | unknown | fields)

    @property
    def is_active(self) -> bool:
        """Whether it is waiting or running."""
        return self.state in ("waiting", "running")

    def change(self, **changes: Any) -> Job:
        """Return the job with other values."""
        return self.model_copy(update=changes)

    def end(self, state: State, **changes: Any) -> Job:
        """Return the job in a final state."""
        return self.change(state=state, ended=_now(), **changes)

    def reset(self) -> Job:
        """Return the same job, waiting to be done again."""
        unknown = dict.fromkeys(("ended", "seconds", "sentences", "problem"))
        return self.change(state="waiting", notes=[], **unknown)

    def view(self, **more: Any) -> dict[str, Any]:
        """Return what a `JobView` shows."""
        return self.model_dump(exclude={"suffix", "name", "titled"}) | more


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class ScoredView(BaseModel):
    """The score of a sentence."""

    index: int
    salience: float | None = Field(description="Nats per token; higher is more salient.")
    losses: list[float | None] = Field(description="Loss of each later sentence that was read.")


class Progress(BaseModel):
    """Progress of a running job."""

    position: int = Field(description="Pass it as `since` to get only what is new.")
    phase: str = Field(description="starting, reading, fetching, loading or scoring.")
    done: int
    total: int = Field(description="0 if unknown.")
    seconds: float = Field(description="Since the phase began.")
    scored: list[ScoredView]
    scale: dict[str, float] | None = Field(description="Where shading begins (low) and is full (high).")


class JobProgress:
    """The progress of a running job. Written by one thread, read by many.

    Attributes:
        profile: The profile without scores, once the story has been read.
        changes: Goes up with every change.
    """

    def __init__(self) -> None:
        self.profile: Profile | None = None
        self.changes: int = 0
        self._lock = threading.Lock()
        self._scored: list[ScoredView] = []
        self.start_phase("starting")

    def start_phase(self, phase: str) -> None:
        """Start a phase: ``reading``, ``fetching``, ``loading`` or ``scoring``."""
        with self._lock:
            self._phase, self._done, self._total = phase, 0, 0
            self._began = time.monotonic()
            self.changes += 1

    def update(self, done: int, total: int) -> None:
        """Set how much of the phase's work is done; a total of 0 is unknown."""
        with self._lock:
            self._done, self._total = done, total
            self.changes += 1

    def add_score(self, index: int, score: float | None, losses: list[float | None]) -> None:
        """Add the score of a sentence, and what each later sentence loses without it (None: unknown)."""
        with self._lock:
            self._scored.append(ScoredView(index=index, salience=score, losses=losses))
            self.changes += 1

    def since(self, position: int = 0) -> Progress:
        """Return the progress with the scores that are new since an earlier `position`."""
        with self._lock:
            return Progress(
                position=len(self._scored),
                phase=self._phase,
                done=self._done,
                total=self._total,
                seconds=round(time.monotonic() - self._began, 3),
                scored=self._scored[position:],
                scale=self._find_scale() if position < len(self._scored) else None,
            )

    def _find_scale(self) -> dict[str, float] | None:
        """Return where shading begins and where it is full, given all scores so far."""
        from barthes.report.scale import scale_profile

        if self.profile is None:
            return None
        scores = list(self.profile.scores)
        for each in self._scored:
            scores[each.index] = math.nan if each.salience is None else each.salience
        scale = scale_profile(replace(self.profile, scores=tuple(scores)))
        return {"low": scale.low, "high": scale.high}
