"""Telegraphic summaries (Malireddy et al. 2018): short stories, and the phrases that carry their plot.

::

    stories/12.txt        The wolf, who was old, came to the village at night.
    telegraphic/12.txt    The wolf
                          came to the village
    index.txt             | 12 | The Wolf | Some Author | …

People chose the phrases, one per line, in the words and the order of the story. The corpus itself is not part
of Barthes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from barthes.annotation.annotator import annotate
from barthes.annotation.events import Event, Span
from barthes.errors import NarrativeError, ReadingError
from barthes.evaluation.corpus import (
    CorpusKind,
    CorpusProblem,
    LabelledNarrative,
    StoryCollection,
)
from barthes.evaluation.labelled_file import SALIENT_FROM
from barthes.narrative import Narrative
from barthes.reading import read_text
from barthes.reading.rows import MalformedError, read_corpus_text
from barthes_research.corpora.corpus_files import read_corpus_texts, story_order

LEAST_MATCHED = 0.95
"""The least share of the words of all phrases that must be found in the stories."""

MAX_CELLS = 20_000_000
"""Words of the text times words of the phrases: the limit of what is aligned, about 160 MB of memory."""

_REMEDY = "Give the folder that has stories/N.txt and telegraphic/N.txt."
_STORIES, _PHRASES, _INDEX = "stories", "telegraphic", "index.txt"
_Scores = npt.NDArray[np.float32]
_WORD = re.compile(r"[^\W_]+")
_JUMP = 0.5  # what it costs to skip words of the text inside a phrase; a matched word gains 1


@dataclass(frozen=True, slots=True)
class TelegraphicStory(LabelledNarrative):
    """A story with the words of it that its telegraphic summary keeps.

    Attributes:
        kept: The spans of these words in the narrative's text, in order.
    """

    kept: tuple[Span, ...] = ()


class Telegraphic(StoryCollection):
    """Short stories whose plot-carrying phrases people chose.

    The words of the phrases are aligned with those of the story, in order, ignoring case, punctuation and
    quotation marks. The grade of a sentence is the share of its words that are kept; it is salient from one
    half. An event is salient if its predicate is kept (`events`). The name of a story is its number.

    Args:
        path: The folder with `stories/` and `telegraphic/`; titles come from `index.txt` if it is there.

    Attributes:
        words: The number of words in all phrases.
        matched: How many of them were found in their story.
        problems: Stories that were left out, and phrases (kind ``phrase``) with words that were not found.

    Raises:
        ReadingError: Nothing is there, it is not such a corpus, or less than 95 % of the words were found.
    """

    name = "Telegraphic"
    labelling = "half of the words kept"
    stories: tuple[TelegraphicStory, ...]

    def __init__(self, path: str | Path) -> None:
        self.words: int = 0
        self.matched: int = 0
        problems: list[CorpusProblem] = []
        super().__init__(list(self._read(Path(path), problems)), problems, where=path, remedy=_REMEDY)
        if self.matched < LEAST_MATCHED * self.words:
            found = f"only {self.matched:,} of the {self.words:,} words of its phrases are in their stories"
            first = next(problem for problem in problems if problem.kind == "phrase")
            raise ReadingError(f"{found}; the first phrase: {first}.", where=path, remedy=_REMEDY)

    @cached_property
    def events(self) -> TelegraphicEvents:
        """The same stories with labels for events; finding the events takes a minute."""
        return TelegraphicEvents(self)

    def _read(self, path: Path, problems: list[CorpusProblem]) -> Iterator[TelegraphicStory]:
        for folder in (path, path / _STORIES, path / _PHRASES):
            if not folder.is_dir():
                missing = "there is no such folder" if not folder.exists() else "this is not a folder"
                raise ReadingError(f"{missing}.", where=folder, remedy=_REMEDY)
        titles = _read_titles(path / _INDEX)
        phrases = dict(read_corpus_texts(path / _PHRASES, suffix=".txt", remedy=_REMEDY))
        stories = dict(read_corpus_texts(path / _STORIES, suffix=".txt", remedy=_REMEDY))
        for file in sorted({*stories, *phrases}, key=story_order):
            number = Path(file).stem
            try:
                if file not in stories or file not in phrases:
                    absent = _PHRASES if file in stories else _STORIES
                    raise MalformedError(f"there is no {absent}/{file}")
                lines = phrases[file].splitlines()
                yield self._build(number, titles.get(number, ""), stories[file], lines, problems)
            except (MalformedError, NarrativeError) as error:
                what = error.problem.rstrip(".") if isinstance(error, NarrativeError) else str(error)
                problems.append(CorpusProblem(file, "", "story", what))

    def _build(
        self, number: str, title: str, text: str, lines: Sequence[str], problems: list[CorpusProblem]
    ) -> TelegraphicStory:
        phrases = [fold_words(line) for line in lines]
        total = sum(map(len, phrases))
        if not total:
            raise MalformedError(f"{_PHRASES}/{number}.txt has no words")
        found = align_phrases(fold_words(text), phrases)
        matched = {index for phrase in found for index in phrase if index is not None}
        if not matched:
            raise MalformedError("none of the words of its phrases are in the story")
        narrative = read_text(text, title=title or number)
        spans = find_words(text)
        self.words += total
        self.matched += len(matched)
        for line, (phrase, places) in enumerate(zip(phrases, found, strict=True), start=1):
            if lost := [word for word, place in zip(phrase, places, strict=True) if place is None]:
                what = f"not in the story, or not in this order: {' '.join(lost):.50}"
                problems.append(CorpusProblem(f"{_PHRASES}/{number}.txt", f"line {line}", "phrase", what))
        grades = tuple(_grade_sentences(narrative, spans, matched))
        labels = tuple(grade >= SALIENT_FROM for grade in grades)
        kept = tuple(spans[index] for index in sorted(matched))
        return TelegraphicStory(number, narrative, labels, grades, kept=kept)


class TelegraphicEvents(StoryCollection):
    """The stories of `Telegraphic` with a label for each event whose predicate is a verb.

    An event is salient if its predicate is kept. Events are found with spaCy, as `barthes score --unit event`
    finds them, once per story. Stories without such an event are left out.
    """

    name = Telegraphic.name
    labelling = "predicate kept"
    unit = "event"

    def __init__(self, corpus: Telegraphic) -> None:
        problems = list(corpus.problems)
        stories = list(self._label(corpus, problems))
        super().__init__(stories, problems, where=corpus.path, remedy=_REMEDY)

    def _label(self, corpus: Telegraphic, problems: list[CorpusProblem]) -> Iterator[LabelledNarrative]:
        for story in corpus.stories:
            events = annotate(story.narrative).verbal_events
            if not events:
                what = "it has no event: no verb was found"
                problems.append(CorpusProblem(f"{story.name}.txt", "", "story", what))
                continue
            labels = tuple(_find_kept(events, story.kept))
            yield LabelledNarrative(story.name, story.narrative, labels, events=events)


def _read_titles(path: Path) -> dict[str, str]:
    """Return the titles in the index by number; none if there is no index."""
    if not path.exists():
        return {}
    rows = [
        line.strip().strip("|").split("|") for line in read_corpus_text(path, remedy=_REMEDY).splitlines()
    ]
    return {row[0].strip(): row[1].strip() for row in rows if len(row) > 1 and row[0].strip().isdecimal()}


def _grade_sentences(narrative: Narrative, words: Sequence[Span], kept: set[int]) -> Iterator[float]:
    """Yield the share of the words of each sentence that are kept; 0 if it has no words."""
    starts = [start for start, _ in words]
    marks = np.zeros(len(words) + 1)
    marks[[index + 1 for index in kept]] = 1
    sums = marks.cumsum()
    for start, end in narrative.spans:
        first, last = np.searchsorted(starts, [start, end])
        yield float((sums[last] - sums[first]) / (last - first)) if last > first else 0.0


def _find_kept(events: Sequence[tuple[int, Event]], kept: Sequence[Span]) -> Iterator[bool]:
    """Yield whether the predicate of each event overlaps a kept word."""
    ends = [end for _, end in kept]
    for _, event in events:
        start, end = event.predicate.span
        after = int(np.searchsorted(ends, start, side="right"))
        yield after < len(kept) and kept[after][0] < end


def find_words(text: str) -> list[Span]:
    """Return the spans of the words of a text: runs of letters and digits.

    Punctuation, quotation marks, apostrophes and hyphens separate words and are not part of any.

    >>> [("don’t go"[slice(*span)]) for span in find_words("don’t go")]
    ['don', 't', 'go']
    """
    return [match.span() for match in _WORD.finditer(text)]


def fold_words(text: str) -> list[str]:
    """Return the words of a text in the form in which they are compared.

    >>> fold_words("“Good-bye,” SAID he")
    ['good', 'bye', 'said', 'he']
    """
    return [unicodedata.normalize("NFKC", text[slice(*span)]).casefold() for span in find_words(text)]


def align_phrases(words: Sequence[str], phrases: Sequence[Sequence[str]]) -> list[list[int | None]]:
    """Return for each word of each phrase the index of its word in the text, or None if it has none.

    Words are matched in order, each at most once. As many as possible are matched, but half a match is lost
    wherever a phrase is not contiguous in the text; of equally good places the last is taken.

    Raises:
        MalformedError: Text and phrases are too long to be aligned.

    >>> align_phrases("the wolf came and the wolf ate".split(), [["the", "wolf", "ate"], ["twice"]])
    [[4, 5, 6], [None]]
    """
    ids = {word: index for index, word in enumerate(dict.fromkeys(words))}
    text = np.array([ids[word] for word in words], dtype=np.int64)
    flat = [(ids.get(word, -1), k > 0) for phrase in phrases for k, word in enumerate(phrase)]
    if len(flat) * (len(text) + 1) > MAX_CELLS:
        raise MalformedError(
            f"{len(flat):,} words of phrases and {len(text):,} of text are too many to align"
        )
    ends, bests = _fill(text, flat)
    found = _trace(ends, bests, [inside for _, inside in flat])
    edges = accumulate(map(len, phrases), initial=0)
    return [found[start:end] for start, end in pairwise(edges)]


def _fill(text: npt.NDArray[np.int64], flat: Sequence[tuple[int, bool]]) -> tuple[_Scores, _Scores]:
    """Return two tables of scores of the first i words of the phrases.

    `ends[i, j]` if word i is matched to word j of the text, `bests[i, j]` with any words before j.
    """
    size = len(text)
    ends = np.full((len(flat), size), -np.inf, dtype=np.float32)
    bests = np.zeros((len(flat) + 1, size + 1), dtype=np.float32)
    for i, (word, inside) in enumerate(flat):
        places = np.flatnonzero(text == word)
        gained = bests[i, places] - (_JUMP if inside else 0.0)
        if inside:
            after = np.where(places > 0, ends[i - 1, places - 1], -np.inf)
            gained = np.maximum(gained, after)
        ends[i, places] = 1 + gained
        bests[i + 1, 0] = bests[i, 0]
        np.maximum(bests[i, 1:], np.maximum.accumulate(ends[i]), out=bests[i + 1, 1:])
    return ends, bests


def _trace(ends: _Scores, bests: _Scores, inside: Sequence[bool]) -> list[int | None]:
    """Return the place of each word in the best alignment."""
    found: list[int | None] = [None] * len(inside)
    limit = ends.shape[1]  # only places before it are free
    fixed = False  # whether the word must be at the last free place
    for i in reversed(range(len(inside))):
        if not fixed and bests[i, limit] == bests[i + 1, limit]:
            continue  # nothing is gained by matching this word
        row = ends[i, :limit]
        place = limit - 1 if fixed else int(np.flatnonzero(row == row.max())[-1])
        found[i], limit = place, place
        fixed = inside[i] and place > 0 and bool(ends[i - 1, place - 1] + 1 == ends[i, place])
    return found


KIND = CorpusKind(Telegraphic)
