from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.narrative import Narrative
from barthes.report.page.document import describe_influence, describe_profile
from barthes.salience.influence import Influence
from barthes.salience.profile import Profile
from tests.report.profiles import by_hand


@pytest.mark.parametrize(("title", "shown"), [("The Wolf", []), ("A Tale", ["The Wolf"])])
def test_a_title_that_is_not_a_sentence_is_shown_once(title, shown):
    story = Narrative("The Wolf\n\nIt rained.", ((10, 20),), title="wolf.txt")
    document = describe_profile(Profile(story, (0.0,), "length"), title=title)
    pieces = [piece for paragraph in document["paragraphs"] for piece in paragraph]
    assert [piece["text"] for piece in pieces if "text" in piece] == shown
    assert [piece["sentence"] for piece in pieces if "sentence" in piece] == [0]


def test_a_title_never_shows_folders():
    document = describe_profile(by_hand(["A."], [0.0], title="/home/ann/secret/old_wolf.txt"))
    assert document["title"] == "Old wolf"
    assert "ann" not in json.dumps(document)


@given(st.lists(st.lists(st.floats(-5, 5), max_size=8), min_size=1, max_size=8), st.integers(1, 40))
def test_the_strongest_losses_are_kept(columns, most):
    influence = Influence(tuple(np.array(column) for column in columns))
    plain = describe_influence(influence, most=most)
    if sum(map(len, columns)) <= most:
        assert [len(column) for column in plain["columns"]] == list(map(len, columns))
        return
    for j, (column, pairs) in enumerate(zip(columns, plain["pairs"], strict=True)):
        later, losses = pairs[::2], pairs[1::2]
        assert later == sorted(set(later))
        assert len(later) == min(plain["kept"], len(column))
        assert all(
            loss == pytest.approx(column[i - j - 1], rel=1e-3) for i, loss in zip(later, losses, strict=True)
        )
        dropped = [abs(v) for i, v in enumerate(column) if j + 1 + i not in later]
        assert not dropped or max(dropped) <= min(abs(column[i - j - 1]) for i in later) + 1e-12


def test_a_title_given_as_the_heading_is_not_a_path():
    document = describe_profile(by_hand(["A."], [0.0], title="and/or"), title="and/or")
    assert document["title"] == "and/or"
    assert ("Story", "and/or") in document["settings"]
