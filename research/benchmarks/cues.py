"""A function as a method: what the benchmarks of `readers` compare."""

from __future__ import annotations

from collections.abc import Callable

import barthes
from barthes.models.language_model import FloatArray
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile


class NamedCue(Method):
    """A method made of a name and a function that returns a number for each sentence."""

    def __init__(self, name: str, find: Callable[[barthes.Narrative], FloatArray]) -> None:
        self._name = name
        self._find = find

    @property
    def name(self) -> str:
        return self._name

    def score(self, narrative: barthes.Narrative, *, progress: Progress = silent) -> Profile:
        return Profile(narrative, tuple(self._find(narrative).tolist()), method=self.name)
