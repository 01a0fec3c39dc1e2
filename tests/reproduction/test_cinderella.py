"""The toy story."""

import pytest

from barthes.narrative import Narrative
from barthes.reproduction.modes import MODES
from barthes.reproduction.published import CINDERELLA
from barthes.reproduction.work import Ledger
from barthes.salience.removal_method import SentenceDeletion
from tests.reproduction.running import score_cinderella
from tests.reproduction.tales import AskedModel

STORY = Narrative.from_sentences([sentence.text for sentence in CINDERELLA])


@pytest.fixture
def model():
    return AskedModel([STORY.text])


def test_by_the_formula_it_is_sentence_deletion(model, ledger):
    profile = SentenceDeletion(model).score(STORY)
    found = score_cinderella(model, MODES["published-formula"], ledger)
    assert found.scores == profile.scores
    plain = found.to_dict()
    assert [row["paper"] for row in plain["sentences"]] == [0.193, 0.309, 0.214, -0.014, 0.394, -0.112]
    assert plain["influence"]["ours"][5][4] == pytest.approx(profile.scores[4])
    assert plain["influence"]["ours"][0] == [None] * 6
    assert plain["influence"]["paper"][1][0] == 0.562


def test_by_the_formula_the_story_is_read_once(model, ledger):
    score_cinderella(model, MODES["published-formula"], ledger)
    once = model.reads
    SentenceDeletion(model).score(STORY)
    assert model.reads == 2 * once


def test_the_release_loses_a_token_of_the_first_sentence(model, ledger):
    formula = score_cinderella(model, MODES["published-formula"], ledger)
    release = score_cinderella(model, MODES["paper"], ledger)
    assert release.scores[0] < formula.scores[0]
    assert release.scores[1:] == pytest.approx(formula.scores[1:])


def test_the_second_time_nothing_is_read(model, store):
    first = score_cinderella(model, MODES["paper"], Ledger(store))
    reads = model.reads
    assert score_cinderella(model, MODES["paper"], Ledger(store)) == first
    assert model.reads == reads
