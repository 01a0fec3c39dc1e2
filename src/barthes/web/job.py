"""A job: a story, how it is to be scored, and what has become of it. Plain data, kept as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Literal

__all__ = ["UNDER_WAY", "Job", "State", "now"]

State = Literal["waiting", "running", "finished", "failed", "cancelled", "interrupted"]

UNDER_WAY: tuple[State, ...] = ("waiting", "running")


def now() -> str:
    """The time, in UTC, as ISO 8601 writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What was asked for, and how it stands.

    Attributes:
        id: Sixteen hexadecimal digits; also the name of its folder.
        title: What people call the story: the name they gave it, or its file's, or the one in the file; of a
            chapter, with that of the chapter.
        name: The title as it came, before the file was read; what a job that is done again begins with.
        titled: Whether that name was given, and is not to be replaced by the one in the file.
        suffix: The ending of the file that came, such as ``.epub``, or ``.txt`` for a pasted text.
        method: Such as ``sd`` or ``sd+tfidf``.
        unit: ``sentence`` or ``event``.
        model: The language model; None for methods without one.
        language: An ISO code, for splitting sentences; None is what the file says, else English.
        lines: Whether each line is one sentence already.
        chapter: Only this chapter, counted from 1; None is the whole file.
        created: When it was asked for (ISO 8601, UTC).
        state: Where it stands.
        ended: When it was finished, failed, was cancelled or interrupted.
        seconds: How long the work took.
        sentences: How many sentences the story has, once that is known.
        problem: What went wrong, in words for people.
        notes: What a reader of the scores should know.
    """

    id: str
    title: str
    titled: bool
    suffix: str
    method: str
    unit: str
    model: str | None
    language: str | None
    lines: bool
    chapter: int | None
    created: str
    state: State = "waiting"
    ended: str | None = None
    seconds: float | None = None
    sentences: int | None = None
    problem: str | None = None
    notes: tuple[str, ...] = ()
    name: str = ""

    @property
    def is_under_way(self) -> bool:
        """Whether it waits or runs."""
        return self.state in UNDER_WAY

    def end(self, state: State, **changes: Any) -> Job:
        """The job when it is over."""
        return replace(self, state=state, ended=now(), **changes)

    def renew(self) -> Job:
        """The same job, to be done once more."""
        return replace(
            self, state="waiting", ended=None, seconds=None, sentences=None, problem=None, notes=()
        )

    def to_dict(self) -> dict[str, Any]:
        """What JSON shows."""
        return asdict(self) | {"notes": list(self.notes)}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Job:
        """Read what `to_dict` gave; keys of a later version are passed over.

        Raises:
            KeyError, TypeError: It is something else.
        """
        known = {field.name: plain[field.name] for field in fields(cls) if field.name in plain}
        return cls(**known | {"notes": tuple(plain.get("notes", ()))})
