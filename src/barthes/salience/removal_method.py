"""A method that scores sentences by what removing their events costs the rest of the story."""

from __future__ import annotations

import numpy as np

from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.removal.removal import Removal
from barthes.salience.coherence_loss import CoherenceLoss
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile

__all__ = ["RemovalMethod", "explain"]


class RemovalMethod(Method):
    """σ(S_k) for a removal function r and a language model; nats per token.

    Args:
        model: The language model that supplies the likelihoods.
        removal: The event removal function r, one `Removed` for each sentence.
        name: The method's name, such as ``sd``.
        window: Tokens that the model reads at once. By default the whole story where it fits the
            model's context, else 1024.
    """

    def __init__(
        self, model: LanguageModel, removal: Removal, *, name: str, window: int | None = None
    ) -> None:
        self._loss = CoherenceLoss(model, window=window)
        self._removal = removal
        self._name = name

    @property
    def name(self) -> str:
        """The method's name on the command line."""
        return self._name

    @property
    def model_name(self) -> str:
        """The name of the language model."""
        return self._loss.model.name

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """The salience of every sentence, and the influence of every sentence on every later one."""
        story = self._loss.tokenize(narrative)
        scores = []
        influence = np.empty((len(narrative), len(narrative)))
        for loss in self._loss.measure(story, self._removal(narrative), progress=progress):
            influence[:, loss.removed.index] = loss.later
            scores.append(loss.total)
        return Profile(
            narrative,
            tuple(scores),
            method=self.name,
            model=self.model_name,
            window=story.window,
            notes=narrative.notes + explain(narrative, story.window),
            influence=influence,
        )


def explain(narrative: Narrative, window: int | None) -> tuple[str, ...]:
    """What a reader of the scores should know about how they came about."""
    notes = []
    if window is not None:
        notes.append(
            f"The story does not fit: each sentence was scored in a window of {window} tokens around it."
        )
    if len(narrative) == 1:
        notes.append("A single sentence: its score rests on the end-of-text token alone.")
    return tuple(notes)
