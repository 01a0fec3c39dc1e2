"""Hippocorpus (Sap et al. 2020): personal and imagined stories whose major events annotators marked.

::

    HITId,HippocorpusAssignmentId,sentIx,sent,rawEventAnnot
    30U1…,374T…,0,We moved house.,"major-expected,minor-expected,noEvent"

There is one row per sentence, counted from 0, and one label per annotator in `rawEventAnnot`. The corpus
itself is not part of Barthes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from barthes.evaluation.corpus import (
    CorpusKind,
    CorpusProblem,
    LabelledNarrative,
    StoryCollection,
    join_sentences,
)
from barthes.evaluation.labelled_file import SALIENT_FROM
from barthes.reading.rows import MalformedError, Row
from barthes_research.corpora.corpus_files import read_tables

_COLUMNS = ("hitid", "hippocorpusassignmentid", "sentix", "sent", "raweventannot")
_GROUP, _STORY, _INDEX, _SENTENCE, _EVENTS = _COLUMNS
_REMEDY = (
    "Give its CSV file of annotated sentences, with the columns HITId, HippocorpusAssignmentId, sentIx, sent "
    "and rawEventAnnot."
)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_LABEL = re.compile(r"(major|minor)-\w+|noEvent", re.ASCII)


class Hippocorpus(StoryCollection):
    """Stories in which several people marked each sentence as a major event, a minor event or none.

    The grade of a sentence is the share of annotators who call it a major event; it is salient from one half.
    The name of a story is its assignment's id, and its group the id of the task (`HITId`), whose three
    stories tell the same event.

    Args:
        path: A CSV file, or a folder of them; files without the columns are skipped and reported.

    Raises:
        ReadingError: Nothing is there, or nothing in it can be read as such a corpus.
    """

    name = "Hippocorpus"
    labelling = "major event"

    def __init__(self, path: str | Path) -> None:
        problems: list[CorpusProblem] = []
        stories = list(_read_stories(path, problems))
        super().__init__(stories, problems, where=path, remedy=_REMEDY)


def _read_stories(path: str | Path, problems: list[CorpusProblem]) -> Iterator[LabelledNarrative]:
    rows: dict[str, list[tuple[str, Row]]] = {}
    for file, row in read_tables(path, _COLUMNS, problems, remedy=_REMEDY):
        if name := row.cells.get(_STORY, "").strip():
            rows.setdefault(name, []).append((file, row))
        else:
            what = "it does not say which story it belongs to"
            problems.append(CorpusProblem(file, f"line {row.line}", "sentence", what))
    for name, found in rows.items():
        try:
            yield _build_story(name, [row for _, row in found])
        except MalformedError as error:
            problems.append(CorpusProblem(found[0][0], name, "story", str(error)))


def _build_story(name: str, rows: list[Row]) -> LabelledNarrative:
    sentences: dict[int, str] = {}
    votes: dict[int, tuple[bool, ...]] = {}
    for row in rows:
        try:
            index = _parse_index(row.check()[_INDEX])
            if index in sentences:
                raise MalformedError(f"its sentence {index} comes twice")
            sentences[index], votes[index] = row.cells[_SENTENCE], _parse_votes(row.cells[_EVENTS])
        except MalformedError as error:
            raise MalformedError(f"line {row.line}: {error}") from error
    if max(sentences) >= len(sentences):
        missing = next(index for index in range(len(sentences)) if index not in sentences)
        raise MalformedError(f"it has a sentence {max(sentences)}, but no sentence {missing}")
    groups = {row.cells[_GROUP].strip() for row in rows}
    if len(groups) > 1:
        raise MalformedError(f"its sentences have different HITIds: {', '.join(sorted(groups))}")
    if not all(groups):
        raise MalformedError("it has no HITId")
    order = range(len(sentences))
    narrative = join_sentences([sentences[index] for index in order], title=name)
    grades = tuple(sum(votes[index]) / len(votes[index]) for index in order)
    labels = tuple(grade >= SALIENT_FROM for grade in grades)
    chosen = tuple(votes[index] for index in order)
    return LabelledNarrative(name, narrative, labels, grades, group=groups.pop(), votes=chosen)


def _parse_index(text: str) -> int:
    if not _NUMBER.fullmatch(text.strip()):
        raise MalformedError(f"sentIx is {text!r:.50}, not the index of a sentence")
    return int(text)


def _parse_votes(text: str) -> tuple[bool, ...]:
    """Return whether each annotator calls the sentence a major event."""
    found = []
    for label in text.split(","):
        match = _LABEL.fullmatch(label.strip())
        if match is None:
            raise MalformedError(f"the label {label!r:.50} is not noEvent, major-… or minor-…")
        found.append(match[1] == "major")
    return tuple(found)


KIND = CorpusKind(Hippocorpus)
