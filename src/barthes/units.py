"""Regroup a narrative: paragraphs, scenes or chapters in place of its sentences."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NoReturn

from barthes.errors import NarrativeError, UnknownNameError
from barthes.narrative import SPAN_UNITS, Narrative
from barthes.scenes import find_paragraph_starts, find_scenes

FEWEST_GROUPS = 3
"""Fewer chapters or scenes do not divide a story into parts worth looking at one by one."""


@dataclass(frozen=True, slots=True)
class Groups:
    """The chapters or scenes of a narrative.

    Attributes:
        unit: ``chapter`` or ``scene``.
        starts: The index of the first sentence, or longer unit, of each; the first is 0.
        names: The title of each, where it has one.
        note: How they were found, if that is not plain.
    """

    unit: str
    starts: tuple[int, ...]
    names: tuple[str, ...]
    note: str = ""


def find_groups(narrative: Narrative) -> tuple[Groups, ...]:
    """Return the chapters and the scenes of a narrative, if it has at least three of them.

    Left out are those that are no longer than its own units, and scenes that are the same as its chapters.

    >>> story = Narrative("One. Two. Three.", ((0, 4), (5, 9), (10, 16)), chapters=((0, "I"),))
    >>> find_groups(story)
    ()
    """
    found = []
    if narrative.unit != "chapter":
        titles = {start: title for start, title in _locate_chapters(narrative) if start < len(narrative)}
        found.append(Groups("chapter", tuple(titles), tuple(titles.values())))
    if narrative.unit in ("sentence", "paragraph"):
        scenes = find_scenes(narrative)
        found.append(Groups("scene", (0, *scenes.breaks), ("",) * (len(scenes.breaks) + 1), scenes.note))
    kept: dict[tuple[int, ...], Groups] = {}
    for groups in found:
        if FEWEST_GROUPS <= len(groups.starts) < len(narrative):
            kept.setdefault(groups.starts, groups)
    return tuple(kept.values())


def regroup(narrative: Narrative, unit: str) -> Narrative:
    """Return the narrative with paragraphs, scenes or chapters in place of its sentences.

    Events are parts of sentences, so for the unit ``event`` the sentences stay. A narrative that was
    regrouped before stays so for the unit ``sentence``. What stands between sentences is not scored in longer
    units either. A note says how scenes were found (`barthes.scenes`).

    Raises:
        NarrativeError: The text is not divided in this way, or was regrouped before.
        UnknownNameError: There is no such unit.

    >>> story = Narrative("It rained. Hard.\\n\\nA wolf came.", ((0, 10), (11, 16), (18, 30)))
    >>> [sentence.text for sentence in regroup(story, "paragraph")]
    ['It rained. Hard.', 'A wolf came.']
    """
    if unit not in (*SPAN_UNITS, "event"):
        raise UnknownNameError("unit", unit, (*SPAN_UNITS, "event"))
    if unit in ("event", "sentence", narrative.unit):
        return narrative
    if narrative.unit != "sentence":
        raise NarrativeError(
            f"it is divided into {narrative.unit}s, which cannot be regrouped into {unit}s.",
            where=narrative.title or None,
            remedy="Read the story again.",
        )
    notes = narrative.notes
    if unit == "paragraph":
        starts = find_paragraph_starts(narrative) or _refuse(narrative, unit, "it is one block of text")
    elif unit == "scene":
        scenes = find_scenes(narrative)
        starts = list(scenes.breaks) or _refuse(narrative, unit, "it is too short for more than one")
        notes += (scenes.note,)
    else:
        starts = _find_chapters(narrative)
    edges = sorted({0, *starts, len(narrative)})
    spans = tuple((narrative.spans[i][0], narrative.spans[j - 1][1]) for i, j in pairwise(edges))
    return replace(narrative, spans=spans, unit=unit, notes=notes, left_out=_find_left_out(narrative))


def _find_left_out(narrative: Narrative) -> tuple[tuple[int, int], ...]:
    """Return the spans between sentences that have text: speakers, directions, headings, lines of stars."""
    gaps = ((a, b) for (_, a), (b, _) in pairwise(narrative.spans))
    return tuple((a, b) for a, b in gaps if narrative.text[a:b].strip())


def _find_chapters(narrative: Narrative) -> list[int]:
    starts = [start for start, _ in _locate_chapters(narrative)]
    return starts[1:] or _refuse(narrative, "chapter", "no headings were found")


def _locate_chapters(narrative: Narrative) -> list[tuple[int, str]]:
    """Return the first sentence of each chapter and its title.

    What stands before the first heading belongs to the first chapter.
    """
    ends = [end for _, end in narrative.spans]
    places = [(bisect_right(ends, start), title) for start, title in narrative.chapters]
    return [(0, places[0][1]), *places[1:]] if places else []


def _refuse(narrative: Narrative, unit: str, reason: str) -> NoReturn:
    raise NarrativeError(
        f"it has no {unit}s: {reason}.",
        where=narrative.title or None,
        remedy="Choose sentences, or another unit.",
        option="unit",
    )
