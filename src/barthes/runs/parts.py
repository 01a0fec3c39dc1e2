"""Parts of a long text: ranges of its removals that can be computed apart, and give what the whole would.

To the last bit, which is why a text may not be cut everywhere. A text that is read in windows falls into
passages that know nothing of each other; between two of them a cut changes nothing. Inside a passage the
model takes several removals through the network together, and how many there are decides how its sums are
rounded. But a removal that is followed by more tokens than go through at once travels alone, so after it a
cut changes nothing either. It costs one more reading of the passage, and is made only where a part is far
more work than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from barthes.models.language_model import LanguageModel
from barthes.salience.coherence_loss import RemovalTask
from barthes.salience.passage import Passage

__all__ = ["Part", "cost", "cut", "plan_parts"]

_PAYS = 20  # times a passage's own reading: a cut inside it costs 5 % at most


@dataclass(frozen=True, slots=True)
class Part:
    """The removals ``start:stop`` of `total`, by one method."""

    method: str
    start: int
    stop: int
    total: int

    @property
    def label(self) -> str:
        """By what its scores are known in the store.

        >>> Part("sd", 0, 40, 400).label
        'sd 0:40/400'
        """
        return f"{self.method} {self.start}:{self.stop}/{self.total}"


def plan_parts(task: RemovalTask, method: str, model: LanguageModel, *, part_tokens: int) -> list[Part]:
    """The parts of a text's removals, of about so many tokens each, in order; the same wherever it is asked.

    Args:
        task: The whole, as `CoherenceLoss.prepare` gives it.
        method: Its name.
        model: The model that will compute it.
        part_tokens: Tokens that go through the model for a part, about.
    """
    together = getattr(model, "pass_tokens", 0)
    starts, spent = [0], 0
    for place, (cut_before, tokens, enough) in enumerate(_steps(task.divide(), together)):
        if cut_before and spent >= max(part_tokens, enough):
            starts.append(place)
            spent = 0
        spent += tokens
    stops = [*starts[1:], len(task.removals)]
    return [Part(method, start, stop, len(task.removals)) for start, stop in zip(starts, stops, strict=True)]


def cut(task: RemovalTask, part: Part) -> RemovalTask:
    """A part of a task, as a task of its own."""
    return task.slice(part.start, part.stop)


def cost(task: RemovalTask) -> int:
    """Tokens that go through the model for a task."""
    return sum(passage.cost for passage in task.divide())


def _steps(passages: Sequence[Passage], together: int) -> Iterator[tuple[bool, int, int]]:
    """For each removal: whether the text may be cut before it, its tokens, and what makes a cut there pay."""
    for passage in passages:
        first, before = True, 0
        for target in passage.targets:
            after = passage.length_after(target)
            if first:
                yield True, passage.length + after, 0
            else:
                yield before >= max(together, 1), after, _PAYS * passage.length
            first, before = False, after
