"""The salience profile of a narrative: a score for each of its sentences, events, paragraphs or scenes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from barthes.annotation.events import Event
from barthes.files import write_atomically
from barthes.marks import find_overlapping
from barthes.models.language_model import FloatArray
from barthes.narrative import Narrative, Sentence
from barthes.salience import deserialization, serialization
from barthes.salience.frame import make_frame
from barthes.salience.influence import Influence
from barthes.salience.method_info import MethodInfo
from barthes.salience.serialization import LAST_SENTENCE, SKIPPED
from barthes.salience.stability import Stability
from barthes.salience.trust import Trust

if TYPE_CHECKING:
    import pandas as pd

AGREED_SHARE = 0.2
"""The share of the ranked units that count as the top when two rankings are compared (`Profile.agreed`)."""

_RENDERER = "barthes.report.page"
"""A module with `render_page(profile, title=…)` and `render_cell(profile)`, imported by name when needed."""


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """A sentence, event or other unit of a story with its salience.

    Attributes:
        index: Its position in the story among the units of its kind, from 0.
        start: Its first character in the narrative's text; for an event, that of its predicate.
        end: The character after its last.
        sentence: The sentence itself, or the one in which the unit begins.
        salience: Its score (nats per token for methods that look ahead); higher is more salient.
        rank: 1 for the most salient; None if it is not ranked (see `Profile.unranked`).
        low: The 5th percentile of its bootstrapped scores; None if unknown.
        high: The 95th percentile.
        stability: The share of bootstrap samples in which it is in the top tenth.
        surprise: Its mean surprisal given all before it, nats per token; None if unknown.
        event: The event, if it is one.
        reason: Why it is not ranked; None for ranked units.
        importance: The same unit in `Profile.importance`, with its score and rank there; None if unknown.
    """

    index: int
    start: int
    end: int
    sentence: Sentence
    salience: float
    rank: int | None
    low: float | None = None
    high: float | None = None
    stability: float | None = None
    surprise: float | None = None
    event: Event | None = None
    reason: str | None = None
    importance: ScoredUnit | None = field(default=None, repr=False)

    @property
    def trigger(self) -> str:
        """The words of an event's predicate with its particles; empty for other units."""
        return "" if self.event is None else " ".join(token.text for token in self.event.trigger)

    def to_dict(self) -> dict[str, Any]:
        """Return the unit as in JSON."""
        return serialization.unit_to_dict(self)


