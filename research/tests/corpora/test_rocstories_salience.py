import pytest

from barthes.errors import ReadingError
from barthes.evaluation.corpus import Corpus
from barthes_research.corpora import RocStoriesSalience

from .conftest import check_problem

GOAT = ["A goat lived alone.", "A wolf came.", "The goat ran."]


def entry(story=GOAT, votes=("2", "2", "3", 1), **more):
    return {"storytitle": "The goat", "story": list(story), "most_important": list(votes), **more}


def open_stories(save, content):
    return RocStoriesSalience(save(content, "val.json"))


def test_votes_become_grades_and_labels(save):
    corpus: Corpus = open_stories(save, {"id1": entry(), "id2": entry(votes=["1", "3"])})
    first, second = corpus
    assert (first.name, first.narrative.title) == ("id1", "The goat")
    assert [str(sentence) for sentence in first.narrative] == GOAT
    assert first.grades == (0.25, 0.5, 0.25)
    assert first.labels == (False, True, False)
    assert first.votes == (
        (False, False, False, True),
        (True, True, False, False),
        (False, False, True, False),
    )
    assert second.grades == (0.5, 0.0, 0.5)
    assert second.labels == (True, False, True)  # as many votes, so both
    assert (len(corpus), corpus.problems, corpus.annotate, corpus.tokenize) == (2, (), None, None)
    assert (corpus.name, corpus.labelling) == ("ROCStories salience", "most votes")


@pytest.mark.parametrize(
    ("story", "reason"),
    [
        (entry(votes=["4"]), "there is a vote for sentence 4 of 3"),
        (entry(votes=["0"]), "the vote '0' is not the number of a sentence"),
        (entry(votes=["-1"]), "the vote '-1'"),
        (entry(votes=["two"]), "the vote 'two'"),
        (entry(votes=[True]), "the vote True"),
        (entry(votes=[1.0]), "the vote 1.0"),
        (entry(votes=["²"]), "the vote '²'"),
        (entry(votes=["9" * 5000]), "the vote '999"),
        (entry(votes=[]), "no list of votes"),
        (entry(most_important="2"), "no list of votes"),
        (entry(story=[]), "no list of sentences"),
        (entry(story=["A wolf came.", " "]), "sentence 2 is blank"),
        (entry(story=["A wolf came.", None]), "sentence 2 is not text but None"),
        (entry(story=["A wolf came.", "\ud800"]), "sentence 2 has an invalid character"),
        (entry(storytitle=7), "its title is not text but 7"),
        (["A wolf came."], "not a JSON object"),
        ({}, "no list of sentences"),
    ],
)
def test_a_malformed_story_is_left_out_and_listed(save, story, reason):
    corpus = open_stories(save, {"good": entry(), "bad": story})
    assert [each.name for each in corpus] == ["good"]
    check_problem(corpus, "val.json", "bad", "story", reason)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"a": {\n"story": [}', r"it is not JSON: .* at line 2, column 11"),
        ("[1]", "it is not a JSON object of stories"),
        ("", "it is not JSON"),
        ("{}", "it has no story"),
        ({"a": entry(votes=[7])}, r"no story in it can be read; the first: val\.json a: story: there is"),
    ],
)
def test_what_is_no_such_corpus(save, content, reason):
    with pytest.raises(ReadingError, match=rf"val\.json: {reason}.*Give its JSON file"):
        open_stories(save, content)


def test_the_real_one(shared_data):
    corpus = RocStoriesSalience(shared_data("rocstories_salience/val.json"))
    assert len(corpus) == len({story.name for story in corpus}) == 250
    assert corpus.problems == ()
    assert all(len(story.narrative) == 5 for story in corpus)
    assert all(sum(story.grades) == pytest.approx(1) for story in corpus)
    assert sum(sum(story.labels) > 1 for story in corpus) == 47
    assert sum(sum(story.labels) for story in corpus) == 307
