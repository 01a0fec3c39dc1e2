"""FairytaleQA (Xu et al. 2022): fairy tales with questions that experts in education asked about them.

::

    stories/flax-story.csv          section,text
                                    1,"THE flax was in full bloom. It had pretty little blue flowers …"
    questions/flax-questions.csv    cor_section,question,answer1, …
                                    "1",What color are the flax's flowers?,blue, …

A question goes to the sentence that answers it (`question_alignment`). The corpus itself is not part of
Barthes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from barthes.errors import ReadingError
from barthes.evaluation.corpus import (
    CorpusKind,
    CorpusProblem,
    LabelledNarrative,
    StoryCollection,
    join_sentences,
)
from barthes.reading import read_text
from barthes.reading.rows import MalformedError, Row
from barthes_research.corpora.corpus_files import read_tables
from barthes_research.corpora.question_alignment import QuestionAlignment

_STORY, _QUESTIONS = "-story.csv", "-questions.csv"
_ANSWERS = tuple(f"answer{number}" for number in range(1, 7))
_REMEDY = "Give the folder that has stories/NAME-story.csv and questions/NAME-questions.csv."


class FairytaleQA(StoryCollection):
    """Fairy tales in which a sentence is the more important, the more questions it answers.

    The grade of a sentence is the number of questions that it answers, divided by that of the sentence that
    answers most; it is salient if it answers any. The name of a tale is that of its file.

    Args:
        path: A folder with the folders ``stories`` and ``questions``.

    Raises:
        ReadingError: Nothing is there, or nothing in it can be read as such a corpus.
    """

    name = "FairytaleQA"
    labelling = "answers a question"

    def __init__(self, path: str | Path) -> None:
        for folder in (Path(path), Path(path) / "stories", Path(path) / "questions"):
            if not folder.is_dir():
                raise ReadingError("there is no such folder.", where=folder, remedy=_REMEDY)
        problems: list[CorpusProblem] = []
        tales = _read_files(Path(path) / "stories", ("section", "text"), _STORY, problems)
        columns = ("cor_section", "question", "answer1")
        questions = _read_files(Path(path) / "questions", columns, _QUESTIONS, problems)
        stories = []
        for name, rows in tales.items():
            try:
                stories.append(_build_story(name, rows, questions.get(name, []), problems))
            except (MalformedError, ReadingError) as error:
                problems.append(CorpusProblem(f"{name}{_STORY}", "", "story", str(error)))
        super().__init__(stories, problems, where=path, remedy=_REMEDY)


def _read_files(
    folder: Path, columns: tuple[str, ...], suffix: str, problems: list[CorpusProblem]
) -> dict[str, list[Row]]:
    """Return the rows of each tale by its name."""
    found: dict[str, list[Row]] = {}
    for file, row in read_tables(folder, columns, problems, remedy=_REMEDY):
        found.setdefault(file.removesuffix(suffix), []).append(row)
    return found


def _build_story(
    name: str, tale: list[Row], questions: list[Row], problems: list[CorpusProblem]
) -> LabelledNarrative:
    sentences: list[str] = []
    sections: dict[int, range] = {}
    for row in tale:
        # A line break inside a section may stand in the middle of a sentence.
        found = [str(sentence) for sentence in read_text(" ".join(row.check()["text"].split()))]
        [section] = _parse_sections(row.cells["section"])
        sections[section] = range(len(sentences), len(sentences) + len(found))
        sentences += found
    narrative = join_sentences(sentences, title=name)
    alignment = QuestionAlignment(sentences)
    counts = [0] * len(sentences)
    for row in questions:
        try:
            counts[_align(row.check(), sections, alignment)] += 1
        except MalformedError as error:
            problems.append(CorpusProblem(f"{name}{_QUESTIONS}", f"line {row.line}", "question", str(error)))
    if not any(counts):
        raise MalformedError("it has no question that can be aligned")
    grades = tuple(count / max(counts) for count in counts)
    return LabelledNarrative(name, narrative, tuple(count > 0 for count in counts), grades)


def _align(cells: Mapping[str, str], sections: Mapping[int, range], alignment: QuestionAlignment) -> int:
    """Return the index of the sentence that answers a question."""
    wanted = _parse_sections(cells["cor_section"])
    places = [place for section in wanted for place in sections.get(section, ())]
    if not places:
        raise MalformedError(f"the tale has no section {cells['cor_section']!r:.50}")
    answers = [cells[name] for name in _ANSWERS if cells.get(name)]
    return alignment.find_answer(cells["question"], answers, places)


def _parse_sections(text: str) -> list[int]:
    numbers = [int(number) for number in re.findall(r"\d{1,9}", text)]
    if not numbers:
        raise MalformedError(f"{text!r:.50} is not the number of a section")
    return numbers


KIND = CorpusKind(FairytaleQA)
