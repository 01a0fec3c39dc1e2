"""Table 1: how large the corpus is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from barthes.corpora.propplearner import TABLE_1, Statistics, describe
from barthes.corpora.tale import Tale

__all__ = ["CorpusStatistics", "count_corpus"]


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """The counts of the corpus at hand, beside those of the paper."""

    ours: Statistics

    @property
    def notes(self) -> tuple[str, ...]:
        """Why figures differ from the paper's, as far as is known."""
        if self.ours.stories != TABLE_1.stories:
            return (f"The corpus given has {self.ours.stories} tales, the paper's {TABLE_1.stories}.",)
        if self.ours.words != TABLE_1.words:
            return ("Words are what white space separates: no count that we know gives the published one.",)
        return ()

    def to_dict(self) -> dict[str, Any]:
        """The rows of the table."""
        pairs = zip(TABLE_1.rows(), self.ours.rows(), strict=True)
        return {"rows": [{"name": name, "paper": paper, "ours": ours} for (name, paper), (_, ours) in pairs]}


def count_corpus(corpus: Iterable[Tale]) -> CorpusStatistics:
    """Count the corpus at hand."""
    return CorpusStatistics(describe(corpus))
