"""A corpus of one's own: story, sentence, label, as a table or as JSON Lines.

::

    story   sentence          label        {"story": "wolf", "sentence": "It rained.", "label": 0}
    wolf    It rained.        0            {"story": "wolf", "sentence": "The wolf came.", "label": 1}
    wolf    The wolf came.    1
                                           {"story": "wolf", "sentences": ["It rained.", …], "labels": [0, 1]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from barthes.corpora.collection import StoryCollection, join_sentences
from barthes.corpora.corpus import LabelledNarrative
from barthes.corpora.json_objects import JsonLine, JsonObject, parse_json_lines
from barthes.corpora.problems import MalformedError, Problem
from barthes.corpora.tables import parse_table
from barthes.corpora.text_files import read_corpus_text
from barthes.errors import ReadingError

__all__ = ["SALIENT_FROM", "LabelledFile", "parse_grade"]

SALIENT_FROM = 0.5
"""The least grade of a sentence that counts as salient."""

_COLUMNS = ("story", "sentence", "label")
_REMEDY = (
    "Give a table whose first line names the columns story, sentence and label, or one JSON object a line "
    "with these keys, or with story, sentences and labels."
)
_NUMBER = re.compile(r"(?:\d{1,9}(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?", re.ASCII)
_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_NO_GRADE = "is not 0 or 1, true or false, yes or no, or between 0 and 1"
_SHOWN = 5  # wrong labels that are named


class LabelledFile(StoryCollection):
    """The stories of one file, with a label or a grade for each sentence.

    A label is 0 or 1, true or false, yes or no, or a grade between 0 and 1; a sentence is salient from 0.5
    on. Sentences come in the file's order, and the rows of a story stand together: a story whose rows are
    scattered is left out and reported, because their order is then anybody's guess.

    Args:
        path: A TSV or CSV file, or JSON Lines; its first character tells which.

    Raises:
        ReadingError: There is no such file, it is empty or neither of these, a row cannot be told to belong
            to a story, or no story is left.
    """

    labelling = "file"

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        self.name = path.stem
        self.source = path.resolve()
        text = read_corpus_text(path, remedy=_REMEDY)
        if not text.strip():
            raise ReadingError("it is empty.", where=path, remedy=_REMEDY)
        lines = list(parse_json_lines(text)) if text.lstrip()[:1] in ("{", "[") else None
        if lines is None:
            stories, problems = _gather(_read_table(text, path), path)
        elif any(_is_whole(line) for line in lines):
            stories, problems = _read_whole(lines, path)
        else:
            stories, problems = _gather(_read_rows(lines, path), path)
        super().__init__(stories, problems, where=path, remedy=_REMEDY)


@dataclass(frozen=True, slots=True)
class _LabelledSentence:
    line: int
    story: str
    sentence: object
    label: object


def parse_grade(label: object) -> float:
    """The grade, 0 to 1, that a label stands for.

    Raises:
        MalformedError: It is none.

    >>> parse_grade("true"), parse_grade(0), parse_grade("0.25")
    (1.0, 0.0, 0.25)
    """
    if isinstance(label, str):
        text = label.strip().lower()
        grade = _WORDS.get(text, float(text) if _NUMBER.fullmatch(text) else None)
    else:
        grade = float(label) if isinstance(label, bool | int | float) and abs(label) <= 1 else None
    if grade is None or not 0 <= grade <= 1:
        raise MalformedError(f"the label {label!r:.50} {_NO_GRADE}")
    return grade


def _read_table(text: str, path: Path) -> Iterator[_LabelledSentence]:
    for row in parse_table(text, _COLUMNS, where=path, remedy=_REMEDY):
        try:
            if row.malformed:
                raise MalformedError(row.malformed)
            story, sentence, label = (row.cells[column] for column in _COLUMNS)
            yield _LabelledSentence(row.line, _parse_name(story), sentence, label)
        except MalformedError as error:
            raise _refuse(row.line, error, path) from error


def _read_rows(lines: Iterable[JsonLine], path: Path) -> Iterator[_LabelledSentence]:
    for line in lines:
        try:
            row = line.as_object()
            name = _parse_name(row.get("story"))
            yield _LabelledSentence(line.number, name, row.get("sentence"), row.get("label"))
        except MalformedError as error:
            raise _refuse(line.number, error, path) from error


def _refuse(line: int, error: MalformedError, path: Path) -> ReadingError:
    """A row that might belong to any story makes all of them doubtful."""
    return ReadingError(f"line {line}: {error}.", where=path, remedy=_REMEDY)


def _parse_name(name: object) -> str:
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name.strip():
        raise MalformedError("it does not say which story it belongs to")
    return name.strip()


def _gather(rows: Iterable[_LabelledSentence], path: Path) -> tuple[list[LabelledNarrative], list[Problem]]:
    """Put the rows of each story together, which must stand together."""
    gathered: dict[str, list[_LabelledSentence]] = {}
    scattered: dict[str, str] = {}
    before = None
    for row in rows:
        if row.story in gathered and row.story != before:
            what = f"its rows do not stand together: line {row.line} comes after another story's"
            scattered.setdefault(row.story, what)
        gathered.setdefault(row.story, []).append(row)
        before = row.story
    stories = []
    problems = []
    wrong: list[tuple[str, object]] = []
    for name, found in gathered.items():
        wrong += _find_wrong(found)
        try:
            if name in scattered:
                raise MalformedError(scattered[name])
            _check_sentences(found)
            sentences, labels = [row.sentence for row in found], [row.label for row in found]
            stories.append(_build_story(name, sentences, labels))
        except MalformedError as error:
            problems.append(Problem(path.name, name, "story", str(error)))
    if wrong and not stories:
        raise ReadingError(f"no story in it can be read: {_tell_labels(wrong)}.", where=path, remedy=_REMEDY)
    return stories, problems


def _tell_labels(wrong: Sequence[tuple[str, object]]) -> str:
    """All labels that are none, with their places; the first few where there are many."""
    shown = ", ".join(f"{label!r:.50} ({place})" for place, label in wrong[:_SHOWN])
    more = f" and {len(wrong) - _SHOWN:,} more" if len(wrong) > _SHOWN else ""
    what = f"the label {shown}" if len(wrong) == 1 else f"each of the labels {shown}{more}"
    return f"{what} {_NO_GRADE}"


def _find_wrong(rows: Iterable[_LabelledSentence]) -> list[tuple[str, object]]:
    return [(f"line {row.line}", row.label) for row in rows if not _is_grade(row.label)]


def _is_grade(label: object) -> bool:
    try:
        parse_grade(label)
    except MalformedError:
        return False
    return True


def _check_sentences(rows: Sequence[_LabelledSentence]) -> None:
    """Say what is wrong with rows by their lines, which are easier to find than the sentences' numbers."""
    if wrong := _find_wrong(rows):
        raise MalformedError(_tell_labels(wrong))
    for row in rows:
        try:
            join_sentences([row.sentence], title="")
        except MalformedError as error:
            raise MalformedError(
                f"line {row.line}: {str(error).replace('sentence 1', 'its sentence', 1)}"
            ) from error


