"""The two modes of the experiments: by the paper's formula, or as its authors' release computes.

==================  =========================================  =========================================
                    ``published-formula``                      ``paper``
==================  =========================================  =========================================
text of a tale      as in the source                           its tokens, joined by spaces
window              the whole tale if it fits, else 1024       1024 tokens around each sentence
context             contiguous                                 may have gaps
first sentence      all that follows is predicted              the first token after it is skipped
tags for VA         the corpus's                               spaCy's
==================  =========================================  =========================================

ROCStories and the toy story are not tokenized: both modes read them as they are. In both, TF-IDF counts the
corpus's tokens, as `barthes evaluate` does, and likelihoods (perplexity, sentence ordering) are those of
whole texts (`barthes.models.windows`); the windows above are for salience.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache, partial
from typing import Any, ClassVar

from barthes.annotation.events import Annotation
from barthes.annotation.pipeline import describe_parser
from barthes.methods import describe_method
from barthes.models.language_model import LanguageModel
from barthes.models.windows import DEFAULT_WINDOW
from barthes.narrative import Narrative
from barthes.removal.removal import delete_sentences
from barthes.salience.method import Progress
from barthes.salience.removal_method import SentenceDeletion
from barthes.scorer import Scorer
from barthes_research.corpora.tale import Tale
from barthes_research.reproduction.experiment import ExperimentTask, estimate_tokens, hash_story, make_key
from barthes_research.reproduction.published import PROPOSED
from barthes_research.reproduction.release_loss import ReleaseLoss
from barthes_research.reproduction.release_removal import release_removals

PART = 20
"""Sentences of a tale that one task of `PaperMode` scores: two or three minutes."""


class Mode(ABC):
    """The text of a tale and the computation of its scores.

    Attributes:
        name: ``paper`` or ``published-formula``.
        window: Tokens that are read at once; None for the method's default.
        follows_formula: Whether scores are those of the methods ``sd``, ``va`` and ``paa``.
    """

    name: ClassVar[str]
    window: ClassVar[int | None]
    follows_formula: ClassVar[bool]

    @abstractmethod
    def narrate(self, tale: Tale) -> Narrative:
        """Return the tale as the model reads it; its sentences are the tale's."""

    @abstractmethod
    def plan(self, model: LanguageModel, tale: Tale) -> list[ExperimentTask]:
        """Return tasks that score every sentence of a tale by SD, VA and PAA.

        The result of each has ``scores``, by method, of some of the sentences, in order; ``window``; and
        ``notes``.
        """

    @abstractmethod
    def delete(self, model: LanguageModel, narrative: Narrative) -> list[float]:
        """Return σ by sentence deletion for each sentence of any narrative, nats per token."""

    def _make_key(self, model: LanguageModel, tale: Tale, **fields: Any) -> dict[str, Any]:
        text = hash_story(self.narrate(tale))
        return make_key(model, task="salience", mode=self.name, story=tale.name, text=text, **fields)


class PublishedFormula(Mode):
    """The formula as published, on natural text; VA and PAA use the corpus's annotation."""

    name = "published-formula"
    window: ClassVar[int | None] = None
    follows_formula = True

    def narrate(self, tale: Tale) -> Narrative:
        """Return the tale as in the source."""
        return tale.narrative

    def plan(self, model: LanguageModel, tale: Tale) -> list[ExperimentTask]:
        """Return one task per method."""
        return [self._plan_method(model, tale, method) for method in PROPOSED]

    def delete(self, model: LanguageModel, narrative: Narrative) -> list[float]:
        """Return σ by `SentenceDeletion`."""
        return list(Scorer(SentenceDeletion(model)).score(narrative).scores)

    def _plan_method(self, model: LanguageModel, tale: Tale, name: str) -> ExperimentTask:
        def annotate(narrative: Narrative) -> Annotation:
            return tale.annotation

        def compute(progress: Progress) -> dict[str, Any]:
            profile = Scorer(name, model, annotate=annotate).score(tale.narrative, progress=progress)
            scores = {name: list(profile.scores)}
            return {"scores": scores, "window": profile.window, "notes": list(profile.notes)}

        annotation = tale.annotation_hash if describe_method(name).uses_annotation else None
        key = self._make_key(model, tale, methods=[name], annotation=annotation)
        tokens = estimate_tokens(tale.narrative.text)
        return ExperimentTask(key, tokens + tokens * len(tale.narrative) // 2, compute)


class PaperMode(Mode):
    """The computation of the authors' release, including its windows, gaps and skipped token."""

    name = "paper"
    window: ClassVar[int | None] = DEFAULT_WINDOW
    follows_formula = False

    def narrate(self, tale: Tale) -> Narrative:
        """Return the tale's tokens, joined by spaces."""
        return tale.token_narrative

    def plan(self, model: LanguageModel, tale: Tale) -> list[ExperimentTask]:
        """Return tasks for a few sentences each, by all three methods, which share the reading of windows."""
        removals = cache(partial(release_removals, tale))  # tagged once, when it is needed
        narrative = tale.token_narrative
        read = min(estimate_tokens(narrative.text), DEFAULT_WINDOW)

        def compute(targets: range, progress: Progress) -> dict[str, Any]:
            loss = ReleaseLoss(model, window=DEFAULT_WINDOW)
            scores = loss.score(narrative, removals(), targets=targets, progress=progress)
            return {"scores": scores, "window": loss.window, "notes": list(loss.notes)}

        annotation = f"{describe_parser()}, roles {tale.annotation_hash}"
        key = self._make_key(model, tale, methods=PROPOSED, window=self.window, annotation=annotation)
        starts = range(0, len(narrative), PART)
        parts = [range(start, min(start + PART, len(narrative))) for start in starts]
        return [
            ExperimentTask(
                key | {"part": [targets.start, targets.stop]},
                len(targets) * (read + len(PROPOSED) * read // 2),
                partial(compute, targets),
            )
            for targets in parts
        ]

    def delete(self, model: LanguageModel, narrative: Narrative) -> list[float]:
        """Return σ by `ReleaseLoss`."""
        loss = ReleaseLoss(model, window=DEFAULT_WINDOW)
        return loss.score(narrative, {"sd": delete_sentences(narrative)})["sd"]


MODES: dict[str, Mode] = {mode.name: mode for mode in (PaperMode(), PublishedFormula())}
"""The modes by name."""
