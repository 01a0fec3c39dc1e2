"""The salience of events: remove one event of a sentence, leave the others, see what the rest loses."""

from __future__ import annotations

from barthes.annotation.annotator import Annotator
from barthes.annotation.annotator import annotate as annotate_with_spacy
from barthes.errors import UnknownNameError
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.removal.anonymization import remove_single_events
from barthes.salience.coherence_loss import CoherenceLoss
from barthes.salience.event_profile import EventProfile
from barthes.salience.method import Progress, silent

__all__ = ["EVENT_METHODS", "EventSalience"]

EVENT_METHODS = ("va", "paa")
"""The removals that can take away one event of a sentence: its predicate, or also its arguments."""


class EventSalience:
    """σ of every event of a narrative, nats per token.

    Args:
        model: The language model that supplies the likelihoods.
        method: ``va`` removes the event's predicate, ``paa`` its ARG0 and ARG1 too.
        window: Tokens that the model reads at once; by default the whole story where it fits.
        annotate: Where events come from; by default from spaCy's parse, for English texts.

    >>> from barthes.models.counting import CountingModel
    >>> story = Narrative.from_sentences(["A wolf came and ate a sheep.", "It rained."])
    >>> profile = EventSalience(CountingModel([story.text]), method="va").score(story)
    >>> [scored.trigger for scored in profile.scored]
    ['came', 'ate', 'rained']
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        method: str = "va",
        window: int | None = None,
        annotate: Annotator | None = None,
    ) -> None:
        if method not in EVENT_METHODS:
            raise UnknownNameError("event removal", method, EVENT_METHODS)
        self._loss = CoherenceLoss(model, window=window)
        self._annotate = annotate or annotate_with_spacy
        self.name = method

    @property
    def model_name(self) -> str:
        """The name of the language model."""
        return self._loss.model.name

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> EventProfile:
        """The salience of every event whose predicate is a verb.

        Raises:
            NarrativeError: There is no such event in the story.
        """
        events, removals = remove_single_events(
            narrative, self._annotate(narrative), arguments=self.name == "paa"
        )
        task = self._loss.prepare(narrative, removals)
        losses = self._loss.measure(task, progress=progress)
        return EventProfile(
            narrative,
            events,
            tuple(loss.total for loss in losses),
            method=self.name,
            model=self.model_name,
            precision=self._loss.model.precision,
            window=task.window,
            notes=narrative.notes + task.notes,
        )