@dataclass(frozen=True, repr=False)
class Profile:
    """The scores that a method gives to the units of a narrative.

    Attributes:
        narrative: The story that was scored.
        scores: σ for each unit; for sentence deletion in nats per token, higher is more salient.
        method: The name of the method, such as ``sd+tfidf``.
        model: The name of the language model, or None for methods without one.
        precision: The number format of the model, such as ``float32``; None without a model.
        window: The number of tokens read at once if the story did not fit; None otherwise.
        notes: Notes for readers: a text read in windows, a single sentence, a guessed encoding.
        influences: The loss of each later sentence; None for methods that do not compute it.
        unit: The unit that was scored: ``sentence``, ``event`` …
        stability: The dependence of scores on single later sentences or single parts of a sum; None for
            methods without bootstrap samples.
        surprise: The mean surprisal of each unit given all before it, nats per token (if the story did not
            fit, all before it in its window); None for events and for methods that do not look ahead.
        events: For the unit ``event``: the events in story order, each with the index of its sentence.
        trust: The agreement with readers that a learned method expects; None for other methods.
        importance: The same units scored by ``readers``: how important readers are likely to find them. None
            if it was not asked for, or may not be trusted for this story.
        info: The description of the method; by default looked up by its name. Of methods that Barthes does
            not know, only `looks_ahead` is saved.
    """

    narrative: Narrative
    scores: tuple[float, ...]
    method: str
    model: str | None = None
    precision: str | None = None
    window: int | None = None
    notes: tuple[str, ...] = ()
    influences: Influence | None = field(default=None, repr=False)
    unit: str = "sentence"
    stability: Stability | None = field(default=None, repr=False)
    surprise: tuple[float | None, ...] | None = field(default=None, repr=False)
    events: tuple[tuple[int, Event], ...] = field(default=(), repr=False)
    trust: Trust | None = None
    importance: Profile | None = field(default=None, repr=False)
    info: MethodInfo = field(default=None, repr=False, compare=False)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.info is None or self.info.name != self.method:
            from barthes.methods import describe_stored_method

            info = describe_stored_method(self.method, has_model=self.model is not None, unit=self.unit)
            object.__setattr__(self, "info", info)
        if len(self.scores) != len(self.spans):
            raise ValueError(f"{len(self.scores)} scores for {len(self.spans)} {self.unit}s")
        if self.stability is not None and len(self.stability) != len(self.scores):
            raise ValueError(f"the stability of {len(self.stability)} scores for {len(self.scores)}")
        if self.surprise is not None and len(self.surprise) != len(self.scores):
            raise ValueError(f"the surprise of {len(self.surprise)} units for {len(self.scores)} scores")
        if self.importance is not None and self.importance.spans != self.spans:
            raise ValueError("the importance of other units than those that are scored")

    def __repr__(self) -> str:
        story = f" of {self.narrative.title!r}" if self.narrative.title else ""
        model = f", {self.model}" if self.model else ""
        return f"<Profile{story} by {self.method}: {len(self)} {self.unit}s{model}>"

    def __len__(self) -> int:
        return len(self.scores)

    def __iter__(self) -> Iterator[ScoredUnit]:
        return iter(self.units)

    @overload
    def __getitem__(self, index: int) -> ScoredUnit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ScoredUnit, ...]: ...
    def __getitem__(self, index: int | slice) -> ScoredUnit | tuple[ScoredUnit, ...]:
        return self.units[index]

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The (start, end) of each unit in the text; for an event, that of its predicate."""
        if self.unit != "event":
            return self.narrative.spans
        return tuple(event.predicate.span for _, event in self.events)

    @property
    def influence(self) -> FloatArray | None:
        """The influence matrix, shape (n, n), nats per token; None for methods that do not compute it.

        ``influence[i, j]`` is how much the mean log-likelihood of S_i falls when S_j is removed: NaN where
        S_i does not come after S_j or is outside its window.
        """
        return None if self.influences is None else self.influences.to_array()

    @cached_property
    def unranked(self) -> Mapping[int, str]:
        """The units that are not ranked, by index, each with the reason.

        Passages of `Narrative.skipped` are not. Methods that look ahead, and sums with one, score the last
        sentence and its events by the end-of-text token alone: these scores are not comparable with the
        others. (The profile of a single sentence has a note instead.)
        """
        skipped = dict.fromkeys(find_overlapping(self.spans, self.narrative.skipped), SKIPPED)
        if len(self.narrative) < 2 or self.model is None or not self.info.looks_ahead:
            return skipped
        last, _ = self.narrative.spans[-1]
        reason = LAST_SENTENCE.replace("sentence", self.narrative.unit)
        return {k: reason for k, (start, _) in enumerate(self.spans) if start >= last} | skipped

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """The rank of each unit, 1 for the most salient; ties go to the earlier one.

        None for units that are `unranked` or have no score yet (NaN).
        """
        left_out = self.unranked
        ranked = [k for k, score in enumerate(self.scores) if math.isfinite(score) and k not in left_out]
        ranks: list[int | None] = [None] * len(self.scores)
        for k, rank in zip(ranked, rank_scores([self.scores[k] for k in ranked]), strict=True):
            ranks[k] = rank
        return tuple(ranks)

    @property
    def uncertain(self) -> frozenset[int]:
        """The units whose rank in the top tenth is uncertain (`Stability.find_uncertain`), by index."""
        return frozenset() if self.stability is None else self.stability.find_uncertain(self.ranks)

    @cached_property
    def units(self) -> tuple[ScoredUnit, ...]:
        """The scored units in story order, with salience and rank."""
        nothing = (None,) * len(self.scores)
        known = self.stability
        figures = [nothing] * 3 if known is None else [known.low, known.high, known.share]
        surprise = self.surprise or nothing
        events = [event for _, event in self.events] or nothing
        reasons = map(self.unranked.get, range(len(self.scores)))
        scores = (self.scores, self.ranks, *figures, surprise)
        importance = nothing if self.importance is None else self.importance.units
        columns = (*scores, events, reasons, importance)
        rows = zip(self.spans, self._sentences, *columns, strict=True)
        return tuple(ScoredUnit(i, *span, *row) for i, (span, *row) in enumerate(rows))

    @property
    def agreed(self) -> tuple[ScoredUnit, ...]:
        """The units that both the method and `importance` rank in their top fifth, in story order.

        Empty without `importance`. Barthes calls such units cardinal functions: the story turns on them.
        """
        if self.importance is None:
            return ()
        top = [
            {unit.index for unit in each.top(max(1, round(len(each.top()) * AGREED_SHARE)))}
            for each in (self, self.importance)
        ]
        return tuple(unit for unit in self.units if unit.index in top[0] & top[1])

    @property
    def _sentences(self) -> Sequence[Sentence]:
        """The sentence or longer unit itself, or the sentence of an event."""
        if self.unit != "event":
            return tuple(self.narrative)
        return [self.narrative[k] for k, _ in self.events]

    def top(self, n: int | None = None) -> tuple[ScoredUnit, ...]:
        """Return the n most salient units, the most salient first; without n, all that are ranked."""
        ranked = ((scored.rank, scored) for scored in self.units if scored.rank is not None)
        return tuple(scored for _, scored in sorted(ranked, key=lambda pair: pair[0])[:n])

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas table, one row per unit in story order; the rank of unranked units is NA."""
        rows = [serialization.flatten(unit.to_dict()) for unit in self.units]
        if self.unit == "event":
            rows = [row | {"text": str(unit.sentence)} for row, unit in zip(rows, self.units, strict=True)]
        types = {"rank": "Int64"} | dict.fromkeys(("low", "high", "stability", "surprise"), "float64")
        return make_frame(rows, types).drop(columns="reason", errors="ignore")

    def to_dict(self, *, influence: bool = False) -> dict[str, Any]:
        """Return the profile as plain lists and dicts, as `barthes score --format json` prints it."""
        return serialization.to_dict(self, influence=influence)

    def to_html(self, path: str | Path | None = None, *, title: str | None = None) -> str:
        """Return a self-contained interactive page with the shaded story, its chart and dependencies.

        Args:
            path: Write the page to this file (atomically); None writes nothing.
            title: The heading; by default the story's own, else its title (for a path, the file's name).

        Raises:
            OutputError: The file cannot be written.
        """
        page: str = import_module(_RENDERER).render_page(self, title=title)
        if path is not None:
            write_atomically(Path(path), page)
        return page

    def _repr_html_(self) -> str:
        """Return the HTML that notebooks show."""
        cell: str = import_module(_RENDERER).render_cell(self)
        return cell

    def save(self, path: str | Path) -> None:
        """Write the profile and the story's text as JSON; `Profile.load` returns an equal profile."""
        content = serialization.to_saved_dict(self)
        write_atomically(Path(path), json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Profile:
        """Read a file of `save`, or the JSON of `barthes score` for one story with all its sentences.

        The latter lacks the text between sentences: it becomes white space of the same length.

        Raises:
            ReadingError: The file cannot be read, or has several stories or incomplete scores.
        """
        return deserialization.load(Path(path))


EventProfile = Profile
"""The former name of a profile of events; to be removed after the next release."""


def rank_scores(scores: Sequence[float]) -> tuple[int, ...]:
    """Return the rank of each score, 1 for the highest; ties go to the earlier one.

    >>> rank_scores([0.5, -1.0, 0.5])
    (1, 3, 2)
    """
    order = sorted(range(len(scores)), key=lambda k: (-scores[k], k))
    ranks = [0] * len(order)
    for rank, k in enumerate(order, start=1):
        ranks[k] = rank
    return tuple(ranks)
