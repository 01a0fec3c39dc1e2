import csv

import pytest

from barthes.errors import ReadingError
from barthes.evaluation.corpus import Corpus
from barthes_research.corpora import Hippocorpus

from .conftest import check_problem

HEADER = ["HITId", "summary", "sentIx", "sent", "HippocorpusAssignmentId", "rawEventAnnot", "majorBin"]
MAJOR, MINOR, NONE = "major-surprising", "minor-expected", "noEvent"


def row(story, index, sentence, *labels, group="H1"):
    return [group, "…", index, sentence, story, ",".join(labels), "0"]


MOVE = [
    row("A1", 0, "We moved house.", MAJOR, "major-expected", NONE, MINOR),
    row("A1", 1, "It rained, of course.", NONE, NONE, NONE, MINOR),
    row("A1", 2, "The cat ran away.", MAJOR, MAJOR, MAJOR),
]


@pytest.fixture
def write(tmp_path):
    def write(*rows, name="events.csv", header=HEADER):
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
        return tmp_path / name

    return write


def test_the_grade_is_the_share_who_call_it_a_major_event(write):
    corpus: Corpus = Hippocorpus(write(*MOVE, row("A2", 0, "We packed.", MAJOR, NONE, group="H2")))
    first, second = corpus
    assert (first.name, first.group) == ("A1", "H1")
    assert [str(sentence) for sentence in first.narrative] == [each[3] for each in MOVE]
    assert first.grades == (0.5, 0.0, 1.0)
    assert first.labels == (True, False, True)
    assert first.votes == ((True, True, False, False), (False,) * 4, (True,) * 3)
    assert (second.name, second.group, second.grades) == ("A2", "H2", (0.5,))
    assert (corpus.name, corpus.labelling, corpus.problems) == ("Hippocorpus", "major event", ())
    assert corpus.annotate is corpus.tokenize is None


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([row("B", 0, "A.", NONE), row("B", 2, "B.", NONE)], "it has a sentence 2, but no sentence 1"),
        ([row("B", 1, "A.", NONE)], "it has a sentence 1, but no sentence 0"),
        ([row("B", 0, "A.", NONE), row("B", 0, "B.", NONE)], "line 6: its sentence 0 comes twice"),
        ([row("B", "x", "A.", NONE)], "line 5: sentIx is 'x', not the index of a sentence"),
        ([row("B", -1, "A.", NONE)], "sentIx is '-1'"),
        ([row("B", "9" * 5000, "A.", NONE)], "sentIx is '999"),
        ([row("B", 0, " ", NONE)], "sentence 1 is blank"),
        ([row("B", 0, "A.", NONE, "huge")], "line 5: the label 'huge' is not noEvent, major-… or minor-…"),
        ([row("B", 0, "A.", "major")], "the label 'major'"),
        ([row("B", 0, "A.")], "the label ''"),
        (
            [row("B", 0, "A.", NONE), row("B", 1, "B.", NONE, group="H9")],
            "its sentences have different HITIds: H1, H9",
        ),
        ([row("B", 0, "A.", NONE)[:-1]], "line 5: it has 6 cells under a header of 7"),
    ],
)
def test_a_malformed_story_is_left_out_and_listed(write, rows, reason):
    corpus = Hippocorpus(write(*MOVE, *rows))
    assert [story.name for story in corpus] == ["A1"]
    check_problem(corpus, "events.csv", "B", "story", reason)


def test_a_row_of_no_story_is_listed(write):
    corpus = Hippocorpus(write(*MOVE, row(" ", 0, "A.", NONE)))
    check_problem(corpus, "events.csv", "line 5", "sentence", "does not say which story it belongs to")


@pytest.mark.parametrize("missing", ["HITId", "HippocorpusAssignmentId", "sentIx", "sent", "rawEventAnnot"])
def test_a_missing_column_is_refused(write, missing):
    header = ["other" if name == missing else name for name in HEADER]
    with pytest.raises(ReadingError, match=rf"not a header with .*{missing.lower()}.*Give its CSV file"):
        Hippocorpus(write(*MOVE, header=header))


def test_what_is_no_such_corpus(write, tmp_path):
    with pytest.raises(ReadingError, match="it has no story"):
        Hippocorpus(write())
    with pytest.raises(ReadingError, match=r"no story in it can be read; the first: events\.csv B: story"):
        Hippocorpus(write(row("B", 7, "A.", NONE)))
    with pytest.raises(ReadingError, match="no such file"):
        Hippocorpus(tmp_path / "none.csv")


def test_the_real_one(shared_data):
    corpus = Hippocorpus(shared_data("hippocorpus/events_dev.csv"))
    assert (len(corpus), corpus.problems) == (162, ())
    assert len({story.group for story in corpus}) == 54
    assert sum(len(story.narrative) for story in corpus) == 2861
    assert sum(sum(story.labels) for story in corpus) == 763
    assert sum(not any(story.labels) for story in corpus) == 3
    assert {len(votes) for story in corpus for votes in story.votes} == {7, 8}
