"""One figure per method over several corpora: how far it comes from chance to what can be reached."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Plain = dict[str, Any]
"""A corpus or a row of the summary as in JSON; undefined values are None."""

_CHANCE = {"spearman": 0.0, "auc": 0.5}  # known exactly; of other measures, the random baseline's


def summarize(tables: Iterable[Mapping[str, Any]]) -> dict[str, list[Plain]]:
    """Return ``columns``, one per corpus in the JSON of `barthes bench`, and ``rows``, one per method.

    A corpus with several labellings (ProppLearner) counts once, with the first. Sentences and events are
    separate columns. The values of a row are (score - chance) / (ceiling - chance).
    """
    first: dict[tuple[str, str], Mapping[str, Any]] = {}
    for table in tables:
        first.setdefault((table["corpus"], table["unit"]), table)
    scores = [_find_scores(table) for table in first.values()]
    columns = [
        _describe_column(table, found["random"]) for table, found in zip(first.values(), scores, strict=True)
    ]
    methods = dict.fromkeys(method for found in scores for method in found)
    pairs = list(zip(scores, columns, strict=True))
    rows = [
        _make_row(method, [_rescale(found.get(method), column) for found, column in pairs])
        for method in methods
    ]
    return {"columns": columns, "rows": rows}


def _find_scores(table: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the first measure of each method."""
    scores: dict[str, float | None] = {}
    for row in table["rows"]:
        scores.setdefault(row["method"], row[table["measures"][0]])
    return scores


def _describe_column(table: Mapping[str, Any], random: float | None) -> Plain:
    """Return a corpus with its first measure, chance, and the ceiling: how well people agree, or 1."""
    measure, people = table["measures"][0], table["people"]
    is_known = people is not None and measure == "spearman" and people["value"] > 0
    return {
        **{key: table[key] for key in ("corpus", "labels", "unit")},
        "measure": measure,
        "chance": _CHANCE.get(measure, random),
        "ceiling": people["value"] if is_known else 1.0,
    }


def _rescale(score: float | None, column: Plain) -> float | None:
    """Return (score - chance) / (ceiling - chance); None without a score, or if chance is not below.

    >>> _rescale(0.25, {"chance": 0.0, "ceiling": 0.5})
    0.5
    """
    chance, ceiling = column["chance"], column["ceiling"]
    if score is None or chance is None or not chance < ceiling:
        return None
    rescaled: float = (score - chance) / (ceiling - chance)
    return rescaled


def _make_row(method: str, values: Sequence[float | None]) -> Plain:
    known = [value for value in values if value is not None]
    mean = math.fsum(known) / len(known) if known else None
    return {"method": method, "mean": mean, "corpora": len(known), "values": list(values)}
