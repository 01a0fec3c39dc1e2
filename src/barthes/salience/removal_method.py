"""A method that scores sentences by what removing their events costs the rest of the story."""

from __future__ import annotations

from collections.abc import Callable

from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.removal.removal import Removal
from barthes.salience.coherence_loss import CoherenceLoss, Loss
from barthes.salience.influence import Influence
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile
from barthes.salience.resampling import measure_stability

__all__ = ["RemovalMethod"]


class RemovalMethod(Method):
    """σ(S_k) for a removal function r and a language model; nats per token.

    Args:
        model: The language model that supplies the likelihoods.
        removal: The event removal function r, one `Removed` for each sentence.
        name: The method's name, such as ``sd``.
        window: Tokens that the model reads at once. By default the whole story where it fits the
            model's context, else 1024.
        horizon: Tokens that are read again after a removal; by default all.
    """

    def __init__(
        self,
        model: LanguageModel,
        removal: Removal,
        *,
        name: str,
        window: int | None = None,
        horizon: int | None = None,
    ) -> None:
        self._loss = CoherenceLoss(model, window=window, horizon=horizon)
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

    def score(
        self,
        narrative: Narrative,
        *,
        progress: Progress = silent,
        each: Callable[[Loss], None] | None = None,
    ) -> Profile:
        """The salience of every sentence, and the influence of every sentence on every later one.

        Args:
            narrative: The story.
            progress: Called with the tokens that have been read and those to be read in all.
            each: Called with the loss of each sentence, in story order, as soon as it is known; what it
                hears is what the profile will say. Of a long story it hears of a few sentences near the end
                first, so that people have something to look at (`CoherenceLoss.measure` says more).
        """
        task = self._loss.prepare(narrative, self._removal(narrative))
        losses = []
        for loss in self._loss.measure(task, progress=progress, glimpse=each):
            losses.append(loss)
            if each is not None:
                each(loss)
        return Profile(
            narrative,
            tuple(loss.total for loss in losses),
            method=self.name,
            model=self.model_name,
            precision=self._loss.model.precision,
            window=task.window,
            notes=narrative.notes + task.notes,
            influences=Influence(tuple(loss.later for loss in losses)),
            stability=measure_stability(losses),
        )
