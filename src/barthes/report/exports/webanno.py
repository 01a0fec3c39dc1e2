"""A profile as WebAnno TSV 3.3, the tab-separated format that INCEpTION imports and exports.

The layer is ``webanno.custom.Salience`` with the features ``rank`` and ``salience``; INCEpTION wants it to be
there before the import. Offsets count UTF-16 units, as Java does.
"""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from barthes.narrative import Narrative
from barthes.report.exports.marks import Mark, find_marks, marks_within
from barthes.report.exports.words import find_words
from barthes.report.tables import AnyProfile

__all__ = ["LAYER", "to_webanno"]

LAYER = "webanno.custom.Salience"

_RESERVED = re.compile(r"->|[\\\[\]|_;\t\n*]")
_READABLE = {"\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\b": "\\b", "\\": "\\\\"}
_CONTROL = re.compile(r"[\x00-\x0a\x0c-\x1f\\]")  # all below the space but the vertical tab


def to_webanno(profile: AnyProfile, *, top: int | None = None) -> str:
    """The story with its words, sentences and salience.

    Args:
        profile: Of sentences, or of events: each event is marked on its predicate.
        top: Annotate the most salient only.

    White space between sentences is not kept as it was, but as long as it was: the format has no room for
    it. Text that belongs to no sentence becomes a sentence without annotation.
    """
    narrative = profile.narrative
    marks = find_marks(profile, top=top)
    units = _Units(narrative.text)
    sentences = [
        "\n" + _write_sentence(narrative.text, number, span, marks, units)
        for number, span in enumerate(_find_sentences(narrative), start=1)
    ]
    return "".join(["#FORMAT=WebAnno TSV 3.3\n", f"#T_SP={LAYER}|rank|salience\n", "\n", *sentences])


def _find_sentences(narrative: Narrative) -> Iterator[tuple[int, int]]:
    """The sentences, and what stands between them where it is more than white space."""
    position = 0
    for start, end in (*narrative.spans, (len(narrative.text), len(narrative.text))):
        gap = narrative.text[position:start]
        if gap.strip():
            yield position + len(gap) - len(gap.lstrip()), position + len(gap.rstrip())
        if start < end:
            yield start, end
        position = end


def _write_sentence(
    text: str, number: int, span: tuple[int, int], marks: Sequence[Mark], units: _Units
) -> str:
    start, end = span
    inside = marks_within(marks, start, end)
    cuts = {offset for mark in inside for offset in (mark.start, mark.end)}
    words = list(find_words(text, start, end, cuts=cuts))
    lines = [f"#Text={_escape_text(line)}" for line in text[start:end].split("\n")]
    for place, ((first, last), columns) in enumerate(zip(words, _annotate(words, inside), strict=True)):
        offsets = f"{units.count(first)}-{units.count(last)}"
        lines.append("\t".join([f"{number}-{place + 1}", offsets, text[first:last], *columns, ""]))
    return "\n".join(lines) + "\n"


def _annotate(words: Sequence[tuple[int, int]], marks: Sequence[Mark]) -> list[tuple[str, str]]:
    """The columns of each word: ``_`` where there is nothing, ``|`` between several annotations."""
    carried = [[mark for mark in marks if mark.start <= first and last <= mark.end] for first, last in words]
    lengths = Counter(mark.number for found in carried for mark in found)
    stacked = {mark.number for found in carried if len(found) > 1 for mark in found}

    def write(mark: Mark, value: str) -> str:
        """A value, with the number that tells its annotation apart where a word alone does not."""
        told_apart = lengths[mark.number] == 1 and mark.number not in stacked
        return _escape_value(value) + ("" if told_apart else f"[{mark.number}]")

    return [
        (
            "|".join(write(mark, str(mark.rank)) for mark in found) or "_",
            "|".join(write(mark, mark.figure) for mark in found) or "_",
        )
        for found in carried
    ]


class _Units:
    """UTF-16 units before an offset: characters beyond the Basic Multilingual Plane count twice."""

    def __init__(self, text: str) -> None:
        self._wide = [offset for offset, character in enumerate(text) if ord(character) > 0xFFFF]

    def count(self, offset: int) -> int:
        return offset + bisect.bisect_left(self._wide, offset)


def _escape_value(value: str) -> str:
    """A feature's value; ``->`` counts as one character.

    >>> _escape_value("a_b->c")
    'a\\\\_b\\\\->c'
    """
    return _RESERVED.sub(lambda match: "\\" + {"\t": "t", "\n": "n"}.get(match[0], match[0]), value)


def _escape_text(line: str) -> str:
    """A line of a sentence: control characters and backslashes get a backslash.

    >>> _escape_text("a\\tb\\\\c")
    'a\\\\tb\\\\\\\\c'
    """
    return _CONTROL.sub(lambda match: _READABLE.get(match[0], "\\" + match[0]), line)
