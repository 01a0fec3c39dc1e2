"""Other averages of the losses: against slow computations, and as methods that share one measurement."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.cache import ScoreCache
from barthes.methods import describe_method, parse_method
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.coherence_loss import RemovalLoss
from barthes.salience.loss_averages import PRIOR, average_sentences, divide_by_errors
from barthes.salience.profile import LAST_SENTENCE
from barthes.salience.removal_method import SentenceDeletion
from barthes.salience.stability import draw_losses
from barthes.scoring import cache_key, score_narrative
from tests.strategies import narratives

STORY = Narrative.from_sentences(
    ["A wolf came .", "it rained .", "a girl ran and the wolf ran .", "the wolf ate the girl .", "it died ."]
)
windows = st.none() | st.integers(16, 40)
NAMES = ["sd-sentence", "sd-t"]


def measure(narrative, *, window=None):
    return SentenceDeletion(CountingModel([narrative.text]), window=window).measure(narrative).losses


def build(name, narrative, *, window=None):
    return parse_method(name, model=lambda: CountingModel([narrative.text]), window=window)


def make_loss(later, tokens):
    return RemovalLoss(0, float(np.average(later, weights=tokens)), np.array(later), np.array(tokens))


@settings(max_examples=30)
@given(narratives(max_size=8), windows)
def test_the_mean_over_sentences_is_that_of_a_column_of_the_influence_matrix(narrative, window):
    profile = build("sd-sentence", narrative, window=window).score(narrative)
    for score, column in zip(profile.scores[:-1], profile.influences.columns, strict=False):
        assert score == pytest.approx(statistics.fmean(column), abs=1e-12)


def divide_slowly(losses):
    """The t statistics from lists of contributions, one later sentence at a time."""
    variances, counts = [], []
    for loss in losses:
        pairs = [(n, lost) for n, lost in zip(loss.tokens, loss.later, strict=True) if n]
        total = sum(n for n, _ in pairs)
        parts = [len(pairs) * n / total * (lost - loss.total) for n, lost in pairs]
        assert sum(parts) == pytest.approx(0.0, abs=1e-9)
        variances.append(statistics.variance(parts) if len(parts) > 1 else 0.0)
        counts.append(max(len(parts) - 1, 0))
    if not sum(counts):
        return [loss.total for loss in losses]
    common = np.average(variances, weights=counts)
    moderated = [
        (PRIOR * common + count * variance) / (PRIOR + count)
        for variance, count in zip(variances, counts, strict=True)
    ]
    errors = [
        max(math.sqrt(variance / (count + 1)), 1e-6)
        for variance, count in zip(moderated, counts, strict=True)
    ]
    return [loss.total / error for loss, error in zip(losses, errors, strict=True)]


@settings(max_examples=30)
@given(narratives(max_size=8), windows)
def test_the_t_statistic_is_the_loss_over_its_standard_error(narrative, window):
    losses = measure(narrative, window=window)
    found = divide_by_errors(losses)
    assert [loss.total for loss in found] == pytest.approx(divide_slowly(losses), rel=1e-9, abs=1e-9)
    for before, after in zip(losses, found, strict=True):
        assert math.copysign(1.0, after.total) == math.copysign(1.0, before.total)
        assert np.array_equal(after.tokens, before.tokens)


def test_the_error_of_equally_long_sentences_is_that_of_their_mean():
    later = [0.1, 0.4, 0.2, 0.5, 0.3]
    [loss] = divide_by_errors([make_loss(later, [4.0] * 5)])
    error = statistics.stdev(later) / math.sqrt(5)  # a single removal has only its own spread
    assert loss.total == pytest.approx(0.3 / error)


def test_a_late_mean_over_few_sentences_no_longer_comes_first():
    early, late = make_loss([0.2, 0.4] * 10, [5.0] * 20), make_loss([0.4, 0.3], [5.0, 5.0])
    assert late.total > early.total
    first, second = divide_by_errors([early, late])
    assert second.total < first.total


def test_few_later_sentences_that_lose_the_same_are_not_infinitely_certain():
    noisy, alike = make_loss([0.2, -0.4, 0.9, 0.1], [5.0] * 4), make_loss([0.3, 0.3], [5.0, 5.0])
    assert 0 < divide_by_errors([noisy, alike])[1].total < 3


def test_nothing_to_average():
    ending = RemovalLoss(1, 2.0, np.array([]), np.array([]))
    unread = make_loss([0.5, np.nan], [3.0, 0.0])
    unread = replace(unread, total=0.5)
    assert [loss.total for loss in average_sentences([unread, ending])] == [0.5, 2.0]
    assert [loss.total for loss in divide_by_errors([unread, ending])] == [0.5, 2.0]
    assert divide_by_errors([]) == average_sentences([]) == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_uniform_model_loses_nothing(name):
    method = parse_method(name, model=lambda: CountingModel([STORY.text], k=1e12))
    assert method.score(STORY).scores == pytest.approx([0.0] * len(STORY), abs=1e-4)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20)
@given(narrative=narratives(max_size=8))
def test_profiles_have_influence_stability_and_an_unranked_last_sentence(name, narrative):
    profile = build(name, narrative).score(narrative)
    plain = build("sd", narrative).score(narrative)
    assert profile.method == name
    assert profile.influences == plain.influences
    assert (profile.stability is None) == (plain.stability is None)
    assert np.isfinite(profile.scores).all()
    if len(narrative) > 1:
        assert profile.unranked == {len(narrative) - 1: LAST_SENTENCE}
    average = build(name, narrative).average(measure(narrative))
    draws = draw_losses(average, np.ones((len(narrative), 2)))
    assert draws == pytest.approx(np.tile(profile.scores, (2, 1)), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_measurement_of_sentence_deletion_is_shared(name, tmp_path):
    model = CountingModel([STORY.text])
    plain, other = (parse_method(each, model=lambda: model, window=20) for each in ("sd", name))
    assert cache_key(STORY, plain) == cache_key(STORY, other) is not None
    assert cache_key(STORY, other) != cache_key(STORY, parse_method(name, model=lambda: model))
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        scored = score_narrative(STORY, plain, cache=cache)
        assert score_narrative(STORY, other, cache=cache) == other.score(STORY)
        assert score_narrative(STORY, plain, cache=cache) == scored
        assert (cache.found, cache.stored) == (2, 1)


@pytest.mark.parametrize("name", NAMES)
def test_unfinished_losses_are_not_reported_as_scores(name):
    seen = []
    build(name, STORY).score(STORY, each=seen.append)
    assert seen == []
    assert describe_method(name).losses_of == "sd"
