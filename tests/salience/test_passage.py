"""Division of a long story into passages, and its cost."""

from __future__ import annotations

import pytest

from barthes.salience.passage import divide


@pytest.mark.parametrize("length", [7, 20, 61])
def test_the_cost_of_texts_beyond_the_window_grows_with_their_length(length):
    """Twice the text, twice the tokens through the model: no square, however long the text."""
    costs = []
    for sentences in (10_000 // length, 20_000 // length, 40_000 // length):
        tokens = [[0] * length] * sentences
        passages = divide(tokens, range(sentences), 1024)
        costs.append(sum(passage.cost for passage in passages) / sentences)
    assert max(costs) < 1.1 * min(costs)  # windows at the ends of a text are a little cheaper
    assert max(costs) < 1024 * 1.55  # a window read whole, and the half of it that follows the target


def test_a_preview_reads_each_part_of_a_long_text_about_one_and_a_half_times():
    tokens, horizon = [[0] * 20] * 5_000, 36
    exact = sum(passage.cost for passage in divide(tokens, range(5_000), 1024))
    joined = divide(tokens, range(5_000), 1024, horizon=horizon, join_limit=3072)
    cost = sum(passage.cost for passage in joined)
    assert cost < 100_000 * 1.55 + 5_000 * horizon
    assert cost < exact / 20
    windows = divide(tokens, range(5_000), 1024)
    own = [target.follows for window in windows for target in window.targets]
    assert [target.follows for passage in joined for target in passage.targets] == own
