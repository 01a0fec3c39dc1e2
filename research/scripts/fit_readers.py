"""Fit the weights of the method ``readers`` by ridge regression on ranks within stories.

A sentence's grade depends on what it says, on where it stands and on how long it is. Only the first carries
over from kind to kind: people put the turn of a very short story at its end and that of a personal account
early, and a summary keeps short sentences whole. So position and word counts have effects of their own in
each kind, and one set of weights for the states is fitted to the rest, each kind counting the same::

    rank of grade = states · common + (position, ranks by words) · effects of the kind + error

For a story of an unknown kind the position counts nothing and the ranks by words a fixed share, chosen like
all settings by leaving out a whole kind. A kind whose grades are shares of words has no effects of words of
its own: users ask which sentences matter, not which share of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from barthes.learned.readers_weights import ReadersWeights, measure_distances
from barthes.learned.story_features import StoryFeatures, rank
from barthes.models.language_model import FloatArray


@dataclass(frozen=True)
class TrainingStory:
    """A story with the grades of its sentences and, for some, of its events.

    Attributes:
        kind: The kind of story.
        group: Stories of a group stay together when stories are resampled.
        text_hash: `barthes.learned.readers_weights.hash_story` of its text.
        by_share: Whether a grade is the share of a sentence's words that people chose, so that long
            sentences are graded lower for their length alone.
    """

    kind: str
    group: str
    features: StoryFeatures
    grades: Sequence[float]
    event_features: StoryFeatures | None = None
    event_grades: Sequence[float] = ()
    text_hash: str = ""
    by_share: bool = False


@dataclass(frozen=True)
class FitSettings:
    """The settings of the fit, chosen by leaving one corpus out.

    Attributes:
        penalty: Ridge penalty of the common weights, relative to features of variance 1.
        words: The weight of the mean rank by words beside the states, both scaled to variance 1.
        kind_penalty: Ridge penalty of what is peculiar to a kind.
        free: The same for positions and ranks, as a factor.
        event_penalty: Ridge penalty of the head for events.
        dimensions: Of the space in which kinds of stories are told apart.
        limit: The quantile of training distances up to which a story is of a kind.
        draws: Bootstrap samples of the training stories.
    """

    penalty: float = 2.5
    words: float = 0.6
    kind_penalty: float = 3.0
    free: float = 0.05
    event_penalty: float = 1.4
    dimensions: int = 15
    limit: float = 0.9
    draws: int = 8


@dataclass(frozen=True)
class _Rows:
    """The sentences of one kind, with weights whose sum is 1: long stories count less per sentence."""

    states: FloatArray
    others: FloatArray  # ranks by words, then functions of the position
    grades: FloatArray
    weights: FloatArray
    by_share: bool


def fit_weights(
    stories: Sequence[TrainingStory],
    *,
    model: str,
    settings: FitSettings,
    seed: int = 0,
) -> ReadersWeights:
    """Fit all weights on training stories, and again on bootstrap samples of them for intervals.

    Args:
        stories: The stories.
        model: The name of the language model that read them.
        settings: The settings.
        seed: Of the bootstrap.
    """
    kinds = tuple(dict.fromkeys(story.kind for story in stories))
    scales = _root_mean_square(stories)
    nothing = np.empty((0, 0, 0))
    gate = _fit_kinds(stories, kinds, settings)
    weights = ReadersWeights(
        model, kinds, scales, nothing, nothing, *gate, agreement=np.zeros((1 + len(kinds), 2))
    )
    states = [weights.average(story.features) for story in stories]
    rng = np.random.default_rng(seed)
    samples = [np.ones(len(stories)), *(_resample(stories, rng) for _ in range(settings.draws))]
    heads = [_fit_heads(stories, states, kinds, counts, settings) for counts in samples]
    events = [_fit_events(stories, weights, counts, settings) for counts in samples]
    return replace(
        weights,
        heads=np.stack(heads),
        events=np.stack(events),
        stories=frozenset(story.text_hash for story in stories if story.text_hash),
    )


def _fit_heads(
    stories: Sequence[TrainingStory],
    states: Sequence[FloatArray],
    kinds: Sequence[str],
    counts: FloatArray,
    settings: FitSettings,
) -> FloatArray:
    """Return the common head and that of each kind, shape (1 + kinds, features)."""
    rows = {kind: _gather(stories, states, counts, kind) for kind in kinds}
    rest = [_remove_effects(each) for each in rows.values()]
    gram = np.mean([(x * w[:, None]).T @ x for x, _, w in rest], axis=0)
    moment = np.mean([x.T @ (w * y) for x, y, w in rest], axis=0)
    content = _solve(gram, moment, np.full(len(gram), settings.penalty))
    cues, places = stories[0].features.cues.shape[1], stories[0].features.places.shape[1]
    content /= _spread([row.states @ content for row in rows.values()], list(rows.values()))
    words = _spread([row.others[:, :cues].mean(axis=1) for row in rows.values()], list(rows.values()))
    common = np.concatenate([content, np.full(cues, settings.words / cues / words), np.zeros(places)])
    return np.stack([common, *(_fit_kind(row, common, settings, cues) for row in rows.values())])


def _gather(
    stories: Sequence[TrainingStory], states: Sequence[FloatArray], counts: FloatArray, kind: str
) -> _Rows:
    own = [k for k, story in enumerate(stories) if story.kind == kind and counts[k] > 0]
    others = [np.hstack([stories[k].features.cues, stories[k].features.places]) for k in own]
    weights = np.concatenate([np.full(len(states[k]), counts[k] / len(states[k]) ** 0.5) for k in own])
    grades = np.concatenate([rank(stories[k].grades) for k in own])
    return _Rows(
        np.concatenate([states[k] for k in own]),
        np.concatenate(others),
        grades,
        weights / weights.sum(),
        any(stories[k].by_share for k in own),
    )


def _remove_effects(rows: _Rows) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return states and grades without what positions and ranks by words explain, and the weights."""
    root = np.sqrt(rows.weights)[:, None]
    both = np.hstack([rows.states, rows.grades[:, None]])
    effects = np.linalg.lstsq(root * rows.others, root * both, rcond=1e-8)[0]
    rest = both - rows.others @ effects
    return rest[:, :-1], rest[:, -1], rows.weights


