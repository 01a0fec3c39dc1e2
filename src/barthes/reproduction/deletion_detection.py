"""Appendix A.3: does the rest of a five-sentence story become less likely without each of its sentences?

σ > 0 is the right answer for every sentence: such stories say nothing in vain. The last sentence is judged
by the end-of-text token alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from barthes.annotation.pipeline import describe_parser
from barthes.corpora.rocstories import SENTENCES, RocStories
from barthes.evaluation.identity import Identity
from barthes.evaluation.model_identity import identify_model
from barthes.evaluation.plain import to_plain
from barthes.evaluation.significance import bootstrap_share
from barthes.evaluation.store import are_scores
from barthes.models.language_model import LanguageModel
from barthes.models.side_by_side import side_by_side
from barthes.reproduction.modes import Mode
from barthes.reproduction.published import DELETION
from barthes.reproduction.work import Ledger, Work, estimate_tokens
from barthes.salience.method import Progress

__all__ = ["BATCH", "DeletionDetection", "gather_deletion", "plan_deletion"]

BATCH = 20
"""Stories whose scores are kept together: some ten seconds' work."""


@dataclass(frozen=True)
class DeletionDetection:
    """σ of every sentence of every story, nats per token."""

    scores: tuple[tuple[float, ...], ...]

    @property
    def accuracy(self) -> float | None:
        """The share of deletions with σ > 0."""
        found = [score > 0 for story in self.scores for score in story]
        return sum(found) / len(found) if found else None

    @property
    def notes(self) -> tuple[str, ...]:
        """How many stories are not of five sentences."""
        others = sum(len(story) != SENTENCES for story in self.scores)
        if not others:
            return ()
        return (
            f"Deletion detection: {others} of {len(self.scores)} stories were not split into {SENTENCES} "
            "sentences; they are counted as they are.",
        )

    def to_dict(self) -> dict[str, Any]:
        """The figures, by position too, and all scores; the interval is bootstrapped over stories."""
        found = [sum(score > 0 for score in story) for story in self.scores]
        counts = [len(story) for story in self.scores]
        longest = max(map(len, self.scores), default=0)
        plain: dict[str, Any] = to_plain(
            {
                "stories": len(self.scores),
                "deletions": sum(counts),
                "correct": sum(found),
                "accuracy": self.accuracy,
                "interval": bootstrap_share(found, counts),
                "paper": DELETION,
                "by_position": [self._describe_position(position) for position in range(longest)],
                "scores": self.scores,
            }
        )
        return plain

    def _describe_position(self, position: int) -> dict[str, Any]:
        found = [story[position] > 0 for story in self.scores if position < len(story)]
        return {"position": position + 1, "accuracy": sum(found) / len(found), "count": len(found)}


def plan_deletion(model: LanguageModel, stories: RocStories, mode: Mode) -> list[Work]:
    """Sentence deletion in every story. Planning splits no story: that would load a parser."""
    texts, spans = stories.texts, stories.spans
    return [
        _work(model, stories, mode, texts[start : start + BATCH], spans[start : start + BATCH], start=start)
        for start in range(0, len(texts), BATCH)
    ]


def gather_deletion(works: Sequence[Work], ledger: Ledger) -> DeletionDetection:
    """σ of every sentence of every story, from the work that has been settled."""
    batches = [ledger.value(work.identities[0]) for work in works]
    return DeletionDetection(tuple(tuple(scores) for batch in batches for scores in batch))


def _work(
    model: LanguageModel,
    stories: RocStories,
    mode: Mode,
    texts: Sequence[str],
    spans: Sequence[object],
    *,
    start: int,
) -> Work:
    identity = Identity(
        stories.name,
        f"{start + 1}-{start + len(texts)}",
        hashlib.sha256(json.dumps([texts, spans]).encode()).hexdigest(),  # given or yet to be found
        "sd",
        kind="deletion",
        variant=mode.name,
        **identify_model(model),
        annotation=describe_parser(),  # it decides where sentences end
    )

    def compute(progress: Progress) -> list[Any]:
        narratives = stories.split(start, start + len(texts))  # here: spaCy is not shared
        jobs = [partial(mode.delete, model, narrative) for narrative in narratives]
        scores: list[list[float]] = []
        for found in side_by_side(jobs, at_once=model.readers):
            scores.append(found)
            progress(len(scores), len(texts))
        return [scores]

    tokens = sum(estimate_tokens(text) * (SENTENCES + 1) // 2 for text in texts)
    return Work((identity,), tokens, compute, lambda values: _are_stories(values, len(texts)))


def _are_stories(values: Any, count: int) -> bool:
    if not isinstance(values, list) or len(values) != count:
        return False
    return all(isinstance(scores, list) and scores and are_scores(scores, len(scores)) for scores in values)
