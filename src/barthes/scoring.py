"""Score stories: every command and integration uses `score_narrative`."""

from __future__ import annotations

import functools
import logging
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from barthes.cache import ScoreCache
from barthes.errors import NarrativeError
from barthes.hashing import hash_content
from barthes.methods import parse_method
from barthes.models.deferred import stamp_model
from barthes.models.embedded import DEFAULT_MODEL, describe_language_limit
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.reading import read_text
from barthes.reading.source import STORY_SUFFIXES
from barthes.salience.coherence_loss import OnLoss, RemovalLoss, RemovalTask
from barthes.salience.combination import Combination
from barthes.salience.measurement import Measurement
from barthes.salience.method import Method, ModelMethod, Progress, silent
from barthes.salience.parts import plan_parts
from barthes.salience.profile import Profile
from barthes.salience.removal_method import RemovalMethod
from barthes.units import regroup
from barthes.version import __version__

_logger = logging.getLogger("barthes")

_PART_TOKENS = 100_000  # through the model: a few minutes of a small model on two cores

REVISION = 3
"""Revision of the computation; increase it with every change of measurements to invalidate cached ones."""


def score(
    story: Narrative | str | Sequence[str],
    *,
    method: Method | str = "sd",
    unit: str = "sentence",
    model: LanguageModel | str | None = None,
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
        method: A method, or its name: ``sd``, ``tfidf``, ``sd+tfidf``, ``position`` …
        unit: What to score: ``sentence``, ``paragraph``, ``scene``, ``chapter``, or ``event`` (for the names
            ``sd``, ``va``, ``paa`` and ``readers``).
        model: A language model or its name; by default the embedded one, loaded only if needed. The last
            model loaded by name stays in memory for the next call.
        window: Tokens that the model reads at once; by default the whole story if it fits.
        seed: For the random baseline.
        exact_top: For ``preview``: how many of the sentences with the highest estimates are scored exactly.
        cache: Caches scores by a language model; by default they are not cached.
        progress: Called with the work done and the total work.

    Raises:
        NarrativeError: The story is empty, or the name of a file instead of a text.
        TypeError: The story has another type; or an option of methods is given with a method object.

    Scores of ``sd`` are nats per token; higher is more salient.

    >>> score(["A wolf came.", "The wolf ate the sheep.", "It rained."], method="length").top(1)[0].rank
    1
    """
    if not isinstance(method, str) and (model is not None or window is not None or seed or exact_top):
        raise TypeError(
            f"model, window, seed and exact_top are for methods given by name; {method!r} has its own. "
            "Pass them when you create the method."
        )
    narrative = to_narrative(story)
    if isinstance(method, str):
        method = parse_method(
            method,
            model=lambda: get_model(model),
            unit=unit,
            window=window,
            seed=seed,
            exact_top=exact_top,
        )
    return score_narrative(regroup(narrative, unit), method, cache=cache, progress=progress)


def score_narrative(
    narrative: Narrative,
    method: Method,
    *,
    cache: ScoreCache | None = None,
    progress: Progress = silent,
    on_loss: OnLoss = None,
    known: Mapping[str, Measurement] | None = None,
) -> Profile:
    """Score a narrative with a method, using cached results.

    Args:
        narrative: The story.
        method: A method; the parts of a combination are scored and cached one by one.
        cache: Caches the results of methods with a language model; None for no cache.
        progress: Called with the work done and the total work.
        on_loss: For a single method that looks ahead: called with the loss of each removal as soon as it is
            computed, but not for cached results.
        known: Existing measurements by the name of the method that measures.
    """
    if isinstance(method, Combination):
        parts = zip(method.methods, method.share_progress(progress), strict=True)
        return method.combine(
            [
                score_narrative(narrative, part, cache=cache, progress=report, known=known)
                for part, report in parts
            ]
        )
    if not isinstance(method, ModelMethod):
        return method.score(narrative, progress=progress)
    measurement = measure_narrative(
        narrative, method, cache=cache, progress=progress, on_loss=on_loss, known=known
    )
    profile = method.present(narrative, measurement)
    note = describe_language_limit(method.model.name, narrative.language)
    if note is not None and method.info.only_model:  # no other model can be used
        language = repr(narrative.language)
        note = f"{method.name} was trained on English; its scores for a text in {language} mean little."
    return profile if note is None else replace(profile, notes=(*profile.notes, note))


def measure_narrative(
    narrative: Narrative,
    method: ModelMethod,
    *,
    cache: ScoreCache | None = None,
    progress: Progress = silent,
    on_loss: OnLoss = None,
    known: Mapping[str, Measurement] | None = None,
) -> Measurement:
    """Return the measurement of a narrative by a method, known, cached or new; see `score_narrative`."""
    measurement = (known or {}).get(method.info.losses_of or method.name)
    if measurement is None and cache is not None:
        measurement = fetch_measurement(cache, narrative, method)
    if measurement is not None:
        progress(1, 1)
        return measurement
    if isinstance(method, RemovalMethod):
        measurement = _measure_in_parts(narrative, method, cache, progress, on_loss)
    else:
        measurement = method.measure(narrative, progress=progress)
    if cache is not None:
        store_measurement(cache, narrative, method, measurement)
    return measurement


def _measure_in_parts(
    narrative: Narrative,
    method: RemovalMethod,
    cache: ScoreCache | None,
    progress: Progress,
    on_loss: OnLoss,
) -> Measurement:
    """Measure a narrative; parts of a long one are cached until it is finished, in case of interruptions."""
    task = method.prepare(narrative)
    key = None if cache is None else cache_key(narrative, method)
    if cache is None or key is None:
        return method.measure_whole(task, progress=progress, on_loss=on_loss)
    stored: list[dict[str, Any]] = []

    def measure(task: RemovalTask, *, progress: Progress, on_loss: OnLoss) -> Iterator[RemovalLoss]:
        parts = _divide(task, method)
        if len(parts) < 2 and not method.count_refining(task):
            yield from method.measure_task(task, progress=progress, on_loss=on_loss)
            return
        costs = [part.cost for part in parts.values()]
        before, total, whole = 0, sum(costs), task.cost  # in parts, more may be read
        for (label, part), cost in zip(parts.items(), costs, strict=True):
            name = {**key, "horizon": task.horizon, "part": label}
            measurement = fetch_by_key(cache, name)
            if measurement is None:
                report = _shift(progress, before, total, whole)
                losses = method.measure_task(part, progress=report, on_loss=on_loss)
                measurement = method.summarize(part, losses)
                _store_by_key(cache, name, measurement)
            stored.append(name)
            before += cost
            yield from measurement.losses

    measurement = method.measure_whole(task, progress=progress, on_loss=on_loss, measure=measure)
    for name in stored:
        cache.remove(name)
    return measurement


def is_divided(narrative: Narrative, method: Method) -> bool:
    """Return whether a narrative is measured in parts, so that an interrupted computation can continue."""
    if isinstance(method, Combination):
        return any(is_divided(narrative, part) for part in method.methods)
    return isinstance(method, RemovalMethod) and len(_divide(method.prepare(narrative), method)) > 1


def _divide(task: RemovalTask, method: RemovalMethod) -> dict[str, RemovalTask]:
    """Return the parts of a task by their names."""
    parts = plan_parts(task, method.name, method.model, part_tokens=_PART_TOKENS)
    return {part.label: task.slice(part.start, part.stop) for part in parts}


def _shift(progress: Progress, before: int, total: int, whole: int) -> Progress:
    """Return the progress of a part that follows `before` of `total`, scaled to that of the whole."""
    return lambda done, _: progress((before + done) * whole // total, whole)


def cache_key(narrative: Narrative, method: Method, *, threads: int | None = None) -> dict[str, Any] | None:
    """Return the cache key of a method's scores: everything that affects them; None if not cached.

    `threads` affect rounding. Runs, which promise the same bytes whatever is cached, give their number; None
    stands for torch's own number.
    """
    identity = method.identity(narrative)
    if identity is None or not _declares_parameters(type(method)):
        return None
    story = {"text": hash_content([narrative.text, narrative.spans]), "language": narrative.language}
    story |= {} if narrative.unit == "sentence" else {"spans": narrative.unit}
    story |= {"left out": hash_content(narrative.left_out)} if narrative.left_out else {}
    return {"version": __version__, "revision": REVISION, **story, **identity, "threads": threads}


def fetch_measurement(
    cache: ScoreCache, narrative: Narrative, method: Method, *, threads: int | None = None
) -> Measurement | None:
    """Return the cached measurement of a narrative by a method, or None."""
    key = cache_key(narrative, method, threads=threads)
    return None if key is None else fetch_by_key(cache, key)


def fetch_by_key(cache: ScoreCache, key: Mapping[str, Any]) -> Measurement | None:
    """Return the cached measurement with a key, or None if there is none that can be used."""
    found = cache.fetch(key)
    try:
        return None if found is None else Measurement.from_dict(found)
    except ValueError as error:
        _logger.warning("a cached score cannot be used (%s) and will be computed again.", error)
        return None


def store_measurement(
    cache: ScoreCache,
    narrative: Narrative,
    method: Method,
    measurement: Measurement,
    *,
    threads: int | None = None,
) -> None:
    """Cache the measurement of a narrative by a method if its scores are finite."""
    key = cache_key(narrative, method, threads=threads)
    if key is not None:
        _store_by_key(cache, key, measurement)


def _store_by_key(cache: ScoreCache, key: Mapping[str, Any], measurement: Measurement) -> None:
    if all(map(math.isfinite, measurement.scores)):
        cache.store(key, measurement.to_dict())


def _declares_parameters(method: type[Method]) -> bool:
    """Return whether the class defines `identity` where it defines its parameters, or in a subclass."""
    owners = [
        next(kind for kind in method.__mro__ if name in vars(kind)) for name in ("identity", "__init__")
    ]
    return issubclass(*owners)


def to_narrative(story: Narrative | str | Sequence[str]) -> Narrative:
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


def _join(story: Iterable[str]) -> Narrative:
    """Return the narrative of a list of sentences, with a note on blank entries."""
    if not isinstance(story, Iterable):
        raise _wrong_type(type(story).__name__)
    sentences = list(story)
    for entry in sentences:
        if not isinstance(entry, str):
            raise _wrong_type(f"{type(story).__name__} with {type(entry).__name__} in it")
    blank = sum(not sentence.strip() for sentence in sentences)
    notes = [f"Blank entries were left out: {blank} of {len(sentences)}."] if blank else []
    return Narrative.from_sentences(sentences, notes=notes)


def _wrong_type(given: str) -> TypeError:
    return TypeError(
        f"a story is a text (str), a list of sentences (each a str) or a barthes.Narrative, not {given}."
    )


def _is_file_name(text: str) -> bool:
    is_word = len(text.split()) == 1 and text == text.strip()
    return is_word and (text.lower().endswith(STORY_SUFFIXES) or os.path.isfile(text))  # noqa: PTH113


def get_model(model: LanguageModel | str | None) -> LanguageModel:
    """Return a model, loaded if it is given by name; by default the embedded one."""
    if model is None or isinstance(model, str):
        name = DEFAULT_MODEL if model is None else model
        return _load(name, stamp_model(name))
    return model


@functools.lru_cache(maxsize=1)
def _load(name: str, stamp: str | None) -> LanguageModel:
    """Load a model, unless the last one had the same name and the same files."""
    from barthes.models.loading import load_model

    return load_model(name)
