"""The score that people misread: that of the last sentence, which rests on one token."""

from __future__ import annotations

import re

from barthes.report.tables import AnyProfile

__all__ = ["LAST_SENTENCE", "rests_on_one_token"]

LAST_SENTENCE = (
    "Nothing follows the last sentence: its score rests on the end-of-text token alone and is not comparable "
    "with the others."
)
"""What to tell people about it."""

_LOOK_AHEAD = ("sd", "va", "paa", "preview")
_LOOK_ELSEWHERE = ("pmi", "embedding")  # methods with a model that do not ask what follows


def rests_on_one_token(profile: AnyProfile) -> bool:
    """Whether the last sentence was scored by the end-of-text token alone, as by models that look ahead.

    Of a single sentence the profile itself has a note; sums with other methods share the trouble.
    """
    if profile.model is None or profile.unit != "sentence" or len(profile.scores) == 1:
        return False
    names = set(re.split(r"[+:()]", profile.method))
    return not names.isdisjoint(_LOOK_AHEAD) or names.isdisjoint(_LOOK_ELSEWHERE)
