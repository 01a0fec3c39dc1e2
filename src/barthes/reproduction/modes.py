"""The two ways to run the experiments: as the paper's formula says, or as its authors' release does.

==================  =========================================  =========================================
                    ``published-formula``                      ``paper``
==================  =========================================  =========================================
a tale's text       as the source has it                       its tokens, joined by spaces
window              the whole tale where it fits, else 1024    1024 tokens around each sentence
context             contiguous                                 may have holes
the first sentence  what follows it is predicted whole         the first token after it is lost
tags of VA          the corpus's                               spaCy's
==================  =========================================  =========================================

ROCStories and the toy story have no tokens of their own; both modes read them as they are. TF-IDF counts the
corpus's tokens in both, as `barthes evaluate` does. Likelihoods (perplexity, sentence ordering) are those of
whole texts in both, see `barthes.models.likelihood`: the windows above are those of salience.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache, partial
from typing import Any, ClassVar

from barthes.annotation.events import Annotation
from barthes.annotation.pipeline import describe_parser
from barthes.corpora.tale import Tale
from barthes.methods import parse_method
from barthes.models.language_model import LanguageModel
from barthes.models.windows import DEFAULT_WINDOW
from barthes.narrative import Narrative
from barthes.removal.removal import delete_sentences
from barthes.reproduction.experiment import ExperimentTask, estimate_tokens, hash_story, make_key
from barthes.reproduction.published import PROPOSED
from barthes.reproduction.release_loss import ReleaseLoss
from barthes.reproduction.release_removal import release_removals
from barthes.salience.method import Progress
from barthes.salience.removal_method import SentenceDeletion
from barthes.scoring import score_narrative

PART = 20
"""Sentences of a tale that one task of `PaperMode` scores: two or three minutes."""


class Mode(ABC):
    """What a tale's text is, and how its sentences are scored.

    Attributes:
        name: ``paper`` or ``published-formula``.
        window: Tokens that are read at once; None leaves it to the method.
        follows_formula: Whether σ is that of the methods ``sd``, ``va`` and ``paa``.
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


class PublishedFormula(Mode):
    """The formula to the letter, on natural text; VA and PAA by the corpus's own annotation."""

    name = "published-formula"
    window = None
    follows_formula = True

    def narrate(self, tale: Tale) -> Narrative:
        """Return the tale as the source has it."""
        return tale.narrative

    def plan(self, model: LanguageModel, tale: Tale) -> list[ExperimentTask]:
        """Return one task per method."""
        return [self._plan_method(model, tale, method) for method in PROPOSED]

    def delete(self, model: LanguageModel, narrative: Narrative) -> list[float]:
        """Return σ by `SentenceDeletion`."""
        return list(score_narrative(narrative, SentenceDeletion(model)).scores)

    def _plan_method(self, model: LanguageModel, tale: Tale, name: str) -> ExperimentTask:
        def annotate(narrative: Narrative) -> Annotation:
            return tale.annotation

        def compute(progress: Progress) -> dict[str, Any]:
            method = parse_method(name, model=lambda: model, annotate=annotate)
            profile = score_narrative(tale.narrative, method, progress=progress)
            scores = {name: list(profile.scores)}
            return {"scores": scores, "window": profile.window, "notes": list(profile.notes)}

        key = make_key(
            model,
            task="salience",
            mode=self.name,
            story=tale.name,
            text=hash_story(tale.narrative),
            methods=[name],
            annotation=None if name == "sd" else tale.annotation_hash,
        )
        tokens = estimate_tokens(tale.narrative.text)
        return ExperimentTask(key, tokens + tokens * len(tale.narrative) // 2, compute)


class PaperMode(Mode):
    """What the authors' release computes, window, holes and lost token included."""

    name = "paper"
    window = DEFAULT_WINDOW
    follows_formula = False

    def narrate(self, tale: Tale) -> Narrative:
        """Return the tale's tokens, joined by spaces."""
        return tale.token_narrative

    def plan(self, model: LanguageModel, tale: Tale) -> list[ExperimentTask]:
        """Return tasks for a few sentences each, by all three methods: they share the reading of windows."""
        removals = cache(partial(release_removals, tale))  # tagged once, when it is needed
        narrative = tale.token_narrative
        read = min(estimate_tokens(narrative.text), DEFAULT_WINDOW)

        def compute(targets: range, progress: Progress) -> dict[str, Any]:
            loss = ReleaseLoss(model, window=DEFAULT_WINDOW)
            scores = loss.score(narrative, removals(), targets=targets, progress=progress)
            return {"scores": scores, "window": loss.window, "notes": list(loss.notes)}

        key = make_key(
            model,
            task="salience",
            mode=self.name,
            story=tale.name,
            text=hash_story(narrative),
            methods=PROPOSED,
            window=self.window,
            annotation=f"{describe_parser()}, roles {tale.annotation_hash}",
        )
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
