from __future__ import annotations

import pytest

from barthes.errors import BarthesError
from barthes.evaluation.corpus import CorpusProblem
from barthes.evaluation.corpus_notes import describe_problems, join_notes
from barthes.evaluation.evaluate import check_evaluation
from barthes.evaluation.labelled_file import LabelledFile


def test_notes_are_shown_once_with_the_stories_and_methods():
    long, odd = "It is long.", "It is odd."
    notes = [
        ("sd", {"wolf": (long, long, odd), "king": (long,), "mill": ()}),
        ("va", {"wolf": (long,), "king": (long,)}),
        ("paa", {"mill": (long,)}),
        ("paa", {"mill": (long,)}),
    ]
    assert join_notes(notes, stories=3) == [
        "2 of 3 stories (sd, va): It is long.",
        "1 of 3 stories (sd): It is odd.",
        "1 of 3 stories (paa): It is long.",
    ]


def test_stories_left_out_are_listed():
    problems = [CorpusProblem("mine.tsv", f"tale{n}", "story", "its label is 7") for n in range(7)]
    assert describe_problems(problems) == (
        "7 stories of the corpus left out: mine.tsv tale0, mine.tsv tale1, mine.tsv tale2, mine.tsv tale3, "
        "mine.tsv tale4 … (the first: story: its label is 7)."
    )
    assert describe_problems([CorpusProblem("a.sty", "3", "tree", "is odd")]) == (
        "1 item of the corpus is malformed; the first: a.sty 3: tree: is odd."
    )


def test_errors_about_a_corpus_name_its_file(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("story\tsentence\tlabel\nwolf\tIt came.\t0\n")
    with pytest.raises(BarthesError) as caught:
        check_evaluation(LabelledFile(path))
    assert str(path) in str(caught.value)
