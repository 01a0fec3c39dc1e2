"""The features of a story's sentences and events for learned methods: hidden states, ranks, positions.

The language model reads the story once::

    ⟨s⟩ S_1 S_2 … S_n
        └┬┘ the mean state of its tokens describes S_1, as a reader sees it who knows what came before

States are centred on the story's mean, and counts of words are ranks within the story, so that only
differences within the story matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from barthes.annotation.events import Event
from barthes.baselines.surface_cues import Length
from barthes.baselines.word_methods import Centroid, Similarity, TfIdf, Words
from barthes.models.language_model import FloatArray, LanguageModel, check_finite
from barthes.narrative import Narrative
from barthes.salience.method import Progress, silent

LAYERS = (16, 18, 20)
"""The numbers of layers after which the states are taken; their scaled mean is used."""

CUES = (Length, TfIdf, Words, Centroid, Similarity)
"""Counts of words, which need no model. Units of very different length differ most in these."""

PLACES = 7
"""The number of functions of a sentence's position."""

_PART = 4096  # tokens of a story that are read at once


@dataclass(frozen=True)
class StoryFeatures:
    """The features of the units of one story, in story order.

    Attributes:
        states: Mean hidden states, shape (units, layers, width), centred.
        cues: Ranks of the sentences by each of `CUES`, -1 to 1, shape (sentences, cues); empty for events.
        places: Functions of the position, shape (sentences, PLACES), centred; empty for events.
        story: What tells kinds of stories apart: the mean state of all sentences at each layer, the logarithm
            of their number and that of their mean length in tokens; shape (layers * width + 2,).
        notes: What was read otherwise than as one text.
    """

    states: FloatArray
    cues: FloatArray
    places: FloatArray
    story: FloatArray
    notes: tuple[str, ...] = ()


def read_features(
    model: LanguageModel,
    narrative: Narrative,
    *,
    events: Sequence[tuple[int, Event]] | None = None,
    layers: Sequence[int] = LAYERS,
    progress: Progress = silent,
) -> StoryFeatures:
    """Read a story and return the features of its sentences, or of its events.

    Args:
        model: A model with at least these layers.
        narrative: The story.
        events: Events with the index of their sentence; None for sentences.
        layers: The numbers of layers after which states are taken.
        progress: Called with the tokens read and the total.
    """
    size = _PART if model.context_length is None else min(_PART, (model.context_length - 1) // 2)
    sentences = model.encode([str(sentence) for sentence in narrative])
    notes = tuple(_shorten(sentences, size))
    units = [(k, 0, len(ids)) for k, ids in enumerate(sentences)]
    if events is not None:
        units = _find_predicates(model, narrative, sentences, events)
    parts = list(_divide(sentences, size))
    if len(parts) > 1:
        notes += (f"The story was read in {len(parts)} parts.",)
    total = sum(map(len, sentences))
    progress(0, total)
    found, means = [], []
    done = 0
    for start, stop in parts:
        own = [unit for unit in units if start <= unit[0] < stop]
        spans = [(k - start, first, end) for k, first, end in own]
        states = _read(model, sentences[start:stop], spans, layers)
        found.append(states[: len(own)])
        means.append(states[len(own) :])
        done += sum(map(len, sentences[start:stop]))
        progress(done, total)
    states, every = np.concatenate(found), np.concatenate(means)
    check_finite(every, model)
    lengths = np.array([max(1, len(ids)) for ids in sentences])
    story = np.concatenate([every.mean(axis=0).ravel(), np.log([len(sentences), lengths.mean()])])
    if events is not None:
        nothing = np.empty((len(events), 0))
        return StoryFeatures(_centre(states), nothing, nothing, story, notes)
    cues = np.stack([rank(cue().score(narrative).scores) for cue in CUES], axis=1)
    places = _centre(describe_places(len(narrative)))
    return StoryFeatures(_centre(states), cues, places, story, notes)


def rank(values: Sequence[float]) -> FloatArray:
    """Return the ranks of values within a story, from -1 to 1, centred; the same for ties.

    >>> rank([0.1, 0.9, 0.1, 0.5]).tolist()
    [-0.5, 0.75, -0.5, 0.25]
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    below = np.cumsum(counts) - counts
    ranks: FloatArray = (2 * below + counts)[place] / max(1, len(values)) - 1
    return ranks


def describe_places(count: int) -> FloatArray:
    """Return functions of the position of each of `count` sentences, shape (count, PLACES).

    >>> describe_places(4)[:, 0].tolist()
    [0.125, 0.375, 0.625, 0.875]
    """
    index = np.arange(count)
    place = (index + 0.5) / count
    edges = [np.exp(-8 * place), np.exp(-8 * (1 - place)), index == 0, index == count - 1]
    return np.stack([place, place**2, place**3, *edges], axis=1).astype(np.float64)


def _read(
    model: LanguageModel,
    sentences: Sequence[Sequence[int]],
    units: Sequence[tuple[int, int, int]],
    layers: Sequence[int],
) -> FloatArray:
    """Return the states of units (sentence, first token, end) and then of all sentences."""
    edges = list(accumulate(map(len, sentences), initial=1))
    spans = [(edges[k] + start, edges[k] + stop) for k, start, stop in units] + list(pairwise(edges))
    return model.states(
        [model.start_token, *(token for ids in sentences for token in ids)], spans, layers=layers
    )


def _shorten(sentences: list[list[int]], size: int) -> Iterator[str]:
    """Keep at most `size` tokens of each sentence, and yield a note for each that had more."""
    for number, ids in enumerate(sentences, start=1):
        if len(ids) > size:
            yield f"Sentence {number} has {len(ids):,} tokens; only the first {size:,} were read."
            sentences[number - 1] = ids[:size]


def _divide(sentences: Sequence[Sequence[int]], size: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences of each part (start, stop): the whole story if it has at most `size` tokens.

    Parts have about the same number of tokens and less than twice `size`.
    """
    ends = np.cumsum([len(ids) for ids in sentences])
    count = max(1, -(-int(ends[-1]) // size))
    targets = ends[-1] * np.arange(1, count) / count
    cuts = [0, *(np.searchsorted(ends, targets) + 1).tolist(), len(sentences)]
    yield from ((start, stop) for start, stop in pairwise(cuts) if start < stop)


def _find_predicates(
    model: LanguageModel,
    narrative: Narrative,
    sentences: Sequence[Sequence[int]],
    events: Sequence[tuple[int, Event]],
) -> list[tuple[int, int, int]]:
    """Return the sentence and the tokens of each event's predicate, at least one."""
    found = []
    for k, event in events:
        first, (start, end) = narrative.spans[k][0], event.predicate.span
        # As in str(sentence), runs of whitespace are one space.
        before, until = (" ".join(narrative.text[first:place].split()) for place in (start, end))
        begin = min(_count_tokens(model, before, first=k == 0), len(sentences[k]) - 1)
        stop = _count_tokens(model, until, first=k == 0)
        found.append((k, begin, min(max(begin + 1, stop), len(sentences[k]))))
    return found


def _count_tokens(model: LanguageModel, text: str, *, first: bool) -> int:
    """Return the number of tokens at the beginning of a sentence, the first one of the story or another."""
    return len(model.encode([text] if first else ["", text])[-1]) if text else 0


def _centre(values: FloatArray) -> FloatArray:
    return values - values.mean(axis=0) if len(values) else values
