"""Put a profile into words: titles, methods, units and settings."""

from __future__ import annotations

import re
from pathlib import PurePosixPath, PureWindowsPath

from barthes.models.embedded import describe_weights
from barthes.narrative import Narrative, Sentence
from barthes.report.escaping import clean
from barthes.salience.combination import weigh_places
from barthes.salience.profile import Profile
from barthes.salience.serialization import SKIPPED
from barthes.salience.stability import CERTAIN
from barthes.version import __version__

UNCERTAIN = (
    f"rank uncertain: in the top 10 % in fewer than {round(100 * CERTAIN)} % of bootstrap samples; "
    "ranks below the top 10 % are not tested"
)
"""The meaning of a ``?`` after a rank."""

FEWEST_RANKED = 5
"""Fewer scenes, paragraphs or chapters are shown with their scores, but not ranked."""

_EXCERPT = 30  # words
_PAPER = (
    "Otake et al. (2020), Modeling Event Salience in Narratives via Barthes’ Cardinal Functions, COLING, "
    "doi:10.18653/v1/2020.coling-main.160"
)
_WITHOUT_IT = "how much less likely the rest of the story becomes without it"
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,6}$")


def count(number: int, noun: str) -> str:
    """Return a number of things.

    >>> count(1, "sentence"), count(2000, "event")
    ('1 sentence', '2,000 events')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def is_ranked(profile: Profile) -> bool:
    """Return whether there are enough units for ranks to mean something."""
    return profile.narrative.unit == "sentence" or len(profile.scores) >= FEWEST_RANKED


def describe_agreement(profile: Profile) -> str:
    """Return on which units the cost and the importance to readers agree; empty if only one is known."""
    if profile.importance is None or not is_ranked(profile):
        return ""
    agreed = [str(unit.index + 1) for unit in profile.agreed]
    if not agreed:
        return f"No {profile.unit} is in the top fifth both by cost and for readers."
    name = count(len(agreed), profile.unit)
    verb = "is" if len(agreed) == 1 else "are"
    places = "in the top fifth both by cost and for readers"
    return f"{name} of {len(profile.scores):,} {verb} {places}: {', '.join(agreed)}."


def name_weights(model: str | None) -> str:
    """Return the published name of a model's weights, or the name it was given by; empty for None."""
    weights = describe_weights(model)
    return clean(model or "") if weights is None else weights["name"]


def cite(profile: Profile) -> str:
    """Return sentences for a paper: the method, the model, the software, what was skipped, what to cite."""
    model = f" with {name_weights(profile.model)}" if profile.model else ""
    precision = f" in {profile.precision}" if profile.precision else ""
    other = "" if profile.importance is None else " Importance to readers: method readers."
    skipped = [k + 1 for k, reason in sorted(profile.unranked.items()) if reason == SKIPPED]
    names = f"{profile.unit}{'s' * (len(skipped) > 1)} {', '.join(map(str, skipped))}"
    left_out = f" Left out of the ranking: {names}." if skipped else ""
    paper = f" The method is that of {_PAPER}." if profile.info.looks_ahead else ""
    return (
        f"Salience was computed by {clean(profile.info.label)} ({clean(profile.method)}){model}{precision}, "
        f"Barthes {__version__}.{other}{left_out}{paper}"
    )


def excerpt(sentence: Sentence, unit: str) -> str:
    """Return the text of a unit for a table, on one line; only the first words of paragraphs and scenes."""
    words = str(sentence).split()
    if unit == "sentence" or len(words) <= _EXCERPT:
        return str(sentence)
    return f"{' '.join(words[:_EXCERPT])} …"


def name_story(narrative: Narrative) -> str:
    """Return a heading for a story: its own, or one made of its title."""
    return clean(narrative.heading) if narrative.heading else name_title(narrative.title)


def name_title(title: str) -> str:
    """Return a heading for a story; for a path, the name of the file without its folders.

    >>> name_title("/home/ann/tales/the_old_wolf.txt"), name_title("old_wolf"), name_title("Mr. Fox")
    ('The old wolf', 'Old wolf', 'Mr. Fox')
    >>> name_title("/home/ann/old_tales.txt: THE WOLF")
    'Old tales: THE WOLF'
    >>> name_title("")
    'A story'
    """
    name = _name_file(title)
    file, colon, chapter = name.partition(": ")
    stem = _ENDING.sub("", file)
    if stem != file or name != title or ("_" in stem and " " not in stem):
        stem = stem.replace("_", " ").strip()
        stem = stem[:1].upper() + stem[1:]
    return clean(stem + colon + chapter).strip() or "A story"


def name_unit(profile: Profile) -> str:
    """Return what the scores are measured in; empty where they have no unit."""
    info = profile.info
    if info.kind == "placed":
        most = weigh_places(len(profile.narrative)).max()
        return f"mean of {count(len(info.parts), 'score')} from 0 to 1, plus up to {most:.2g} for the place"
    if info.kind != "single":
        return f"sum of {len(info.parts)} {'ranks' if info.kind == 'ranks' else 'scores'}, each from 0 to 1"
    return info.unit


def name_axis(profile: Profile) -> str:
    """Return the label of a salience axis."""
    unit = name_unit(profile)
    is_loss = profile.info.looks_ahead and profile.info.kind == "single"
    return unit if unit and not is_loss else f"salience ({unit or clean(profile.method)})"


def describe_scale(profile: Profile) -> str:
    """Explain the scores, for exports to other tools."""
    model = f" by the language model {name_weights(profile.model)}" if profile.model else ""
    if meaning := _explain_score(profile):
        return f"For each {profile.unit}: {meaning} (method {profile.method}{model}); higher is more salient."
    return f"The score of the method {profile.method}{model}; higher is more salient."


def describe_summary(profile: Profile) -> str:
    """Return the sentence below the title of a report."""
    scored = f"{count(len(profile.scores), profile.unit)}, each with its salience"
    if meaning := _explain_score(profile):
        return f"{scored}: {meaning}."
    return f"{scored} by {clean(profile.info.label)}."


def describe_settings(profile: Profile, *, story: str | None = None) -> list[tuple[str, str]]:
    """Return the settings of a profile as names and values; the story is by default the name of its file."""
    rows = [
        ("Story", clean(_name_file(profile.narrative.title) if story is None else story)),
        ("Method", f"{clean(profile.info.label)} ({clean(profile.method)})"),
        ("Scored", count(len(profile.scores), profile.unit)),
        ("Scores in", name_unit(profile) or "no unit"),
        ("Language model", name_weights(profile.model) or "none"),
        ("Precision", clean(profile.precision or "")),
        ("Read at once", _describe_reading(profile) if profile.model else ""),
        ("Language", clean(profile.narrative.language)),
        ("Made with", f"Barthes {__version__}"),
    ]
    return [(name, value) for name, value in rows if value]


def _explain_score(profile: Profile) -> str:
    """Return what a score says, with its unit; empty if the method does not say."""
    info = profile.info
    if not info.meaning or profile.model is None:
        return ""
    meaning = _WITHOUT_IT if info.looks_ahead and profile.unit == "event" else info.meaning
    return f"{meaning}, in {info.unit}" if info.unit else meaning


def _describe_reading(profile: Profile) -> str:
    """Return how much text the language model read at once."""
    reads, unit = profile.info.reads, profile.narrative.unit
    if not profile.window:
        return "the whole story"
    tokens = f"{profile.window:,} tokens"
    return f"at most {tokens} before each {unit}" if reads == "before" else f"{tokens} around each {unit}"


def _name_file(title: str) -> str:
    return PureWindowsPath(PurePosixPath(title).name).name
