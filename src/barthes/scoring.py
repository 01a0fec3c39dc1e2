"""Scoring in one call, for those who want a story's salient sentences and no ceremony."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Sequence

from barthes.errors import NarrativeError
from barthes.methods import parse_method
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.reading import read_text
from barthes.reading.folder import STORY_SUFFIXES
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
        story: A narrative, a text, or a list of sentences; `barthes.read` gives the narrative in a file.
            Blank entries of a list are left out, and a note of the narrative says so.
        method: A method, or its name: ``sd``, ``tfidf``, ``sd+tfidf``, ``position`` …
        model: A language model or its name; by default the embedded one, loaded only where needed. The
            last one that was loaded by name stays in memory for the next call.
        window: Tokens that the model reads at once; by default the whole story where it fits.
        seed: For the random baseline.
        progress: Called with the work done and the work in all.

    Raises:
        NarrativeError: The story is empty, or the name of a file and not a text.
        TypeError: The story is something else; or a method comes with a model, window or seed, which only the
            name of a method can use.

    Scores of ``sd`` are nats per token; higher is more salient.

    >>> score(["A wolf came.", "The wolf ate the sheep.", "It rained."], method="length").top(1)[0].rank
    1
    """
    if isinstance(method, str):
        narrative = _narrate(story)
        method = parse_method(method, model=lambda: _model(model), window=window, seed=seed)
        return method.score(narrative, progress=progress)
    if model is not None or window is not None or seed != 0:
        raise TypeError(
            f"model, window and seed go with the name of a method; {method!r} has its own. "
            "Give them where you make the method."
        )
    return method.score(_narrate(story), progress=progress)


def _narrate(story: Narrative | str | Sequence[str]) -> Narrative:
    if isinstance(story, Narrative):
        return story
    if isinstance(story, os.PathLike) or (isinstance(story, str) and _names_file(story)):
        name = os.fspath(story)
        raise NarrativeError(
            "this is the name of a file, not a story.",
            where=name,
            remedy=f"Use barthes.score(barthes.read({name!r})).",
        )
    return read_text(story) if isinstance(story, str) else _join(story)


def _join(story: Iterable[str]) -> Narrative:
    """The narrative of a list of sentences, with a note where scores and entries do not pair up."""
    if not isinstance(story, Iterable):
        raise _refuse(type(story).__name__)
    sentences = list(story)
    for entry in sentences:
        if not isinstance(entry, str):
            raise _refuse(f"{type(story).__name__} with {type(entry).__name__} in it")
    blank = sum(not sentence.strip() for sentence in sentences)
    notes = [f"Blank entries were left out: {blank} of {len(sentences)}."] if blank else []
    return Narrative.from_sentences(sentences, notes=notes)


def _refuse(given: str) -> TypeError:
    return TypeError(
        f"a story is a text (str), a list of sentences (each a str) or a barthes.Narrative, not {given}."
    )


def _names_file(text: str) -> bool:
    """Is a string a path rather than a text?"""
    is_word = len(text.split()) == 1 and text == text.strip()
    return is_word and (text.lower().endswith(STORY_SUFFIXES) or os.path.isfile(text))  # noqa: PTH113


def _model(model: LanguageModel | str | None) -> LanguageModel:
    if model is None or isinstance(model, str):
        name = DEFAULT_MODEL if model is None else model
        return _load(name, _stamp(name))
    return model


@functools.lru_cache(maxsize=1)
def _load(name: str, stamp: tuple[object, ...]) -> LanguageModel:
    from barthes.models.loading import load_model

    return load_model(name)


def _stamp(name: str) -> tuple[object, ...]:
    """What tells a model on disk from another that has been put in its place."""
    from barthes.models.loading import list_model_files

    states = [(str(file), file.stat()) for file in list_model_files(name)]
    return tuple((file, state.st_size, state.st_mtime_ns) for file, state in states)
