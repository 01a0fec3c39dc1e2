from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import barthes
from barthes.errors import BarthesError
from barthes.models.counting import CountingModel
from barthes.report.comparison import Kind, compare, describe_shifts
from barthes.report.page import render_comparison
from barthes.salience.influence import Influence
from barthes.salience.stability import Stability
from tests.report.profiles import EVENTS, by_hand


def score(sentences, method="length"):
    return barthes.score(sentences, method=method)


def test_methods_are_compared_by_standing():
    sentences = ["One two three.", "One two.", "One."]
    comparison = compare(score(sentences, "length"), score(sentences, "position"))
    assert not comparison.comparable
    assert [pair.change for pair in comparison.pairs] == [-1.0, 0.0, 1.0]
    assert comparison.spearman == pytest.approx(-1.0)
    assert compare(score(["A wolf."]), score(["A wolf."])).spearman is None
    plain = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert plain["change_in"] == "standing"
    assert plain["before"]["method"] == "length"


@pytest.mark.parametrize("model", ["counting", "another"])
def test_the_last_sentence_of_a_draft_is_not_ranked(model):
    first = by_hand(["A wolf came.", "It rained.", "The end."], [0.1, 0.2, 2.25])
    second = by_hand(
        ["A wolf came.", "It rained.", "The end.", "Really."], [0.081, 0.2, 0.1, 3.0], model=model
    )
    comparison = compare(first, second)
    assert [bool(pair.reason) for pair in comparison.pairs] == [False, False, True, True]
    assert [pair.change is None for pair in comparison.pairs] == [False, False, True, True]
    assert comparison.spearman == pytest.approx(1.0), "over what both rank"
    assert "Not ranked: nothing follows the last sentence." in render_comparison(comparison)
    lengths = compare(score(["A wolf came.", "The end."]), score(["A wolf came.", "The very end."]))
    assert "ot ranked" not in render_comparison(lengths)


@pytest.mark.parametrize(
    ("intervals", "is_clear"),
    [
        (((0.0, 0.2), (0.4, 0.6)), True),  # half-widths 0.1: noise 0.14
        (((0.0, 0.6), (0.2, 0.8)), False),  # half-widths 0.3: noise 0.42
        (((0.0, 0.2), (None, None)), False),  # too little follows
    ],
)
def test_a_change_within_its_interval_is_not_listed(intervals, is_clear):
    drafts = [
        replace(
            by_hand(["A wolf came.", "It rained.", "The end."], [score, 0.1, 0.2]),
            stability=Stability((low, 0.0, None), (high, 0.2, None), (0.5, 0.5, None)),
        )
        for score, (low, high) in zip((0.1, 0.5), intervals, strict=True)
    ]
    comparison = compare(*drafts)
    assert comparison.pairs[0].change == pytest.approx(0.4)
    assert bool(comparison.gained()) is is_clear
    assert comparison.lost() == ()


SCENES = [
    "The wolf came over the hill at night. It was grey and hungry, and nobody saw it.",
    "In the castle the king counted his gold. He had more than he could carry.",
    "A girl sang by the well. The frog listened, and the water was cold and clear.",
    "The storm broke the mast of the ship. The sailors prayed until the morning came.",
    "So the wolf, the king and the frog all met at the wedding.",
]


def test_longer_units_are_moved_changed_added_and_removed():
    """By scenes: the third moved to the front and was rewritten a little, the second vanished, one is new."""
    moved = SCENES[2].replace("cold and clear", "clear and cold again")
    new = "Far away a miller lost his only son. He walked for years to find him."
    drafts = [
        SCENES,
        [moved, SCENES[0], new, SCENES[3].replace("until the morning", "till morning"), SCENES[4]],
    ]
    first, second = (
        barthes.score("\n\n***\n\n".join(draft), method="sd", unit="scene", model=CountingModel(SCENES))
        for draft in drafts
    )
    comparison = compare(first, second)
    found = [
        (pair.kind.value, *(None if side is None else side.index for side in (pair.before, pair.after)))
        for pair in comparison.pairs
    ]
    assert sorted(found, key=str) == sorted(
        [
            ("moved", 2, 0),
            ("same", 0, 1),
            ("removed", 1, None),
            ("added", None, 2),
            ("changed", 3, 3),
            ("same", 4, 4),
        ],
        key=str,
    )


