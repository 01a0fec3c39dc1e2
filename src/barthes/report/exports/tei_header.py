"""The `<teiHeader>` of an export: what was scored, how, and how to read the figures."""

from __future__ import annotations

import re

from barthes.report.exports.marks import describe_scale
from barthes.report.exports.markup import element, escape_text, hold_in_xml
from barthes.report.tables import AnyProfile
from barthes.version import __version__

__all__ = ["write_header"]

_NUMBER = r"(-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?)"
_RANK = "Place of the {} among those of the story, by salience; 1 is the most salient."


def write_header(profile: AnyProfile, *, standoff: bool) -> str:
    """The header of a document whose figures stand in attributes or in `<standOff>`."""
    language = profile.narrative.language
    languages = element("langUsage", None, element("language", {"ident": language}))
    parts = [_write_file(profile), _write_encoding(profile, standoff=standoff)]
    return element("teiHeader", None, "\n", *(f"{part}\n" for part in parts), _wrap("profileDesc", languages))


def _write_file(profile: AnyProfile) -> str:
    notes = [element("note", None, escape_text(note)) for note in profile.notes]
    title = escape_text(profile.narrative.title) or "Untitled story"
    parts = [
        element("titleStmt", None, element("title", None, title)),
        _wrap("publicationStmt", _p("Not published: the result of a computation.")),
        *([element("notesStmt", None, *notes)] if notes else []),
        _wrap("sourceDesc", _p("The story as it was given to Barthes.")),
    ]
    return element("fileDesc", None, "\n", *(f"{part}\n" for part in parts))


def _write_encoding(profile: AnyProfile, *, standoff: bool) -> str:
    meanings = {"salience": describe_scale(profile), "rank": _RANK.format(profile.unit)}
    declare = _declare_features if standoff else _declare_prefixes
    parts = [_write_application(profile), _write_editorial(profile), declare(meanings)]
    return element("encodingDesc", None, "\n", *(f"{part}\n" for part in parts))


def _write_application(profile: AnyProfile) -> str:
    version = re.match(r"\d+(\.\d+){0,3}", __version__)  # what TEI takes for a version number
    number = version[0] if version else "0"
    settings = f"method {profile.method}, model {profile.model or 'none'}, unit {profile.unit}"
    if profile.precision:
        settings += f", computed in {profile.precision}"
    if profile.window:
        settings += f", read in windows of {profile.window} tokens"
    application = element(
        "application",
        {"ident": "barthes", "version": number},
        element("label", None, f"Barthes {escape_text(__version__)}"),
        _p(f"Scored with {settings}."),
    )
    return _wrap("appInfo", application)


def _write_editorial(profile: AnyProfile) -> str:
    text = profile.narrative.text
    lost = sum(before != after for before, after in zip(text, hold_in_xml(text), strict=True))
    about = [
        _wrap(
            "segmentation",
            _p("Each sentence is an s. White space is that of the source, and so is all other text."),
        )
    ]
    if lost:
        remark = f"{lost} characters that XML cannot hold were replaced, one for one, by a space or by �."
        about.append(_wrap("normalization", _p(remark)))
    return element("editorialDecl", None, *about)


def _declare_prefixes(meanings: dict[str, str]) -> str:
    """What ``salience:0.41`` in an attribute means: each scheme leads to a category that explains it."""
    prefixes = [
        element(
            "prefixDef",
            {"ident": name, "matchPattern": _NUMBER, "replacementPattern": f"#{name}"},
            _p(f"What follows the colon is the figure itself. {meaning}"),
        )
        for name, meaning in meanings.items()
    ]
    categories = [
        element("category", {"xml:id": name}, element("catDesc", None, escape_text(meaning)))
        for name, meaning in meanings.items()
    ]
    taxonomy = element("taxonomy", {"xml:id": "figures"}, *categories)
    return element("listPrefixDef", None, *prefixes) + "\n" + _wrap("classDecl", taxonomy)


def _declare_features(meanings: dict[str, str]) -> str:
    declarations = [
        element(
            "fDecl",
            {"name": name},
            element("fDescr", None, escape_text(meaning)),
            _wrap("vRange", element("numeric", {"value": "-INF", "max": "INF"})),
        )
        for name, meaning in meanings.items()
    ]
    description = element("fsDescr", None, "How much a story depends on one of its sentences or events.")
    return _wrap("fsdDecl", element("fsDecl", {"type": "salience"}, description, *declarations))


def _p(text: str) -> str:
    return element("p", None, escape_text(text))


def _wrap(name: str, content: str) -> str:
    return element(name, None, content)
