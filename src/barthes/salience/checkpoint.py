"""Checkpoints: what a measurement has finished, so that it can continue after an interruption.

The losses of removals are collected and written in parts to a cache every few seconds, and when the block is
left. The same measurement finds them there the next time. When it is finished, it takes their place::

    with Checkpoint(cache, key) as checkpoint:             key | {"part": 0}  the first 130 losses
        measured = method.resume(narrative, checkpoint)    key | {"part": 1}  the next 118
    checkpoint.finish(measured)                            key                the measurement
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from barthes.cache import ScoreCache
from barthes.salience.measurement import Measurement, RemovalLoss

_logger = logging.getLogger("barthes")

INTERVAL = 10.0
"""Seconds of work that an interruption may lose."""


class Checkpoint:
    """What is finished of one measurement.

    Args:
        cache: Where it is kept; None for memory only.
        key: Everything that decides the measurement; None if it is not to be cached.
    """

    def __init__(self, cache: ScoreCache | None = None, key: Mapping[str, Any] | None = None) -> None:
        self._cache = None if key is None else cache
        self._key = key or {}
        self._parts = 0
        self._new: dict[int, RemovalLoss] = {}
        self._stages: list[Checkpoint] = []
        self._written = time.monotonic()

    def fetch_finished(self) -> Measurement | None:
        """Return the measurement if it was finished before and can be used."""
        found = None if self._cache is None else self._cache.fetch(self._key)
        try:
            return None if found is None else Measurement.from_dict(found)
        except ValueError as error:
            _logger.warning("a cached score cannot be used (%s) and will be computed again.", error)
            return None

    def finish(self, measurement: Measurement) -> None:
        """Store the measurement, if its scores are finite, in place of its parts."""
        if self._cache is not None and all(map(math.isfinite, measurement.scores)):
            self._cache.store(self._key, measurement.to_dict())
        self.clear()

    def stage(self, settings: object) -> Checkpoint:
        """Return a checkpoint for another pass over the story, which is written and cleared with this one."""
        stage = Checkpoint(self._cache, {**self._key, "stage": settings})
        self._stages.append(stage)
        return stage

    def store(self, k: int, loss: RemovalLoss) -> None:
        """Keep the loss of the k-th removal."""
        self.losses[k] = self._new[k] = loss
        if time.monotonic() - self._written >= INTERVAL:
            self.write()

    @cached_property
    def losses(self) -> dict[int, RemovalLoss]:
        """The losses of the finished removals: those of earlier parts and new ones."""
        known: dict[int, RemovalLoss] = {}
        while self._cache is not None and (found := self._cache.fetch(self._part(self._parts))):
            try:
                known |= dict(zip(found["removals"], Measurement.from_dict(found).losses, strict=True))
            except (ValueError, LookupError, TypeError):
                break  # this part and later ones are measured again
            self._parts += 1
        return known

    def write(self) -> None:
        """Write the losses that are not written yet."""
        if self._cache is not None and self._new:
            losses = tuple(self._new.values())
            content = Measurement(tuple(loss.total for loss in losses), losses=losses).to_dict()
            self._cache.store(self._part(self._parts), content | {"removals": list(self._new)})
            self._parts += 1
            self._new = {}
        self._written = time.monotonic()
        for stage in self._stages:
            stage.write()

    def clear(self) -> None:
        """Remove the parts."""
        if self._cache is not None:
            for part in range(self._parts):
                self._cache.remove(self._part(part))
        for stage in self._stages:
            stage.clear()
        self._parts, self._new = 0, {}

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *exception: object) -> None:
        self.write()

    def _part(self, number: int) -> dict[str, Any]:
        return {**self._key, "part": number}
