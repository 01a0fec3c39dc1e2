from __future__ import annotations

import pytest

from barthes.narrative import Narrative
from barthes.report.scale import scale_profile
from barthes.report.wording import (
    describe_scale,
    describe_settings,
    describe_standfirst,
    explain_doubt,
    name_unit,
    rests_on_one_token,
)
from barthes.salience.profile import Profile

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate."])


def score(method, model="m", **options):
    return Profile(STORY, (0.9, 0.95, 0.92), method, model=model, **options)


@pytest.mark.parametrize(
    ("method", "model", "unit"),
    [
        ("sd", "m", "nats per token"),
        ("preview", "m", "nats per token"),
        ("pmi", "m", "nats"),
        ("embedding", "m", "cosine"),
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
    assert ("nats per token" in describe_standfirst(profile)) == (unit == "nats per token")


def test_the_place_counts_less_in_a_long_story():
    story = Narrative.from_sentences(["It rained."] * 80)
    profile = Profile(story, (0.0,) * 80, "placed:centroid")
    assert name_unit(profile) == "mean of 1 score from 0 to 1, plus up to 0.062 for the place"


@pytest.mark.parametrize(
    ("method", "window", "read"),
    [
        ("placed:centroid+embedding", None, "each sentence by itself"),
        ("pmi", None, "the whole story"),
        ("pmi", 1024, "at most 1,024 tokens before each sentence"),
        ("sd+pmi", 1024, "1,024 tokens around each sentence"),
        ("sd+embedding", None, "the whole story"),
    ],
)
def test_what_was_read_at_once(method, window, read):
    assert dict(describe_settings(score(method, window=window)))["Read at once"] == read


@pytest.mark.parametrize(
    ("method", "model", "from_zero", "one_token"),
    [
        ("sd", "m", True, True),
        ("preview", "m", True, True),
        ("my-own", "m", True, True),
        ("length", None, False, False),
        ("embedding", "m", False, False),
        ("position+pmi", "m", False, False),
        ("placed:centroid+embedding", "m", False, False),
        ("placed:sd", "m", False, True),
        ("ranks:sd+pmi", "m", False, True),
    ],
)
def test_methods_that_look_ahead(method, model, from_zero, one_token):
    """They are shaded from zero if single, and their last sentence is not comparable with the others."""
    profile = score(method, model)
    assert scale_profile(profile).low == (0.0 if from_zero else 0.9)
    assert rests_on_one_token(profile) == one_token


def test_a_single_sentence_has_a_note_of_its_own():
    assert not rests_on_one_token(Profile(Narrative.from_sentences(["A."]), (0.5,), "sd", model="m"))


def test_what_a_doubtful_place_hangs_on():
    assert explain_doubt(score("sd")).endswith("(the first); or too little follows to tell")
    assert explain_doubt(score("sd+tfidf")).endswith("it hangs on one of the parts")
    many = Profile(Narrative.from_sentences(["x"] * 11), (0.0,) * 11, "sd", model="m")
    assert "in fewer than 80 % of 200 resamplings among the top tenth (the first 2)" in explain_doubt(many)
