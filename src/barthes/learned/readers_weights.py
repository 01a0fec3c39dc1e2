"""The weights of the method ``readers``: load and check them, and apply them to the features of a story.

A *head* is a linear function of features. The common head is for stories of any kind::

    score = weights · states + weight · mean rank by words        (the position does not count)

Kinds of stories disagree about positions and lengths, so the weights of the states were fitted to what these
do not explain in each kind. Each kind of story in the training data has a head of its own: the common one
plus what is peculiar to the kind. A story is of a kind if it is as near to the kind's mean as its training
stories are.
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
from barthes.salience.trust import Trust

FOLDER = Path(__file__).parent / "readers_model"
"""Weights, training record and model card."""

_FORMAT = "barthes-readers-4"
_REMEDY = "Install Barthes again."


@dataclass(frozen=True)
class ReadersWeights:
    """The trained weights.

    Attributes:
        model: The name of the language model whose states they are for.
        kinds: The kinds of stories with a head of their own.
        scales: The standard deviation of every state, shape (layers, states).
        heads: Shape (1 + draws, 1 + kinds, features): the heads and, for intervals, those of bootstrap
            samples of the training stories. The first head of each row is for stories of any kind.
        events: Heads for events, shape (1 + draws, states).
        projection: Maps `StoryFeatures.story`, minus `origin`, to coordinates, shape (dimensions, size).
        origin: Shape (size,).
        centres: The mean coordinates of each kind, shape (kinds, dimensions).
        limits: The largest squared distance from its centre at which a story is of a kind, shape (kinds,).
        agreement: For stories of unknown kinds, then for each kind: the mean Spearman correlation with people
            and its mean gain over `fast`, on stories that were not trained on; shape (1 + kinds, 2).
        stories: Hashes of the texts of the training stories (`hash_story`).
    """

    model: str
    kinds: tuple[str, ...]
    scales: FloatArray
    heads: FloatArray
    events: FloatArray
    projection: FloatArray
    origin: FloatArray
    centres: FloatArray
    limits: FloatArray
    agreement: FloatArray
    stories: frozenset[str] = frozenset()

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that decides the scores."""
        arrays = [[name, value.tolist()] for name, value in sorted(self._arrays().items())]
        return hash_content([self.model, self.kinds, arrays])

    def describe(self, features: StoryFeatures) -> FloatArray:
        """Return the features of sentences in the order of the heads, shape (sentences, features)."""
        return np.hstack([self.average(features), features.cues, features.places])

    def average(self, features: StoryFeatures) -> FloatArray:
        """Return the mean over layers of the scaled states, shape (units, states)."""
        mean: FloatArray = (features.states / self.scales).mean(axis=1)
        return mean

    def find_kind(self, features: StoryFeatures) -> str | None:
        """Return the kind of a story; None if it is unlike all of them."""
        distances = measure_distances(features.story, self.projection, self.origin, self.centres)
        nearest = int(np.argmin(distances))
        return self.kinds[nearest] if distances[nearest] <= self.limits[nearest] else None

    def estimate_trust(self, kind: str | None) -> Trust:
        """Return the agreement with readers to expect for a story of a kind, or of an unknown kind."""
        agreement, gain = self.agreement[0 if kind is None else 1 + self.kinds.index(kind)].tolist()
        return Trust(round(agreement, 2), kind, gain > 0)

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
        "agreement": weights.agreement.shape == (heads, 2),
        "numbers": all(np.isfinite(value).all() for value in weights._arrays().values()),
    }
    if wrong := [name for name, fits in shapes.items() if not fits]:
        raise ValueError(f"wrong {', '.join(wrong)}")
