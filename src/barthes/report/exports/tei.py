"""A profile as TEI P5: paragraphs, sentences, and their salience as an attribute or stand-off.

Inline, a sentence carries its figures itself, as pointers in private URI schemes that the header declares
(`<prefixDef>`): ``<s xml:id="s3" n="3" ana="salience:0.41 rank:1">``. Stand-off, the text only has
identifiers, and `<standOff>` joins each to a feature structure. Either way the text of `<body>` is the
narrative's text, character for character.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import groupby

from barthes.narrative import Sentence
from barthes.report.exports.marks import Mark, find_marks, marks_within
from barthes.report.exports.markup import DECLARATION, TEI_NAMESPACE, element, escape_text
from barthes.report.exports.paragraphs import find_paragraphs
from barthes.report.exports.tei_header import write_header
from barthes.report.tables import AnyProfile

__all__ = ["to_tei"]


def to_tei(profile: AnyProfile, *, standoff: bool = False, top: int | None = None) -> str:
    """The story as a TEI P5 document.

    Args:
        profile: Of sentences (`<s>`) or of events (`<seg type="event">` around each predicate).
        standoff: Keep the figures out of the text, in `<standOff>` as feature structures.
        top: Figures for the most salient only; the text stays whole.

    Characters that XML cannot hold become a space or �, which the header counts.
    """
    marks = find_marks(profile, top=top)
    parts = [
        write_header(profile, standoff=standoff),
        "\n",
        _write_text(profile, marks, standoff=standoff),
        "\n",
        *([_write_standoff(marks, profile.unit), "\n"] if standoff else []),
    ]
    return DECLARATION + element("TEI", {"xmlns": TEI_NAMESPACE}, "\n", *parts) + "\n"


def _write_text(profile: AnyProfile, marks: Sequence[Mark], *, standoff: bool) -> str:
    """`<text>`: paragraphs of sentences, and between them the white space of the source."""
    narrative = profile.narrative
    waiting = deque(narrative)
    pieces: list[str] = []
    position = 0
    for start, end in find_paragraphs(narrative):
        written = []
        while waiting and waiting[0].start < end:
            sentence = waiting.popleft()
            content = _write_sentence(profile, sentence, marks, standoff=standoff)
            written.append((sentence.start, sentence.end, content))
        pieces.append(escape_text(narrative.text[position:start]))
        pieces.append(element("p", None, _fill(narrative.text, start, end, written)))
        position = end
    pieces.append(escape_text(narrative.text[position:]))
    body = element("body", None, *pieces)
    return element("text", {"xml:lang": narrative.language, "xml:space": "preserve"}, body)


def _write_sentence(profile: AnyProfile, sentence: Sentence, marks: Sequence[Mark], *, standoff: bool) -> str:
    attributes = {"xml:id": f"s{sentence.index + 1}", "n": str(sentence.index + 1)}
    inside = marks_within(marks, sentence.start, sentence.end)
    if profile.unit == "sentence":
        if inside and not standoff:
            attributes["ana"] = _point(inside[0])
        return element("s", attributes, escape_text(sentence.text))
    text = profile.narrative.text
    written = [
        (start, end, _write_events(text[start:end], list(group), standoff=standoff))
        for (start, end), group in groupby(inside, key=lambda mark: (mark.start, mark.end))
    ]
    return element("s", attributes, _fill(text, sentence.start, sentence.end, written))


def _write_events(trigger: str, events: Sequence[Mark], *, standoff: bool) -> str:
    """The predicate, once inside a `<seg>` of each event that it names."""
    written = escape_text(trigger)
    for event in reversed(events):
        attributes = {"type": "event", "xml:id": f"e{event.number}", "n": str(event.number)}
        if not standoff:
            attributes["ana"] = _point(event)
        written = element("seg", attributes, written)
    return written


def _fill(text: str, start: int, end: int, written: Iterable[tuple[int, int, str]]) -> str:
    """A stretch of text in which some spans have been written already."""
    pieces: list[str] = []
    position = start
    for first, last, content in written:
        if first < position:
            raise ValueError(f"the predicates at {first} and before {position} overlap")
        pieces += [escape_text(text[position:first]), content]
        position = last
    return "".join([*pieces, escape_text(text[position:end])])


def _point(mark: Mark) -> str:
    return f"salience:{mark.figure} rank:{mark.rank}"


def _write_standoff(marks: Sequence[Mark], unit: str) -> str:
    """`<standOff>`: which feature structure belongs to which sentence or event."""
    letter = "s" if unit == "sentence" else "e"
    spans = [
        "\n" + element("span", {"target": f"#{letter}{m.number}", "ana": f"#{letter}{m.number}.salience"})
        for m in marks
    ]
    group = element("spanGrp", {"type": "salience"}, *spans, "\n")
    structures = [f"{_write_structure(mark, f'{letter}{mark.number}.salience')}\n" for mark in marks]
    return element("standOff", {"type": "salience"}, "\n", group, "\n", *structures)


def _write_structure(mark: Mark, identifier: str) -> str:
    features = {"salience": mark.figure, "rank": str(mark.rank)}
    written = [
        element("f", {"name": name}, element("numeric", {"value": value})) for name, value in features.items()
    ]
    return element("fs", {"xml:id": identifier, "type": "salience"}, *written)
