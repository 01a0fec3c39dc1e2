import io

import pytest

from barthes.methods import METHOD_NAMES
from barthes.narrative import Narrative
from barthes.report.exports.marks import describe_scale
from barthes.report.page.scale import scale_profile
from barthes.report.page.settings import describe_settings
from barthes.report.page.wording import describe_method, name_unit
from barthes.report.terminal import print_profile
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
        ("(placed:length+tfidf)+position", None, "sum of 2 scores, each from 0 to 1"),
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
    profile = Profile(STORY, (0.5, 0.25), method, model="m", window=window)
    assert dict(describe_settings(profile))["Read at once"] == read


@pytest.mark.parametrize(
    ("method", "low"), [("sd", 0.0), ("preview", 0.0), ("embedding", 0.9), ("placed:sd", 0.9)]
)
def test_only_losses_are_shaded_from_zero(method, low):
    story = Narrative.from_sentences(["A wolf came.", "It rained.", "It snowed."])
    assert scale_profile(Profile(story, (0.9, 0.95, 0.92), method, model="m")).low == low


def test_the_last_bar_is_cut_only_where_it_rests_on_one_token():
    story = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate."])
    for method, cut in (("sd", True), ("placed:centroid+embedding", False)):
        out = io.StringIO()
        print_profile(Profile(story, (0.1, 0.2, 0.9), method, model="m"), file=out)
        assert ("»" in out.getvalue()) == cut
