"""TRIPOD (Papalampidi, Keller and Lapata 2019): synopses of films, with five turning points each.

::

    movie_name,synopsis_segmented,tp1,tp2,tp3,tp4,tp5
    Some Film_0,[STR_SENT] A man … [END_SENT] [STR_SENT] He … [END_SENT],1,4,9,12,15

Each row is the work of one annotator; turning points are sentences counted from 0. The corpus itself is not
part of Barthes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from barthes.evaluation.corpus import (
    CorpusKind,
    CorpusProblem,
    LabelledNarrative,
    StoryCollection,
    join_sentences,
)
from barthes.reading.rows import MalformedError, Row
from barthes_research.corpora.corpus_files import read_tables

_POINTS = ("tp1", "tp2", "tp3", "tp4", "tp5")
_COLUMNS = ("movie_name", "synopsis_segmented", *_POINTS)
_REMEDY = f"Give a CSV file of synopses with the columns {', '.join(_COLUMNS)}, or a folder of them."
_BEGIN, _END = "[STR_SENT]", "[END_SENT]"
_ANNOTATOR = re.compile(r"_\d+$")
_INDEX = re.compile(r"(\d{1,9})(?:\.0+)?", re.ASCII)


class Tripod(StoryCollection):
    """Synopses of films; the sentences that hold a turning point are salient.

    The rows of a film (``Some Film_0``, ``Some Film_1`` …) become one story: the grade of a sentence is the
    share of annotators who put a turning point there, and it is salient if any did. An annotator who was
    given other sentences than the first makes another story, with the row's name in brackets and a note.

    Args:
        path: A CSV file, or a folder of them; files without the columns are skipped and reported.

    Attributes:
        rows: The number of annotators' rows that were read.

    Raises:
        ReadingError: Nothing is there, or nothing in it can be read as such a corpus.
    """

    name = "TRIPOD"
    labelling = "any annotator"

    def __init__(self, path: str | Path) -> None:
        problems: list[CorpusProblem] = []
        synopses = list(_read_synopses(path, problems))
        self.rows: int = len(synopses)
        super().__init__(list(_merge(synopses)), problems, where=path, remedy=_REMEDY)


@dataclass(frozen=True, slots=True)
class _Synopsis:
    """One annotator's row."""

    name: str
    sentences: tuple[str, ...]
    points: frozenset[int]

    @property
    def film(self) -> str:
        return _ANNOTATOR.sub("", self.name)


def _read_synopses(path: str | Path, problems: list[CorpusProblem]) -> Iterator[_Synopsis]:
    names: set[str] = set()
    for file, row in read_tables(path, _COLUMNS, problems, remedy=_REMEDY):
        name = row.cells.get("movie_name", "").strip() or f"line {row.line}"
        try:
            if name in names:
                raise MalformedError("an earlier row has that name; this one is not kept")
            synopsis = _read_synopsis(row, name)
        except MalformedError as error:
            problems.append(CorpusProblem(file, name, "annotator", str(error)))
        else:
            names.add(name)
            yield synopsis


def _read_synopsis(row: Row, name: str) -> _Synopsis:
    cells = row.check()
    sentences, outside = _split_synopsis(cells["synopsis_segmented"])
    join_sentences(sentences, title=name)  # raises if one of them is malformed
    if outside:
        raise MalformedError(f"words of its synopsis stand outside {_BEGIN} … {_END}")
    points = frozenset(_parse_point(cells[point], point, len(sentences)) for point in _POINTS)
    return _Synopsis(name, tuple(sentences), points)


def _split_synopsis(text: str) -> tuple[list[str], bool]:
    """Return the sentences between the marks, and whether there is text outside of them.

    A regular expression would take quadratic time on marks that are never closed.
    """
    sentences: list[str] = []
    outside = False
    position = 0
    while (start := text.find(_BEGIN, position)) >= 0 and (end := text.find(_END, start)) >= 0:
        outside = outside or bool(text[position:start].strip())
        sentences.append(" ".join(text[start + len(_BEGIN) : end].split()))
        position = end + len(_END)
    return sentences, outside or bool(text[position:].strip())


def _parse_point(text: str, name: str, sentences: int) -> int:
    match = _INDEX.fullmatch(text.strip())
    if match is None:
        raise MalformedError(f"{name} is {text!r:.50}, not the index of a sentence")
    if int(match[1]) >= sentences:
        raise MalformedError(f"{name} is {match[1]}, but its last sentence is {sentences - 1}")
    return int(match[1])


def _merge(synopses: Iterable[_Synopsis]) -> Iterator[LabelledNarrative]:
    """Yield one story per film and list of sentences, in the order of the rows."""
    films: dict[str, dict[tuple[str, ...], list[_Synopsis]]] = {}
    for synopsis in synopses:
        films.setdefault(synopsis.film, {}).setdefault(synopsis.sentences, []).append(synopsis)
    for film, versions in films.items():
        for number, rows in enumerate(versions.values()):
            name = film if number == 0 else f"{film} ({rows[0].name})"
            yield _build_story(name, rows, versions=len(versions))


def _build_story(name: str, rows: list[_Synopsis], *, versions: int) -> LabelledNarrative:
    chosen = [sum(index in row.points for row in rows) for index in range(len(rows[0].sentences))]
    given = ", ".join(row.name for row in rows)
    note = f"The annotators of this film were given {versions} texts; this one is that of {given}."
    narrative = join_sentences(list(rows[0].sentences), title=name, notes=[note] if versions > 1 else [])
    labels = tuple(count > 0 for count in chosen)
    return LabelledNarrative(name, narrative, labels, tuple(count / len(rows) for count in chosen))


KIND = CorpusKind(Tripod)
