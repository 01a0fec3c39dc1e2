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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, ClassVar

from barthes.annotation.events import Annotation
from barthes.annotation.pipeline import describe_parser
from barthes.corpora.tale import Tale
from barthes.errors import UnknownNameError
from barthes.evaluation.identity import Identity, hash_story
from barthes.evaluation.model_identity import identify_model
from barthes.evaluation.stored_method import Outcome, is_outcome
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.removal.removal import Removed, delete_sentences
from barthes.reproduction.published import PROPOSED
from barthes.reproduction.release_loss import ReleaseLoss
from barthes.reproduction.release_removal import release_removals
from barthes.reproduction.work import Work, estimate_tokens
from barthes.salience.coherence_loss import DEFAULT_WINDOW
from barthes.salience.method import Method, Progress, silent
from barthes.salience.removal_method import (
    PredicateArgumentAnonymization,
    SentenceDeletion,
    VerbAnonymization,
)

__all__ = ["MODES", "PART", "Mode", "PaperMode", "PublishedFormula", "find_mode"]

PART = 20
"""Sentences of a tale whose scores are kept together while `PaperMode` is at it: two minutes or three."""


class Mode(ABC):
    """What a tale's text is, and how its sentences are scored.

    Attributes:
        name: ``paper`` or ``published-formula``; results are kept under it.
        window: Tokens that are read at once; None leaves it to the method.
        follows_formula: Whether σ is that of `SentenceDeletion` and its kin.
    """

    name: ClassVar[str]
    window: ClassVar[int | None]
    follows_formula: ClassVar[bool]

    @abstractmethod
    def narrate(self, tale: Tale) -> Narrative:
        """The tale as the model reads it; its sentences are the tale's."""

    @abstractmethod
    def plan(self, model: LanguageModel, corpus: str, tale: Tale) -> list[Work]:
        """The salience of every sentence of a tale by SD, VA and PAA."""

    @abstractmethod
    def delete(
        self, model: LanguageModel, narrative: Narrative, *, progress: Progress = silent
    ) -> list[float]:
        """σ by sentence deletion for each sentence of any narrative, nats per token."""

    @abstractmethod
    def describe_annotation(self, tale: Tale, method: str) -> str | None:
        """What the scores of a method owe to tags and roles."""

    def identify(self, model: LanguageModel, corpus: str, tale: Tale, method: str) -> Identity:
        """Where the salience of a tale's sentences is kept."""
        return Identity(
            corpus,
            tale.name,
            hash_story(self.narrate(tale)),
            method,
            variant=self.name,
            window=self.window,
            annotation=self.describe_annotation(tale, method),
            **identify_model(model),
        )


class PublishedFormula(Mode):
    """The formula to the letter, on natural text; VA and PAA by the corpus's own annotation."""

    name = "published-formula"
    window = None
    follows_formula = True

    def narrate(self, tale: Tale) -> Narrative:
        """The tale as the source has it."""
        return tale.narrative

    def plan(self, model: LanguageModel, corpus: str, tale: Tale) -> list[Work]:
        """One piece of work a method: each of them takes long."""
        return [self._work(model, corpus, tale, method) for method in PROPOSED]

    def delete(
        self, model: LanguageModel, narrative: Narrative, *, progress: Progress = silent
    ) -> list[float]:
        """By `SentenceDeletion`."""
        return list(SentenceDeletion(model).score(narrative, progress=progress).scores)

    def describe_annotation(self, tale: Tale, method: str) -> str | None:
        """The corpus's."""
        return None if method == "sd" else tale.annotation_hash

    def _work(self, model: LanguageModel, corpus: str, tale: Tale, method: str) -> Work:
        def compute(progress: Progress) -> list[Any]:
            profile = _build(method, model, tale).score(tale.narrative, progress=progress)
            return [Outcome(profile.scores, profile.window, profile.notes).to_dict()]

        identity = self.identify(model, corpus, tale, method)
        tokens = estimate_tokens(tale.narrative.text)
        cost = tokens + tokens * len(tale.narrative) // 2  # the tale, and what follows each sentence
        return Work((identity,), cost, compute, partial(is_outcome, count=len(tale.narrative)))


