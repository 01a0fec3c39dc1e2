"""Your own labelled stories: story, sentence and label, as a table or as JSON Lines.

::

    story   sentence          label        {"story": "wolf", "sentence": "It rained.", "label": 0}
    wolf    It rained.        0            {"story": "wolf", "sentence": "The wolf came.", "label": 1}
    wolf    The wolf came.    1
                                           {"story": "wolf", "sentences": ["It rained.", …], "labels": [0, 1]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from barthes.errors import ReadingError
from barthes.evaluation.corpus import (
    CorpusKind,
    CorpusProblem,
    LabelledNarrative,
    StoryCollection,
    join_sentences,
)
from barthes.narrative import Narrative
from barthes.reading.rows import MalformedError, Row, parse_json_lines, parse_table, read_corpus_text

SALIENT_FROM = 0.5
"""The lowest grade of a salient sentence."""

_COLUMNS = ("story", "sentence", "label")
_REMEDY = (
    "Give a table whose first line names the columns story, sentence and label, or one JSON object a line "
    "with these keys, or with story, sentences and labels."
)
_NUMBER = re.compile(r"(?:\d{1,9}(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?", re.ASCII)
_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_MAX_SHOWN = 5  # wrong labels in an error message


class LabelledFile(StoryCollection):
    """The stories of one file, with a label or a grade for each sentence.

    A label is 0 or 1, true or false, yes or no, or a grade between 0 and 1; a sentence is salient from 0.5
    on. Sentences are in the order of the file, and the rows of a story must be consecutive: a story whose
    rows are scattered is left out and reported, because their order is not certain.

    Args:
        path: A TSV or CSV file, or JSON Lines; the first character decides.

    Raises:
        ReadingError: There is no such file, it is empty or has another format, a row does not say which
            story it belongs to, or no story is left.
    """

    labelling = "file"

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        self.name: str = path.stem
        self.source: Path = path.resolve()
        text = read_corpus_text(path, remedy=_REMEDY)
        if not text.strip():
            raise ReadingError("it is empty.", where=path, remedy=_REMEDY)
        is_json = text.lstrip()[:1] in ("{", "[")
        rows = parse_json_lines(text) if is_json else parse_table(text, _COLUMNS, where=path, remedy=_REMEDY)
        rows = list(rows)
        whole = is_json and any("sentences" in row.cells for row in rows)
        stories, problems = _read_stories(rows, path) if whole else _gather(_read_rows(rows, path), path)
        super().__init__(stories, problems, where=path, remedy=_REMEDY)


def parse_grade(label: object) -> float | None:
    """Return the grade, from 0 to 1, that a label stands for; None if it is not a label.

    >>> parse_grade("true"), parse_grade(0), parse_grade("0.25"), parse_grade("maybe")
    (1.0, 0.0, 0.25, None)
    """
    grade = None
    if isinstance(label, str):
        text = label.strip().lower()
        grade = _WORDS.get(text, float(text) if _NUMBER.fullmatch(text) else None)
    elif isinstance(label, bool | int | float) and abs(label) <= 1:
        grade = float(label)
    return grade if grade is not None and 0 <= grade <= 1 else None


class _LabelledSentence(NamedTuple):
    line: int
    story: str
    sentence: object
    label: object


def _read_rows(rows: Iterable[Row], path: Path) -> Iterator[_LabelledSentence]:
    """Read one sentence per row; a row that could belong to any story is an error."""
    for row in rows:
        try:
            cells = row.check()
            name = _parse_name(cells.get("story"))
        except MalformedError as error:
            raise ReadingError(f"line {row.line}: {error}.", where=path, remedy=_REMEDY) from error
        yield _LabelledSentence(row.line, name, cells.get("sentence"), cells.get("label"))


def _parse_name(name: object) -> str:
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name.strip():
        raise MalformedError("it does not say which story it belongs to")
    return name.strip()


def _gather(
    rows: Iterable[_LabelledSentence], path: Path
) -> tuple[list[LabelledNarrative], list[CorpusProblem]]:
    """Build the stories from rows of sentences."""
    gathered: dict[str, list[_LabelledSentence]] = {}
    scattered: dict[str, int] = {}
    for name, group in groupby(rows, key=lambda row: row.story):
        found = list(group)
        if name in gathered:
            scattered.setdefault(name, found[0].line)
        gathered.setdefault(name, []).extend(found)
    stories = []
    problems = []
    wrong: list[tuple[str, object]] = []
    for name, found in gathered.items():
        wrong += (unreadable := _find_wrong([(f"line {row.line}", row.label) for row in found]))
        try:
            if name in scattered:
                what = f"line {scattered[name]} comes after another story's"
                raise MalformedError(f"its rows do not stand together: {what}")
            if unreadable:
                raise MalformedError(_describe_wrong(unreadable))
            stories.append(_label(_join_rows(name, found), [row.label for row in found]))
        except MalformedError as error:
            problems.append(CorpusProblem(path.name, name, "story", str(error)))
    if wrong and not stories:
        problem = f"no story in it can be read: {_describe_wrong(wrong)}."
        raise ReadingError(problem, where=path, remedy=_REMEDY)
    return stories, problems


def _join_rows(name: str, rows: Sequence[_LabelledSentence]) -> Narrative:
    """Join sentences; errors name the line, which is easier to find than the number of the sentence."""
    for row in rows:
        try:
            join_sentences([row.sentence], title="")
        except MalformedError as error:
            what = str(error).replace("sentence 1", "its sentence", 1)
            raise MalformedError(f"line {row.line}: {what}") from error
    return join_sentences([row.sentence for row in rows], title=name)


def _read_stories(rows: Iterable[Row], path: Path) -> tuple[list[LabelledNarrative], list[CorpusProblem]]:
    """Read one story per line; if several have the same name, none of them is kept."""
    found: dict[str, list[LabelledNarrative]] = {}
    problems = []
    for row in rows:
        try:
            story = _read_story(row)
            found.setdefault(story.name, []).append(story)
        except MalformedError as error:
            problems.append(CorpusProblem(path.name, f"line {row.line}", "story", str(error)))
    for name, stories in found.items():
        if len(stories) > 1:
            what = f"{len(stories)} stories have that name; none is kept"
            problems.append(CorpusProblem(path.name, name, "story", what))
    return [stories[0] for stories in found.values() if len(stories) == 1], problems


def _read_story(row: Row) -> LabelledNarrative:
    cells = row.check()
    labels = cells.get("labels")
    if not isinstance(labels, list):
        raise MalformedError("it has no list of labels")
    narrative = join_sentences(cells.get("sentences"), title=_parse_name(cells.get("story")))
    if len(labels) != len(narrative):
        raise MalformedError(f"it has {len(labels)} labels for {len(narrative)} sentences")
    if wrong := _find_wrong([(f"sentence {number}", label) for number, label in enumerate(labels, start=1)]):
        raise MalformedError(_describe_wrong(wrong))
    return _label(narrative, labels)


def _label(narrative: Narrative, labels: Iterable[object]) -> LabelledNarrative:
    grades = tuple(grade for label in labels if (grade := parse_grade(label)) is not None)
    salient = tuple(grade >= SALIENT_FROM for grade in grades)
    return LabelledNarrative(narrative.title, narrative, salient, grades)


def _find_wrong(labels: Iterable[tuple[str, object]]) -> list[tuple[str, object]]:
    """Return the places and values of what is not a label."""
    return [(place, label) for place, label in labels if parse_grade(label) is None]


def _describe_wrong(wrong: Sequence[tuple[str, object]]) -> str:
    """Name the wrong labels and their places, only the first few if there are many."""
    shown = ", ".join(f"{label!r:.50} ({place})" for place, label in wrong[:_MAX_SHOWN])
    more = f" and {len(wrong) - _MAX_SHOWN:,} more" if len(wrong) > _MAX_SHOWN else ""
    what = f"the label {shown}" if len(wrong) == 1 else f"each of the labels {shown}{more}"
    return f"{what} is not 0 or 1, true or false, yes or no, or between 0 and 1"


KIND = CorpusKind(LabelledFile)
