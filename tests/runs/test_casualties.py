from __future__ import annotations

from dataclasses import replace

import pytest

from barthes.errors import ModelError
from barthes.runs.casualties import Casualties
from barthes.runs.parts import Part
from tests.runs.test_local import item


def test_a_second_death_costs_the_text():
    casualties = Casualties()
    assert casualties.bury(item("a"), "a signal") is None
    assert casualties.bury(item("b"), "a signal") is None
    outcome = casualties.bury(item("a"), "a signal")
    assert (outcome.kind, outcome.item.input.id) == ("failed", "a")
    assert "ended twice (a signal)" in outcome.content["reason"]


def test_parts_of_a_text_are_tried_again_one_by_one():
    casualties = Casualties()
    parts = [replace(item("a"), part=Part("sd", i, i + 1, 2)) for i in range(2)]
    assert [casualties.bury(each, "a signal") for each in parts] == [None, None]
    assert casualties.bury(parts[1], "a signal").item is parts[1]


def test_nothing_but_deaths_is_not_the_texts_fault():
    casualties = Casualties(limit=3)
    for _ in range(5):
        assert casualties.bury(None, "a signal") is None
        casualties.forget()
    casualties.bury(None, "a signal")
    casualties.bury(item("a"), "a signal")
    with pytest.raises(ModelError, match=r"one after another \(a signal\)"):
        casualties.bury(item("b"), "a signal")
