"""Divide a long text into parts: ranges of its removals that give the same scores when computed apart.

The scores must be equal to the last bit, so not every cut is allowed. A text that is read in windows consists
of independent passages, and a cut between two passages changes nothing. Inside a passage, the model takes
several removals through the network together, and their number affects rounding. A removal that is followed
by more tokens than one pass holds is computed alone, so a cut after it is safe too. It costs another reading
of the passage, and is made only if the part is far more work than that. The passages of a preview are never
cut: which windows they join depends on their first removal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from barthes.models.language_model import LanguageModel
from barthes.salience.coherence_loss import RemovalTask
from barthes.salience.measurement import Measurement
from barthes.salience.passage import Passage

_MIN_WORK = 20  # smallest part inside a passage, in readings of the passage: a cut costs at most 5 %


@dataclass(frozen=True, slots=True)
class Part:
    """The removals ``start:stop`` of `total`, scored with one method."""

    method: str
    start: int
    stop: int
    total: int

    @property
    def label(self) -> str:
        """Its name in result files.

        >>> Part("sd", 0, 40, 400).label
        'sd 0:40/400'
        """
        return f"{self.method} {self.start}:{self.stop}/{self.total}"


def plan_parts(task: RemovalTask, method: str, model: LanguageModel, *, part_tokens: int) -> list[Part]:
    """Divide the removals of a text into parts of about `part_tokens` tokens each.

    The result is the same on every machine. `task` comes from `RemovalMethod.prepare`.
    """
    pass_tokens = getattr(model, "pass_tokens", 0)
    starts, spent = [0], 0
    for i, (can_cut, tokens, least) in enumerate(_list_costs(task.divide(), pass_tokens)):
        if can_cut and spent >= max(part_tokens, least):
            starts.append(i)
            spent = 0
        spent += tokens
    total = len(task.removals)
    stops = [*starts[1:], total]
    return [Part(method, start, stop, total) for start, stop in zip(starts, stops, strict=True)]


def join_measurements(parts: Sequence[Measurement]) -> Measurement:
    """Return the measurement of a text from those of its parts, in order."""
    scores = tuple(score for part in parts for score in part.scores)
    losses = tuple(loss for part in parts for loss in part.losses)
    return Measurement(scores, parts[0].window, parts[0].notes, losses)


def _list_costs(passages: Sequence[Passage], pass_tokens: int) -> Iterator[tuple[bool, int, int]]:
    """Yield for each removal: whether a cut before it is safe, its tokens, and the smallest part to cut."""
    for passage in passages:
        before: int | None = None
        for target in passage.targets:
            after = passage.reach(target)
            if before is None:
                yield True, passage.length + after, 0
            else:
                can_cut = passage.horizon is None and before >= max(pass_tokens, 1)
                yield can_cut, after, _MIN_WORK * passage.length
            before = after
