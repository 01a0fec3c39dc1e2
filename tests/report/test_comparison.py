from __future__ import annotations

import json

import pytest

import barthes
from barthes.report.comparison import compare
from barthes.report.page import render_comparison
from tests.report.profiles import by_hand


def score(sentences, method="length"):
    return barthes.score(sentences, method=method)


def test_gains_and_losses_are_differences_of_scores():
    comparison = compare(
        score(["A wolf came.", "It rained hard."]), score(["A wolf came.", "It rained hard now."])
    )
    assert comparison.comparable
    [gain] = comparison.gained()
    assert gain.change == 1.0
    assert comparison.lost() == ()


def test_methods_are_compared_by_standing():
    sentences = ["One two three.", "One two.", "One."]
    comparison = compare(score(sentences, "length"), score(sentences, "position"))
    assert not comparison.comparable
    assert [pair.change for pair in comparison.pairs] == [-1.0, 0.0, 1.0]
    assert comparison.spearman == pytest.approx(-1.0)
    plain = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert plain["change_in"] == "standing"
    assert plain["before"]["method"] == "length"


def test_spearman_needs_more_than_one_score():
    assert compare(score(["A wolf."]), score(["A wolf."])).spearman is None


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
