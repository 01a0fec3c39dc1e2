"""The mark after a rank: a sentence that is at the top by its rank only."""

from __future__ import annotations

from barthes.report.tables import AnyProfile
from barthes.salience.profile import Profile
from barthes.salience.stability import DRAWS, SURE, count_top

__all__ = ["explain_doubt", "find_doubtful"]

_DOUBTFUL = f"doubtful: in fewer than {round(100 * SURE)} % of {DRAWS} resamplings among the top tenth"


def find_doubtful(profile: AnyProfile) -> frozenset[int]:
    """The places of the sentences to mark; none where nothing was drawn."""
    if not isinstance(profile, Profile) or profile.stability is None:
        return frozenset()
    verdicts = profile.stability.judge(profile.ranks)
    return frozenset(k for k, verdict in enumerate(verdicts) if verdict == "doubtful")


def explain_doubt(profile: AnyProfile) -> str:
    """What the mark means: a single score hangs on later sentences, a sum on its parts."""
    is_sum = "+" in profile.method
    why = "it hangs on one of the parts" if is_sum else "or too little follows to tell"
    top = count_top(len(profile.narrative))
    return f"{_DOUBTFUL} ({'the first' if top == 1 else f'the first {top}'}); {why}"
