"""The weights of the method ``readers``: load and check them, and apply them to the features of a story.

A *head* is a linear function of features. One head is for stories of any kind; it was trained on what the
kinds have in common, without position. Each kind of story in the training data has a head of its own. A story
is of a kind if it is as near to the kind's mean as its training stories are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from barthes.errors import ModelError
from barthes.hashing import hash_content
from barthes.learned.story_features import LAYERS, StoryFeatures
from barthes.models.language_model import FloatArray
from barthes.narrative import Narrative

FOLDER = Path(__file__).parent / "readers_model"
"""Weights, training record and model card."""

_FORMAT = "barthes-readers-2"
_REMEDY = "Install Barthes again."


@dataclass(frozen=True)
class ReadersWeights:
    """The trained weights.

    Attributes:
        model: The name of the language model whose states they are for.
        kinds: The kinds of stories with a head of their own.
        scales: The standard deviation of every state, shape (layers, states).
        cue_scales: The standard deviation of every cue, shape (cues,).
        heads: Shape (1 + draws, 1 + kinds, features): the heads and, for intervals, those of bootstrap
            samples of the training stories. The first head of each row is for stories of any kind.
        events: Heads for events, shape (1 + draws, states).
        projection: Maps `StoryFeatures.story`, minus `origin`, to coordinates, shape (dimensions, size).
        origin: Shape (size,).
        centres: The mean coordinates of each kind, shape (kinds, dimensions).
        limits: The largest squared distance from its centre at which a story is of a kind, shape (kinds,).
        stories: Hashes of the texts of the training stories (`hash_story`).
    """

    model: str
    kinds: tuple[str, ...]
    scales: FloatArray
    cue_scales: FloatArray
    heads: FloatArray
    events: FloatArray
    projection: FloatArray
    origin: FloatArray
    centres: FloatArray
    limits: FloatArray
    stories: frozenset[str] = frozenset()

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that decides the scores."""
        arrays = [[name, value.tolist()] for name, value in sorted(self._arrays().items())]
        return hash_content([self.model, self.kinds, arrays])

    def describe(self, features: StoryFeatures) -> FloatArray:
        """Return the features of sentences in the order of the heads, shape (sentences, features)."""
        return np.hstack([self.average(features), features.cues / self.cue_scales, features.places])

    def average(self, features: StoryFeatures) -> FloatArray:
        """Return the mean over layers of the scaled states, shape (units, states)."""
        mean: FloatArray = (features.states / self.scales).mean(axis=1)
        return mean

    def find_kind(self, features: StoryFeatures) -> str | None:
        """Return the kind of a story; None if it is unlike all of them."""
        distances = measure_distances(features.story, self.projection, self.origin, self.centres)
        nearest = int(np.argmin(distances))
        return self.kinds[nearest] if distances[nearest] <= self.limits[nearest] else None

    def score(self, features: StoryFeatures, kind: str | None) -> FloatArray:
        """Return the scores of sentences by each row of heads, shape (1 + draws, sentences)."""
        head = 0 if kind is None else 1 + self.kinds.index(kind)
        # einsum: the rounding of a matrix product depends on the number of threads.
        scores: FloatArray = np.einsum("nf,df->dn", self.describe(features), self.heads[:, head])
        return scores

    def score_events(self, features: StoryFeatures) -> FloatArray:
        """Return the scores of events by each row of heads, shape (1 + draws, events)."""
        scores: FloatArray = np.einsum("nf,df->dn", self.average(features), self.events)
        return scores

    def save(self, path: Path) -> None:
        """Write a safetensors file."""
        from safetensors.numpy import save_file

        values = {name: value.astype(np.float32) for name, value in self._arrays().items()}
        about = {"format": _FORMAT, "model": self.model, "kinds": json.dumps(self.kinds)}
        about["stories"] = json.dumps(sorted(self.stories))
        save_file(values, path, metadata=about)

    def _arrays(self) -> dict[str, FloatArray]:
        return {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}


def hash_story(narrative: Narrative) -> str:
    """Return the hash by which the training stories are known."""
    return hash_content(" ".join(narrative.text.split()))[:16]


def measure_distances(
    story: FloatArray, projection: FloatArray, origin: FloatArray, centres: FloatArray
) -> FloatArray:
    """Return the squared distance of a story from the centre of each kind."""
    # einsum: the rounding of a matrix product depends on the number of threads.
    coordinates = np.einsum("ds,s->d", projection, story - origin)
    distances: FloatArray = ((coordinates - centres) ** 2).sum(axis=1)
    return distances


@cache
def load_readers_weights(path: Path = FOLDER / "weights.safetensors") -> ReadersWeights:
    """Load weights.

    Raises:
        ModelError: The file is missing, damaged, or has weights of another kind.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            about: Mapping[str, str] = file.metadata() or {}
            arrays = {name: file.get_tensor(name).astype(np.float64) for name in file.keys()}  # noqa: SIM118
        if about.get("format") != _FORMAT:
            raise ModelError("these are not weights of the method 'readers'.", where=path, remedy=_REMEDY)
        stories = frozenset(json.loads(about["stories"]))
        weights = ReadersWeights(about["model"], tuple(json.loads(about["kinds"])), **arrays, stories=stories)
        _check_shapes(weights)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"cannot be read ({error}).", where=path, remedy=_REMEDY) from error
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"the weights are damaged ({error}).", where=path, remedy=_REMEDY) from error
    return weights


def _check_shapes(weights: ReadersWeights) -> None:
    layers, width = weights.scales.shape
    rows, heads, _ = weights.heads.shape
    dimensions, size = weights.projection.shape
    shapes = {
        "layers": layers == len(LAYERS),
        "heads": heads == 1 + len(weights.kinds) and rows >= 1,
        "events": weights.events.shape == (rows, width),
        "kinds": weights.origin.shape == (size,)
        and weights.centres.shape == (len(weights.kinds), dimensions),
        "limits": weights.limits.shape == (len(weights.kinds),),
        "numbers": all(np.isfinite(value).all() for value in weights._arrays().values()),
    }
    if wrong := [name for name, fits in shapes.items() if not fits]:
        raise ValueError(f"wrong {', '.join(wrong)}")
