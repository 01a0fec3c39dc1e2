"""The learned method: what it refuses, what it returns, and its judgement of a story we know."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import barthes
from barthes.cache import ScoreCache
from barthes.errors import BarthesError, ModelError
from barthes.learned.readers import EventReaders, Readers
from barthes.learned.readers_weights import hash_story, load_readers_weights
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.report.scale import scale_profile
from barthes.scorer import Scorer
from tests.learned.training_stories import WIDTH, fit_small

EXAMPLES = Path(__file__).parents[2] / "examples"
STORY = Narrative.from_sentences(["A wolf came.", "It rained and rained.", "The wolf ate.", "The king died."])


class SmallModel(CountingModel):
    """A counting model whose states have the width of the small weights."""

    def states(self, tokens, spans, *, layers):
        return super().states(tokens, spans, layers=layers)[:, :, :WIDTH]


MODEL = SmallModel([STORY.text])
WEIGHTS = fit_small()


def test_another_model_is_refused_before_anything_is_read():
    with pytest.raises(ModelError, match="trained with smollm2-135m and cannot use counting"):
        Readers(MODEL)


def test_scores_are_those_of_the_weights_with_intervals_and_a_note():
    profile = Readers(MODEL, weights=WEIGHTS).score(STORY)
    assert len(profile.scores) == 4
    assert sum(profile.scores) == pytest.approx(0, abs=1e-9)
    assert all(unit.low <= unit.high for unit in profile.units)
    assert profile.unranked == {}  # it reads the whole story for every sentence, the last one too
    assert profile.trust == WEIGHTS.estimate_trust(profile.trust.kind)
    assert profile.notes == (profile.trust.describe(),)


def test_notes_of_the_model_reach_the_profile():
    model = SmallModel([STORY.text])
    model.notes = ("counting is slow.",)
    for method in (Readers(model, weights=WEIGHTS), EventReaders(model, weights=WEIGHTS)):
        assert "counting is slow." in method.score(STORY).notes


def test_cached_results_are_the_same(tmp_path):
    method = Readers(MODEL, weights=WEIGHTS)
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        first = Scorer(method, cache=cache).score(STORY)
        again = Scorer(method, cache=cache).score(STORY)
    assert again == first
    assert [unit.low for unit in again.units] == [unit.low for unit in first.units]


def test_readers_can_be_added_to_other_methods():
    profile = (Readers(MODEL, weights=WEIGHTS) + barthes.TfIdf()).score(STORY)
    assert profile.method == "readers+tfidf"
    assert all(unit.low <= unit.high for unit in profile.units)


@pytest.mark.parametrize(("method", "unit"), [(Readers, "sentence"), (EventReaders, "event")])
def test_reports_say_what_the_scores_mean(method, unit):
    profile = method(MODEL, weights=WEIGHTS).score(STORY)
    page = profile.to_html()
    assert f"{unit}s, each with its salience: how important readers are likely to find it" in page
    assert "in ." not in page
    levels = [scale_profile(profile).level(score) for score in profile.scores]
    assert all((level == 0) == (score <= 0) for level, score in zip(levels, profile.scores, strict=True))
    assert "data-below" not in page.partition("<script")[0]


def test_one_sentence_is_neither_more_nor_less_important_than_itself():
    profile = Readers(MODEL, weights=WEIGHTS).score(Narrative.from_sentences(["Rain."]))
    assert profile.scores == (0.0,)
    assert profile.notes == ("A single sentence has nothing to compare with.",)
    assert profile.trust is None


def test_a_story_of_the_training_data_gets_a_note():
    weights = replace(WEIGHTS, stories=frozenset([hash_story(STORY)]))
    assert any("trained on this story" in note for note in Readers(MODEL, weights=weights).score(STORY).notes)
    assert not any("trained on" in note for note in Readers(MODEL, weights=WEIGHTS).score(STORY).notes)


@pytest.mark.parametrize("name", ["heads", "events", "scales", "limits", "centres"])
def test_all_weights_decide_the_cache_key(name):
    changed = replace(WEIGHTS, **{name: getattr(WEIGHTS, name) + 1})
    keys = [Readers(MODEL, weights=weights).identity(STORY) for weights in (WEIGHTS, changed)]
    assert keys[0] != keys[1]


def test_events_are_scored_by_their_predicates():
    profile = EventReaders(MODEL, weights=WEIGHTS).score(STORY)
    assert profile.unit == "event"
    assert [unit.trigger for unit in profile.units] == ["came", "rained", "rained", "ate", "died"]


def test_sums_with_readers_cannot_score_events():
    with pytest.raises(BarthesError, match="events"):
        barthes.methods.parse_method("readers+sd", unit="event", model=lambda: MODEL)


@pytest.mark.slow
def test_a_tale_of_ours_is_taken_for_a_fairy_tale_and_scored_alike_twice():
    story = barthes.read(EXAMPLES / "the_ferrymans_daughter.txt")
    profile = barthes.score(story, method="readers")
    assert profile.trust == load_readers_weights().estimate_trust("fairy tales")
    assert profile.trust.reliable
    assert profile.scores == barthes.score(story, method="readers").scores
