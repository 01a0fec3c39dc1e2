"""The fit finds planted signals, agrees with least squares, and carries no positions over to other kinds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.evaluation.metrics import area_under_curve, rank_correlation
from barthes.learned.story_features import CUES, PLACES, rank
from tests.learned.training_stories import SMALL, WIDTH, fit_small, make_stories, make_story

STORIES = make_stories()
WEIGHTS = fit_small(stories=STORIES)


def correlate(weights, stories, kind):
    return np.mean([rank_correlation(s.grades, weights.score(s.features, kind)[0]) for s in stories])


def test_the_head_of_a_kind_finds_content_and_position():
    unseen = [story for story in make_stories(seed=1) if story.kind == "late"]
    assert correlate(WEIGHTS, unseen, "late") > 0.9
    assert correlate(WEIGHTS, unseen, "early") < correlate(WEIGHTS, unseen, None) < 0.9


def test_the_common_head_ignores_position():
    rng = np.random.default_rng(2)
    neutral = [make_story(rng, "", k) for k in range(20)]
    assert correlate(WEIGHTS, neutral, None) > 0.8
    only_late = fit_small(stories=[s for s in STORIES if s.kind != "early"])
    # although all its stories favour late sentences
    assert correlate(only_late, neutral, None) > correlate(only_late, neutral, "late") + 0.2
    assert not only_late.heads[:, 0, -PLACES:].any()


def test_without_words_the_common_head_is_a_regression_with_effects_of_the_kind():
    settings = replace(SMALL, words=0.0, penalty=1e-9, draws=0)
    weights = fit_small(settings=settings)
    described = [weights.describe(story.features) for story in STORIES]
    effects = [
        np.hstack([rows[:, WIDTH:] * (story.kind == kind) for kind in weights.kinds])
        for rows, story in zip(described, STORIES, strict=True)
    ]
    x = np.hstack([np.concatenate(described)[:, :WIDTH], np.concatenate(effects)])
    y = np.concatenate([rank(story.grades) for story in STORIES])
    wanted = np.linalg.lstsq(x, y, rcond=None)[0][:WIDTH]  # all stories are equally long
    found = weights.heads[0, 0, :WIDTH]
    np.testing.assert_allclose(found / np.linalg.norm(found), wanted / np.linalg.norm(wanted), atol=1e-6)


def test_the_word_ranks_weigh_as_much_as_the_settings_say():
    heads = [fit_small(settings=replace(SMALL, words=share, draws=0)).heads[0, 0] for share in (0.5, 1.0)]
    ranks = slice(WIDTH, WIDTH + len(CUES))
    np.testing.assert_allclose(heads[1][ranks], 2 * heads[0][ranks])
    np.testing.assert_allclose(heads[1][:WIDTH], heads[0][:WIDTH])


def test_a_kind_graded_by_shares_has_no_effects_of_words_of_its_own():
    ranks = slice(WIDTH, WIDTH + len(CUES))
    shares = [replace(story, by_share=story.kind == "late") for story in STORIES]
    common, early, late = fit_small(stories=shares).heads[0]
    np.testing.assert_allclose(late[ranks] / late[ranks][0], common[ranks] / common[ranks][0])
    np.testing.assert_allclose(early, WEIGHTS.heads[0, 1])


def test_the_head_for_events_finds_kept_predicates():
    unseen = make_stories(seed=1)
    scores = [WEIGHTS.score_events(story.event_features)[0] for story in unseen]
    found = [
        area_under_curve([g > 0 for g in s.event_grades], each)
        for s, each in zip(unseen, scores, strict=True)
    ]
    assert np.nanmean(found) > 0.9


def test_kinds_are_recognised_and_other_stories_are_not():
    unseen = make_stories(seed=1)
    right = [WEIGHTS.find_kind(story.features) == story.kind for story in unseen]
    assert np.mean(right) > 0.8
    rng = np.random.default_rng(3)
    assert [WEIGHTS.find_kind(make_story(rng, "", k).features) for k in range(5)] == [None] * 5


def test_a_fit_is_deterministic_and_its_draws_differ():
    again = fit_small(stories=make_stories())
    np.testing.assert_array_equal(WEIGHTS.heads, again.heads)
    assert len(WEIGHTS.heads) == 1 + SMALL.draws
    assert not np.allclose(WEIGHTS.heads[1], WEIGHTS.heads[2])


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12))
def test_ranks_are_centred_and_keep_the_order(grades):
    ranks = rank(grades)
    assert ranks.sum() == pytest.approx(0)
    assert np.abs(ranks).max() <= 1
    for a, one in zip(grades, ranks, strict=True):
        for b, other in zip(grades, ranks, strict=True):
            assert (a < b) == (one < other)
