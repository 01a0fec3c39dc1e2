"""Export a profile as an annotation collection for CATMA (its TEI-XML format, version 5).

CATMA shows each tag in one colour, so sentences (or events) are tagged by fifths of rank, from dark to light,
under a parent tag that marks unranked ones. Salience and rank are properties. Tags have the same identifiers
in every export, so that the stories of a project share one tagset.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from barthes.formats import FileFormat, write_each
from barthes.narrative import Narrative
from barthes.report.escaping import render_xml
from barthes.report.exports.marks import find_fifth, find_marks
from barthes.report.wording import describe_scale, name_story
from barthes.salience.profile import Profile, ScoredUnit

_AUTHOR = "Barthes"
_STAMP = "2025-01-01T00:00:00.000+0000"  # fixed, so that every export has the same version of the tags
_SPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "catma.barthes")
_ROOT = "salience"
_FIFTHS = {  # from the most salient to the least: dark to light, readable without colour vision
    "salience 1 of 5 (highest)": 0x7A0403,
    "salience 2 of 5": 0xC9400D,
    "salience 3 of 5": 0xE98A2B,
    "salience 4 of 5": 0xB9B06A,
    "salience 5 of 5 (lowest)": 0x9FB8C8,
}


@dataclass(frozen=True)
class _Tag:
    """A tag of CATMA's tagset, with its colour as 0xRRGGBB."""

    name: str
    rgb: int
    parent: str | None = None

    @property
    def identifier(self) -> str:
        return _identify(_SPACE, "tag", self.name)

    @property
    def colour(self) -> str:
        """The opaque colour as Java's signed integer: white is -1."""
        return str(self.rgb - 0x1000000)

    @property
    def properties(self) -> list[tuple[str, str, str]]:
        """The name, identifier and default value of each property."""
        known = {"catma_displaycolor": self.colour, "catma_markupauthor": _AUTHOR}
        names = [*known, "salience", "rank"]
        return [(each, _identify(_SPACE, "property", self.name, each), known.get(each, "")) for each in names]


def to_catma(profile: Profile, *, top: int | None = None) -> str:
    """Return the annotations of a story for CATMA, without the text itself.

    Offsets count characters of the narrative's text; CATMA replaces each character beyond the Basic
    Multilingual Plane (such as an emoji) with a single one. `write_source` gives the text to upload.

    Args:
        profile: Of sentences, or of events: each event is marked on its predicate.
        top: Annotate the most salient only.
    """
    narrative = profile.narrative
    marks = find_marks(profile, top=top)
    story = uuid.uuid5(_SPACE, narrative.text)
    identifiers = [_identify(story, profile.unit, str(unit.index + 1)) for unit in marks]
    root = _Tag(_ROOT, 0x555555)
    fifths = [_Tag(name, rgb, parent=root.identifier) for name, rgb in _FIFTHS.items()]
    tags = [root if unit.rank is None else fifths[find_fifth(profile, unit.rank) - 1] for unit in marks]
    return render_xml(
        "catma.xml",
        profile=profile,
        title=name_story(narrative),
        author=_AUTHOR,
        scale=describe_scale(profile),
        stamp=_STAMP,
        tagset=_identify(_SPACE, "tagset"),
        tags=[root, *fifths],
        document=f"CATMA_{story}".upper(),
        segments=_segment(marks, identifiers, len(narrative.text)),
        annotations=list(zip(marks, identifiers, tags, strict=True)),
    )


def write_source(narrative: Narrative) -> str:
    """Return the plain text to upload to CATMA, with � for characters that CATMA does not keep.

    >>> write_source(Narrative("So 😊 she slept.", ((0, 15),)))
    'So � she slept.'
    """
    return "".join("�" if ord(character) > 0xFFFF else character for character in narrative.text)


def _segment(
    marks: Sequence[ScoredUnit], identifiers: Sequence[str], length: int
) -> list[tuple[int, int, str]]:
    """Return the text in segments, each with references to its annotations."""
    references: dict[tuple[int, int], list[str]] = {}
    for unit, identifier in zip(marks, identifiers, strict=True):
        references.setdefault((unit.start, unit.end), []).append(f"#{identifier}")
    segments = []
    position = 0
    for start, end in [*sorted(references), (length, length)]:
        if position < start:
            segments.append((position, start, ""))
        if start < end:
            segments.append((start, end, " ".join(references[start, end])))
        position = end
    return segments


def _identify(space: uuid.UUID, *names: str) -> str:
    """Return a CATMA identifier; the same names give the same one."""
    return f"CATMA_{str(uuid.uuid5(space, '/'.join(names))).upper()}"


CATMA = FileFormat(
    name="catma",
    purpose="an annotation collection for CATMA",
    extension=".xml",
    write=write_each(to_catma),
    options=frozenset({"top"}),
    one_story=True,
    to_text=write_source,
)
