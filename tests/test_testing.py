"""Every registered method passes the battery, and broken ones are told which promise they break."""

from __future__ import annotations

import itertools

import pytest

from barthes.methods import find_methods
from barthes.models.embedded import is_fetched
from barthes.plugins import METHODS, find_plugins
from barthes.salience.measurement import Measurement
from barthes.salience.method import Method, ModelMethod, silent
from barthes.salience.method_info import MethodInfo
from barthes.testing import check_method

OURS = [plugin.name for plugin in find_plugins(METHODS).values() if plugin.origin.startswith("barthes ")]


@pytest.mark.parametrize("name", OURS)
def test_every_method_passes(name):
    needed = find_methods()[name].info.only_model
    if needed and not is_fetched(needed):
        pytest.skip(f"{needed} has not been fetched")
    check_method(name)


class Broken(Method):
    info = MethodInfo("broken", summary="counts characters")

    def score(self, narrative, *, progress=silent):
        return self.to_profile(narrative, self.find_scores(narrative))

    def find_scores(self, narrative):
        return [float(len(sentence)) for sentence in narrative]


class Random(Broken):
    calls = itertools.count()

    def find_scores(self, narrative):
        return [float(next(self.calls)) for _ in narrative]


class Infinite(Broken):
    def find_scores(self, narrative):
        return [float("inf")] * len(narrative)


class Secretive(Broken):
    info = MethodInfo("secretive")


class Boastful(Broken):
    info = MethodInfo("boastful", summary="says that it has a model", needs_model=True)


class Sleepy(ModelMethod):
    info = MethodInfo("sleepy", summary="fails on short stories", needs_model=True)

    def measure(self, narrative, *, progress=silent):
        progress(2, 1)
        return Measurement((1.0,) * len(narrative))


@pytest.mark.parametrize(
    ("method", "promise"),
    [
        (Random, "otherwise"),
        (Infinite, "not finite"),
        (Secretive, "no summary"),
        (Boastful, "against its description"),
        (Sleepy, "more progress"),
    ],
)
def test_broken_promises_are_named(method, promise):
    with pytest.raises(AssertionError, match=promise):
        check_method(method)


def test_the_base_of_the_broken_ones_passes():
    check_method(Broken)
