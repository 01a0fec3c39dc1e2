"""A profile as an annotation collection that CATMA imports (its TEI-XML format, version 5).

CATMA draws each tag in one colour and searches properties as text. So the sentences (or events) are parted
into fifths by rank, a tag and a shade each, under one parent tag; their figures are properties.

Tags have the same identifiers in every export, so that the stories of a project share one tagset.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterable, Iterator, Sequence

from barthes.narrative import Narrative
from barthes.report.exports.marks import Mark, describe_scale, find_marks
from barthes.report.exports.markup import DECLARATION, TEI_NAMESPACE, element, escape_text
from barthes.report.tables import AnyProfile

__all__ = ["to_catma", "write_source"]

_VERSION = "5"
_AUTHOR = "Barthes"
_STAMP = "2025-01-01T00:00:00.000+0000"  # of the tags: the same tags are not a new version every time
_SPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "catma.barthes")
_PROPERTIES = ("salience", "rank")

_ROOT = "salience"
_FIFTHS = {  # from the most salient to the least: dark to light, readable without colour vision
    "salience 1 of 5 (highest)": 0x7A0403,
    "salience 2 of 5": 0xC9400D,
    "salience 3 of 5": 0xE98A2B,
    "salience 4 of 5": 0xB9B06A,
    "salience 5 of 5 (lowest)": 0x9FB8C8,
}


def to_catma(profile: AnyProfile, *, top: int | None = None) -> str:
    """The annotations of a story for CATMA; the text itself is not in it.

    Offsets count characters of the narrative's text, one for each character: CATMA puts a single sign in
    the place of a character beyond the Basic Multilingual Plane (an emoji). `write_source` gives the text
    for which this holds in every version.

    Args:
        profile: Of sentences, or of events: each event is marked on its predicate.
        top: Annotate the most salient only.
    """
    marks = find_marks(profile, top=top)
    count = len(profile.scores)
    story = uuid.uuid5(_SPACE, profile.narrative.text)
    identifiers = [_identify(story, profile.unit, str(mark.number)) for mark in marks]
    pairs = zip(marks, identifiers, strict=True)
    annotations = [_write_annotation(mark, identifier, count) for mark, identifier in pairs]
    segments = _write_segments(profile.narrative, marks, identifiers, f"CATMA_{story}".upper())
    body = element("body", None, segments)
    header = element("teiHeader", None, _write_file(profile), "\n", _write_tagset())
    text = element("text", None, body, "\n", *annotations)
    return DECLARATION + element("TEI", {"xmlns": TEI_NAMESPACE, "xml:lang": "en"}, header, "\n", text) + "\n"


def write_source(narrative: Narrative) -> str:
    """The plain text to upload to CATMA: the narrative's, with � for what CATMA does not keep.

    >>> write_source(Narrative("So 😊 she slept.", ((0, 15),)))
    'So � she slept.'
    """
    return "".join("�" if ord(character) > 0xFFFF else character for character in narrative.text)


def _write_file(profile: AnyProfile) -> str:
    title = escape_text(profile.narrative.title) or "story"
    version = element("f", {"name": "version"}, element("string", None, _VERSION))
    return element(
        "fileDesc",
        None,
        element(
            "titleStmt",
            None,
            element("title", None, f"Salience of {title} ({escape_text(profile.method)})"),
            element("author", None, _AUTHOR),
        ),
        element("publicationStmt", None, element("publisher", None, _AUTHOR)),
        element(
            "sourceDesc",
            None,
            element("p", None, escape_text(describe_scale(profile))),
            element("ab", None, element("fs", {"xml:id": "CATMA_TECH_DESC"}, version)),
        ),
    )


def _write_tagset() -> str:
    tags = [_write_tag(_ROOT, 0x555555)]
    tags += [_write_tag(name, colour, parent=_ROOT) for name, colour in _FIFTHS.items()]
    attributes = {"xml:id": _identify(_SPACE, "tagset"), "n": f"Barthes salience {_STAMP}"}
    return element("encodingDesc", None, element("fsdDecl", attributes, "\n", *tags))


def _write_tag(name: str, colour: int, *, parent: str | None = None) -> str:
    identifier = _identify(_SPACE, "tag", name)
    attributes = {"xml:id": identifier, "n": _STAMP, "type": identifier}
    if parent is not None:
        attributes["baseTypes"] = _identify(_SPACE, "tag", parent)
    values = {"catma_displaycolor": [_signed(colour)], "catma_markupauthor": [_AUTHOR]}
    declared = [
        element(
            "fDecl",
            {"xml:id": _identify(_SPACE, "property", name, known), "name": known},
            element("vRange", None, element("vColl", None, *_strings(values.get(known, [])))),
        )
        for known in (*values, *_PROPERTIES)
    ]
    return element("fsDecl", attributes, element("fsDescr", None, escape_text(name)), *declared) + "\n"


def _write_segments(
    narrative: Narrative, marks: Sequence[Mark], identifiers: Sequence[str], document: str
) -> str:
    """The text from end to end as pointers; a stretch that is annotated has its pointer in a `<seg>`."""
    covering: dict[tuple[int, int], list[str]] = {}
    for mark, identifier in zip(marks, identifiers, strict=True):
        covering.setdefault((mark.start, mark.end), []).append(f"#{identifier}")
    pieces = []
    for start, end in _tile(sorted(covering), len(narrative.text)):
        target = f"catma://{document}#char={start},{end}"
        pointer = element("ptr", {"target": target, "type": "inclusion"})
        found = covering.get((start, end))
        pieces.append(element("seg", {"ana": " ".join(found)}, pointer) if found else pointer)
    return element("ab", {"type": "catma"}, *(f"{piece}\n" for piece in pieces))


def _tile(spans: Iterable[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """The spans and what is between them, from 0 to `length`.

    >>> list(_tile([(2, 4)], 5))
    [(0, 2), (2, 4), (4, 5)]
    """
    position = 0
    for start, end in spans:
        if position < start:
            yield position, start
        yield start, end
        position = end
    if position < length:
        yield position, length


def _write_annotation(mark: Mark, identifier: str, count: int) -> str:
    name, colour = list(_FIFTHS.items())[math.ceil(mark.rank * len(_FIFTHS) / count) - 1]
    values = {
        "catma_displaycolor": _signed(colour),
        "catma_markupauthor": _AUTHOR,
        "salience": mark.figure,
        "rank": str(mark.rank),
    }
    written = [element("f", {"name": known}, *_strings([value])) for known, value in values.items()]
    return element("fs", {"xml:id": identifier, "type": _identify(_SPACE, "tag", name)}, *written) + "\n"


def _strings(values: Iterable[str]) -> list[str]:
    return [element("string", None, escape_text(value)) for value in values]


def _identify(space: uuid.UUID, *names: str) -> str:
    """An identifier as CATMA writes them, always the same for the same names."""
    return f"CATMA_{str(uuid.uuid5(space, '/'.join(names))).upper()}"


def _signed(colour: int) -> str:
    """An opaque colour as Java's signed integer.

    >>> _signed(0xFFFFFF)
    '-1'
    """
    return str(colour - 0x1000000)
