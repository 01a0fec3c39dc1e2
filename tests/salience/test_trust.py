"""The estimate of trust: what is written is read back, and the sentence names the kind or its absence."""

from __future__ import annotations

from dataclasses import replace

import pytest

import barthes
from barthes.salience.measurement import Measurement
from barthes.salience.profile import Profile
from barthes.salience.trust import Trust

KNOWN = Trust(0.43, "fairy tales", True)


@pytest.mark.parametrize("trust", [KNOWN, Trust(-0.1, None, False)])
def test_trust_survives_profiles_and_measurements(tmp_path, trust):
    profile = replace(barthes.score("A wolf came. It rained.", method="length"), trust=trust)
    profile.save(tmp_path / "p.json")
    assert Profile.load(tmp_path / "p.json") == profile
    measured = Measurement((0.5,), trust=trust)
    assert Measurement.from_dict(measured.to_dict()) == measured


@pytest.mark.parametrize(
    "wrong", [{}, "high", KNOWN.to_dict() | {"agreement": float("nan")}, KNOWN.to_dict() | {"reliable": 1}]
)
def test_other_content_is_refused(wrong):
    with pytest.raises(ValueError, match="not an estimate"):
        Trust.from_dict(wrong)


def test_the_sentence_says_what_to_expect():
    assert "fairy tales" in KNOWN.describe()
    assert "0.4" in KNOWN.describe()
    assert "`fast`" in replace(KNOWN, kind=None, reliable=False).describe()