class PaperMode(Mode):
    """What the authors' release computes, window, holes and lost token included."""

    name = "paper"
    window = DEFAULT_WINDOW
    follows_formula = False

    def narrate(self, tale: Tale) -> Narrative:
        """The tale's tokens, joined by spaces."""
        return tale.token_narrative

    def plan(self, model: LanguageModel, corpus: str, tale: Tale) -> list[Work]:
        """All three methods at once, for they share the reading of each window; a few sentences a part."""
        removals = cache(partial(release_removals, tale))  # tagged once, and not before it is needed
        count = len(tale.narrative)
        parts = tuple(
            self._work(model, corpus, tale, removals, range(start, min(start + PART, count)))
            for start in range(0, count, PART)
        )

        def compute(progress: Progress, *found: Mapping[str, Any]) -> list[Any]:
            return [_join(method, found).to_dict() for method in PROPOSED]

        identities = tuple(self.identify(model, corpus, tale, method) for method in PROPOSED)
        cost = sum(part.tokens for part in parts)
        return [Work(identities, cost, compute, partial(is_outcome, count=count), parts)]

    def delete(
        self, model: LanguageModel, narrative: Narrative, *, progress: Progress = silent
    ) -> list[float]:
        """By `ReleaseLoss`."""
        removals = {"sd": delete_sentences(narrative)}
        loss = ReleaseLoss(model, window=DEFAULT_WINDOW)
        return list(loss.score(narrative, removals, progress=progress)["sd"])

    def describe_annotation(self, tale: Tale, method: str) -> str | None:
        """SpaCy's tags for VA; those and the corpus's roles for PAA."""
        if method == "sd":
            return None
        roles = "" if method == "va" else f", roles {tale.annotation_hash}"
        return describe_parser() + roles

    def _work(
        self,
        model: LanguageModel,
        corpus: str,
        tale: Tale,
        removals: Callable[[], Mapping[str, Sequence[Removed]]],
        targets: range,
    ) -> Work:
        """Some sentences of a tale by every method."""

        def compute(progress: Progress) -> list[Any]:
            loss = ReleaseLoss(model, window=DEFAULT_WINDOW)
            task = loss.prepare(tale.token_narrative, removals(), targets=targets)
            scores = loss.measure(task, progress=progress)
            return [{"scores": scores, "window": loss.window, "notes": list(task.notes)}]

        read = min(estimate_tokens(tale.token_narrative.text), DEFAULT_WINDOW)
        identity = replace(
            self.identify(model, corpus, tale, PROPOSED[-1]),  # it rests on all that the others rest on
            method="+".join(PROPOSED),
            kind="sentences",
            part=f"{targets.start + 1}-{targets.stop}",
        )
        cost = len(targets) * (read + len(PROPOSED) * read // 2)
        return Work((identity,), cost, compute, partial(_is_part, count=len(targets)))


MODES: dict[str, Mode] = {mode.name: mode for mode in (PaperMode(), PublishedFormula())}


def find_mode(name: str) -> Mode:
    """The mode of that name.

    Raises:
        UnknownNameError: There is none.
    """
    if name not in MODES:
        raise UnknownNameError("mode", name, MODES)
    return MODES[name]


def _join(method: str, parts: Sequence[Mapping[str, Any]]) -> Outcome:
    """What one method makes of a tale, from its parts; they were all read with the same model."""
    scores = tuple(score for part in parts for score in part["scores"][method])
    return Outcome(scores, parts[0]["window"], tuple(parts[0]["notes"]))


def _is_part(values: Any, count: int) -> bool:
    """Whether what was found can be the scores of so many sentences by every method."""
    if not isinstance(values, dict) or not isinstance(values.get("scores"), dict):
        return False
    return values["scores"].keys() == set(PROPOSED) and all(
        is_outcome({**values, "scores": scores}, count) for scores in values["scores"].values()
    )


def _build(method: str, model: LanguageModel, tale: Tale) -> Method:
    def annotate(narrative: Narrative) -> Annotation:
        return tale.annotation

    if method == "va":
        return VerbAnonymization(model, annotate=annotate)
    if method == "paa":
        return PredicateArgumentAnonymization(model, annotate=annotate)
    return SentenceDeletion(model)
