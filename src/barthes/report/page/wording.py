"""What the page calls things: titles, methods, units."""

from __future__ import annotations

import re
from pathlib import PurePosixPath, PureWindowsPath

from barthes.methods import UNITS
from barthes.report.escaping import clean
from barthes.report.tables import AnyProfile
from barthes.salience.combination import weigh_places

__all__ = ["count", "describe_method", "name_title", "name_unit"]

_METHODS = {
    "sd": "sentence deletion",
    "va": "verb anonymization",
    "paa": "predicate and argument anonymization",
    "preview": "sentence deletion, estimated",
    "pmi": "mutual information with what came before",
    "embedding": "similarity to the story in the model's terms",
    "tfidf": "TF-IDF",
    "length": "sentence length",
    "position": "position, later first",
    "position-asc": "position, later first",
    "position-desc": "position, earlier first",
    "random": "random numbers",
    "words": "distinct words, rare ones first",
    "centroid": "share in the words of the story",
    "similarity": "similarity to the story",
}
_KINDS = {"ranks": "ranks by ", "placed": "place and "}
_OUTER = re.compile(r"\+(?![^()]*\))")  # a plus that is not in brackets
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,6}$")


def name_title(title: str) -> str:
    """A heading: of a file its name, never the folders that lead to it.

    >>> name_title("/home/ann/tales/the_old_wolf.txt"), name_title("old_wolf"), name_title("Mr. Fox")
    ('The old wolf', 'Old wolf', 'Mr. Fox')
    >>> name_title("")
    'A story'
    """
    name = PureWindowsPath(PurePosixPath(title).name).name
    stem = _ENDING.sub("", name)
    if stem != name or name != title or ("_" in stem and " " not in stem):
        stem = stem.replace("_", " ").strip()
        stem = stem[:1].upper() + stem[1:]
    return clean(stem).strip() or "A story"


def describe_method(method: str) -> str:
    """The method in words.

    >>> describe_method("sd+tfidf"), describe_method("my-own")
    ('sentence deletion + TF-IDF', 'my-own')
    >>> describe_method("ranks:sd+tfidf")
    'ranks by sentence deletion + TF-IDF'
    """
    kind, names = _take_apart(method)
    return _KINDS.get(kind, "") + " + ".join(_METHODS.get(name, clean(name)) for name in names)


def name_unit(profile: AnyProfile) -> str:
    """What the scores are measured in; empty where they have no unit."""
    kind, names = _take_apart(profile.method)
    if kind == "placed":
        most = weigh_places(len(profile.narrative)).max()
        return f"mean of {count(len(names), 'score')} from 0 to 1, plus up to {most:.2g} for the place"
    if len(names) > 1:
        return f"sum of {len(names)} {kind or 'scores'}, each from 0 to 1"
    return UNITS.get(profile.method, "")


def _take_apart(method: str) -> tuple[str, list[str]]:
    """The kind of a sum, if its name begins with one, and its parts; a sum in brackets is one part."""
    kind, colon, names = method.partition(":")
    if not colon or kind not in _KINDS:
        kind, names = "", method
    return kind, _OUTER.split(names)


def count(number: int, noun: str) -> str:
    """A number of things.

    >>> count(1, "sentence"), count(2000, "event")
    ('1 sentence', '2,000 events')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
