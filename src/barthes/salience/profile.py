"""The salience profile of a narrative: one score a sentence, and which later sentences lost how much."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from barthes.models.language_model import FloatArray
from barthes.narrative import Narrative, Sentence
from barthes.salience.influence import Influence
from barthes.salience.ranking import rank_scores
from barthes.salience.saving import load_json, save_json
from barthes.salience.showing import Shown
from barthes.salience.stability import Stability

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Profile", "ScoredSentence"]


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence with its salience (nats per token for σ; higher is more salient) and rank (1 is first).

    `low`, `high` and `stability` (the share of the draws in which it is among the top tenth) are those of
    `Stability`, and None where it is not known.
    """

    sentence: Sentence
    salience: float
    rank: int
    low: float | None = None
    high: float | None = None
    stability: float | None = None

    @property
    def place(self) -> int:
        """Where it comes in the story."""
        return self.sentence.index

    def to_row(self) -> dict[str, Any]:
        """The row of a table: the same as in JSON, but the text on one line."""
        return self.to_dict() | {"text": str(self.sentence)}

    def to_dict(self) -> dict[str, Any]:
        """What JSON shows."""
        return {
            "index": self.sentence.index,
            "start": self.sentence.start,
            "end": self.sentence.end,
            "text": self.sentence.text,
            "salience": self.salience,
            "rank": self.rank,
            "low": self.low,
            "high": self.high,
            "stability": self.stability,
        }


@dataclass(frozen=True)
class Profile(Shown):
    """What a method makes of a narrative.

    Attributes:
        narrative: The story that was scored.
        scores: σ(S_k) for each sentence; for sentence deletion in nats per token, higher is more salient.
        method: The name of the method, such as ``sd+tfidf``.
        model: The name of the language model, or None for methods without one.
        precision: What the model computed in, such as ``float32``; None without a model.
        window: How many tokens the model saw at once, where the story did not fit whole; else None.
        notes: What the reader should know: a text cut into windows, a single sentence, a guessed encoding.
        influences: Which later sentence lost how much; None for methods that do not compute it.
        stability: How far the scores hang on single later sentences, or on single parts of a sum; None for
            single methods that look at nothing but the sentence.
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

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.narrative):
            raise ValueError(f"{len(self.scores)} scores for {len(self.narrative)} sentences")
        if self.stability is not None and len(self.stability) != len(self.scores):
            raise ValueError(f"the stability of {len(self.stability)} scores for {len(self.scores)}")

    @property
    def influence(self) -> FloatArray | None:
        """The influence matrix, shape (n, n), nats per token; the paper's last table.

        ``influence[i, j]`` is how much the mean log-likelihood of S_i falls when S_j is removed: NaN where
        S_i does not come after S_j or is outside its window. None for methods that do not compute it.
        """
        return None if self.influences is None else self.influences.to_array()

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each sentence, 1 for the most salient; ties go to the earlier sentence."""
        return rank_scores(self.scores)

    @property
    def sentences(self) -> tuple[ScoredSentence, ...]:
        """The sentences in story order, with salience and rank."""
        known = self.stability
        figures = () if known is None else (known.low, known.high, known.share)
        return tuple(map(ScoredSentence, self.narrative, self.scores, self.ranks, *figures))

    def without_draws(self) -> Profile:
        """The same without the draws behind its stability, for those who keep many profiles."""
        return self if self.stability is None else replace(self, stability=self.stability.without_draws())

    def top(self, n: int | None = None) -> tuple[ScoredSentence, ...]:
        """The n most salient sentences, the most salient first (all of them without n)."""
        return tuple(sorted(self.sentences, key=lambda scored: scored.rank)[:n])

    def to_frame(self) -> pd.DataFrame:
        """A pandas table, one row a sentence in story order."""
        import pandas as pd

        frame = pd.DataFrame([scored.to_dict() for scored in self.sentences])
        return frame.astype(dict.fromkeys(("low", "high", "stability"), "float64"))

    def to_dict(self, *, influence: bool = False) -> dict[str, Any]:
        """The profile as plain lists and dicts, as `barthes score --format json` prints it."""
        result: dict[str, Any] = {
            "story": self.narrative.title,
            "method": self.method,
            "model": self.model,
            "precision": self.precision,
            "unit": self.unit,
            "window": self.window,
            "notes": list(self.notes),
            "sentences": [scored.to_dict() for scored in self.sentences],
        }
        if influence:
            result["influence"] = _nested(self.influence)
        return result

    def save(self, path: str | Path) -> None:
        """Write everything, the text included, to a JSON file that `Profile.load` reads back equal."""
        known = None if self.influences is None else self.influences.to_lists()
        save_json(self.to_dict() | {"influences": known}, self.narrative, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Profile:
        """Read what `save` wrote."""
        return load_json(Path(path), cls._from_saved)

    @classmethod
    def _from_saved(cls, content: dict[str, Any], narrative: Narrative) -> Profile:
        known = content["influences"]
        return cls(
            narrative,
            tuple(float(row["salience"]) for row in content["sentences"]),
            method=content["method"],
            model=content["model"],
            precision=content["precision"],
            window=content["window"],
            notes=tuple(content["notes"]),
            influences=None if known is None else Influence.from_lists(known),
            unit=content["unit"],
            stability=Stability.from_rows(content["sentences"]),
        )


def _nested(influence: FloatArray | None) -> list[list[float | None]] | None:
    if influence is None:
        return None
    return [[None if np.isnan(value) else float(value) for value in row] for row in influence]
