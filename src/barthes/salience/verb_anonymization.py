"""The paper's second method: every verb of the sentence becomes a form of *do*."""

from __future__ import annotations

from barthes.annotation.annotator import Annotator
from barthes.annotation.annotator import annotate as annotate_with_spacy
from barthes.models.language_model import LanguageModel
from barthes.removal.anonymization import VerbAnonymizer
from barthes.salience.removal_method import RemovalMethod

__all__ = ["VerbAnonymization"]


class VerbAnonymization(RemovalMethod):
    """VA: how much the rest of the story loses, in nats per token, when the verbs say nothing.

    Args:
        model: The language model that supplies the likelihoods.
        window: Tokens that the model reads at once; by default the whole story where it fits.
        annotate: Where tokens and tags come from; by default from spaCy's parse, for English texts.
        keep_auxiliaries: Whether to leave auxiliaries alone.

    >>> from barthes.models.counting import CountingModel
    >>> from barthes.narrative import Narrative
    >>> story = Narrative.from_sentences(["A wolf came.", "The wolf ate.", "It rained."])
    >>> VerbAnonymization(CountingModel([story.text])).score(story).method
    'va'
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        window: int | None = None,
        annotate: Annotator | None = None,
        keep_auxiliaries: bool = False,
    ) -> None:
        removal = VerbAnonymizer(annotate or annotate_with_spacy, keep_auxiliaries=keep_auxiliaries)
        super().__init__(model, removal, name="va", window=window)
