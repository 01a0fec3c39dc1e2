"""Parts of a long text: ranges of its removals that can be scored apart with the same result.

The same to the last bit, which is why a text may not be cut everywhere. A text that is read in windows
consists of passages that know nothing of each other; a cut between two of them changes nothing. Inside a
passage the model takes several removals through the network together, and how many there are decides how
its sums are rounded. But a removal that is followed by more tokens than go through at once is computed
alone, so a cut after it changes nothing either. Such a cut costs one more reading of the passage, and is
made only where a part is far more work than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from barthes.models.language_model import LanguageModel
from barthes.salience.coherence_loss import RemovalTask
from barthes.salience.measurement import Measurement
from barthes.salience.passage import Passage

_WORTH = 20  # times a passage's own reading: a cut inside it costs 5 % at most


@dataclass(frozen=True, slots=True)
class Part:
    """The removals ``start:stop`` of `total`, by one method."""

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
    """Divide the removals of a text into parts of about `part_tokens` tokens, the same on every machine.

    Args:
        task: The whole, as `RemovalMethod.prepare` gives it.
        method: Its name.
        model: The model that will compute it.
        part_tokens: About how many tokens go through the model for a part.
    """
    together = getattr(model, "pass_tokens", 0)
    starts, spent = [0], 0
    for place, (can_cut, tokens, least) in enumerate(_steps(task.divide(), together)):
        if can_cut and spent >= max(part_tokens, least):
            starts.append(place)
            spent = 0
        spent += tokens
    total = len(task.removals)
    return [
        Part(method, start, stop, total) for start, stop in zip(starts, [*starts[1:], total], strict=True)
    ]


def join_measurements(parts: Sequence[Measurement]) -> Measurement:
    """Return the measurement of a whole text from those of its parts, in order."""
    scores = tuple(score for part in parts for score in part.scores)
    losses = tuple(loss for part in parts for loss in part.losses)
    return Measurement(scores, parts[0].window, parts[0].notes, losses)


def _steps(passages: Sequence[Passage], together: int) -> Iterator[tuple[bool, int, int]]:
    """Yield for each removal: whether to cut before it, its tokens, and how large a part must be for that."""
    for passage in passages:
        before: int | None = None
        for target in passage.targets:
            after = passage.length_after(target)
            if before is None:
                yield True, passage.length + after, 0
            else:
                yield before >= max(together, 1), after, _WORTH * passage.length
            before = after
