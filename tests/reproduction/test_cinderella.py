"""The toy story."""

import pytest

from barthes.narrative import Narrative
from barthes.reproduction.experiment import ReproductionSettings
from barthes.reproduction.modes import MODES
from barthes.reproduction.published import CINDERELLA
from barthes.salience.removal_method import SentenceDeletion
from tests.reproduction.running import run
from tests.reproduction.tales import AskedModel

STORY = Narrative.from_sentences([sentence.text for sentence in CINDERELLA])


@pytest.fixture
def model():
    return AskedModel([STORY.text])


def score(corpus, model, mode, cache):
    figures = run("cinderella", ReproductionSettings(corpus, {None: model}, MODES[mode]), cache).figures
    return figures, [row["ours"] for row in figures["sentences"]]


def test_by_the_formula_it_is_sentence_deletion(corpus, model, cache):
    profile = SentenceDeletion(model).score(STORY)
    once = model.reads
    figures, scores = score(corpus, model, "published-formula", cache)
    assert model.reads == 2 * once, "the story is read once"
    assert scores == list(profile.scores)
    assert [row["paper"] for row in figures["sentences"]] == [0.193, 0.309, 0.214, -0.014, 0.394, -0.112]
    assert figures["influence"]["ours"][5][4] == pytest.approx(profile.scores[4])
    assert figures["influence"]["ours"][0] == [None] * 6
    assert figures["influence"]["paper"][1][0] == 0.562


def test_the_release_loses_a_token_of_the_first_sentence(corpus, model, cache):
    _, formula = score(corpus, model, "published-formula", cache)
    _, release = score(corpus, model, "paper", cache)
    assert release[0] < formula[0]
    assert release[1:] == pytest.approx(formula[1:])
