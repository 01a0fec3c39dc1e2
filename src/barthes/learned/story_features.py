"""The features of a story's sentences and events for learned methods: hidden states, ranks, positions.

The language model reads the story twice in a row: first as a reader who does not know what will come, then
with knowledge of the whole story, its ending included::

    ⟨s⟩ S_1 S_2 … S_n ⏎⏎ S_1 S_2 … S_n
        └┬┘              └┬┘ the mean states of its tokens in both readings describe S_1

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
from barthes.errors import SentenceTooLongError
from barthes.models.language_model import FloatArray, LanguageModel, check_finite
from barthes.narrative import Narrative
from barthes.salience.method import Progress, silent

LAYERS = (16, 18, 20)
"""The numbers of layers after which the states are taken; their scaled mean is used."""

CUES = (Length, TfIdf, Words, Centroid, Similarity)
"""Counts of words, which need no model. Units of very different length differ most in these."""

PLACES = 7
"""The number of functions of a sentence's position."""

_PART = 2048  # tokens of a story that does not fit twice into the model's context, read twice at once
_BETWEEN = "\n\n"  # the first and the second reading


@dataclass(frozen=True)
class StoryFeatures:
    """The features of the units of one story, in story order.

    Attributes:
        states: Mean hidden states of the second and of the first reading, shape (units, layers, 2 * width),
            centred.
        cues: Ranks of the sentences by each of `CUES`, -1 to 1, shape (sentences, cues); empty for events.
        places: Functions of the position, shape (sentences, PLACES), centred; empty for events.
        story: What tells kinds of stories apart: the mean state of all sentences at each layer, the logarithm
            of their number and that of their mean length in tokens; shape (layers * 2 * width + 2,).
        parts: In how many parts the story was read.
    """

    states: FloatArray
    cues: FloatArray
    places: FloatArray
    story: FloatArray
    parts: int = 1


def read_features(
    model: LanguageModel,
    narrative: Narrative,
    *,
    events: Sequence[tuple[int, Event]] | None = None,
    layers: Sequence[int] = LAYERS,
    progress: Progress = silent,
) -> StoryFeatures:
    """Read a story twice and return the features of its sentences, or of its events.

    Args:
        model: A model with at least these layers.
        narrative: The story.
        events: Events with the index of their sentence; None for sentences.
        layers: The numbers of layers after which states are taken.
        progress: Called with the tokens read and the total.
    """
    sentences = model.encode([str(sentence) for sentence in narrative])
    units = [(k, 0, len(ids)) for k, ids in enumerate(sentences)]
    if events is not None:
        units = _find_predicates(model, narrative, sentences, events)
    parts = list(_divide(model, sentences))
    total = 2 * sum(map(len, sentences))
    progress(0, total)
    found, means = [], []
    done = 0
    for start, stop in parts:
        own = [unit for unit in units if start <= unit[0] < stop]
        spans = [(k - start, first, end) for k, first, end in own]
        states = _read_twice(model, sentences[start:stop], spans, layers)
        found.append(states[: len(own)])
        means.append(states[len(own) :])
        done += 2 * sum(map(len, sentences[start:stop]))
        progress(done, total)
    states, every = np.concatenate(found), np.concatenate(means)
    check_finite(every, model)
    lengths = np.array([max(1, len(ids)) for ids in sentences])
    story = np.concatenate([every.mean(axis=0).ravel(), np.log([len(sentences), lengths.mean()])])
    if events is not None:
        nothing = np.empty((len(events), 0))
        return StoryFeatures(_centre(states), nothing, nothing, story, len(parts))
    cues = np.stack([rank(cue().score(narrative).scores) for cue in CUES], axis=1)
    places = _centre(describe_places(len(narrative)))
    return StoryFeatures(_centre(states), cues, places, story, len(parts))


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


def _read_twice(
    model: LanguageModel,
    sentences: Sequence[Sequence[int]],
    units: Sequence[tuple[int, int, int]],
    layers: Sequence[int],
) -> FloatArray:
    """Return the states of units (sentence, first token, end) and then of all sentences."""
    story = [token for ids in sentences for token in ids]
    [between] = model.encode([_BETWEEN])
    spans = []
    for first in (1 + len(story) + len(between), 1):  # the second reading, the first one
        edges = list(accumulate(map(len, sentences), initial=first))
        spans += [(edges[k] + start, edges[k] + stop) for k, start, stop in units] + list(pairwise(edges))
    tokens = [model.start_token, *story, *between, *story]
    return np.concatenate(np.split(model.states(tokens, spans, layers=layers), 2), axis=2)


def _divide(model: LanguageModel, sentences: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Yield the sentences of each part (start, stop): the whole story if it fits twice into the context.

    Raises:
        SentenceTooLongError: A sentence does not fit twice.
    """
    limit = model.context_length
    ends = np.cumsum([len(ids) for ids in sentences])
    room = None if limit is None else (limit - 1 - len(model.encode([_BETWEEN])[0])) // 2
    if room is None or ends[-1] <= room:
        yield 0, len(sentences)
        return
    longest = max(range(len(sentences)), key=lambda k: len(sentences[k]))
    if len(sentences[longest]) > room // 2:
        raise SentenceTooLongError(
            f"sentence {longest + 1} has {len(sentences[longest])} tokens; at most {room // 2} can be read.",
            remedy="Split the sentence.",
        )
    count = -(-int(ends[-1]) // min(_PART, room // 2))
    targets = ends[-1] * np.arange(1, count) / count  # parts of about the same size
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