def _is_whole(line: JsonLine) -> bool:
    return isinstance(line.value, JsonObject) and "sentences" in line.value


def _read_whole(lines: Iterable[JsonLine], path: Path) -> tuple[list[LabelledNarrative], list[Problem]]:
    """One story a line; of those with the same name none is kept."""
    found: dict[str, list[LabelledNarrative]] = {}
    problems = []
    for line in lines:
        try:
            story = _read_story(line)
            found.setdefault(story.name, []).append(story)
        except MalformedError as error:
            problems.append(Problem(path.name, f"line {line.number}", "story", str(error)))
    for name, stories in found.items():
        if len(stories) > 1:
            what = f"{len(stories)} stories have that name; none is kept"
            problems.append(Problem(path.name, name, "story", what))
    return [stories[0] for stories in found.values() if len(stories) == 1], problems


def _read_story(line: JsonLine) -> LabelledNarrative:
    content = line.as_object()
    labels = content.get("labels")
    if not isinstance(labels, list):
        raise MalformedError("it has no list of labels")
    return _build_story(_parse_name(content.get("story")), content.get("sentences"), labels)


def _build_story(name: str, sentences: object, labels: Sequence[object]) -> LabelledNarrative:
    narrative = join_sentences(sentences, title=name)
    if len(labels) != len(narrative):
        raise MalformedError(f"it has {len(labels)} labels for {len(narrative)} sentences")
    numbered = enumerate(labels, start=1)
    if wrong := [(f"sentence {number}", label) for number, label in numbered if not _is_grade(label)]:
        raise MalformedError(_tell_labels(wrong))
    grades = tuple(map(parse_grade, labels))
    return LabelledNarrative(name, narrative, tuple(grade >= SALIENT_FROM for grade in grades), grades)
