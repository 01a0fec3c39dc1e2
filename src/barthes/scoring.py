"""Scoring in one call, for those who want a story's salient sentences and no ceremony."""

from __future__ import annotations

from collections.abc import Sequence

from barthes.methods import parse_method
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.reading import read_text
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile

__all__ = ["score"]


def score(
    story: Narrative | str | Sequence[str],
    *,
    method: Method | str = "sd",
    model: LanguageModel | str | None = None,
    window: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Profile:
    """The salience profile of a story.

    Args:
        story: A narrative, a text, or a list of sentences.
        method: A method, or its name: ``sd``, ``tfidf``, ``sd+tfidf``, ``position`` …
        model: A language model or its name; by default the embedded one, loaded only where needed.
        window: Tokens that the model reads at once; by default the whole story where it fits.
        seed: For the random baseline.
        progress: Called with the work done and the work in all.

    Scores of ``sd`` are nats per token; higher is more salient.

    >>> score(["A wolf came.", "The wolf ate the sheep.", "It rained."], method="length").top(1)[0].rank
    1
    """
    if isinstance(story, str):
        story = read_text(story)
    elif not isinstance(story, Narrative):
        story = Narrative.from_sentences(story)
    if isinstance(method, str):
        method = parse_method(method, model=lambda: _model(model), window=window, seed=seed)
    return method.score(story, progress=progress)


def _model(model: LanguageModel | str | None) -> LanguageModel:
    from barthes.models.loading import load_model

    if model is None:
        return load_model()
    return load_model(model) if isinstance(model, str) else model
