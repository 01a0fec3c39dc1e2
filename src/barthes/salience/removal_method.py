"""Methods that score a unit by the loss of coherence when its events are removed.

::

    narrative ─ removal ─▶ prepare_task ─▶ measure_losses ─▶ Measurement ─ present ─▶ Profile
                r(S_k)     tokens, window   RemovalLoss       scores, cached           influence, stability
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from barthes.annotation.annotator import RULES, Annotator
from barthes.annotation.annotator import annotate as annotate_with_spacy
from barthes.annotation.events import Event
from barthes.annotation.pipeline import describe_parser
from barthes.errors import UnknownNameError
from barthes.hashing import hash_content
from barthes.models.language_model import LanguageModel
from barthes.narrative import SPAN_UNITS, Narrative
from barthes.removal.anonymization import Anonymizer, remove_single_events
from barthes.removal.removal import Removal, Removed, delete_sentences, find_repeats
from barthes.salience.checkpoint import Checkpoint
from barthes.salience.coherence_loss import measure_losses
from barthes.salience.influence import Influence
from barthes.salience.measurement import Measurement, RemovalLoss
from barthes.salience.method import Method, MethodOptions, ModelMethod, Progress, silent
from barthes.salience.method_info import MethodInfo
from barthes.salience.passage import EDGE_TOKENS
from barthes.salience.profile import Profile
from barthes.salience.removal_task import RemovalTask, prepare_task
from barthes.salience.stability import measure_stability

_MOST_REPEATS = 5  # groups of repeated sentences listed in a note


class RemovalMethod(ModelMethod):
    """σ(S_k) for a removal function r and a language model; nats per token.

    Args:
        model: The language model that supplies the likelihoods.
        removal: The event removal function r.
        info: The method's description; by default that of the class.
        window: Tokens read at once. By default the whole story if it fits the model's context, else 1024.
        horizon: Tokens read again after a removal; by default all. The loss of later ones is estimated (see
            `barthes.salience.recurrence`).
    """

    info: MethodInfo = MethodInfo("removal", unit="nats per token", needs_model=True, looks_ahead=True)

    def __init__(
        self,
        model: LanguageModel,
        removal: Removal,
        *,
        info: MethodInfo | None = None,
        window: int | None = None,
        horizon: int | None = None,
    ) -> None:
        super().__init__(model)
        if window is not None and window <= EDGE_TOKENS:
            raise ValueError(f"a window of {window} tokens has no room for a sentence")
        if horizon is not None and horizon < 1:
            raise ValueError(f"a horizon of {horizon} tokens is too short")
        self._removal = removal
        self._window, self._horizon = window, horizon
        self._settings: dict[str, Any] = {"unit": "sentence", "window": window, "horizon": horizon}
        if info is not None:
            self.info = info

    def identity(self, narrative: Narrative) -> dict[str, Any]:
        """Return everything but the text that decides the scores."""
        removal = self._identify_removal(narrative)
        return {**super().identity(narrative), **self._settings, "removal": removal}

    def prepare(self, narrative: Narrative) -> RemovalTask:
        """Return the tokenised story and its removals."""
        removals = self._removal(narrative)
        return prepare_task(self.model, narrative, removals, window=self._window, horizon=self._horizon)

    def measure(self, narrative: Narrative, *, progress: Progress = silent) -> Measurement:
        """Measure the loss of every removal; progress counts tokens."""
        return self.resume(narrative, Checkpoint(), progress=progress)

    def resume(
        self, narrative: Narrative, checkpoint: Checkpoint, *, progress: Progress = silent
    ) -> Measurement:
        """Measure the loss of every removal that is not in the checkpoint."""
        task = self.prepare(narrative)
        losses = measure_losses(self.model, task, progress=progress, checkpoint=checkpoint)
        return self.summarize(task, losses)

    def summarize(self, task: RemovalTask, losses: Sequence[RemovalLoss]) -> Measurement:
        """Return the measurement of a task from all its losses."""
        scores = tuple(loss.total for loss in losses)
        return Measurement(scores, task.window, task.notes + self.model.notes, tuple(losses))

    def present(self, narrative: Narrative, measurement: Measurement, **fields: Any) -> Profile:
        """Return the profile of a measurement, with influence, surprise and stability if it has losses."""
        repeats = find_repeats(narrative)
        if repeats and narrative.unit == "sentence":
            measurement = replace(measurement, notes=(*measurement.notes, _describe_repeats(repeats)))
        if losses := measurement.losses:
            fields["influences"] = Influence(tuple(loss.later for loss in losses))
            known = (loss.surprise for loss in losses)
            fields["surprise"] = tuple(each if math.isfinite(each) else None for each in known)
            fields["stability"] = measure_stability(losses)
        return super().present(narrative, measurement, **fields)

    def _identify_removal(self, narrative: Narrative) -> str:
        """Return a hash of what replaces the sentences."""
        return hash_content([(removed.index, removed.text) for removed in self._removal(narrative)])


class SentenceDeletion(RemovalMethod):
    """SD: the loss of the rest of the story, in nats per token, when the sentence is deleted.

    >>> from barthes.models.counting import CountingModel
    >>> story = Narrative.from_sentences(["A wolf came.", "The wolf ate.", "It rained."])
    >>> SentenceDeletion(CountingModel([story.text])).score(story).method
    'sd'
    """

    info: MethodInfo = replace(
        RemovalMethod.info,
        name="sd",
        label="sentence deletion",
        summary="sentence deletion: how much likelier the rest of the story is with the sentence",
        meaning="how much less likely the rest of the story becomes without it",
        units=(*SPAN_UNITS, "event"),
    )

    def __init__(self, model: LanguageModel, *, window: int | None = None) -> None:
        super().__init__(model, delete_sentences, window=window)

    identity = RemovalMethod.identity  # has all parameters

    @classmethod
    def build(cls, options: MethodOptions) -> Method:
        """Create the method for sentences or for events, with the language model and the window."""
        if options.unit == "event":
            return _build_for_events(cls.info.name, options)
        return cls(options.model(), window=options.window)


class _AnnotatedMethod(RemovalMethod):
    """A removal method that needs verbs and their arguments.

    Args:
        model: The language model that supplies the likelihoods.
        window: Tokens read at once; by default the whole story if it fits.
        annotate: Returns the tokens, tags and events of a narrative; by default spaCy's parse (English only).
    """

    info: MethodInfo = replace(RemovalMethod.info, uses_annotation=True, units=("sentence", "event"))

    def __init__(
        self,
        model: LanguageModel,
        *,
        window: int | None = None,
        annotate: Annotator | None = None,
    ) -> None:
        removal = Anonymizer(annotate or annotate_with_spacy, arguments=self.info.removes_arguments)
        super().__init__(model, removal, window=window)
        self._annotate = annotate

    @classmethod
    def build(cls, options: MethodOptions) -> Method:
        """Create the method for sentences or for events, with the model, the window and the annotation."""
        if options.unit == "event":
            return _build_for_events(cls.info.name, options)
        return cls(options.model(), window=options.window, annotate=options.annotate)

    identity = RemovalMethod.identity  # has all parameters

    def _identify_removal(self, narrative: Narrative) -> str:
        return _describe_annotation(self._annotate, narrative)


class VerbAnonymization(_AnnotatedMethod):
    """VA: the loss of the rest of the story, in nats per token, when verbs become forms of *do*."""

    info: MethodInfo = replace(
        _AnnotatedMethod.info,
        name="va",
        label="verb anonymization",
        summary="verb anonymization: like sd, but verbs become forms of do instead",
        meaning="how much less likely the rest of the story becomes "
        "when its verbs are replaced by forms of do",
    )


class PredicateArgumentAnonymization(_AnnotatedMethod):
    """PAA: the loss of the rest of the story, in nats per token, without its verbs and participants."""

    info: MethodInfo = replace(
        _AnnotatedMethod.info,
        name="paa",
        label="predicate and argument anonymization",
        summary="predicate and argument anonymization: like va, but participants become pronouns too",
        meaning="how much less likely the rest of the story becomes without its verbs and participants",
        removes_arguments=True,
    )


EVENT_METHODS: dict[str, MethodInfo] = {
    "sd": replace(SentenceDeletion.info, label="event deletion", uses_annotation=True),
    "va": VerbAnonymization.info,
    "paa": PredicateArgumentAnonymization.info,
}
"""The descriptions of the methods that can score single events, by name."""


class EventSalience(RemovalMethod):
    """σ of every event of a narrative, nats per token: events are removed one at a time.

    Args:
        model: The language model that supplies the likelihoods.
        method: ``va`` anonymizes the event's predicate, ``paa`` its ARG0 and ARG1 too, ``sd`` deletes them.
        window: Tokens read at once; by default the whole story if it fits.
        annotate: Returns the events of a narrative; by default spaCy's parse (English only).

    >>> from barthes.models.counting import CountingModel
    >>> story = Narrative.from_sentences(["A wolf came and ate a sheep.", "It rained."])
    >>> profile = EventSalience(CountingModel([story.text]), method="va").score(story)
    >>> [scored.trigger for scored in profile]
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
        super().__init__(model, self._remove, info=EVENT_METHODS[method], window=window)
        self._settings |= {"unit": "event"}
        self._annotate = annotate

    identity = RemovalMethod.identity  # has all parameters

    def present(self, narrative: Narrative, measurement: Measurement, **fields: Any) -> Profile:
        """Return the profile of the events whose predicate is a verb."""
        events, _ = self._remove_events(narrative)
        # Influence and stability are defined for sentences.
        return ModelMethod.present(self, narrative, measurement, unit="event", events=events, **fields)

    def _identify_removal(self, narrative: Narrative) -> str:
        return _describe_annotation(self._annotate, narrative)

    def _remove(self, narrative: Narrative) -> Sequence[Removed]:
        return self._remove_events(narrative)[1]

    def _remove_events(
        self, narrative: Narrative
    ) -> tuple[tuple[tuple[int, Event], ...], tuple[Removed, ...]]:
        annotation = (self._annotate or annotate_with_spacy)(narrative)
        return remove_single_events(
            narrative, annotation, arguments=self.info.removes_arguments, delete=self.name == "sd"
        )


def _build_for_events(name: str, options: MethodOptions) -> EventSalience:
    return EventSalience(options.model(), method=name, window=options.window, annotate=options.annotate)


def _describe_repeats(repeats: Sequence[Sequence[int]]) -> str:
    """Return a note on repeated sentences.

    >>> _describe_repeats([(2, 8), (3, 9)])
    'Sentences 3, 9; 4, 10 repeat each other. An occurrence is scored higher because it predicts the next.'
    """
    shown = "; ".join(", ".join(str(k + 1) for k in group) for group in repeats[:_MOST_REPEATS])
    more = " …" if len(repeats) > _MOST_REPEATS else ""
    why = "An occurrence is scored higher because it predicts the next."
    return f"Sentences {shown}{more} repeat each other. {why}"


def _describe_annotation(annotate: Annotator | None, narrative: Narrative) -> str:
    """Return the versions of parser and rules, or the hash of the annotation that a function returns."""
    if annotate is None:
        return f"{describe_parser()}, rules {RULES}"
    return hash_content(annotate(narrative).to_dict())