def profile(sentences, columns, surprise):
    scores = [0.5] * len(sentences)
    influences = Influence(tuple(np.array(column) for column in columns))
    return replace(by_hand(sentences, scores), influences=influences, surprise=tuple(surprise))


def test_effects_are_differences_of_support_for_what_both_drafts_have():
    first = profile(
        ["A b c.", "D e f.", "G h i.", "The end."], [[0.1, 0.2, 0.4], [0.5, -0.3], [0.7], []], [1, 2, 3, 4]
    )
    second = profile(
        ["A b x.", "G h i.", "New one here.", "The end."],
        [[0.3, 9.0, 0.1], [8.0, 0.7], [0.6], []],
        [1, 2.5, 3, 3],
    )
    pairs = {pair.kind.value: pair for pair in compare(first, second).pairs if pair.kind is not Kind.SAME}
    assert pairs["changed"].effects == (), "what was removed comes before all that is the same"
    assert pairs["removed"].effects == ((1, -0.5),), "what was added comes before the end"
    assert pairs["added"].effects == ((3, 0.6),)
    by_text = {str(pair.after.sentence): pair for pair in compare(first, second).pairs if pair.after}
    assert by_text["G h i."].effects == ()
    assert by_text["G h i."].surprise_change == -0.5
    assert by_text["New one here."].surprise_change is None
    plain = compare(first, second).to_dict()["pairs"]
    assert {"index": 1, "change": -0.5} in [effect for pair in plain for effect in pair["effects"]]
    shifts = "second draft: sentence 4 likelier by 1.000, sentence 2 likelier by 0.500"
    assert shifts in describe_shifts(compare(first, second))
    assert all(not pair.effects for pair in compare(first, replace(second, model="other")).pairs)


STORY = [
    "The wolf came.",
    "It rained.",
    "The king slept.",
    "The wolf ate.",
    "Then it rained.",
    "The end came.",
]


def effects(changes, drafts):
    """Return the effects of the changes that are named by kind and sentence."""
    model = CountingModel([" ".join(STORY)])
    first, second = (barthes.score(draft, model=model) for draft in drafts)
    found = {
        (pair.kind.value, str((pair.after or pair.before).sentence)): dict(pair.effects)
        for pair in compare(first, second).pairs
        if pair.kind is not Kind.SAME
    }
    assert sorted(found) == sorted(changes)
    return found, compare(first, second)


@pytest.mark.parametrize("late", ["They slept long.", "The wolf came again.", "It rained and rained."])
def test_later_changes_are_not_blamed_on_an_earlier_one(late):
    """What the first change did up to the second does not depend on the second."""
    early = [*STORY[:1], "It rained much.", *STORY[2:]]
    alone, _ = effects([("changed", "It rained much.")], (STORY, early))
    both = [*early[:4], late, *early[5:]]
    model = CountingModel([" ".join(STORY)])
    pairs = compare(barthes.score(STORY, model=model), barthes.score(both, model=model)).pairs
    [change] = [pair for pair in pairs if pair.after and str(pair.after.sentence) == "It rained much."]
    assert {k for k, _ in change.effects} <= {2, 3}
    assert dict(change.effects) == pytest.approx(
        {k: value for k, value in alone["changed", "It rained much."].items() if k < 4}
    )


def test_a_unit_that_moved_counts_up_to_the_next_change():
    first = profile(
        ["A b c.", "D e f.", "G h i.", "J k l."], [[0.1, 0.2, 0.4], [0.5, -0.3], [0.7], []], [1, 2, 3, 4]
    )
    second = profile(
        ["D e f.", "G h i.", "A b c.", "J k l."], [[0.5, 0.1, -0.3], [0.2, 0.7], [0.6], []], [1, 2, 3, 4]
    )
    [moved] = [pair for pair in compare(first, second).pairs if pair.kind is Kind.MOVED]
    assert dict(moved.effects) == pytest.approx({0: -0.1, 1: -0.2, 3: 0.2})


def test_events_are_not_compared():
    with pytest.raises(BarthesError, match="events cannot be compared"):
        compare(EVENTS, EVENTS)
