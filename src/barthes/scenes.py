"""Find the scenes of a narrative: by marks in its text, or estimated from shifts of topic.

Marks are dividers (`* * *`, `#`, `---`), beginnings of chapters, headings of screenplays and
gaps that are wider than those between paragraphs. A *break* is the index of the first sentence of a
scene; sentence 0 begins the first scene and is not listed.

Without marks, or inside chapters if nothing else is marked, breaks are estimated: those beginnings of
paragraphs are chosen at which the words change most, which do not open with speech, and which give scenes of
about equal length.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from barthes.narrative import Narrative
from barthes.reading.scene_breaks import is_ornament, is_scene_heading

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int_]

WORDS_PER_SCENE = 600
"""The usual length of an estimated scene. The constants were chosen with `research/benchmarks/scenes.py`."""

COMPARED = 200
"""How many words before and after a candidate are compared."""

EVENNESS = 10.0
"""The weight of the lengths of scenes against shifts, which have a standard deviation of 1."""

_CHAPTER = "between chapters"
_LINE = re.compile(r"\S.*")
_WORD = re.compile(r"[぀-ヿ㐀-鿿]|[^\W\d_]+")  # in Chinese and Japanese, characters stand for words
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
    r"""Return the scenes between marks; without marks but those of chapters, estimated ones.

    These have about `words` words.

    >>> text = "The wolf came.\n\n***\n\nIt rained. He slept."
    >>> find_scenes(Narrative(text, ((0, 14), (21, 31), (32, 41))))
    Scenes(breaks=(1,), note='The text marks 1 break between scenes: 1 “***”.')
    """
    marked = _find_marked(narrative)
    if marked and set(marked.values()) == {_CHAPTER}:
        inside = _estimate_inside(narrative, sorted(marked), words=words)
        note = (
            f"Scenes inside the chapters were estimated from shifts of topic, about {words} words each: the "
            "text marks only its chapters."
        )
        return Scenes(tuple(sorted({*marked, *inside})), note) if inside else _describe(marked)
    if marked:
        return _describe(marked)
    breaks = segment_scenes(narrative, words=words)
    note = (
        f"Scenes were estimated from shifts of topic, about {words} words each: the text does not mark them."
    )
    return Scenes(breaks, note)


def _describe(marked: dict[int, str]) -> Scenes:
    kinds = Counter(marked.values()).most_common()
    found = ", ".join(f"{count} {kind}{'s' * (count > 1 and kind[-1] not in '”s')}" for kind, count in kinds)
    plural = "s" * (len(marked) > 1)
    return Scenes(tuple(marked), f"The text marks {len(marked)} break{plural} between scenes: {found}.")


def _estimate_inside(narrative: Narrative, chapters: Sequence[int], *, words: int) -> list[int]:
    """Return estimated breaks inside chapters, which begin at some sentences."""
    found: list[int] = []
    for first, last in pairwise([0, *chapters, len(narrative)]):
        chapter = replace(narrative, spans=narrative.spans[first:last], chapters=())
        found += (first + index for index in segment_scenes(chapter, words=words))
    return found


def find_scene_breaks(narrative: Narrative) -> tuple[int, ...]:
    """Return the indices of the sentences that begin a scene after a mark; empty without marks."""
    return tuple(_find_marked(narrative))


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


def segment_scenes(narrative: Narrative, *, words: int = WORDS_PER_SCENE) -> tuple[int, ...]:
    """Estimate where scenes of about `words` words begin from shifts of topic; ignore marks in the text.

    Breaks are chosen among the beginnings of paragraphs, or of all sentences in a text without paragraphs,
    by `measure_shifts`, `avoid_speech` and `choose_breaks`.
    """
    sentences = find_words(narrative)
    ends = np.array(list(accumulate(map(len, sentences), initial=0)))
    candidates = np.array(find_paragraph_starts(narrative) or range(1, len(narrative)), dtype=np.int_)
    if len(candidates) == 0 or ends[-1] == 0:
        return ()
    shifts = measure_shifts(weigh_words(sentences), ends, candidates)
    shifts = standardize(shifts + avoid_speech(narrative, candidates))
    return choose_breaks(candidates, shifts, ends, words=words)


def find_words(narrative: Narrative) -> list[list[str]]:
    """Return the words of each sentence in lower case, without numbers and punctuation."""
    return [_WORD.findall(sentence.text.casefold()) for sentence in narrative]


def measure_shifts(
    rows: Any, ends: IntArray, candidates: IntArray, *, compared: int = COMPARED
) -> FloatArray:
    """Return 1 - the cosine of the sums of rows before and after each candidate, standardized over the text.

    Args:
        rows: A vector for each sentence, as a dense or sparse array.
        ends: The number of words before each sentence, and in all of them.
        candidates: The indices of sentences.
        compared: How many words before and after a candidate are compared, rounded up to whole sentences.
    """
    from scipy.sparse import csr_array

    first = np.minimum(np.searchsorted(ends, ends[candidates] - compared), candidates - 1)
    stop = np.minimum(np.searchsorted(ends, ends[candidates] + compared), len(ends) - 1)
    vectors = csr_array(rows)
    before, after = _sum_rows(vectors, first, candidates), _sum_rows(vectors, candidates, stop)
    lengths = np.sqrt(before.power(2).sum(axis=1) * after.power(2).sum(axis=1))
    products = before.multiply(after).sum(axis=1)
    cosines = np.divide(products, lengths, out=np.zeros(len(candidates)), where=lengths > 0)
    return standardize(-cosines)


def avoid_speech(narrative: Narrative, candidates: IntArray) -> FloatArray:
    """Return larger values for sentences that begin with a letter than with a quotation mark or dash.

    Scenes seldom open with speech. The values are standardized over the text.
    """
    opens = [narrative[index].text[0].isalnum() for index in candidates]
    return standardize(np.array(opens, dtype=np.float64))


def standardize(values: FloatArray) -> FloatArray:
    """Return the values with mean 0 and standard deviation 1; all 0 if they are all the same."""
    centred: FloatArray = values - values.mean()
    spread = float(centred.std())
    return centred / spread if spread > 1e-9 else np.zeros_like(centred)


def choose_breaks(
    candidates: IntArray, shifts: FloatArray, ends: IntArray, *, words: int, evenness: float = EVENNESS
) -> tuple[int, ...]:
    """Return the candidates that maximize Σ shift - `evenness` · Σ (words in the scene / `words` - 1)²."""
    places = np.array([0, *ends[candidates], ends[-1]]) / words
    gains = np.array([0.0, *shifts, 0.0])
    best = np.zeros(len(places))  # of the text up to each place, if a scene ends there
    last = np.zeros(len(places), dtype=np.int_)  # where that scene begins
    for place in range(1, len(places)):
        totals = best[:place] - evenness * (places[place] - places[:place] - 1) ** 2
        last[place] = totals.argmax()
        best[place] = totals[last[place]] + gains[place]
    breaks = []
    place = int(last[-1])
    while place:
        breaks.append(int(candidates[place - 1]))
        place = int(last[place])
    return tuple(reversed(breaks))


def weigh_words(sentences: Sequence[Sequence[str]]) -> Any:
    """Return a sparse row for each sentence: ln(sentences / sentences with it) for each of its words."""
    from scipy.sparse import csr_array

    counts = Counter(word for sentence in sentences for word in dict.fromkeys(sentence))
    columns = {word: column for column, word in enumerate(counts)}
    cells = [(row, columns[word], counts[word]) for row, words in enumerate(sentences) for word in set(words)]
    rows, places, frequencies = np.array(cells).T
    weights = np.log(len(sentences) / frequencies)
    return csr_array((weights, (rows, places)), shape=(len(sentences), len(columns)))


def _sum_rows(rows: Any, starts: IntArray, stops: IntArray) -> Any:
    """Return the sum of the rows in each half-open range, as a sparse array."""
    from scipy.sparse import csr_array

    members = np.concatenate([np.arange(start, stop) for start, stop in zip(starts, stops, strict=True)])
    edges = np.concatenate([[0], np.cumsum(stops - starts)])
    return csr_array((np.ones(len(members)), members, edges), shape=(len(starts), rows.shape[0])) @ rows
