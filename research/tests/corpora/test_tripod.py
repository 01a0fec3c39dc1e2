import csv

import pytest

from barthes.errors import ReadingError
from barthes.evaluation.corpus import Corpus
from barthes_research.corpora import Tripod

from .conftest import check_problem

HEADER = ["movie_name", "synopsis_raw", "synopsis_segmented", "tp1", "tp2", "tp3", "tp4", "tp5"]
HEIST = [f"Event {number} happens, twice." for number in range(8)]


def segment(sentences):
    return " ".join(f"[STR_SENT] {sentence} [END_SENT]" for sentence in sentences)


def row(name, points=(0, 2, 3, 5, 7), sentences=HEIST):
    return [name, "…", segment(sentences), *points]


@pytest.fixture
def write(tmp_path):
    def write(*rows, name="synopses.csv", header=HEADER):
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
        return tmp_path / name

    return write


def test_the_annotators_of_a_film_are_one_story(write):
    path = write(
        row("Heist_1"), row("Waltz_0"), row("Heist_0", [0, 2, 4, 5, 7]), row("Heist_2", [1, 2, 3, 5, 7])
    )
    corpus: Corpus = Tripod(path)
    heist, waltz = corpus
    assert (heist.name, waltz.name) == ("Heist", "Waltz")
    assert [str(sentence) for sentence in heist.narrative] == HEIST
    assert heist.grades == pytest.approx((2 / 3, 1 / 3, 1, 2 / 3, 1 / 3, 1, 0, 1))
    assert heist.labels == (True, True, True, True, True, True, False, True)
    assert sum(waltz.labels) == 5
    assert heist.narrative.notes == ()
    assert (corpus.name, corpus.labelling, corpus.rows, corpus.problems) == ("TRIPOD", "any annotator", 4, ())
    assert corpus.annotate is corpus.tokenize is None


def test_other_sentences_are_another_story_with_a_note(write):
    path = write(row("Heist_0"), row("Heist_1", [0, 1, 2, 3, 4], HEIST[:5]), row("Heist_2"))
    first, second = Tripod(path)
    assert (first.name, second.name) == ("Heist", "Heist (Heist_1)")
    assert first.grades == (1, 0, 1, 1, 0, 1, 0, 1)
    assert second.grades == (1,) * 5
    assert first.narrative.notes == (
        "The annotators of this film were given 2 texts; this one is that of Heist_0, Heist_2.",
    )
    assert "that of Heist_1" in second.narrative.notes[0]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (row("Bad_0", [0, 2, 3, 5, 8]), "tp5 is 8, but its last sentence is 7"),
        (row("Bad_0", [0, 2, "", 5, 7]), "tp3 is '', not the index of a sentence"),
        (row("", [-1, 2, 3, 5, 7]), "tp1 is '-1'"),
        (row("Bad_0", [0, 2, "3.5", 5, 7]), "tp3 is '3.5'"),
        (row("Bad_0", [0, 2, "9" * 5000, 5, 7]), "tp3 is '999"),
        (row("Bad_0", sentences=[]), "no list of sentences"),
        (row("Bad_0", sentences=["a", " "]), "sentence 2 is blank"),
        ([*row("Bad_0")[:2], segment(HEIST) + " and more", 0, 1, 2, 3, 4], "stand outside"),
        (row("Bad_0")[:-1], "it has 7 cells under a header of 8"),
        (row("Heist_0"), "an earlier row has that name; this one is not kept"),
    ],
)
def test_a_malformed_row_is_left_out_and_listed(write, bad, reason):
    corpus = Tripod(write(row("Heist_0"), bad, row("Heist_1")))
    assert [story.name for story in corpus] == ["Heist"]
    assert (corpus.rows, corpus[0].grades) == (2, (1, 0, 1, 1, 0, 1, 0, 1))
    check_problem(corpus, "synopses.csv", bad[0] or "line 3", "annotator", reason)


def test_what_is_no_such_corpus(write, tmp_path):
    with pytest.raises(ReadingError, match=r"a\.csv: its first line is not a header with .*Give a CSV file"):
        Tripod(write(["1", "2"], name="a.csv", header=["scene", "tp"]))
    with pytest.raises(
        ReadingError, match=r"no story in it can be read; the first: a\.csv: table: it has other"
    ):
        Tripod(tmp_path)
    with pytest.raises(ReadingError, match="it has no story"):
        Tripod(write())
    with pytest.raises(ReadingError, match="no such file"):
        Tripod(tmp_path / "none.csv")


def test_the_real_one(shared_data):
    corpus = Tripod(shared_data("tripod/synopses_dev.csv"))
    assert (len(corpus), corpus.rows, corpus.problems) == (44, 66, ())
    assert len({story.name for story in corpus}) == 44
    assert sum(len(story.narrative) for story in corpus) == 1554
    assert sum(sum(story.labels) for story in corpus) == 235
    assert all(not story.narrative.notes for story in corpus)  # all annotators of a film had the same text
    assert len(Tripod(shared_data("tripod"))) == 44
