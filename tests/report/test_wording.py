from __future__ import annotations

import pytest

from barthes.narrative import Narrative
from barthes.report.wording import (
    describe_scale,
    describe_settings,
    describe_summary,
    name_unit,
)
from barthes.salience.profile import Profile
from barthes.salience.removal_method import VerbAnonymization
from tests.report.profiles import EVENTS

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate."])


def score(method, model="m", **options):
    return Profile(STORY, (0.9, 0.95, 0.92), method, model=model, **options)


@pytest.mark.parametrize(
    ("method", "model", "unit"),
    [
        ("sd", "m", "nats per token"),
        ("preview", "m", "nats per token"),
        ("pmi", "m", "nats"),
        ("length", None, "words"),
        ("position", None, ""),
        ("my-own", "m", ""),
        ("sd+tfidf", "m", "sum of 2 scores, each from 0 to 1"),
        ("ranks:sd+tfidf+length", "m", "sum of 3 ranks, each from 0 to 1"),
        ("placed:centroid", None, "mean of 1 score from 0 to 1, plus up to 1 for the place"),
        ("(placed:length+tfidf)+position", None, "sum of 2 scores, each from 0 to 1"),
        ("placed:centroid+sd", "m", "mean of 2 scores from 0 to 1, plus up to 1 for the place"),
    ],
)
def test_units(method, model, unit):
    profile = score(method, model)
    assert name_unit(profile) == unit
    assert ("nats per token" in describe_scale(profile)) == (unit == "nats per token")
    assert ("nats per token" in describe_summary(profile)) == (unit == "nats per token")


def test_exports_explain_the_scores_of_each_method():
    ending = ", in nats per token (method va by the language model m); higher is more salient."
    assert describe_scale(score("va")) == f"For each sentence: {VerbAnonymization.info.meaning}{ending}"
    assert "without it, in nats per token" in describe_scale(EVENTS)


def test_the_place_counts_less_in_a_long_story():
    story = Narrative.from_sentences(["It rained."] * 80)
    profile = Profile(story, (0.0,) * 80, "placed:centroid")
    assert name_unit(profile) == "mean of 1 score from 0 to 1, plus up to 0.062 for the place"


@pytest.mark.parametrize(
    ("method", "window", "read"),
    [
        ("pmi", None, "the whole story"),
        ("pmi", 1024, "at most 1,024 tokens before each sentence"),
        ("sd+pmi", 1024, "1,024 tokens around each sentence"),
    ],
)
def test_what_was_read_at_once(method, window, read):
    assert dict(describe_settings(score(method, window=window)))["Read at once"] == read
