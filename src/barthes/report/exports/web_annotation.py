"""Export a profile as W3C Web Annotations (JSON-LD), which RecogitoJS and other annotation tools load.

The document is a list of annotations. Each quotes its sentence (or the predicate of its event) with some text
around it, and gives its position; both count Unicode characters, as the standard requires.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from barthes.formats import FileFormat, write_each
from barthes.report.escaping import FileNames
from barthes.report.exports.marks import find_fifth, find_marks
from barthes.report.wording import name_unit
from barthes.salience.profile import Profile, ScoredUnit
from barthes.version import __version__

CONTEXT = "http://www.w3.org/ns/anno.jsonld"

_AROUND = 32  # characters before and after a quotation, which tell it from others with the same words
_SPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "annotation.barthes")


def to_web_annotations(profile: Profile, *, top: int | None = None) -> str:
    """Return the annotations of a story, without the text itself.

    Args:
        profile: Of sentences, longer units, or events: each event is marked on its predicate.
        top: Annotate the most salient only.
    """
    story = uuid.uuid5(_SPACE, profile.narrative.text)
    source = f"{FileNames().choose(profile.narrative.title)}.txt"
    annotations = [
        {
            "@context": CONTEXT,
            "id": f"urn:uuid:{uuid.uuid5(story, f'{profile.unit}/{mark.index + 1}')}",
            "type": "Annotation",
            "motivation": "assessing",
            "generator": {"type": "Software", "name": f"Barthes {__version__}"},
            "body": _describe(profile, mark),
            "target": {"source": source, "selector": _select(profile.narrative.text, mark)},
        }
        for mark in find_marks(profile, top=top)
    ]
    return json.dumps(annotations, ensure_ascii=False, indent=1) + "\n"


def _describe(profile: Profile, mark: ScoredUnit) -> list[dict[str, str]]:
    """Return the bodies: a tag with the fifth by rank, and the figures in words."""
    ranked = len(profile.scores) - len(profile.unranked)
    unit = f" ({name_unit(profile)})" if name_unit(profile) else ""
    how = ", ".join(filter(None, [profile.method, profile.model]))
    rank = f"not ranked: {mark.reason}" if mark.rank is None else f"rank {mark.rank} of {ranked}"
    text = f"salience {float(mark.salience)!r}{unit}, {rank}; {how}"
    figures = {"type": "TextualBody", "purpose": "describing", "format": "text/plain", "value": text}
    if mark.rank is None:
        return [figures]
    fifth = f"salience {find_fifth(profile, mark.rank)} of 5"
    return [{"type": "TextualBody", "purpose": "tagging", "value": fifth}, figures]


def _select(text: str, mark: ScoredUnit) -> list[dict[str, Any]]:
    quote = {
        "type": "TextQuoteSelector",
        "exact": text[mark.start : mark.end],
        "prefix": text[max(0, mark.start - _AROUND) : mark.start],
        "suffix": text[mark.end : mark.end + _AROUND],
    }
    return [quote, {"type": "TextPositionSelector", "start": mark.start, "end": mark.end}]


WEB_ANNOTATION = FileFormat(
    name="web-annotation",
    purpose="W3C Web Annotations, for RecogitoJS and others",
    suffixes=(".jsonld",),
    write=write_each(to_web_annotations),
    options=frozenset({"top"}),
    one_story=True,
    to_text=lambda narrative: narrative.text,
)
