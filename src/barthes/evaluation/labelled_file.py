"""Your own labelled stories: story, sentence and label, as a table or as JSON Lines.

::

    story   sentence          label        {"story": "wolf", "sentence": "It rained.", "label": 0}
    wolf    It rained.        0            {"story": "wolf", "sentence": "The wolf came.", "label": 1}
    wolf    The wolf came.    1
                                           {"story": "wolf", "sentences": ["It rained.", …], "labels": [0, 1]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from barthes.errors import ReadingError
from barthes.evaluation.corpus import (
    CorpusKind,
    CorpusProblem,
    LabelledNarrative,
    StoryCollection,
    check_sentence,
    join_sentences,
)
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
        text = read_corpus_text(path, remedy=_REMEDY)
        if not text.strip():
            raise ReadingError("it is empty.", where=path, remedy=_REMEDY)
        is_json = text.lstrip()[:1] in ("{", "[")
        rows = parse_json_lines(text) if is_json else parse_table(text, _COLUMNS, where=path, remedy=_REMEDY)
        problems: list[CorpusProblem] = []
        stories = _read_stories(list(rows), path, problems)
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


class _Sentence(NamedTuple):
    place: str
    text: object
    label: object


def _read_stories(rows: Sequence[Row], path: Path, problems: list[CorpusProblem]) -> list[LabelledNarrative]:
    """Return the stories that can be read, and add what is wrong with others to the problems.

    A malformed line leaves out a story if it holds all of it. Otherwise the file is refused, because a story
    would lack a sentence.
    """
    holds_stories = any("sentences" in row.cells for row in rows)
    stories: dict[str, list[_Sentence]] = {}
    again: dict[str, int] = {}  # lines that return to an earlier story
    last = ""
    for row in rows:
        try:
            name, found = _read_whole(row) if holds_stories else _read_sentence(row)
        except MalformedError as error:
            if not holds_stories:
                raise ReadingError(f"line {row.line}: {error}.", where=path, remedy=_REMEDY) from error
            problems.append(CorpusProblem(path.name, f"line {row.line}", "story", str(error)))
            continue
        if name in stories and (holds_stories or name != last):
            again.setdefault(name, row.line)
        stories.setdefault(name, []).extend(found)
        last = name
    labelled = []
    for name, found in stories.items():
        try:
            if name in again:
                raise MalformedError(f"line {again[name]} starts a story of that name again")
            labelled.append(_label(name, found))
        except MalformedError as error:
            problems.append(CorpusProblem(path.name, name, "story", str(error)))
    wrong = [each for found in stories.values() for each in _find_wrong(found)]
    if wrong and not labelled:
        problem = f"no story in it can be read: {_describe_wrong(wrong)}."
        raise ReadingError(problem, where=path, remedy=_REMEDY)
    return labelled


def _read_sentence(row: Row) -> tuple[str, list[_Sentence]]:
    cells = row.check()
    return _parse_name(cells), [_Sentence(f"line {row.line}", cells.get("sentence"), cells.get("label"))]


def _read_whole(row: Row) -> tuple[str, list[_Sentence]]:
    cells = row.check()
    name, sentences, labels = _parse_name(cells), _get_list(cells, "sentences"), _get_list(cells, "labels")
    if len(labels) != len(sentences):
        raise MalformedError(f"it has {len(labels)} labels for {len(sentences)} sentences")
    pairs = enumerate(zip(sentences, labels, strict=True), start=1)
    return name, [_Sentence(f"line {row.line}, sentence {number}", *pair) for number, pair in pairs]


def _parse_name(cells: Mapping[str, Any]) -> str:
    name = cells.get("story")
    if isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
        raise MalformedError("it does not say which story it belongs to")
    return str(name).strip()


def _get_list(cells: Mapping[str, Any], name: str) -> list[Any]:
    values = cells.get(name)
    if not isinstance(values, list) or not values:
        raise MalformedError(f"it has no list of {name}")
    return values


def _label(name: str, sentences: Sequence[_Sentence]) -> LabelledNarrative:
    if wrong := _find_wrong(sentences):
        raise MalformedError(_describe_wrong(wrong))
    for each in sentences:
        try:
            check_sentence(each.text)
        except MalformedError as error:
            raise MalformedError(f"{each.place}: its text {error}") from error
    narrative = join_sentences([each.text for each in sentences], title=name)
    grades = tuple(parse_grade(each.label) or 0.0 for each in sentences)
    return LabelledNarrative(name, narrative, tuple(grade >= SALIENT_FROM for grade in grades), grades)


def _find_wrong(sentences: Iterable[_Sentence]) -> list[_Sentence]:
    """Return the sentences with something else than a label."""
    return [each for each in sentences if parse_grade(each.label) is None]


def _describe_wrong(wrong: Sequence[_Sentence]) -> str:
    """Name the wrong labels and their places, only the first few if there are many."""
    shown = ", ".join(f"{each.label!r:.50} ({each.place})" for each in wrong[:_MAX_SHOWN])
    more = f" and {len(wrong) - _MAX_SHOWN:,} more" if len(wrong) > _MAX_SHOWN else ""
    what = f"the label {shown}" if len(wrong) == 1 else f"each of the labels {shown}{more}"
    return f"{what} is not 0 or 1, true or false, yes or no, or between 0 and 1"


KIND = CorpusKind(LabelledFile)
