"""Fit the weights of the method ``readers`` by ridge regression on ranks within stories.

The head for stories of any kind must not learn where each corpus has its important sentences, because that
differs from corpus to corpus. So in every corpus the part of the features that the position predicts is taken
away before the regression, and the average of these predictions when a new story is scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import rankdata

from barthes.learned.readers_weights import ReadersWeights, measure_distances
from barthes.learned.story_features import StoryFeatures
from barthes.models.language_model import FloatArray


@dataclass(frozen=True)
class TrainingStory:
    """A story with the grades of its sentences and, for some, of its events.

    Attributes:
        kind: The kind of story; empty if its grades are not people's judgements (aligned summaries).
        group: Stories of a group stay together when stories are resampled.
        text_hash: `barthes.learned.readers_weights.hash_story` of its text.
    """

    kind: str
    group: str
    features: StoryFeatures
    grades: Sequence[float]
    event_features: StoryFeatures | None = None
    event_grades: Sequence[float] = ()
    text_hash: str = ""


@dataclass(frozen=True)
class FitSettings:
    """The settings of the fit, chosen by leaving one corpus out.

    Attributes:
        any_penalty: Ridge penalty of the head for any kind, relative to features of variance 1.
        kind_penalty: That of the heads for one kind.
        common: How much of the head for any kind is added to that for one kind.
        event_penalty: That of the head for events.
        cue_weight: How much less cues are penalised than states (as a factor of their scale).
        place_weight: The same for places.
        summaries: The share of aligned summaries in the head for any kind.
        dimensions: Of the space in which kinds of stories are told apart.
        limit: The quantile of training distances up to which a story is of a kind.
        draws: Bootstrap samples of the training stories.
    """

    any_penalty: float = 1.5
    kind_penalty: float = 1.5
    common: float = 0.5
    event_penalty: float = 1.4
    cue_weight: float = 1.0
    place_weight: float = 4.0
    summaries: float = 0.3
    dimensions: int = 40
    limit: float = 0.95
    draws: int = 40


def fit_weights(
    stories: Sequence[TrainingStory], *, model: str, settings: FitSettings, seed: int = 0
) -> ReadersWeights:
    """Fit all weights on training stories, and again on bootstrap samples of them for intervals."""
    judged = [story for story in stories if story.kind]
    kinds = tuple(dict.fromkeys(story.kind for story in judged))
    scales = _root_mean_square([story.features.states for story in judged])
    cue_scales = _root_mean_square([story.features.cues for story in judged])
    gate = _fit_kinds(judged, kinds, settings)
    nothing = np.empty((0, 0, 0))
    weights = ReadersWeights(model, kinds, scales, cue_scales, nothing, nothing, *gate)
    described = [
        _Described(story, weights.describe(story.features), _average_events(story, weights))
        for story in stories
    ]
    rng = np.random.default_rng(seed)
    samples = [np.ones(len(stories)), *(_resample(stories, rng) for _ in range(settings.draws))]
    fitted = [_fit_heads(described, kinds, counts, settings, len(cue_scales)) for counts in samples]
    return replace(
        weights,
        heads=np.stack([heads for heads, _ in fitted]),
        events=np.stack([events for _, events in fitted]),
        stories=frozenset(story.text_hash for story in judged if story.text_hash),
    )


@dataclass(frozen=True)
class _Described:
    """A training story, with its features in the order of the heads."""

    story: TrainingStory
    features: FloatArray
    events: FloatArray


def _fit_heads(
    stories: Sequence[_Described],
    kinds: Sequence[str],
    counts: FloatArray,
    settings: FitSettings,
    cues: int,
) -> tuple[FloatArray, FloatArray]:
    """Return the heads, shape (1 + kinds, features), and the head for events, for weighted stories."""
    [width] = {each.features.shape[1] for each in stories}
    places = stories[0].story.features.places.shape[1]
    states = width - cues - places
    factors = np.repeat([1.0, settings.cue_weight, settings.place_weight], [states, cues, places])
    content = slice(0, states + cues)
    sums, shifts, heads = {}, [], []
    for kind in (*kinds, ""):
        own = [(each, count) for each, count in zip(stories, counts, strict=True) if each.story.kind == kind]
        own = [(each, count) for each, count in own if count > 0]
        if not own:
            continue
        x = np.concatenate([each.features for each, _ in own]) * factors
        y = np.concatenate([rank_grades(each.story.grades) for each, _ in own])
        w = np.concatenate([np.full(len(each.features), n / len(each.features) ** 0.5) for each, n in own])
        w /= w.sum()
        root = np.sqrt(w)[:, None]
        shift = np.linalg.lstsq(root * x[:, content.stop :], root * x[:, content], rcond=None)[0]
        rest = x[:, content] - x[:, content.stop :] @ shift
        sums[kind] = (rest * w[:, None]).T @ rest, rest.T @ (w * y)
        if kind:
            shifts.append(shift)
            heads.append(factors * _solve((x * w[:, None]).T @ x, x.T @ (w * y), settings.kind_penalty))
    gram, moment = _mix(sums, settings.summaries)
    common = _solve(gram, moment, settings.any_penalty)
    anywhere = factors * np.concatenate([common, -np.mean(shifts, axis=0) @ common])
    heads = [head + settings.common * anywhere for head in heads]
    return np.stack([anywhere, *heads]), _fit_events(stories, counts, settings, states)


def _mix(
    sums: Mapping[str, tuple[FloatArray, FloatArray]], summaries: float
) -> tuple[FloatArray, FloatArray]:
    """Return the sums of products of all kinds, each with the same weight, and of aligned summaries."""
    share = summaries if "" in sums else 0.0
    kinds = [kind for kind in sums if kind]
    shares = {kind: (1 - share) / len(kinds) for kind in kinds} | ({"": share} if share else {})
    gram = np.sum([weight * sums[kind][0] for kind, weight in shares.items()], axis=0)
    return gram, np.sum([weight * sums[kind][1] for kind, weight in shares.items()], axis=0)


def _fit_events(
    stories: Sequence[_Described], counts: FloatArray, settings: FitSettings, width: int
) -> FloatArray:
    pairs = zip(stories, counts, strict=True)
    own = [(each, n) for each, n in pairs if n > 0 and len(each.events) > 1]
    if not own:
        return np.zeros(width)
    x = np.concatenate([each.events for each, _ in own])
    y = np.concatenate([np.subtract(g := each.story.event_grades, np.mean(g)) for each, _ in own])
    w = np.concatenate([np.full(len(each.events), n) for each, n in own])
    w /= w.sum()
    return _solve((x * w[:, None]).T @ x, x.T @ (w * y), settings.event_penalty)


def _average_events(story: TrainingStory, weights: ReadersWeights) -> FloatArray:
    return np.empty((0, 0)) if story.event_features is None else weights.average(story.event_features)


def _solve(gram: FloatArray, moment: FloatArray, penalty: float) -> FloatArray:
    return np.asarray(np.linalg.solve(gram + penalty * np.eye(len(gram)), moment), dtype=np.float64)


def rank_grades(grades: Sequence[float]) -> FloatArray:
    """Return the ranks of grades within a story, from -1 to 1, centred; the same for ties.

    >>> rank_grades([0.1, 0.9, 0.1, 0.5]).tolist()
    [-0.5, 0.75, -0.5, 0.25]
    """
    ranks: FloatArray = (rankdata(grades) - (len(grades) + 1) / 2) / (len(grades) / 2)
    return ranks


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


def _root_mean_square(values: Sequence[FloatArray]) -> FloatArray:
    """Return the root mean square over all units of all stories; at least a millionth."""
    rows: FloatArray = np.sqrt((np.concatenate(values) ** 2).mean(axis=0)) + 1e-6
    return rows


def _resample(stories: Sequence[TrainingStory], rng: np.random.Generator) -> FloatArray:
    """Return how often each story is drawn: groups are drawn with replacement within each kind."""
    counts = np.zeros(len(stories))
    for kind in dict.fromkeys(story.kind for story in stories):
        groups = list(dict.fromkeys(story.group for story in stories if story.kind == kind))
        drawn = np.bincount(rng.integers(len(groups), size=len(groups)), minlength=len(groups))
        often = dict(zip(groups, drawn, strict=True))
        for k, story in enumerate(stories):
            if story.kind == kind:
                counts[k] = often[story.group]
    return counts
