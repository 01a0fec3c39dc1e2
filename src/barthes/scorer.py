"""Score stories with one method: every command and integration uses `Scorer`.

::

    Narrative ─ regroup ─▶ the units to score
                             │  key: text, method, model, versions
                             ▼
               checkpoint ─▶ Measurement ◀─ method.resume, which continues what was interrupted
                             │  (each part of a combination by itself)
                             ▼
                           method.present ─▶ Profile
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from barthes.cache import ScoreCache
from barthes.errors import NarrativeError
from barthes.hashing import hash_content
from barthes.marks import remove_marks
from barthes.methods import check_method, describe_method, parse_method
from barthes.models.deferred import stamp_model
from barthes.models.embedded import DEFAULT_MODEL, describe_language_limit
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative, Sentence
from barthes.reading import read_text
from barthes.reading.source import STORY_SUFFIXES
from barthes.salience.checkpoint import Checkpoint
from barthes.salience.combination import Combination
from barthes.salience.measurement import Measurement
from barthes.salience.method import Method, ModelMethod, Progress, silent
from barthes.salience.method_info import MethodInfo
from barthes.salience.profile import Profile
from barthes.units import regroup
from barthes.version import __version__

if TYPE_CHECKING:
    import torch

    from barthes.annotation.annotator import Annotator
    from barthes.baselines.frequencies import DocumentFrequencies
    from barthes.baselines.words import Tokenize

REVISION = 5
"""Revision of the computation; increase it with every change of measurements to invalidate cached ones."""


class Scorer:
    """Scores stories with one method, which is built once.

    Args:
        method: A method, or its name: ``sd``, ``tfidf``, ``sd+tfidf``, ``ranks:words+position`` …
        model: A language model, its name, a model of transformers with its `tokenizer`, or a function that
            loads one; by default the embedded model. It is loaded only if the method needs it and the scores
            are not cached.
        unit: What to score: ``sentence``, ``paragraph``, ``scene``, ``chapter``, or ``event`` (for the names
            ``sd``, ``va``, ``paa`` and ``readers``).
        window: Tokens that the model reads at once; by default the whole story if it fits.
        tokenizer, dtype: As for `barthes.load_model`.
        seed: For the random baseline.
        exact_top: For ``preview``: how many of the sentences with the highest estimates are scored exactly.
        cache: Keeps what a language model measured, also of interrupted measurements; None for nothing.
        frequencies: The document frequencies for methods that weigh words; by default those of the package.
        tokenize: The tokenizer that `frequencies` were counted with; by default Barthes' own.
        annotate: Tokens, tags and events for ``va``, ``paa`` and events; by default spaCy's.
        importance: Another method for `Profile.importance`, usually ``readers``; None for none. Stories that
            it cannot score have no importance.

    Raises:
        UnknownNameError: There is no such method or unit.
        BarthesError: The method cannot score this unit.
        TypeError: An option of methods is given with a method object, which has its own.

    >>> from barthes.models.counting import CountingModel
    >>> story = Narrative.from_sentences(["A wolf came.", "The wolf ate the sheep.", "It rained."])
    >>> Scorer("sd+length", CountingModel([story.text])).score(story).top(1)[0].index
    0
    """

    def __init__(
        self,
        method: Method | str = "sd",
        model: LanguageModel | str | os.PathLike[str] | Callable[[], LanguageModel] | Any = None,
        *,
        unit: str = "sentence",
        window: int | None = None,
        seed: int = 0,
        exact_top: int = 0,
        cache: ScoreCache | None = None,
        frequencies: DocumentFrequencies | None = None,
        tokenize: Tokenize | None = None,
        annotate: Annotator | None = None,
        importance: Method | str | None = None,
        tokenizer: Any = None,
        dtype: str | torch.dtype = "auto",
    ) -> None:
        if isinstance(model, os.PathLike):
            model = os.fspath(model)
        if isinstance(method, str):
            check_method(method, unit=unit, model=model if isinstance(model, str) else None)
        elif not isinstance(method, Method):
            raise TypeError(f"a method is a name or a barthes.Method, not {type(method).__name__}.")
        elif any(given is not None for given in (model, tokenizer, window)) or seed or exact_top:
            raise TypeError(
                f"model, window, seed and exact_top are for methods given by name; {method!r} has its own. "
                "Pass them when you create the method."
            )
        self.unit = unit
        self.cache = cache
        self._given = method
        self._model, self._tokenizer, self._dtype = model, tokenizer, dtype
        self._options: dict[str, Any] = {
            "window": window,
            "seed": seed,
            "exact_top": exact_top,
            "frequencies": frequencies,
            "tokenize": tokenize,
            "annotate": annotate,
        }
        self._importance = importance

    @property
    def info(self) -> MethodInfo:
        """The description of the method, which is not built for it."""
        return describe_method(self._given) if isinstance(self._given, str) else self._given.info

    @cached_property
    def method(self) -> Method:
        """The method."""
        if isinstance(self._given, Method):
            return self._given
        return parse_method(self._given, model=self._get_model, unit=self.unit, **self._options)

    def __repr__(self) -> str:
        return f"<Scorer of {self.unit}s by {self.info.name}>"

    def score(
        self,
        story: Narrative | str | Sequence[str | Sentence],
        *,
        progress: Progress = silent,
        importance: Profile | None = None,
    ) -> Profile:
        """Return the salience profile of a story.

        Args:
            story: As for `barthes.score`.
            progress: Called with the work done and the total work.
            importance: What `score_importance` returned, if it was called before.
        """
        narrative = regroup(to_narrative(story), self.unit)
        importance = importance or self.score_importance(narrative)
        profile = self._score(narrative, self.method, progress)
        return profile if importance is None else replace(profile, importance=importance)

    def score_importance(self, narrative: Narrative, *, progress: Progress = silent) -> Profile | None:
        """Return `Profile.importance` of a story: fast, so that it can be shown while `score` computes.

        None if it was not asked for, is the method itself, cannot score this unit, model or language, or
        says itself that it may not be trusted here (`Profile.trust`).
        """
        method = self._importance_method
        if method is None or (
            isinstance(method, ModelMethod) and _describe_language(method, narrative.language)
        ):
            return None
        profile = self._score(regroup(narrative, self.unit), method, progress)
        return profile if profile.trust is None or profile.trust.reliable else None

    @cached_property
    def _importance_method(self) -> Method | None:
        given = self._importance
        if given is None or isinstance(given, Method):
            return given
        info = describe_method(given)
        is_other_model = info.only_model and self._get_model().name != info.only_model
        if info.name == self.info.name or self.unit not in info.units or is_other_model:
            return None
        return parse_method(given, model=self._get_model, unit=self.unit, **self._options)

    def measure(self, narrative: Narrative, *, progress: Progress = silent) -> Measurement:
        """Return the measurement of a story, cached or new, by a method with a language model.

        Raises:
            TypeError: The method has no language model, or is a combination.
        """
        if not isinstance(self.method, ModelMethod):
            raise TypeError(f"{self.method!r} does not measure with a language model")
        return self._measure(regroup(narrative, self.unit), self.method, progress)

    def _score(self, narrative: Narrative, method: Method, progress: Progress) -> Profile:
        if isinstance(method, Combination):
            parts = zip(method.methods, method.share_progress(progress), strict=True)
            return method.combine([self._score(narrative, part, report) for part, report in parts])
        if not isinstance(method, ModelMethod):
            return method.score(narrative, progress=progress)
        profile = method.present(narrative, self._measure(narrative, method, progress))
        note = _describe_language(method, narrative.language)
        return profile if note is None else replace(profile, notes=(*profile.notes, note))

    def _measure(self, narrative: Narrative, method: ModelMethod, progress: Progress) -> Measurement:
        checkpoint = Checkpoint(self.cache, measurement_key(narrative, method))
        if (known := checkpoint.fetch_finished()) is not None:
            progress(1, 1)
            return known
        with checkpoint:
            measurement = method.resume(narrative, checkpoint, progress=progress)
        checkpoint.finish(measurement)
        return measurement

    def _get_model(self) -> LanguageModel:
        model = self._model
        if callable(model) and not hasattr(model, "get_output_embeddings"):  # a network is callable too
            return model()
        return get_model(model, self._tokenizer, self._dtype)


def score(
    story: Narrative | str | Sequence[str | Sentence],
    *,
    method: Method | str = "sd",
    unit: str = "sentence",
    model: LanguageModel | str | os.PathLike[str] | Any = None,
    tokenizer: Any = None,
    dtype: str | torch.dtype = "auto",
    window: int | None = None,
    seed: int = 0,
    exact_top: int = 0,
    cache: ScoreCache | None = None,
    progress: Progress = silent,
) -> Profile:
    """Return the salience profile of a story.

    Args:
        story: A narrative (see `barthes.read`), a text, or a list of sentences. Blank entries of a list are
            left out, with a note.
        method, unit, window, seed, exact_top, cache: As for `Scorer`.
        model, tokenizer, dtype: As for `barthes.load_model`; or a language model that it returned. The last
            model loaded by name stays in memory for the next call.
        progress: Called with the work done and the total work.

    Raises:
        NarrativeError: The story is empty, or the name of a file instead of a text.
        TypeError: The story has another type; or an option of methods is given with a method object.

    Scores of ``sd`` are nats per token; higher is more salient.

    >>> score(["A wolf came.", "The wolf ate the sheep.", "It rained."], method="length").top(1)[0].rank
    1
    """
    scorer = Scorer(
        method,
        model,
        tokenizer=tokenizer,
        dtype=dtype,
        unit=unit,
        window=window,
        seed=seed,
        exact_top=exact_top,
        cache=cache,
    )
    return scorer.score(story, progress=progress)


def measurement_key(narrative: Narrative, method: Method) -> dict[str, Any] | None:
    """Return the cache key of a measurement: everything that affects it; None if it is not cached."""
    identity = method.identity(narrative)
    if identity is None or not _declares_parameters(type(method)):
        return None
    story = {"text": hash_content([narrative.text, narrative.spans]), "language": narrative.language}
    story |= {} if narrative.unit == "sentence" else {"spans": narrative.unit}
    story |= {"left out": hash_content(narrative.left_out)} if narrative.left_out else {}
    return {"version": __version__, "revision": REVISION, **story, **identity}


def _declares_parameters(method: type[Method]) -> bool:
    """Return whether the class defines `identity` where it defines its parameters, or in a subclass."""
    owners = [
        next(kind for kind in method.__mro__ if name in vars(kind)) for name in ("identity", "__init__")
    ]
    return issubclass(*owners)


def _describe_language(method: ModelMethod, language: str) -> str | None:
    """Return a note if the model or the method was made for another language."""
    note = describe_language_limit(method.model.name, language)
    if note is not None and method.info.only_model:  # no other model can be used
        return f"{method.name} was trained on English; its scores for a text in {language!r} mean little."
    return note


def to_narrative(story: Narrative | str | Sequence[str | Sentence]) -> Narrative:
    """Return the narrative of a text or a list of sentences; errors are those of `score`."""
    if isinstance(story, Narrative):
        return story
    if isinstance(story, os.PathLike) or (isinstance(story, str) and _is_file_name(story)):
        name = os.fspath(story)
        raise NarrativeError(
            "this is the name of a file, not a story.",
            where=name,
            remedy=f"Use barthes.score(barthes.read({name!r})).",
        )
    return read_text(story) if isinstance(story, str) else _join(story)


def _join(story: Iterable[str | Sentence]) -> Narrative:
    """Return the narrative of a list of sentences, with a note on blank entries."""
    if not isinstance(story, Iterable):
        raise _wrong_type(type(story).__name__)
    sentences = list(story)
    for entry in sentences:
        if not isinstance(entry, str | Sentence):
            raise _wrong_type(f"{type(story).__name__} with {type(entry).__name__} in it")
    blank = sum(not str(sentence).strip() for sentence in sentences)
    notes = [f"Blank entries were left out: {blank} of {len(sentences)}."] if blank else []
    return remove_marks(Narrative.from_sentences(sentences, notes=notes))


def _wrong_type(given: str) -> TypeError:
    return TypeError(
        f"a story is a text (str), a list of sentences (each a str) or a barthes.Narrative, not {given}."
    )


def _is_file_name(text: str) -> bool:
    is_word = len(text.split()) == 1 and text == text.strip()
    return is_word and (text.lower().endswith(STORY_SUFFIXES) or os.path.isfile(text))  # noqa: PTH113


def get_model(
    model: LanguageModel | str | Any = None, tokenizer: Any = None, dtype: str | torch.dtype = "auto"
) -> LanguageModel:
    """Return a model, loaded if it is not a `LanguageModel` yet; by default the embedded one.

    The arguments are those of `barthes.load_model`.

    Raises:
        ModelError: It is not a model, or cannot be loaded.
    """
    if model is None or isinstance(model, str):
        name = DEFAULT_MODEL if model is None else model
        if tokenizer is None:
            return _load(name, stamp_model(name), str(dtype))
    elif hasattr(model, "encode") and hasattr(model, "read") and tokenizer is None and str(dtype) == "auto":
        loaded: LanguageModel = model
        return loaded
    from barthes.models.loading import load_model

    return load_model(model or DEFAULT_MODEL, tokenizer, dtype=dtype)


@functools.lru_cache(maxsize=1)
def _load(name: str, stamp: str | None, dtype: str) -> LanguageModel:
    """Load a model, unless the last one had the same name, files and precision."""
    from barthes.models.loading import load_model

    return load_model(name, dtype=dtype)
