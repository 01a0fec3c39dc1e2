"""The score that people misread: that of the last sentence, which rests on one token."""

from __future__ import annotations

import re

from barthes.methods import LOOKING_AHEAD, METHOD_NAMES, needs_model
from barthes.report.tables import AnyProfile

__all__ = ["LAST_SENTENCE", "rests_on_one_token"]

LAST_SENTENCE = (
    "Nothing follows the last sentence: its score rests on the end-of-text token alone and is not comparable "
    "with the others."
)
"""What to tell people about it."""


def rests_on_one_token(profile: AnyProfile) -> bool:
    """Whether the last sentence was scored by the end-of-text token alone, as by models that look ahead.

    Of a single sentence the profile itself has a note; sums with other methods share the trouble.
    """
    if profile.model is None or profile.unit != "sentence" or len(profile.scores) == 1:
        return False
    names = set(re.split(r"[+:()]", profile.method))
    # A method that we do not know is taken for one that looks ahead.
    return not names.isdisjoint(LOOKING_AHEAD) or not any(map(_asks_elsewhere, names))


def _asks_elsewhere(name: str) -> bool:
    return name in METHOD_NAMES and needs_model(name)
