"""Your own labelled stories: story, sentence and label, as a table or as JSON Lines.

::

    story   sentence          label        {"story": "wolf", "sentence": "It rained.", "label": 0}
    wolf    It rained.        0            {"story": "wolf", "sentence": "The wolf came.", "label": 1}
    wolf    The wolf came.    1
                                           {"story": "wolf", "sentences": ["It rained.", …], "labels": [0, 1]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from barthes.errors import ReadingError
from barthes.evaluation.corpus import (
    CorpusKind,
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

_Sentence = tuple[str, float]
"""A sentence and its grade."""


class LabelledFile(StoryCollection):
    """The stories of one file, with a label or a grade for each sentence.

    A label is 0 or 1, true or false, yes or no, or a grade between 0 and 1; a sentence is salient from 0.5
    on. Sentences are in the order of the file, and the rows of a story must be consecutive.

    Args:
        path: A TSV or CSV file, or JSON Lines; the first character decides.

    Raises:
        ReadingError: There is no such file, it has another format, or a row cannot be read. No row is left
            out: figures for a part of the stories would be mistaken for those of all.
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
        super().__init__(_read_stories(rows, path), (), where=path, remedy=_REMEDY)


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


def _read_stories(rows: Iterable[Row], path: Path) -> list[LabelledNarrative]:
    """Return the stories; refuse the file at the first row that cannot be read."""
    stories: dict[str, list[_Sentence]] = {}
    last = ""
    for row in rows:
        try:
            name, found = _read_row(row)
            is_whole = "sentences" in row.cells
            if name in stories and (is_whole or name != last):
                raise MalformedError(f"it starts the story {name!r:.50} again")
        except MalformedError as error:
            raise ReadingError(f"line {row.line}: {error}.", where=path, remedy=_REMEDY) from error
        stories.setdefault(name, []).extend(found)
        last = "" if is_whole else name
    return [_label(name, sentences) for name, sentences in stories.items()]


def _read_row(row: Row) -> tuple[str, list[_Sentence]]:
    """Return the name of a story, and its sentence or all of its sentences."""
    cells = row.check()
    name = cells.get("story")
    if isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
        raise MalformedError("it does not say which story it belongs to")
    if "sentences" not in cells:
        found = [_read_sentence(cells.get("sentence"), cells.get("label"), "its sentence")]
        return str(name).strip(), found
    sentences, labels = _get_list(cells, "sentences"), _get_list(cells, "labels")
    if len(labels) != len(sentences):
        raise MalformedError(f"it has {len(labels)} labels for {len(sentences)} sentences")
    pairs = enumerate(zip(sentences, labels, strict=True), start=1)
    return str(name).strip(), [_read_sentence(*pair, f"sentence {number}") for number, pair in pairs]


def _get_list(cells: Mapping[str, Any], name: str) -> list[Any]:
    values = cells.get(name)
    if not isinstance(values, list) or not values:
        raise MalformedError(f"it has no list of {name}")
    return values


def _read_sentence(text: object, label: object, what: str) -> _Sentence:
    """Return a sentence and its grade; errors call it `what`."""
    try:
        checked = check_sentence(text)
    except MalformedError as error:
        raise MalformedError(f"{what} {error}") from error
    if (grade := parse_grade(label)) is None:
        possible = "0 or 1, true or false, yes or no, or between 0 and 1"
        raise MalformedError(f"the label {label!r:.50} of {what} is not {possible}")
    return checked, grade


def _label(name: str, sentences: list[_Sentence]) -> LabelledNarrative:
    narrative = join_sentences([text for text, _ in sentences], title=name)
    grades = tuple(grade for _, grade in sentences)
    return LabelledNarrative(name, narrative, tuple(grade >= SALIENT_FROM for grade in grades), grades)


KIND = CorpusKind(LabelledFile)
