"""One figure per method over several corpora: how far it comes from chance to what can be reached."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from barthes.evaluation.result import to_plain

_CHANCE = {"spearman": 0.0, "auc": 0.5}  # known exactly; of other measures, the random baseline's


@dataclass(frozen=True)
class SummaryColumn:
    """A corpus of the summary.

    Attributes:
        corpus: Its name.
        labels: Its labelling.
        unit: ``sentence`` or ``event``.
        measure: The name of its first measure.
        chance: That measure by chance.
        ceiling: How well people agree, or 1 where that is not known.
        scores: The measure of each method, by name.
    """

    corpus: str
    labels: str
    unit: str
    measure: str
    chance: float
    ceiling: float
    scores: Mapping[str, float]

    @classmethod
    def from_bench(cls, table: Mapping[str, Any]) -> SummaryColumn:
        """Build a column from a corpus of the JSON of `barthes bench`."""
        measure, *_ = table["measures"]
        scores: dict[str, float] = {}
        for row in table["rows"]:
            scores.setdefault(row["method"], math.nan if row[measure] is None else row[measure])
        people = table["people"]
        is_known = people is not None and measure == "spearman" and people["value"] > 0
        ceiling = people["value"] if is_known else 1.0
        chance = _CHANCE.get(measure, scores["random"])
        return cls(table["corpus"], table["labels"], table["unit"], measure, chance, ceiling, scores)

    def rescale(self, method: str) -> float:
        """Return (score - chance) / (ceiling - chance); NaN without a score, or if chance is not below.

        >>> column = SummaryColumn("ROC", "votes", "sentence", "spearman", 0.0, 0.5, {"words": 0.25})
        >>> column.rescale("words")
        0.5
        """
        if not self.chance < self.ceiling:
            return math.nan
        return (self.scores.get(method, math.nan) - self.chance) / (self.ceiling - self.chance)


@dataclass(frozen=True)
class SummaryRow:
    """A method over all corpora.

    Attributes:
        method: Its name.
        values: Its rescaled score on each corpus; NaN if it has none.
        mean: Their mean, over the corpora on which it has one.
    """

    method: str
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over the corpora on which the method has a score."""
        known = [value for value in self.values if not math.isnan(value)]
        return math.fsum(known) / len(known) if known else math.nan

    @property
    def corpora(self) -> int:
        """The number of corpora on which the method has a score."""
        return sum(not math.isnan(value) for value in self.values)


@dataclass(frozen=True)
class BenchSummary:
    """Methods over corpora."""

    columns: tuple[SummaryColumn, ...]
    rows: tuple[SummaryRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values; undefined values are null."""
        keys = ("corpus", "labels", "unit", "measure", "chance", "ceiling")
        columns = [{key: getattr(column, key) for key in keys} for column in self.columns]
        rows = [
            {"method": row.method, "mean": row.mean, "corpora": row.corpora, "values": row.values}
            for row in self.rows
        ]
        plain: dict[str, Any] = to_plain({"columns": columns, "rows": rows})
        return plain


def summarize(tables: Iterable[Mapping[str, Any]]) -> BenchSummary:
    """Return the summary of the corpora in the JSON of `barthes bench`.

    A corpus with several labellings (ProppLearner) counts once, with the first. Sentences and events are
    separate columns.
    """
    columns: dict[tuple[str, str], SummaryColumn] = {}
    for table in tables:
        columns.setdefault((table["corpus"], table["unit"]), SummaryColumn.from_bench(table))
    methods = dict.fromkeys(method for column in columns.values() for method in column.scores)
    rows = [_make_row(method, tuple(columns.values())) for method in methods]
    return BenchSummary(tuple(columns.values()), tuple(rows))


def _make_row(method: str, columns: Sequence[SummaryColumn]) -> SummaryRow:
    return SummaryRow(method, tuple(column.rescale(method) for column in columns))
