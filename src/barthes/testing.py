"""One battery of checks that every method passes, those of Barthes and those of other packages.

In the tests of a package with a method::

    from barthes.testing import check_method

    def test_my_method():
        check_method("capitals")           # its name, or its class

Methods with a language model are checked with a small model that counts words, or with the only model that
they accept.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from barthes.cache import ScoreCache
from barthes.methods import find_methods
from barthes.models.counting import CountingModel
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.salience.method import Method, MethodOptions
from barthes.salience.method_info import MethodInfo
from barthes.salience.profile import Profile
from barthes.scorer import Scorer, get_model
from barthes.units import regroup

_PARTS = (
    "A wolf lived in the forest. A girl carried bread to her grandmother.\n\nThe wolf met her and asked.",
    "The wolf ran ahead. He ate the grandmother and lay down in her bed.\n\nThe girl knocked at the door.",
    "A hunter heard the wolf snore. He cut him open.\n\nThe girl and her grandmother ate the bread.",
)


@dataclass(frozen=True)
class _Case:
    """A method under test."""

    name: str
    kind: type[Method]
    model: Callable[[], LanguageModel]

    def build(self, unit: str = "sentence") -> Method:
        return self.kind.build(MethodOptions(self.model, unit=unit))

    def score(self, story: Narrative, unit: str = "sentence") -> Profile:
        return self.build(unit).score(regroup(story, unit))

    def require(self, holds: bool, promise: str) -> None:
        if not holds:
            raise AssertionError(f"the method {self.name!r} {promise}")


def check_method(method: str | type[Method], *, model: LanguageModel | None = None) -> None:
    """Raise an AssertionError that says which promise of methods a method breaks.

    Args:
        method: A method by its name, or its class.
        model: A language model to check it with; by default a `CountingModel`, or the only one it accepts.
    """
    kind = find_methods()[method] if isinstance(method, str) else method
    if not isinstance(kind.info, MethodInfo):
        raise AssertionError(f"{kind.__name__} has no class attribute info = barthes.MethodInfo(…)")

    def find_model() -> LanguageModel:
        if model is not None:
            return model
        return get_model(kind.info.only_model) if kind.info.only_model else CountingModel(_PARTS)

    case = _Case(kind.info.name, kind, find_model)
    for check in CHECKS:
        check(case)


def make_story() -> Narrative:
    """Return a story with chapters, scenes and paragraphs."""
    sentences, text, chapters = [], "", []
    for number, part in enumerate(_PARTS):
        text += "\n\n* * *\n\n" if number else ""
        chapters.append((len(text), f"Chapter {number + 1}"))
        for sentence in part.replace("\n\n", " ").split(". "):
            content = sentence.rstrip(".") + "."
            start = len(text) + part.index(content)
            sentences.append((start, start + len(content)))
        text += part
    return Narrative(text, tuple(sentences), title="A test", chapters=tuple(chapters))


def _check_description(case: _Case) -> None:
    info = case.kind.info
    assert isinstance(info, MethodInfo)
    case.require(info.name == info.name.lower() != "", "has a name that is empty or not in lower case")
    case.require(bool(info.summary), "has no summary for lists of methods")
    case.require(bool(info.units), "scores no unit")
    case.require(case.build().name == info.name, "has another name when it is built")


def _check_units(case: _Case) -> None:
    """It has one finite score for each unit of every kind that it claims to score."""
    for unit in case.build().info.units:
        profile = case.score(make_story(), unit)
        case.require(profile.unit == unit, f"scores {profile.unit}s when asked for {unit}s")
        case.require(len(profile.scores) == len(profile.units), f"has not one score per {unit}")
        case.require(all(map(math.isfinite, profile.scores)), f"has {unit} scores that are not finite")


def _check_needs(case: _Case) -> None:
    """It asks for a language model if, and only if, its description says so, and names it."""
    asked = []

    def model() -> LanguageModel:
        asked.append(1)
        return case.model()

    profile = case.kind.build(MethodOptions(model)).score(make_story())
    needs = profile.info.needs_model
    case.require(bool(asked) == needs, "uses a model, or none, against its description (`needs_model`)")
    case.require((profile.model is not None) == needs, "does not name its model in its profiles")


def _check_repetition(case: _Case) -> None:
    """It gives the same scores again, whatever it scored in between."""
    story, other = make_story(), Narrative.from_sentences(["It rained.", "The king died.", "It rained."])
    method = case.build()
    first = method.score(story).scores
    method.score(other)
    case.require(method.score(story).scores == first, "scores a story otherwise after another one")
    case.require(case.score(story).scores == first, "scores a story otherwise when it is built again")


def _check_odd_stories(case: _Case) -> None:
    """It scores a single sentence, equal sentences, and sentences without words."""
    for sentences in (["A wolf came."], ["It rained."] * 4, ["…", "A wolf came.", "* * *"]):
        scores = case.score(Narrative.from_sentences(sentences)).scores
        case.require(len(scores) == len(sentences), f"has not one score per sentence for {sentences}")
        case.require(all(map(math.isfinite, scores)), f"has scores that are not finite for {sentences}")


def _check_profile(case: _Case) -> None:
    """Its profiles keep the story, and are the same after they were saved and loaded."""
    story = make_story()
    profile = case.score(story)
    case.require(profile.narrative == story, "changes the story")
    case.require(profile.method == case.name, "has another name in its profiles")
    json.dumps(profile.to_dict(), allow_nan=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "profile.json")
        profile.save(path)
        loaded = Profile.load(path)
    case.require(loaded.scores == profile.scores, "has other scores after saving and loading")
    case.require(loaded.to_dict() == profile.to_dict(), "has other results after saving and loading")


def _check_scorer(case: _Case) -> None:
    """The scorer gives the same result, also from its cache; progress grows to its total."""
    story, reported = make_story(), list[tuple[int, int]]()
    method = case.build()
    expected = method.score(story, progress=lambda done, total: reported.append((done, total)))
    with tempfile.TemporaryDirectory() as folder, ScoreCache(Path(folder, "scores.sqlite3")) as cache:
        scorer = Scorer(method, cache=cache)
        for _ in range(2):
            case.require(scorer.score(story).scores == expected.scores, "has other scores from the cache")
    done = [each for each, _ in reported]
    case.require(done == sorted(done), "reports progress that decreases")
    case.require(all(each <= total for each, total in reported), "reports more progress than its total")


CHECKS: tuple[Callable[[_Case], None], ...] = (
    _check_description,
    _check_needs,
    _check_units,
    _check_repetition,
    _check_odd_stories,
    _check_profile,
    _check_scorer,
)
"""The checks, in order."""
