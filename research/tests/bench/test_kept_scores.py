from __future__ import annotations

import json

import pytest

from barthes.baselines import Length
from barthes.errors import BarthesError, ReadingError
from barthes.evaluation.evaluate import evaluate
from barthes_research.bench.bench import CHEAP, bench
from barthes_research.bench.kept_scores import KeptScores
from tests.evaluation.labelled_tales import STORIES, EventTales, LabelledEventTales, Tales

LENGTHS = {story.name: list(Length().score(story.narrative).scores) for story in STORIES}


@pytest.fixture
def save(tmp_path):
    def save(content):
        path = tmp_path / "scores.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return save


def load(save, stories, **more):
    return KeptScores.load("kept", save({"corpora": {"tales": stories, "other": {"x": [1]}}, **more}))


def test_kept_scores_have_the_figures_of_the_method_that_computed_them(save):
    kept = load(save, LENGTHS, command="any other key is ignored")
    found = evaluate([kept.bind(Tales()), "length"], Tales())
    assert found["kept"].per_story == found["length"].per_story
    assert (found["kept"].model, found["kept"].p_vs_random) == (None, found["length"].p_vs_random)
    [table] = bench([], [Tales()], scores=[kept])
    assert [row.result.method for row in table.rows] == [*CHEAP, "kept"]
    assert table["kept"].gain.value == table["length"].gain.value if table["length"].gain else True
    assert not table["kept"].cheap


def test_scores_of_sentences_and_of_events(save):
    spread = evaluate([load(save, LENGTHS).bind(LabelledEventTales())], EventTales(), unit="event")
    assert spread["kept"].figures["auc"].value == (
        evaluate(["length"], EventTales(), unit="event")["length"].figures["auc"].value
    )
    perfect = {story.name: list(story.grades) for story in LabelledEventTales()}
    kept = load(save, perfect, unit="event")
    [table] = bench([], [EventTales()], unit="event", scores=[kept])
    assert table["kept"].result.figures["auc"].value == 1
    with pytest.raises(
        BarthesError, match="it has scores of events, but the sentences of tales are evaluated"
    ):
        bench([], [EventTales()], scores=[kept])


def test_a_corpus_without_scores_has_no_such_row(save):
    class Others(Tales):
        name = "others"

    found = bench([], [Tales(), Others()], scores=[load(save, LENGTHS)])
    assert [len(table.rows) for table in found] == [len(CHEAP) + 1, len(CHEAP)]
    assert found.summary.rows[-1].method == "kept"
    assert found.summary.rows[-1].corpora == 1
    with pytest.raises(BarthesError, match="no scores for the corpus others, but for: tales, other"):
        bench([], [Others()], scores=[load(save, LENGTHS)])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"wolf": [1, 2]}, "it has 2 scores for the story 'wolf' of tales, which has 4 sentences"),
        ({"ox": [1]}, "it has scores for the story 'ox', which tales does not have"),
        ({"ox": [1], "ass": [1]}, "the story 'ox' and 1 more stories, which"),
        ({"wolf": None}, "it has no scores for the story 'wolf' of tales"),
    ],
)
def test_scores_that_do_not_fit_are_refused(save, change, reason):
    stories = {name: scores for name, scores in {**LENGTHS, **change}.items() if scores is not None}
    kept = load(save, stories)
    with pytest.raises(BarthesError, match=rf"scores\.json: .*{reason}") as caught:
        kept.bind(Tales())
    assert caught.value.remedy


def test_names_that_are_taken(save):
    kept = load(save, LENGTHS)
    with pytest.raises(BarthesError, match="two rows of the table would be called 'kept'"):
        bench([], [Tales()], scores=[kept, kept])
    with pytest.raises(BarthesError, match="would be called 'tfidf'"):
        bench([], [Tales()], scores=[KeptScores("tfidf", kept.corpora)])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "it is not JSON"),
        ([1], "it is not a JSON object"),
        ({}, "corpora: it is not a JSON object"),
        ({"corpora": {}}, "it has no corpora"),
        ({"corpora": {"tales": [1]}}, "tales: it is not a JSON object"),
        ({"corpora": {"tales": {"a": 1}}}, "the story 'a' has no list of scores"),
        ({"corpora": {"tales": {"a": []}}}, "the story 'a' has no list of scores"),
        ({"corpora": {"tales": {"a": [1, None]}}}, "the story 'a' has the score None, which is not a number"),
        ({"corpora": {"tales": {"a": [True]}}}, "the score True"),
        ('{"corpora": {"tales": {"a": [NaN]}}}', "the score nan"),
        ('{"corpora": {"tales": {"a": [1], "a": [2]}}}', "it gives the key 'a' twice"),
        ({"unit": "word", "corpora": {"tales": {"a": [1]}}}, "the unit 'word' is not sentence or event"),
    ],
)
def test_files_that_are_refused(save, content, reason):
    with pytest.raises(ReadingError, match=rf"scores\.json: .*{reason}.*Give JSON"):
        KeptScores.load("kept", save(content))
