import pytest

from barthes.methods import METHOD_NAMES
from barthes.narrative import Narrative
from barthes.report.exports.marks import describe_scale
from barthes.report.page.wording import describe_method, name_unit
from barthes.salience.profile import Profile

STORY = Narrative.from_sentences(["A wolf came.", "It rained."])


@pytest.mark.parametrize(
    ("method", "model", "unit"),
    [
        ("sd", "m", "nats per token"),
        ("preview", "m", "nats per token"),
        ("pmi", "m", "nats"),
        ("embedding", "m", "cosine"),
        ("length", None, "words"),
        ("position", None, ""),
        ("sd+tfidf", "m", "sum of 2 scores, each from 0 to 1"),
        ("ranks:sd+tfidf+length", "m", "sum of 3 ranks, each from 0 to 1"),
        ("placed:centroid", None, "mean of 1 score from 0 to 1, plus up to 1 for the place"),
        ("placed:centroid+sd", "m", "mean of 2 scores from 0 to 1, plus up to 1 for the place"),
    ],
)
def test_units(method, model, unit):
    profile = Profile(STORY, (0.5, 0.25), method, model=model)
    assert name_unit(profile) == unit
    assert ("nats per token" in describe_scale(profile)) == (unit == "nats per token")


def test_every_method_has_words():
    for name in METHOD_NAMES:
        assert describe_method(name) != name
    assert describe_method("placed:centroid+pmi") == (
        "place and share in the words of the story + mutual information with what came before"
    )
    assert describe_method("mine:own+sd") == "mine:own + sentence deletion"
