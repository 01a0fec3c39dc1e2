import csv
import shutil

import pytest

from barthes.errors import ReadingError
from barthes_research.corpora import FairytaleQA
from barthes_research.corpora.question_alignment import QuestionAlignment

TALE = ["A wolf came by.\n\nIt rained. The children slept.", "The wolf ate the old king. The queen wept."]
QUESTIONS = [
    ["1", "Who came by?", "a wolf", ""],
    ["2", "What did the wolf do?", "ate the king", "devoured him"],
    ["1, 2", "What happened to the old king?", "He was eaten.", "The wolf ate him."],
]


@pytest.fixture
def folder(tmp_path):
    def write(questions, tale=TALE):
        for name in ("stories", "questions"):
            (tmp_path / name).mkdir()
        with (tmp_path / "stories" / "wolf-story.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["section", "text"], *enumerate(tale, start=1)])
        with (tmp_path / "questions" / "wolf-questions.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["cor_section", "question", "answer1", "answer2"], *questions])
        return tmp_path

    return write


def test_a_sentence_is_graded_by_the_questions_that_it_answers(folder):
    corpus = FairytaleQA(folder(QUESTIONS))
    [story] = corpus
    assert story.name == "wolf"
    assert [str(sentence) for sentence in story.narrative][2:4] == [
        "The children slept.",
        "The wolf ate the old king.",
    ]
    assert story.grades == (0.5, 0, 0, 1, 0)
    assert story.labels == (True, False, False, True, False)
    assert corpus.problems == ()


def test_questions_about_unknown_sections_are_reported(folder):
    corpus = FairytaleQA(folder([*QUESTIONS, ["9", "Who?", "nobody", ""], ["", "Who?", "nobody", ""]]))
    assert [(each.item, each.kind) for each in corpus.problems] == [
        ("line 5", "question"),
        ("line 6", "question"),
    ]


def test_tales_without_questions_are_left_out(folder):
    with pytest.raises(ReadingError, match="no question that can be aligned"):
        FairytaleQA(folder([]))


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("Who lived in the wood?", "an old hermit", 0),
        ("What did the girl drop?", "her basket", 1),
        ("Why did she run?", "She was frightened by a bear.", 3),  # "ran" stands before the answer
        ("Unanswerable?", "", 0),
    ],
)
def test_answers_are_found_by_their_words(question, answer, wanted):
    tale = ["An old hermit lived in the wood.", "A girl dropped her basket.", "Then she ran.", "A bear came."]
    assert QuestionAlignment(tale).find_answer(question, [answer], range(4)) == wanted


def test_twelve_of_the_public_tales(shared_data, tmp_path):
    source = shared_data("fairytaleqa")
    for folder in ("stories", "questions"):
        (tmp_path / folder).mkdir()
        for path in sorted((source / folder).glob("*.csv"))[:12]:
            shutil.copy(path, tmp_path / folder)
    corpus = FairytaleQA(tmp_path)
    assert len(corpus) == 12
    labels = [label for story in corpus for label in story.labels]
    assert 0.2 < sum(labels) / len(labels) < 0.4
