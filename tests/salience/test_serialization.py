"""Profiles as dicts and files: whatever is written is read back, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings

import barthes
from barthes.errors import OutputError, ReadingError
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.measurement import Measurement
from barthes.salience.method import ModelMethod, silent
from barthes.salience.method_info import MethodInfo
from barthes.salience.profile import Profile
from barthes.salience.removal_method import SentenceDeletion
from barthes.salience.serialization import flatten
from barthes.scorer import Scorer
from tests.report.profiles import EVENTS, SCREENPLAY, wolf
from tests.strategies import narratives

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate."], title="wolf")
SUM = barthes.score(STORY, method="length+position")


@settings(max_examples=30)
@given(narratives())
def test_saved_and_loaded_profiles_are_equal(tmp_path_factory, narrative):
    path = tmp_path_factory.mktemp("profile") / "profile.json"
    narrative = replace(narrative, title="draft_3.md", heading="The Wolf", author="Ann")
    profile = SentenceDeletion(CountingModel([narrative.text])).score(narrative)
    profile.save(path)
    loaded = Profile.load(path)
    assert loaded == profile
    assert loaded.stability is None or loaded.stability.draws is None


@pytest.fixture
def path(tmp_path):
    """The file of a saved profile."""
    SUM.save(tmp_path / "sum.json")
    return tmp_path / "sum.json"


def edit(path, change):
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_surprise_survives_a_file_and_must_be_a_number(path):
    profile = replace(SUM, surprise=(4.0, None, 0.1))
    profile.save(path)
    assert Profile.load(path) == profile
    edit(path, lambda content: content["sentences"][0].update(surprise="much"))
    with pytest.raises(ReadingError, match="no readable scores"):
        Profile.load(path)
    with pytest.raises(ValueError, match="surprise of 1 units for 3 scores"):
        replace(SUM, surprise=(4.0,))


def test_methods_without_draws_and_files_of_earlier_versions(path):
    def forget(content):
        for row in content["sentences"]:
            del row["low"], row["high"], row["stability"], row["surprise"]

    edit(path, forget)
    assert Profile.load(path) == replace(SUM, stability=None)
    plain = barthes.score(STORY, method="length")
    plain.save(path)
    assert Profile.load(path) == plain


class Halving(ModelMethod):
    """A method with a model that Barthes does not know."""

    name = "halving"

    def measure(self, narrative, *, progress=silent):
        return Measurement(tuple(0.5**k for k in range(len(narrative)))[::-1])


class Ahead(Halving):
    name = "ahead"
    info = MethodInfo("ahead", needs_model=True, looks_ahead=True)


@pytest.mark.parametrize(
    ("kind", "ranks"), [(Halving, (3, 2, 1)), (Ahead, (2, 1, None))], ids=["halving", "ahead"]
)
def test_unknown_methods_keep_their_ranks(path, kind, ranks):
    method = kind(CountingModel([STORY.text]))
    for profile in (method.score(STORY), (method + barthes.Length()).score(STORY)):
        profile.save(path)
        loaded = Profile.load(path)
        assert loaded == profile
        assert loaded.ranks == profile.ranks
        edit(path, lambda content: content.pop("looks_ahead"))
        assert Profile.load(path).ranks == profile.ranks, "of an earlier version"
    assert method.score(STORY).ranks == ranks


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "much", [1]])
def test_figures_that_are_not_numbers_are_refused(path, wrong):
    edit(path, lambda content: content["sentences"][1].update(high=wrong))
    with pytest.raises(ReadingError, match="no readable scores"):
        Profile.load(path)


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("text", 3),
        ("story", None),
        ("method", 1),
        ("model", 5),
        ("window", "w"),
        ("looks_ahead", 1),
        ("notes", "n"),
        ("notes", [1]),
    ],
)
def test_fields_of_another_type_are_refused(path, key, wrong):
    edit(path, lambda content: content.update({key: wrong}))
    with pytest.raises(ReadingError, match="no readable scores"):
        Profile.load(path)


@pytest.mark.parametrize(
    "profile", [wolf(), barthes.score(SCREENPLAY, method="length")], ids=["wolf", "play"]
)
def test_printed_scores_give_the_profile_back_but_for_white_space(path, profile):
    path.write_text(json.dumps([profile.to_dict(influence=True)]), encoding="utf-8")
    again = Profile.load(path)
    assert (again.scores, again.ranks, again.stability) == (profile.scores, profile.ranks, profile.stability)
    assert again.narrative.spans == profile.narrative.spans
    kinds = [[(each.text, each.kind, each.speaker) for each in one.narrative] for one in (again, profile)]
    assert kinds[0] == kinds[1]
    if profile.influences is not None:
        assert again.influence == pytest.approx(profile.influence, nan_ok=True)


def test_printed_scores_of_longer_units(path):
    profile = barthes.score("It rained. Hard.\n\nA wolf came.", method="length", unit="paragraph")
    path.write_text(json.dumps(profile.to_dict()), encoding="utf-8")
    again = Profile.load(path)
    assert (again.unit, again.narrative.unit, again.scores) == ("paragraph", "paragraph", (3.0, 3.0))


def test_events_are_kept_with_the_text_only(path):
    EVENTS.save(path)
    assert Profile.load(path) == EVENTS
    path.write_text(json.dumps(EVENTS.to_dict()), encoding="utf-8")
    with pytest.raises(ReadingError, match="scores of events"):
        Profile.load(path)


PRINTED = SUM.to_dict()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not the JSON of one story"),
        ('"text"', "not the JSON of one story"),
        (json.dumps([PRINTED, PRINTED]), "not the JSON of one story"),
        ('{"a": 1}', "no readable scores"),
        (json.dumps(PRINTED | {"sentences": PRINTED["sentences"][1:]}), "all its sentences"),
        (json.dumps(PRINTED | {"sentences": PRINTED["sentences"][:1] * 3}), "no readable scores"),
    ],
)
def test_other_files_are_refused(path, content, message):
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ReadingError, match=message):
        Profile.load(path)


@pytest.mark.parametrize("model", [None, "m"])
def test_unknown_methods_load_without_their_description(tmp_path, model):
    own = Profile(
        STORY, (0.5, 0.25, 1.0), "mine+tfidf", model=model, info=MethodInfo("mine+tfidf", unit="beats")
    )
    own.save(tmp_path / "own.json")
    loaded = Profile.load(tmp_path / "own.json")
    assert loaded == own
    assert (loaded.info.name, loaded.info.unit) == ("mine+tfidf", "")
    assert loaded.info.needs_model == (model is not None)


def test_paths_that_cannot_be_used(tmp_path):
    with pytest.raises(ReadingError, match="No such file"):
        Profile.load(tmp_path / "nowhere.json")
    with pytest.raises(OutputError, match="cannot be written"):
        SUM.save(tmp_path / "nowhere" / "p.json")


def test_importance_survives_a_file_and_stands_beside_each_unit(path):
    importance = replace(SUM, scores=(0.5, -1.0, 0.25), method="position", info=None)
    profile = replace(barthes.score(STORY, method="length"), importance=importance)
    profile.save(path)
    assert Profile.load(path) == profile
    assert [unit.importance.rank for unit in profile.units] == [1, 3, 2]
    row = flatten(profile.units[1].to_dict())
    assert (row["importance"], row["importance_rank"]) == (-1.0, 3)
    with pytest.raises(ValueError, match="importance of other units"):
        replace(barthes.score(["A wolf came."], method="length"), importance=importance)


def test_a_scorer_adds_the_importance_that_another_method_gives():
    model = CountingModel([STORY.text])
    profile = Scorer("sd", model, importance="length").score(STORY)
    assert profile.importance == barthes.score(STORY, method="length")
    assert replace(profile, importance=None) == Scorer("sd", model).score(STORY)
    assert Scorer("length", importance="length").score(STORY).importance is None
    assert Scorer("sd", model, importance="readers").score(STORY).importance is None  # another model's method
