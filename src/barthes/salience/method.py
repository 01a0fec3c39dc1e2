"""The one protocol that estimators, baselines and combinations share: a method scores a narrative."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from barthes.narrative import Narrative
from barthes.salience.profile import Profile

if TYPE_CHECKING:
    from barthes.salience.combination import Combination

__all__ = ["Method", "Progress", "silent"]

Progress = Callable[[int, int], None]
"""Called with (work done, work in all); the unit of work is the method's own (tokens, sentences)."""


def silent(done: int, total: int) -> None:
    """The progress report of those who do not want one."""


class Method(ABC):
    """A way to give the sentences of a narrative their salience. Holds models, never texts.

    Methods add up: ``SentenceDeletion(model) + TfIdf()`` is their min-max normalised sum.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name on the command line, such as ``sd`` or ``sd+tfidf``."""

    @property
    def model_name(self) -> str | None:
        """The name of the language model behind it, or None."""
        return None

    @abstractmethod
    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """The salience profile of a narrative; higher is more salient."""

    def __add__(self, other: Method) -> Combination:
        from barthes.salience.combination import Combination

        return Combination(self, other)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"
