from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.narrative import Narrative
from barthes.report.scale import scale_of, scale_profile
from barthes.salience.profile import Profile

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate."])


@given(
    st.lists(
        st.one_of(st.none(), st.floats(-1e300, 1e300), st.just(math.nan), st.just(math.inf)), max_size=30
    ),
    st.booleans(),
)
def test_levels_are_hundredths_in_the_order_of_the_scores(scores, from_zero):
    scale = scale_of(scores, from_zero=from_zero)
    known = sorted(score for score in scores if score is not None and math.isfinite(score))
    levels = [scale.level(score) for score in known]
    assert levels == sorted(levels)
    assert all(0 <= level <= 100 for level in levels)
    assert scale.level(None) == 0
    assert 1 <= scale.digits <= 6


@pytest.mark.parametrize(
    ("method", "model", "from_zero", "unranked"),
    [
        ("sd", "m", True, True),
        ("preview", "m", True, True),
        ("my-own", "m", False, False),
        ("length", None, False, False),
        ("position+pmi", "m", False, False),
        ("placed:centroid+pmi", "m", False, False),
        ("placed:sd", "m", False, True),
        ("ranks:sd+pmi", "m", False, True),
    ],
)
def test_methods_that_look_ahead(method, model, from_zero, unranked):
    """They are shaded from zero if single, and do not rank the last sentence."""
    profile = Profile(STORY, (0.9, 0.95, 0.92), method, model=model)
    assert scale_profile(profile).low == (0.0 if from_zero else 0.9)
    assert list(profile.unranked) == ([2] if unranked else [])
    assert profile.ranks == ((2, 1, None) if unranked else (3, 1, 2))
