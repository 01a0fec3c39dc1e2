from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.models.counting import CountingModel
from barthes.models.language_model import Edit

texts = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6).map(" ".join), max_size=4)


@given(texts, st.floats(0.01, 10))
def test_probabilities_of_all_words_sum_to_one(corpus, k):
    model = CountingModel(corpus, k=k)
    for history in range(len(model.vocabulary)):
        logs = [model.continuation_log_probabilities([history], [i])[0] for i in range(len(model.vocabulary))]
        assert math.fsum(map(math.exp, logs)) == pytest.approx(1.0)


def test_an_edit_changes_only_the_next_word():
    model = CountingModel(["a b c a b"], k=0.5)
    [tokens] = model.encode(["a b c a b"])
    reading = model.read([0, *tokens])
    [edited] = reading.rescore([Edit(2, 3)])
    np.testing.assert_array_equal(edited[1:], reading.log_probabilities[3:])
    assert edited[0] != reading.log_probabilities[2]


def test_k_must_be_positive():
    with pytest.raises(ValueError, match="positive"):
        CountingModel(["a"], k=0)


def test_states_are_relative_frequencies():
    model = CountingModel(["a b a c"])
    text = [model.start_token, *model.encode(["b a b a"])[0]]
    assert model.vocabulary[2:] == ("a", "b", "c")
    assert model.states(text, [(1, 5), (2, 2)], layers=[1]).tolist() == [[[0, 0, 0.5, 0.5, 0]], [[0] * 5]]
