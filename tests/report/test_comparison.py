from __future__ import annotations

import json
from dataclasses import replace

import pytest

import barthes
from barthes.errors import BarthesError
from barthes.models.counting import CountingModel
from barthes.report.comparison import compare
from barthes.report.page import render_comparison
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


def test_events_are_not_compared():
    with pytest.raises(BarthesError, match="events cannot be compared"):
        compare(EVENTS, EVENTS)
