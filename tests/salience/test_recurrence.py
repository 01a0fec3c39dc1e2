"""The estimate of what is lost beyond the horizon, against a slow search."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.salience import recurrence
from barthes.salience.recurrence import LONGEST, NOISE, SHARES, add_up_gains, estimate_loss

texts = st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=9).filter(
    lambda sentences: any(sentences)
)


def search(sentences, known, horizon):
    """The gains of each sentence, token by token and sentence by sentence."""
    ids = [token for sentence in sentences for token in sentence]
    edges = list(accumulate(map(len, sentences), initial=0))
    found = np.zeros((len(sentences), 5))

    def run(k, t):
        """The longest run in sentence k that ends with token t."""
        lengths = [0]
        for end in range(edges[k], min(edges[k + 1], t)):
            length = 0
            while length < LONGEST and length <= end and ids[end - length] == ids[t - length]:
                length += 1
            lengths.append(length)
        return max(lengths)

    for t, token in enumerate(ids):
        runs = [run(k, t) for k in range(len(sentences))]
        gain = max(0.0, known[t] - known[ids.index(token)])
        for k, own in enumerate(runs):
            margin = own - max([*runs[:k], *runs[k + 1 :], 0])
            if margin > 0 and t >= edges[k + 1] + horizon:
                found[k, {1: 0, 2: 1, 3: 2, 4: 2}.get(own, 3)] += gain
                found[k, 4] += gain if margin >= 2 else 0.0
    return ids, edges, found


@settings(max_examples=60)
@given(texts, st.integers(0, 12), st.sampled_from([1, 3, 512]))
def test_gains_are_those_of_a_slow_search(sentences, horizon, block):
    known = -np.random.default_rng(0).random(sum(map(len, sentences)))
    ids, edges, expected = search(sentences, known, horizon)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recurrence, "_BLOCK", block)
        found = add_up_gains(ids, edges, known, range(len(sentences)), horizon)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_only_asked_for_sentences_are_returned():
    ids, edges, known = [1, 2, 3, 1, 2], [0, 2, 3, 5], np.array([-5.0, -4.0, -3.0, -2.0, -1.0])
    assert add_up_gains(ids, edges, known, [1, 0], 0).tolist() == [[0.0] * 5, [3.0, 3.0, 0.0, 0.0, 3.0]]


def test_a_model_without_preferences_gains_nothing():
    gains = add_up_gains([1, 2, 1, 2, 1], [0, 2, 3, 5], np.full(5, -2.0), [0, 1], 0)
    assert not gains.any()


def test_the_error_grows_with_the_rest_and_with_the_estimate():
    gains = np.array([1.0, 0.0, 0.0, 0.0, 2.0])
    total, error = estimate_loss(gains, rest=100)
    assert total == pytest.approx(SHARES[0] + 2 * SHARES[4])
    assert error**2 == pytest.approx(100 * NOISE[0] + total * NOISE[1])
    assert estimate_loss(gains, rest=0) == (0.0, 0.0)
