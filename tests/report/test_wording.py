from __future__ import annotations

from dataclasses import replace

import pytest

from barthes.marks import skip_sentences
from barthes.narrative import Narrative
from barthes.report.wording import cite, describe_scale, describe_summary, name_unit
from barthes.salience.profile import Profile

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate."])


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
        ("placed:centroid+sd", "m", "mean of 2 scores from 0 to 1, plus up to 1 for the place"),
    ],
)
def test_units(method, model, unit):
    profile = Profile(STORY, (0.9, 0.95, 0.92), method, model=model)
    assert name_unit(profile) == unit
    assert ("nats per token" in describe_scale(profile)) == (unit == "nats per token")
    assert ("nats per token" in describe_summary(profile)) == (unit == "nats per token")


def test_the_citation_names_what_was_left_out():
    profile = Profile(STORY, (0.9, 0.95, 0.92), "length")
    skipped = replace(profile, narrative=skip_sentences(STORY, [0, 2]))
    assert "sentences 1, 3." in cite(skipped)
    assert "1, 3" not in cite(profile)
