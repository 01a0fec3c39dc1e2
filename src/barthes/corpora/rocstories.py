"""ROCStories (Mostafazadeh et al. 2016): everyday stories of five sentences, without labels.

::

    {"story": "A man played chess. He …"}                          one story a line, sentences to be split
    storyid,storytitle,sentence1,sentence2,…,sentence5             the makers' own tables

The corpus itself is not part of Barthes; its makers give it on request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path

from barthes.annotation.events import Span
from barthes.corpora.collection import join_sentences
from barthes.corpora.json_objects import JsonLine, parse_json_lines
from barthes.corpora.problems import MalformedError, Problem
from barthes.corpora.tables import Row, has_columns, parse_table
from barthes.corpora.text_files import read_corpus_text
from barthes.errors import BarthesError, ReadingError
from barthes.hashing import hash_file
from barthes.narrative import Narrative
from barthes.reading import read_text

__all__ = ["SENTENCES", "RocStories"]

SENTENCES = 5
"""How many sentences a story was written in."""

_COLUMNS = ("storyid", "storytitle", *(f"sentence{number}" for number in range(1, SENTENCES + 1)))
_REMEDY = 'Give one JSON object {"story": "…"} a line, or the makers\' CSV file.'


class RocStories:
    """The stories of a file, in its order.

    Stories that are given as whole texts are split when they are first asked for; a text that does not
    split into five sentences is kept, and `sentence_counts` says how many there are.

    Args:
        path: JSON Lines, or the makers' CSV.
        limit: How many stories to take from its beginning; by default all.

    Attributes:
        texts: The stories as texts, unsplit: what a cache can be keyed by without loading a parser.
        problems: What was malformed and left out, as far as was read.
        total: How many stories the file has; those that are malformed, and those beyond `limit`, included.
        sha256: Of the file.

    Raises:
        ReadingError: There is no such file, or no story in it.
        ValueError: `limit` is less than 1.
    """

    name = "ROCStories"

    def __init__(self, path: str | Path, *, limit: int | None = None) -> None:
        if limit is not None and limit < 1:
            raise ValueError(f"limit is 1 or more, not {limit}")
        path = Path(path)
        problems: list[Problem] = []
        source = _Source(path)
        self.total = source.count()
        self.sha256 = hash_file(path)
        self._given = list(islice(source.read(problems), limit))
        if not self._given:
            first = (
                f"no story in it can be read; the first: {problems[0]}." if problems else "it has no story."
            )
            raise ReadingError(first, where=path, remedy=_REMEDY)
        self.problems = tuple(problems)

    @property
    def texts(self) -> tuple[str, ...]:
        """The stories as texts, in the order of the narratives."""
        return tuple(given.text if isinstance(given, Narrative) else given[1] for given in self._given)

    @property
    def spans(self) -> tuple[tuple[tuple[int, int], ...] | None, ...]:
        """Where the sentences of each story stand; None for a story that is yet to be split."""
        return tuple(given.spans if isinstance(given, Narrative) else None for given in self._given)

    @cached_property
    def narratives(self) -> tuple[Narrative, ...]:
        """The stories, split."""
        return self.split(0, len(self))

    def split(self, start: int, stop: int) -> tuple[Narrative, ...]:
        """Some of the stories, split each time they are asked for: no others have to be."""
        chosen = self._given[start:stop]
        whole = [given for given in chosen if not isinstance(given, Narrative)]
        split = iter(_split([text for _, text in whole], [title for title, _ in whole]))
        return tuple(given if isinstance(given, Narrative) else next(split) for given in chosen)

    @property
    def sentence_counts(self) -> dict[int, int]:
        """How many stories have how many sentences, by number of sentences."""
        return dict(sorted(Counter(map(len, self.narratives)).items()))

    def __iter__(self) -> Iterator[Narrative]:
        return iter(self.narratives)

    def __len__(self) -> int:
        return len(self._given)

    def __getitem__(self, index: int) -> Narrative:
        return self.narratives[index]

    def __repr__(self) -> str:
        return f"RocStories({len(self)} stories, {len(self.problems)} problems)"


class _Source:
    """A file: the rows of a table, or else the lines of JSON Lines, which are parsed one by one."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._text = read_corpus_text(path, remedy=_REMEDY)
        is_table = has_columns(self._text, _COLUMNS)
        self._rows = parse_table(self._text, _COLUMNS, where=path, remedy=_REMEDY) if is_table else None

    def count(self) -> int:
        """How many stories there are, malformed ones included."""
        if self._rows is not None:
            return len(self._rows)
        return sum(bool(line.strip()) for line in self._text.split("\n"))

    def read(self, problems: list[Problem]) -> Iterator[Narrative | tuple[str, str]]:
        """Narratives from tables; titles and texts from JSON Lines."""
        for item in parse_json_lines(self._text) if self._rows is None else self._rows:
            try:
                yield _read_row(item) if isinstance(item, Row) else (f"story{item.number}", _read_line(item))
            except MalformedError as error:
                number = item.line if isinstance(item, Row) else item.number
                problems.append(Problem(self._name, f"line {number}", "story", str(error)))


def _read_row(row: Row) -> Narrative:
    if row.malformed:
        raise MalformedError(row.malformed)
    _, _, *sentences = (row.cells[column] for column in _COLUMNS)
    return join_sentences(sentences, title=row.cells["storyid"].strip() or f"story{row.line}")


def _read_line(line: JsonLine) -> str:
    story = line.as_object().get("story")
    if not isinstance(story, str):
        raise MalformedError("it has no story that is a text")
    try:
        return read_text(story, sentences=True).text  # nothing in it, or half a surrogate pair
    except BarthesError as error:
        raise MalformedError(error.problem.rstrip(".")) from error


def _split(texts: Sequence[str], titles: Sequence[str]) -> Iterator[Narrative]:
    """The narratives of texts, as `read_text` would split each of them, in a third of the time."""
    single = [text for text in texts if _is_single_line(text)]
    spans = _split_together(single)
    for text, title in zip(texts, titles, strict=True):
        if _is_single_line(text):
            yield Narrative(text, next(spans), title=title)
        else:
            yield read_text(text, title=title)


def _is_single_line(text: str) -> bool:
    return len(text.splitlines()) == 1


def _split_together(lines: Sequence[str]) -> Iterator[tuple[Span, ...]]:
    """The sentences of lines that have nothing to do with each other, which blank lines keep apart."""
    from barthes.annotation import split_sentences  # spaCy comes with it

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
