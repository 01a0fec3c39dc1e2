"""A single method whose scores go through the store, and the scores of many methods on many stories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from barthes.corpora.corpus import Labelled
from barthes.evaluation.identity import Identity, hash_story
from barthes.evaluation.model_identity import identify_model
from barthes.evaluation.store import ScoreStore, are_scores
from barthes.evaluation.whole_progress import WholeProgress
from barthes.methods import LOOKING_AHEAD
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.salience.method import Method, Progress, silent

__all__ = ["Outcome", "Scores", "StoredMethod", "is_outcome", "score_stories"]

Scores = tuple[float, ...]
"""One score a sentence of a story."""


@dataclass(frozen=True)
class Outcome:
    """What a method makes of a story, as far as an evaluation needs it.

    Attributes:
        scores: One a sentence.
        window: Tokens that the model read at once, where the story did not fit whole; else None.
        notes: What a reader of the scores should know.
        precision: What the model computed in; None without one. It is part of the identity, not stored here.
    """

    scores: Scores
    window: int | None = None
    notes: tuple[str, ...] = ()
    precision: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """What is stored."""
        return {"scores": list(self.scores), "window": self.window, "notes": list(self.notes)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, precision: str | None = None) -> Outcome:
        """What was stored."""
        return cls(tuple(values["scores"]), values["window"], tuple(values["notes"]), precision)


@dataclass(frozen=True)
class StoredMethod:
    """A method, and all that its scores depend on beside the story. Without a model nothing is stored.

    Attributes:
        method: The method; not a combination, which is made from the scores of its parts.
        model: The language model behind it, by which its scores are known again.
        window: The window that the method was given.
        variant: In which way it computes, where there is more than one.
        annotation: Gives the hash or name of the annotation that it uses of a story; None for none.
    """

    method: Method
    model: LanguageModel | None = None
    window: int | None = None
    variant: str = "published-formula"
    annotation: Callable[[Narrative], str] | None = None

    def identify(self, story: Labelled, *, corpus: str) -> Identity:
        """What the scores of a story are known by."""
        return Identity(
            corpus=corpus,
            story=story.name,
            text=hash_story(story.narrative),
            method=self.method.name,
            variant=self.variant,
            window=self.window,
            annotation=None if self.annotation is None else self.annotation(story.narrative),
            **identify_model(self.model),
        )

    def fetch(self, story: Labelled, *, corpus: str, store: ScoreStore | None) -> Outcome | None:
        """What is stored of a story, if it can be used."""
        if store is None or self.model is None:
            return None
        count = len(story.narrative)
        identity = self.identify(story, corpus=corpus)
        found = store.fetch(identity, check=lambda values: is_outcome(values, count))
        return None if found is None else Outcome.from_dict(found, precision=identity.precision)

    def compute(
        self, story: Labelled, *, corpus: str, store: ScoreStore | None, progress: Progress = silent
    ) -> Outcome:
        """Score a story, and store what came of it at once."""
        profile = self.method.score(story.narrative, progress=progress)
        outcome = Outcome(tuple(profile.scores), profile.window, tuple(profile.notes), profile.precision)
        if store is not None and self.model is not None:
            store.keep(self.identify(story, corpus=corpus), outcome.to_dict())
        return outcome


def score_stories(
    methods: Mapping[str, StoredMethod],
    stories: Sequence[Labelled],
    *,
    corpus: str,
    store: ScoreStore | None = None,
    progress: Progress = silent,
) -> dict[str, dict[str, Outcome]]:
    """What every method makes of every story: what is stored first, then the rest, one by one.

    Args:
        methods: By any name.
        stories: With names that differ.
        corpus: The corpus's name in the store.
        store: Where scores are kept; None computes all.
        progress: Called with the work done and the work in all, in characters to be read, about.

    Returns:
        The outcomes by method and story.
    """
    outcomes: dict[str, dict[str, Outcome]] = {name: {} for name in methods}
    missing: list[tuple[str, Labelled]] = []
    for name, method in methods.items():
        for story in stories:
            if (found := method.fetch(story, corpus=corpus, store=store)) is None:
                missing.append((name, story))
            else:
                outcomes[name][story.name] = found
    costs = [_estimate(methods[name], story) for name, story in missing]
    whole = WholeProgress(progress, costs)
    for place, (name, story) in enumerate(missing):
        report = whole.part(place)
        outcome = methods[name].compute(story, corpus=corpus, store=store, progress=report)
        outcomes[name][story.name] = outcome
        report(1, 1)
    return outcomes


def is_outcome(values: Any, count: int) -> bool:
    """Whether what was found can be the stored outcome of a story of so many sentences."""
    if not isinstance(values, dict) or values.keys() != Outcome(()).to_dict().keys():
        return False
    window, notes = values["window"], values["notes"]
    return (
        are_scores(values["scores"], count)
        and (window is None or type(window) is int)
        and isinstance(notes, list)
        and all(isinstance(note, str) for note in notes)
    )


def _estimate(method: StoredMethod, story: Labelled) -> int:
    """How many characters will be read: the rest of the story after each sentence, or the story once."""
    length, sentences = len(story.narrative.text), len(story.narrative)
    return max(1, length * sentences // 2) if method.method.name in LOOKING_AHEAD - {"preview"} else length
