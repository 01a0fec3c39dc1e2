"""ROCStories (Mostafazadeh et al. 2016): everyday stories of five sentences, without labels.

::

    {"story": "A man played chess. He …"}                          one story per line, to be split
    storyid,storytitle,sentence1,sentence2,…,sentence5             the original tables

The corpus itself is not part of Barthes; its authors give it on request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from barthes.annotation.events import Span
from barthes.errors import BarthesError
from barthes.evaluation.corpus import CorpusProblem, check_not_empty, join_sentences
from barthes.hashing import hash_file
from barthes.narrative import Narrative
from barthes.reading import read_text
from barthes.reading.rows import (
    MalformedError,
    Row,
    has_columns,
    parse_json_lines,
    parse_table,
    read_corpus_text,
)

SENTENCES = 5
"""The number of sentences of a story."""

_COLUMNS = ("storyid", "storytitle", *(f"sentence{number}" for number in range(1, SENTENCES + 1)))
_REMEDY = 'Give one JSON object {"story": "…"} a line, or the makers\' CSV file.'


class RocStories:
    """The stories of a file, in its order.

    Whole texts are split when the narratives are first used. A text that does not split into five sentences
    is kept.

    Args:
        path: JSON Lines, or the authors' CSV.
        limit: How many stories to take from its beginning; by default all.

    Attributes:
        problems: What was malformed and left out, as far as the file was read.
        total: The number of stories in the file, including malformed ones and those beyond `limit`.
        sha256: The hash of the file.

    Raises:
        ReadingError: There is no such file, or no story in it.
        ValueError: `limit` is less than 1.
    """

    name = "ROCStories"

    def __init__(self, path: str | Path, *, limit: int | None = None) -> None:
        if limit is not None and limit < 1:
            raise ValueError(f"limit is 1 or more, not {limit}")
        path = Path(path)
        text = read_corpus_text(path, remedy=_REMEDY)
        is_table = has_columns(text, _COLUMNS)
        rows = parse_table(text, _COLUMNS, where=path, remedy=_REMEDY) if is_table else parse_json_lines(text)
        lines = rows if isinstance(rows, list) else filter(str.strip, text.split("\n"))
        self.total: int = sum(1 for _ in lines)
        self.sha256: str = hash_file(path)
        problems: list[CorpusProblem] = []
        stories = _read_stories(rows, _read_sentences if is_table else _read_text, path.name, problems)
        self._stories = list(islice(stories, limit))
        check_not_empty(self._stories, problems, where=path, remedy=_REMEDY)
        self.problems: tuple[CorpusProblem, ...] = tuple(problems)

    @property
    def texts(self) -> tuple[str, ...]:
        """The unsplit texts of the stories; unlike `narratives`, they need no parser."""
        return tuple(story.text for story in self._stories)

    @property
    def spans(self) -> tuple[tuple[Span, ...] | None, ...]:
        """The spans of each story's sentences; None for a story that is not split yet."""
        return tuple(story.spans for story in self._stories)

    @cached_property
    def narratives(self) -> tuple[Narrative, ...]:
        """The stories, split into sentences."""
        return self.split(0, len(self))

    def split(self, start: int, stop: int) -> tuple[Narrative, ...]:
        """Split the stories from `start` to `stop` only; the result is not cached."""
        stories = self._stories[start:stop]
        lines = [story.text for story in stories if story.spans is None and story.is_single_line]
        found = _split_lines(lines)
        return tuple(_build(story, found) for story in stories)

    def __iter__(self) -> Iterator[Narrative]:
        return iter(self.narratives)

    def __len__(self) -> int:
        return len(self._stories)

    def __getitem__(self, index: int) -> Narrative:
        return self.narratives[index]

    def __repr__(self) -> str:
        return f"RocStories({len(self)} stories, {len(self.problems)} problems)"


@dataclass(frozen=True, slots=True)
class _Story:
    """A story as the file gives it; `spans` is None if it is a whole text that is not split yet."""

    title: str
    text: str
    spans: tuple[Span, ...] | None = None

    @property
    def is_single_line(self) -> bool:
        return len(self.text.splitlines()) == 1


def _read_stories(
    rows: Iterable[Row], read: Callable[[Row], _Story], file: str, problems: list[CorpusProblem]
) -> Iterator[_Story]:
    for row in rows:
        try:
            yield read(row)
        except MalformedError as error:
            problems.append(CorpusProblem(file, f"line {row.line}", "story", str(error)))


def _read_sentences(row: Row) -> _Story:
    """Read a row of a table."""
    identity, _, *sentences = (row.check()[column] for column in _COLUMNS)
    narrative = join_sentences(sentences, title=identity.strip() or f"story{row.line}")
    return _Story(narrative.title, narrative.text, narrative.spans)


def _read_text(row: Row) -> _Story:
    """Read a line of JSON Lines."""
    story = row.check().get("story")
    if not isinstance(story, str):
        raise MalformedError("it has no story that is a text")
    try:  # white space only and lone surrogates are refused
        return _Story(f"story{row.line}", read_text(story, sentences=True).text)
    except BarthesError as error:
        raise MalformedError(error.problem.rstrip(".")) from error


def _build(story: _Story, found: Iterator[tuple[Span, ...]]) -> Narrative:
    """Build a narrative; `found` yields the spans of the single lines that are not split yet."""
    if story.spans is None and not story.is_single_line:
        return read_text(story.text, title=story.title)
    return Narrative(story.text, story.spans or next(found), title=story.title)


def _split_lines(lines: Sequence[str]) -> Iterator[tuple[Span, ...]]:
    """Split independent lines as `read_text` does, but in one parse: it takes half of the time."""
    from barthes.annotation import split_sentences  # imports spaCy

    gap = "\n\n"
    spans = list(split_sentences(gap.join(lines))) if lines else []
    position = index = 0
    for line in lines:
        end = position + len(line)
        first = index
        while index < len(spans) and spans[index][1] <= end:
            index += 1
        yield tuple((start - position, stop - position) for start, stop in spans[first:index])
        position = end + len(gap)
