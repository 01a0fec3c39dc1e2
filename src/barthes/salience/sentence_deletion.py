"""The paper's first method: remove the whole sentence."""

from __future__ import annotations

from barthes.models.language_model import LanguageModel
from barthes.removal.removal import delete_sentences
from barthes.salience.removal_method import RemovalMethod

__all__ = ["SentenceDeletion"]


class SentenceDeletion(RemovalMethod):
    """SD: how much the rest of the story loses, in nats per token, when the sentence is deleted.

    >>> from barthes.models.counting import CountingModel
    >>> from barthes.narrative import Narrative
    >>> story = Narrative.from_sentences(["A wolf came.", "The wolf ate.", "It rained."])
    >>> SentenceDeletion(CountingModel([story.text])).score(story).method
    'sd'
    """

    def __init__(self, model: LanguageModel, *, window: int | None = None) -> None:
        super().__init__(model, delete_sentences, name="sd", window=window)
