"""The learned method ``readers``: how important readers are likely to find each sentence or event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from barthes.annotation.annotator import Annotator
from barthes.annotation.annotator import annotate as annotate_with_spacy
from barthes.annotation.events import Event, find_verbal_events
from barthes.annotation.pipeline import describe_parser
from barthes.hashing import hash_content
from barthes.learned.readers_weights import ReadersWeights, hash_story, load_readers_weights
from barthes.learned.story_features import StoryFeatures, read_features
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.language_model import FloatArray, LanguageModel
from barthes.narrative import Narrative
from barthes.salience.measurement import Measurement
from barthes.salience.method import Method, MethodOptions, ModelMethod, Progress, silent, wrong_model
from barthes.salience.method_info import MethodInfo
from barthes.salience.profile import Profile
from barthes.salience.stability import DRAWS, Stability


class Readers(ModelMethod):
    """How important readers are likely to find each sentence, compared with the rest of the story.

    Trained on people's judgements of six kinds of English stories (see the model card). Scores have no unit:
    0 is an average sentence of the story, higher is more important. The model reads the story once,
    however many sentences it has.

    Args:
        model: The language model that the weights were trained for.
        weights: The trained weights; by default those of the package.

    Raises:
        ModelError: It is another model, or the weights are missing or damaged.
    """

    info: MethodInfo = MethodInfo(
        "readers",
        label="importance to readers",
        summary="how important readers are likely to find it, learned from people's judgements",
        meaning="how important readers are likely to find it, compared with the rest of the story",
        needs_model=True,
        centred=True,
        only_model=DEFAULT_MODEL,
        units=("sentence", "event"),
    )

    def __init__(self, model: LanguageModel, *, weights: ReadersWeights | None = None) -> None:
        super().__init__(model)
        self.weights: ReadersWeights = load_readers_weights() if weights is None else weights
        if model.name != self.weights.model:
            raise wrong_model(self.name, self.weights.model, model.name)

    @classmethod
    def build(cls, options: MethodOptions) -> Method:
        """Create the method for sentences or for events."""
        if options.unit == "event":
            return EventReaders(options.model(), annotate=options.annotate)
        return cls(options.model())

    def identity(self, narrative: Narrative) -> dict[str, Any]:
        """Return everything but the text that decides the scores."""
        return {**super().identity(narrative), "weights": self.weights.fingerprint}

    def measure(self, narrative: Narrative, *, progress: Progress = silent) -> Measurement:
        """Read the story and score its sentences; progress counts tokens."""
        features = read_features(self.model, narrative, progress=progress)
        kind = self.weights.find_kind(features)
        scores = self.weights.score(features, kind)
        if len(narrative) == 1:
            note = "A single sentence has nothing to compare with."
            return self._to_measurement(narrative, scores, features, note)
        trust = self.weights.estimate_trust(kind)
        measured = self._to_measurement(narrative, scores, features, trust.describe())
        return replace(measured, trust=trust)

    def present(self, narrative: Narrative, measurement: Measurement, **fields: Any) -> Profile:
        """Return the profile of a measurement, with intervals over the bootstrapped weights."""
        if len(measurement.draws):
            # As many as other methods have, so that they can be added up.
            draws = np.resize(measurement.draws, (DRAWS, measurement.draws.shape[1]))
            fields["stability"] = Stability.from_draws(draws)
        return super().present(narrative, measurement, **fields)

    def _to_measurement(
        self, narrative: Narrative, scores: FloatArray, features: StoryFeatures, note: str
    ) -> Measurement:
        notes = [note]
        if hash_story(narrative) in self.weights.stories:
            notes.append("The method was trained on this story: agreement with people is overstated.")
        return Measurement(
            tuple(scores[0].tolist()), notes=(*notes, *features.notes, *self.model.notes), draws=scores[1:]
        )


class EventReaders(Readers):
    """How likely readers are to keep each event when they shorten the story to its plot.

    Args:
        model, weights: As for `Readers`.
        annotate: Returns the events of a narrative; by default spaCy's parse (English only).
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        weights: ReadersWeights | None = None,
        annotate: Annotator | None = None,
    ) -> None:
        super().__init__(model, weights=weights)
        self._annotate = annotate

    def identity(self, narrative: Narrative) -> dict[str, Any]:
        """Return everything but the text that decides the scores."""
        given = self._annotate
        annotation = describe_parser() if given is None else hash_content(given(narrative).to_dict())
        return {**super().identity(narrative), "unit": "event", "annotation": annotation}

    def measure(self, narrative: Narrative, *, progress: Progress = silent) -> Measurement:
        """Read the story and score its events; progress counts tokens."""
        features = read_features(self.model, narrative, events=self._find(narrative), progress=progress)
        note = "Trained on the events that people kept in summaries of 140 short stories."
        return self._to_measurement(narrative, self.weights.score_events(features), features, note)

    def present(self, narrative: Narrative, measurement: Measurement, **fields: Any) -> Profile:
        """Return the profile of the events whose predicate is a verb."""
        return super().present(narrative, measurement, unit="event", events=self._find(narrative), **fields)

    def _find(self, narrative: Narrative) -> Sequence[tuple[int, Event]]:
        return find_verbal_events(narrative, (self._annotate or annotate_with_spacy)(narrative))
