"""Where in its tale a sentence stands, and how it scores among the sentences of that tale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from barthes.reproduction.page.document import Column, Place, Section, Table, text_row
from barthes.reproduction.page.numerals import as_number, format_count, format_number
from barthes.reproduction.page.wording import PROPOSED, name_method
from barthes.salience.combination import scale_to_unit

__all__ = ["PlacedScore", "describe_positions", "place_scores"]

_ORDINALS = ("first", "second", "third", "fourth", "last")
_PARTS = len(_ORDINALS)


@dataclass(frozen=True, slots=True)
class PlacedScore:
    """A sentence: relative position (0 at the start, 1 at the end), score in [0, 1], salient or not."""

    position: float
    score: float
    salient: bool


def place_scores(scores: dict[str, Any]) -> dict[str, list[PlacedScore]]:
    """The sentences of all tales, by method; scores are scaled within each tale."""
    placed = {
        method: [point for story in scores.values() for point in _place(story, method)] for method in PROPOSED
    }
    return {method: points for method, points in placed.items() if points}


def describe_positions(scores: dict[str, Any]) -> Section | None:
    """How the scores run over a tale, by fifths of it; None without scores."""
    placed = place_scores(scores)
    if not placed:
        return None
    paragraph = (
        "The scores of each tale are scaled so that its lowest is 0 and its highest 1; position is 0 for the "
        "first sentence and 1 for the last. Scores are of the first model that was run."
    )
    blocks = (Place("score-by-position"), _by_part(placed))
    return Section("positions", "Score against position", (paragraph,), blocks=blocks)


def _place(story: dict[str, Any], method: str) -> Iterator[PlacedScore]:
    values = story.get(method)
    if not values:
        return
    last = max(len(values) - 1, 1)
    known = [
        (place / last, score, bool(salient))
        for place, (value, salient) in enumerate(zip(values, story["labels"], strict=True))
        if (score := as_number(value)) is not None
    ]
    scaled = scale_to_unit([score for _, score, _ in known]).tolist() if known else []
    for (position, _, salient), score in zip(known, scaled, strict=True):
        yield PlacedScore(position, score, salient)


def _by_part(placed: dict[str, list[PlacedScore]]) -> Table:
    columns = [Column("fifth of the tale"), Column("salient sentences", True), Column("others", True)]
    for method in placed:
        name = name_method(method)
        columns += [Column(f"{name}, salient", True), Column(f"{name}, others", True)]
    rows = []
    for part, ordinal in enumerate(_ORDINALS):
        groups = [
            [point.score for point in points if point.salient is salient and _part_of(point) == part]
            for points in placed.values()
            for salient in (True, False)
        ]
        counts = [format_count(len(group)) for group in groups[:2]]
        rows.append(text_row(ordinal, *counts, *(_mean(group) for group in groups)))
    return Table("Mean scaled score by position in the tale", tuple(columns), tuple(rows))


def _part_of(point: PlacedScore) -> int:
    return min(int(point.position * _PARTS), _PARTS - 1)


def _mean(values: list[float]) -> str:
    return format_number(sum(values) / len(values) if values else None, 2)