def _fit_kind(rows: _Rows, common: FloatArray, settings: FitSettings, cues: int) -> FloatArray:
    """Return the common head, scaled to a kind's grades, plus what is peculiar to the kind."""
    x = np.hstack([rows.states, rows.others])
    shared = x @ common
    scale = (rows.weights * shared) @ rows.grades / ((rows.weights * shared) @ shared)
    free = settings.kind_penalty * settings.free
    penalties = np.repeat([settings.kind_penalty, free], [rows.states.shape[1], rows.others.shape[1]])
    rest = rows.grades - scale * shared
    own = _solve((x * rows.weights[:, None]).T @ x, x.T @ (rows.weights * rest), penalties)
    if rows.by_share:
        own[rows.states.shape[1] :][:cues] = 0
    return np.asarray(scale * common + own)


def _spread(values: Sequence[FloatArray], rows: Sequence[_Rows]) -> float:
    """Return the root mean square of values, each kind counting the same."""
    return float(np.mean([row.weights @ each**2 for each, row in zip(values, rows, strict=True)]) ** 0.5)


def _fit_events(
    stories: Sequence[TrainingStory], weights: ReadersWeights, counts: FloatArray, settings: FitSettings
) -> FloatArray:
    own = [(s, n) for s, n in zip(stories, counts, strict=True) if n > 0 and len(s.event_grades) > 1]
    if not own:
        return np.zeros(weights.scales.shape[1])
    x = np.concatenate([weights.average(s.event_features) for s, _ in own if s.event_features])
    y = np.concatenate([np.subtract(s.event_grades, np.mean(s.event_grades)) for s, _ in own])
    w = np.concatenate([np.full(len(s.event_grades), n) for s, n in own])
    w /= w.sum()
    penalties = np.full(x.shape[1], settings.event_penalty)
    return _solve((x * w[:, None]).T @ x, x.T @ (w * y), penalties)


def _solve(gram: FloatArray, moment: FloatArray, penalties: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.solve(gram + np.diag(penalties), moment), dtype=np.float64)


def _fit_kinds(
    stories: Sequence[TrainingStory], kinds: Sequence[str], settings: FitSettings
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return projection, origin, centres and limits of `ReadersWeights`.

    Squared distances are Mahalanobis distances in the space of the principal components and the two lengths.
    """
    vectors = np.stack([story.features.story for story in stories])
    labels = np.array([kinds.index(story.kind) for story in stories])
    origin, spread = vectors.mean(axis=0), vectors.std(axis=0) + 1e-6
    states = (vectors[:, :-2] - origin[:-2]) / spread[:-2]
    _, sizes, axes = np.linalg.svd(states, full_matrices=False)
    count = min(settings.dimensions, int((sizes > 1e-6 * sizes[0]).sum()))
    inner = np.zeros((count + 2, vectors.shape[1]))
    inner[:count, :-2] = axes[:count] / sizes[:count, None] * len(stories) ** 0.5 / spread[:-2]
    inner[count:, -2:] = np.eye(2)
    coordinates = (vectors - origin) @ inner.T
    means = np.stack([coordinates[labels == k].mean(axis=0) for k in range(len(kinds))])
    within = coordinates - means[labels]
    covariance = within.T @ within / len(stories) + 0.01 * np.eye(count + 2)
    whiten = np.linalg.cholesky(np.linalg.inv(covariance)).T
    projection, centres = whiten @ inner, means @ whiten.T
    distances = [measure_distances(vector, projection, origin, centres) for vector in vectors]
    own = np.stack(distances)[np.arange(len(labels)), labels]
    limits = np.array([np.quantile(own[labels == k], settings.limit) for k in range(len(kinds))])
    return projection, origin, centres, limits


def _root_mean_square(stories: Sequence[TrainingStory]) -> FloatArray:
    """Return the root mean square of each state over all sentences of all stories; at least a millionth."""
    states = np.concatenate([story.features.states for story in stories])
    return np.asarray(np.sqrt((states**2).mean(axis=0)) + 1e-6)


def _resample(stories: Sequence[TrainingStory], rng: np.random.Generator) -> FloatArray:
    """Return how often each story is drawn: groups are drawn with replacement within each kind."""
    counts = np.zeros(len(stories))
    for kind in dict.fromkeys(story.kind for story in stories):
        groups = list(dict.fromkeys(story.group for story in stories if story.kind == kind))
        if len(groups) == 1:  # one story in several courses: the courses are drawn
            groups = [str(k) for k, story in enumerate(stories) if story.kind == kind]
        drawn = np.bincount(rng.integers(len(groups), size=len(groups)), minlength=len(groups))
        often = dict(zip(groups, drawn, strict=True))
        for k, story in enumerate(stories):
            if story.kind == kind:
                counts[k] = often[story.group] if story.group in often else often[str(k)]
    return counts
