"""How the scores of a page came about: what it says under its title and in the table at its end."""

from __future__ import annotations

import math
import re
from pathlib import PurePosixPath, PureWindowsPath

from barthes.methods import LOOKING_AHEAD
from barthes.report.escaping import clean
from barthes.report.last_sentence import LAST_SENTENCE, rests_on_one_token
from barthes.report.page.wording import count, describe_method, name_unit
from barthes.report.tables import AnyProfile
from barthes.version import __version__

__all__ = ["describe_remarks", "describe_settings", "describe_standfirst"]

_LOSS = {
    "sd": "how much less likely the rest of the story becomes without it",
    "preview": "how much less likely the rest of the story becomes without it, as the next tokens tell",
    "va": "how much less likely the rest of the story becomes when its verbs tell nothing any more",
    "paa": "how much less likely the rest of the story becomes when its verbs and participants go",
}


def describe_standfirst(profile: AnyProfile) -> str:
    """One sentence that tells a reader who knows nothing what the shades mean."""
    number = len(profile.scores)
    known = sum(map(math.isfinite, profile.scores))
    if known < number:  # the page counts on while scores come in
        scored = f"{known:,} of {count(number, profile.unit)} scored so far, each by its salience"
    else:
        scored = f"{count(number, profile.unit)}, each with its salience"
    means = _LOSS["sd"] if profile.unit == "event" else _LOSS.get(profile.method)
    if means is None or profile.model is None:
        return f"{scored} by {describe_method(profile.method)}."
    return f"{scored}: {means}, in nats per token."


def describe_remarks(profile: AnyProfile) -> dict[int, str]:
    """What a reader should know about single sentences, by their index."""
    return {len(profile.scores) - 1: LAST_SENTENCE} if rests_on_one_token(profile) else {}


def describe_settings(profile: AnyProfile, *, story: str | None = None) -> list[tuple[str, str]]:
    """Names and values, in the order of the table; the story's by default that of its file."""
    title = profile.narrative.title
    rows = [
        ("Story", clean(PureWindowsPath(PurePosixPath(title).name).name if story is None else story)),
        ("Method", f"{describe_method(profile.method)} ({clean(profile.method)})"),
        ("Scored", count(len(profile.scores), profile.unit)),
        ("Scores in", name_unit(profile) or "no unit"),
        ("Language model", clean(profile.model or "none")),
        ("Precision", clean(profile.precision or "")),
        ("Read at once", _describe_reading(profile) if profile.model else ""),
        ("Language", clean(profile.narrative.language)),
        ("Made with", f"Barthes {__version__}"),
    ]
    return [(name, value) for name, value in rows if value]


def _describe_reading(profile: AnyProfile) -> str:
    """What the language model had before it."""
    names = set(re.split(r"[+:()]", profile.method))
    if profile.window:
        looks_back = "pmi" in names and names.isdisjoint(LOOKING_AHEAD)
        tokens = f"{profile.window:,} tokens"
        return f"at most {tokens} before each sentence" if looks_back else f"{tokens} around each sentence"
    alone = "embedding" in names and names.isdisjoint({*LOOKING_AHEAD, "pmi"})
    return "each sentence by itself" if alone else "the whole story"
