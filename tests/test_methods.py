"""Names of methods and sums, and what they stand for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from barthes.annotation.events import Annotation, SentenceAnnotation, Token
from barthes.baselines import DocumentFrequencies, Position, Random, TfIdf
from barthes.errors import BarthesError, UnknownNameError
from barthes.methods import (
    PRESETS,
    check_method,
    describe_method,
    describe_stored_method,
    find_methods,
    parse_method,
)
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.plugins import METHODS, register, unregister
from barthes.salience.combination import Combination, PlacedSum, RankSum
from barthes.salience.method import Method, silent
from barthes.salience.method_info import MethodInfo
from barthes.salience.removal_method import (
    PredicateArgumentAnonymization,
    SentenceDeletion,
    VerbAnonymization,
)

STORY = Narrative.from_sentences(["Once there was a goat.", "It rained.", "A wolf came."])


class Loader:
    """Loads a counting model, and counts how often it was asked to."""

    def __init__(self):
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return CountingModel([STORY.text])


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("sd", SentenceDeletion, "sd"),
        ("position", Position, "position"),
        (" TfIdf ", TfIdf, "tfidf"),
        ("sd+tfidf", Combination, "sd+tfidf"),
        ("SD + position-desc + random", Combination, "sd+position-desc+random"),
        ("ranks:words+position", RankSum, "ranks:words+position"),
        (" Ranks : SD + position", RankSum, "ranks:sd+position"),
        ("placed:centroid", PlacedSum, "placed:centroid"),
        (" Placed : SD + tfidf", PlacedSum, "placed:sd+tfidf"),
        ("fast", PlacedSum, "placed:centroid+similarity"),
    ],
)
def test_names_are_methods(text, kind, name):
    method = parse_method(text, model=Loader())
    assert isinstance(method, kind)
    assert method.name == name
    assert len(method.score(STORY).scores) == len(STORY)


@pytest.mark.parametrize(
    ("text", "calls"), [("tfidf+random", 0), ("sd", 1), ("sd+tfidf+sd", 1), ("ranks:sd+va", 1)]
)
def test_the_model_is_loaded_once_and_only_if_needed(text, calls):
    loader = Loader()
    parse_method(text, model=loader)
    assert loader.calls == calls
    assert describe_method(text).needs_model == bool(calls)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("tfdif", "tfdif"), ("sd+tfdif", "tfdif"), ("", ""), ("sd+", ""), ("sd/tfidf", "sd/tfidf")],
)
def test_unknown_names_are_refused_with_a_suggestion(text, wrong):
    loader = Loader()
    with pytest.raises(UnknownNameError, match="there is no method") as caught:
        parse_method(text, model=loader)
    assert caught.value.name == wrong
    assert ("Did you mean 'tfidf'" in str(caught.value)) == ("tf" in wrong)
    assert set(caught.value.known) == {*find_methods(), *PRESETS}
    assert loader.calls == 0
    with pytest.raises(UnknownNameError):
        describe_method(text)
    with pytest.raises(UnknownNameError):
        check_method(text)


NESTED = r"single methods to add up.*words\+position"
PRESET = r"preset.*Use the method that it stands for: placed:centroid"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        *((text, NESTED) for text in ("ranks:", " Placed: ", "placed:ranks:sd+tfidf")),
        *((text, "there is no method") for text in ("ranks:sd+", "ranks:tfdif+sd", "rank:sd+tfidf")),
        ("sd+ranks:tfidf", "there is no method"),
        ("ranks:words", r"ranks of one method.*ranks:words\+position"),
        *((text, PRESET) for text in ("fast+sd", "ranks:sd+fast")),
    ],
)
def test_invalid_sums_are_refused(text, problem):
    with pytest.raises(BarthesError, match=problem):
        check_method(text)


class Capitals(Method):
    info = MethodInfo("caps", summary="capital letters")

    def score(self, narrative, *, progress=silent):
        return self.to_profile(narrative, [sum(map(str.isupper, str(each))) for each in narrative])


class Nameless(Capitals):
    info = Method.info


@pytest.fixture
def registered():
    """Return a function that registers a method for the duration of a test."""
    names = []

    def add(name, method):
        register(METHODS, name, method)
        names.append(name)

    yield add
    for name in names:
        unregister(METHODS, name)


def test_a_registered_method_is_known_by_its_name(registered):
    registered("caps", Capitals)
    assert parse_method("Caps", model=Loader()).score(STORY).scores == (1, 1, 1)
    assert parse_method("ranks:caps+position", model=Loader()).name == "ranks:caps+position"
    assert describe_stored_method("caps", has_model=False).summary == "capital letters"


@pytest.mark.parametrize(
    ("name", "method", "reason"),
    [("nameless", Nameless, "MethodInfo"), ("other", Capitals, "the name 'caps'"), ("five", 5, "subclass")],
)
def test_what_is_not_a_method_is_left_out_with_a_warning(registered, caplog, name, method, reason):
    registered(name, method)
    assert name not in find_methods()
    assert reason in caplog.text


def test_settings_reach_their_methods():
    frequencies = DocumentFrequencies.from_narratives([STORY])
    options = {"model": Loader(), "window": 16, "seed": 5, "frequencies": frequencies}
    assert parse_method("random", **options).score(STORY) == Random(seed=5).score(STORY)
    assert parse_method("tfidf", **options).score(STORY) == TfIdf(frequencies).score(STORY)
    expected = SentenceDeletion(CountingModel([STORY.text]), window=16).score(STORY)
    assert parse_method("sd", **options).score(STORY) == expected


@pytest.mark.parametrize(
    ("name", "kind"), [("va", VerbAnonymization), ("paa", PredicateArgumentAnonymization)]
)
def test_annotation_reaches_the_methods_that_need_it(name, kind):
    asked = []

    def annotate(narrative):
        """The first letter of each sentence is a verb."""
        asked.append(narrative)
        tokens = [Token(s.start, s.start + 1, s.text[0], "VBD") for s in narrative]
        return Annotation(tuple(SentenceAnnotation((token,)) for token in tokens))

    model = CountingModel([STORY.text, "did nce there was a goat."])
    profile = parse_method(f"{name}+sd", model=lambda: model, annotate=annotate).score(STORY)
    assert asked == [STORY]
    expected = Combination(kind(model, annotate=annotate), SentenceDeletion(model)).score(STORY)
    assert profile.scores == expected.scores


def test_words_reach_tfidf():
    def tokenize(narrative):
        return [sentence.text.split() for sentence in narrative]

    frequencies = DocumentFrequencies.from_narratives([STORY], tokenize=tokenize)
    method = parse_method("tfidf", model=Loader(), frequencies=frequencies, tokenize=tokenize)
    assert method.score(STORY) == TfIdf(frequencies, tokenize=tokenize).score(STORY)
    assert method.score(STORY) != TfIdf(frequencies).score(STORY)


def test_names_cost_no_heavy_import():
    code = (
        "import sys, barthes.methods as m; m.describe_method('sd+tfidf'); "
        "m.parse_method('tfidf+position', model=lambda: None); "
        "print(*{'torch', 'transformers', 'spacy', 'pandas'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


@pytest.mark.parametrize("text", ["sd", "sd+tfidf", "ranks:sd+tfidf", "fast"])
def test_a_combination_is_described_by_its_parts(text):
    info = describe_method(text)
    method = parse_method(text, model=Loader())
    assert info == method.info
    assert describe_stored_method(method.name, has_model=info.needs_model) == info
    assert info.looks_ahead == ("sd" in text)


def test_stored_scores_of_events_are_described_as_such():
    assert describe_stored_method("sd", has_model=True, unit="event").label == "event deletion"
    assert describe_stored_method("va", has_model=True, unit="event") == describe_method("va")
    assert describe_stored_method("my-own", has_model=False, unit="event") == MethodInfo("my-own")


def test_stored_names_of_unknown_methods():
    unknown = describe_stored_method("my-own", has_model=True)
    assert unknown == MethodInfo("my-own", needs_model=True)
    assert not describe_stored_method("my-own", has_model=False).needs_model
    assert describe_stored_method("my-own+length", has_model=True).parts[0].needs_model
    assert not describe_stored_method("my-own+pmi", has_model=True).parts[0].needs_model
