"""Find the scenes of a narrative by the marks in its text; unmarked text is divided by length.

Marks are dividers (`* * *`, `#`, `---`), beginnings of chapters, headings of screenplays and
gaps that are wider than those between paragraphs. A *break* is the index of the first sentence of a
scene; sentence 0 begins the first scene and is not listed.

Where nothing is marked, or only chapters are, parts of about 600 words begin at paragraphs. Shifts of topic
found scenes no better than that (research/docs/experiments.md).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from barthes.narrative import Narrative
from barthes.reading.scene_breaks import is_ornament, is_scene_heading

WORDS_PER_SCENE = 600
"""The length of the parts of unmarked text."""

_CHAPTER = "between chapters"
_LINE = re.compile(r"\S.*")
_WIDER = 2  # blank lines more than between paragraphs
_RARE = 8  # paragraphs for each blank line, if they have none between them


@dataclass(frozen=True, slots=True)
class Scenes:
    """The scenes of a narrative.

    Attributes:
        breaks: The indices of the sentences that begin a scene, without the first; empty for a single scene.
        note: How they were found, for readers of results.
    """

    breaks: tuple[int, ...]
    note: str


@dataclass(frozen=True, slots=True)
class _Mark:
    start: int
    end: int
    kind: str  # how a note names it


def find_scenes(narrative: Narrative, *, words: int = WORDS_PER_SCENE) -> Scenes:
    r"""Return the scenes between marks; without marks but those of chapters, parts of about `words` words.

    >>> text = "The wolf came.\n\n***\n\nIt rained. He slept."
    >>> find_scenes(Narrative(text, ((0, 14), (21, 31), (32, 41))))
    Scenes(breaks=(1,), note='The text marks 1 break between scenes: 1 “***”.')
    """
    marked = _find_marked(narrative)
    if set(marked.values()) - {_CHAPTER}:
        return _describe(marked)
    parts = _divide(narrative, sorted(marked), words)
    if not parts and marked:
        return _describe(marked)
    where = "only chapters: they were" if marked else "no scenes: it was"
    note = f"The text marks {where} divided into parts of about {words} words."
    return Scenes(tuple(sorted({*marked, *parts})), note)


def _describe(marked: dict[int, str]) -> Scenes:
    kinds = Counter(marked.values()).most_common()
    found = ", ".join(f"{count} {kind}{'s' * (count > 1 and kind[-1] not in '”s')}" for kind, count in kinds)
    plural = "s" * (len(marked) > 1)
    return Scenes(tuple(marked), f"The text marks {len(marked)} break{plural} between scenes: {found}.")


def _divide(narrative: Narrative, chapters: Sequence[int], words: int) -> list[int]:
    """Return the sentences that begin a part of about `words` words, inside chapters that begin at some."""
    ends = [0, *accumulate(len(str(sentence).split()) for sentence in narrative)]
    candidates = find_paragraph_starts(narrative) or list(range(1, len(narrative)))
    found = []
    for first, last in pairwise([0, *chapters, len(narrative)]):
        total = ends[last] - ends[first]
        count = max(1, round(total / words))
        inside = [index for index in candidates if first < index < last]
        for part in range(1, count if inside else 1):
            target = ends[first] + total * part / count
            found.append(min(inside, key=lambda index: abs(ends[index] - target)))
    return sorted(set(found))


def _find_marked(narrative: Narrative) -> dict[int, str]:
    """Return the breaks, and the kind of the mark at each.

    Marks with nothing but white space between them are one. A mark that is a sentence begins its scene.
    """
    starts = [start for start, _ in narrative.spans]
    breaks: dict[int, str] = {}
    end = 0
    for mark in sorted(_find_marks(narrative), key=lambda mark: mark.start):
        index = bisect_left(starts, mark.start)
        if narrative.text[end : mark.start].strip() and 0 < index < len(starts):
            breaks[index] = mark.kind
        elif index in breaks and mark.kind == _CHAPTER:
            breaks[index] = _CHAPTER
        end = max(end, mark.end)
    return breaks


def _find_marks(narrative: Narrative) -> Iterator[_Mark]:
    text = narrative.text
    for line in _LINE.finditer(text):
        content = line[0].rstrip()
        if is_ornament(content):
            yield _Mark(*line.span(), f"“{' '.join(content.split())}”")
        elif is_scene_heading(content):
            yield _Mark(*line.span(), "scene heading")
    for start, title in narrative.chapters:
        first = _LINE.search(text, start)
        is_heading = first is not None and title.casefold().startswith(first[0].strip(" .:").casefold())
        kind = "scene heading" if "scene" in title.casefold().split() else _CHAPTER  # of a play
        yield _Mark(start, first.end() if first is not None and is_heading else start, kind)
    yield from _find_wide_gaps(narrative)


def _find_wide_gaps(narrative: Narrative) -> Iterator[_Mark]:
    """Yield the blank gaps that are wider than those between paragraphs.

    Where every paragraph is one line, a blank line is wide if it is rare; more of them separate paragraphs of
    one sentence per line.
    """
    lines, gaps = _count_lines(narrative), narrative.gaps
    blank = [index for index in find_paragraph_starts(narrative) if not gaps[index].strip()]
    usual = Counter(lines[index] for index in blank)
    common = max(sorted(usual), key=usual.__getitem__, default=0)
    wide = [index for index in blank if lines[index] >= common + (1 if common == 1 else _WIDER)]
    if common > 1 or len(wide) * _RARE <= len(blank):
        for index in wide:
            yield _Mark(narrative.spans[index - 1][1], narrative.spans[index][0], "wide gap")


def find_paragraph_starts(narrative: Narrative) -> list[int]:
    """Return the indices of the sentences that begin a paragraph, without the first.

    A line break begins one where most of them are between sentences; in wrapped text only a blank line does.
    """
    lines = _count_lines(narrative)
    inside = sum(len(sentence.text.splitlines()) - 1 for sentence in narrative)
    least = 2 if inside >= lines.count(1) else 1
    return [index for index, count in enumerate(lines) if index and count >= least]


def _count_lines(narrative: Narrative) -> list[int]:
    """Return the number of line breaks in the gap before each sentence."""
    return [len(f"{gap}.".splitlines()) - 1 for gap in narrative.gaps[:-1]]
