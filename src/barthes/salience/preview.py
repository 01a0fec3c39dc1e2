"""A first picture of sentence deletion: only what comes right after a sentence is read again."""

from __future__ import annotations

from barthes.models.language_model import LanguageModel
from barthes.removal.removal import delete_sentences
from barthes.salience.removal_method import RemovalMethod

__all__ = ["HORIZON", "Preview"]

HORIZON = 72
"""Tokens that are read again after each sentence: about four sentences of a tale."""


class Preview(RemovalMethod):
    """σ by sentence deletion as far as the next `horizon` tokens tell it; nats per token.

    What they lose in all, divided by the tokens of the whole rest: exact where no more follows, else too low
    by what the far rest loses. Its cost grows with the length of a story, not with its square.

    >>> from barthes.models.counting import CountingModel
    >>> from barthes.narrative import Narrative
    >>> from barthes.salience.sentence_deletion import SentenceDeletion
    >>> story = Narrative.from_sentences(["A wolf came.", "The wolf ate.", "It rained."])
    >>> model = CountingModel([story.text])
    >>> Preview(model).score(story).scores == SentenceDeletion(model).score(story).scores
    True
    """

    def __init__(self, model: LanguageModel, *, window: int | None = None, horizon: int = HORIZON) -> None:
        super().__init__(model, delete_sentences, name="preview", window=window, horizon=horizon)
