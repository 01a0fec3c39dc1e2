"""Export a profile as TEI P5: paragraphs, sentences, and their salience as an attribute or stand-off.

Inline, a sentence carries its figures itself, as pointers in private URI schemes that the header declares
(`<prefixDef>`): ``<s xml:id="s3" n="3" ana="salience:0.41 rank:1">``. Stand-off, the text only has
identifiers, and `<standOff>` joins each to a feature structure. Either way the text of `<body>` is the
narrative's text, character for character.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from xml.sax.saxutils import quoteattr

from barthes.formats import FileFormat, write_each
from barthes.narrative import Sentence
from barthes.report.escaping import escape_xml, render_xml, replace_forbidden
from barthes.report.exports.marks import find_marks, find_paragraphs, marks_within
from barthes.report.wording import describe_scale, name_story
from barthes.salience.profile import Profile, ScoredUnit
from barthes.version import __version__

_WHITE = " \t\r\n"  # to XML


def to_tei(profile: Profile, *, standoff: bool = False, top: int | None = None) -> str:
    """Return the story as a TEI P5 document.

    Args:
        profile: Of sentences (`<s>`), of longer units (`<seg type="scene">`) or of events
            (`<seg type="event">` around each predicate).
        standoff: Write the scores as feature structures in `<standOff>` instead of attributes in the text.
        top: Write only the scores of the most salient units.

    Characters that XML forbids become a space or �; the header has their number.
    """
    narrative = profile.narrative
    marks = find_marks(profile, top=top)
    version = re.match(r"\d+(\.\d+){0,3}", __version__)  # what TEI accepts as a version number
    rank = f"Place of the {profile.unit} among those of the story, by salience; 1 is the most salient."
    reasons = dict.fromkeys(mark.reason for mark in marks if mark.reason)
    rank += "".join(f" A {profile.unit} without one is not ranked: {reason}." for reason in reasons)
    return render_xml(
        "tei.xml",
        profile=profile,
        title=name_story(narrative),
        language=quoteattr(replace_forbidden(narrative.language)),
        version=__version__,
        number=version[0] if version else "0",
        lost=sum(a != b for a, b in zip(narrative.text, replace_forbidden(narrative.text), strict=True)),
        meanings={"salience": describe_scale(profile), "rank": rank},
        body=_write_body(profile, marks, standoff=standoff),
        standoff=standoff,
        letter="e" if profile.unit == "event" else "s",
        marks=marks,
    )


def _write_body(profile: Profile, marks: Sequence[ScoredUnit], *, standoff: bool) -> str:
    """Write paragraphs of sentences, and between them the white space of the source."""
    text = profile.narrative.text
    waiting = deque(profile.narrative)
    paragraphs = []
    for start, end in _cover(text, find_paragraphs(profile.narrative)):
        sentences = []
        while waiting and waiting[0].start < end:
            sentence = waiting.popleft()
            content = _write_sentence(profile, sentence, marks, standoff=standoff)
            sentences.append((sentence.start, sentence.end, content))
        paragraphs.append((start, end, f"<p>{_fill(text, start, end, sentences)}</p>"))
    return _fill(text, 0, len(text), paragraphs)


def _cover(text: str, paragraphs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Extend paragraphs by the white space around them that is text in XML, such as no-break spaces."""
    held = replace_forbidden(text)
    position = 0
    for start, end in paragraphs:
        before = held[position:start].lstrip(_WHITE)
        position = end if end < paragraphs[-1][1] else len(held.rstrip(_WHITE))
        yield start - len(before), position


def _write_sentence(
    profile: Profile, sentence: Sentence, marks: Sequence[ScoredUnit], *, standoff: bool
) -> str:
    inside = marks_within(marks, sentence.start, sentence.end)
    number = sentence.index + 1
    if profile.unit != "event":
        pointers = _point(inside[0]) if inside and not standoff else ""
        tag, kind = ("s", "") if profile.unit == "sentence" else ("seg", f' type="{profile.unit}"')
        text = escape_xml(sentence.text)
        return f'<{tag}{kind} xml:id="s{number}" n="{number}"{pointers}>{text}</{tag}>'
    text = profile.narrative.text
    written = [
        (start, end, _write_events(text[start:end], list(group), standoff=standoff))
        for (start, end), group in groupby(inside, key=lambda event: (event.start, event.end))
    ]
    content = _fill(text, sentence.start, sentence.end, written)
    return f'<s xml:id="s{number}" n="{number}">{content}</s>'


def _write_events(trigger: str, events: Sequence[ScoredUnit], *, standoff: bool) -> str:
    """Write the predicate, inside a `<seg>` of each event that it names."""
    written = escape_xml(trigger)
    for event in reversed(events):
        pointers = "" if standoff else _point(event)
        number = event.index + 1
        written = f'<seg type="event" xml:id="e{number}" n="{number}"{pointers}>{written}</seg>'
    return written


def _point(scored: ScoredUnit) -> str:
    rank = "" if scored.rank is None else f" rank:{scored.rank}"
    return f' ana="salience:{float(scored.salience)!r}{rank}"'


def _fill(text: str, start: int, end: int, written: Iterable[tuple[int, int, str]]) -> str:
    """Write a stretch of text in which some spans have been written already."""
    pieces: list[str] = []
    position = start
    for first, last, content in written:
        if first < position:
            raise ValueError(f"the predicates at {first} and before {position} overlap")
        pieces += [escape_xml(text[position:first]), content]
        position = last
    return "".join([*pieces, escape_xml(text[position:end])])


TEI = FileFormat(
    name="tei",
    purpose="TEI P5, figures in attributes",
    suffixes=(".xml", ".tei"),
    write=write_each(to_tei),
    options=frozenset({"top"}),
    one_story=True,
    with_notes=True,
)
TEI_STANDOFF = FileFormat(
    name="tei-standoff",
    purpose="TEI P5, figures apart from the text",
    extension=".xml",
    write=write_each(partial(to_tei, standoff=True)),
    options=frozenset({"top"}),
    one_story=True,
    with_notes=True,
)
