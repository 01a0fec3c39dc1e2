"""Export a profile as WebAnno TSV 3.3, the tab-separated format that INCEpTION imports and exports.

The layer is ``webanno.custom.Salience`` with the features ``rank`` and ``salience``; create it in INCEpTION
before the import. Offsets count UTF-16 units.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from barthes.formats import FileFormat, write_each
from barthes.narrative import Narrative
from barthes.report.exports.marks import find_marks, marks_within
from barthes.salience.profile import Profile, ScoredUnit

LAYER = "webanno.custom.Salience"

_RESERVED = re.compile(r"->|[\\\[\]|_;\t\n*]")
_READABLE = {"\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\b": "\\b", "\\": "\\\\"}
_CONTROL = re.compile(r"[\x00-\x0a\x0c-\x1f\\]")  # all below the space but the vertical tab
_LINKS = "'’-‐\u200c\u200d"  # inside a word if there are letters on both sides


def to_webanno(profile: Profile, *, top: int | None = None) -> str:
    """Return the story with its words, sentences and salience.

    Args:
        profile: Of sentences, or of events: each event is marked on its predicate.
        top: Annotate the most salient only.

    The format does not store white space between sentences, only its length. Text outside sentences becomes a
    sentence without annotation.
    """
    narrative = profile.narrative
    marks = find_marks(profile, top=top)
    wide = [offset for offset, character in enumerate(narrative.text) if ord(character) > 0xFFFF]
    sentences = [
        "\n" + _write_sentence(narrative.text, number, span, marks, wide)
        for number, span in enumerate(_find_sentences(narrative), start=1)
    ]
    return "".join(["#FORMAT=WebAnno TSV 3.3\n", f"#T_SP={LAYER}|rank|salience\n", "\n", *sentences])


def _find_sentences(narrative: Narrative) -> Iterator[tuple[int, int]]:
    """Yield the sentences, and the text between them where it is more than white space."""
    position = 0
    for start, end in (*narrative.spans, (len(narrative.text), len(narrative.text))):
        gap = narrative.text[position:start]
        if gap.strip():
            yield position + len(gap) - len(gap.lstrip()), position + len(gap.rstrip())
        if start < end:
            yield start, end
        position = end


def _write_sentence(
    text: str, number: int, span: tuple[int, int], marks: Sequence[ScoredUnit], wide: Sequence[int]
) -> str:
    start, end = span
    inside = marks_within(marks, start, end)
    cuts = {offset for mark in inside for offset in (mark.start, mark.end)}
    words = list(find_words(text, start, end, cuts=cuts))
    lines = [f"#Text={_escape_text(line)}" for line in text[start:end].split("\n")]
    for place, ((first, last), columns) in enumerate(zip(words, _annotate(words, inside), strict=True)):
        # In UTF-16, characters beyond the Basic Multilingual Plane count twice.
        offsets = "-".join(str(offset + bisect.bisect_left(wide, offset)) for offset in (first, last))
        lines.append("\t".join([f"{number}-{place + 1}", offsets, text[first:last], *columns, ""]))
    return "\n".join(lines) + "\n"


def _annotate(words: Sequence[tuple[int, int]], marks: Sequence[ScoredUnit]) -> list[tuple[str, str]]:
    """Return the columns of each word: ``_`` for no annotation, ``*`` for no value, ``|`` between several."""
    carried = [[mark for mark in marks if mark.start <= first and last <= mark.end] for first, last in words]
    lengths = Counter(mark.index for found in carried for mark in found)
    stacked = {mark.index for found in carried if len(found) > 1 for mark in found}

    def write(mark: ScoredUnit, value: str) -> str:
        """Write a value, with the number of its annotation where the word alone does not identify it."""
        unique = lengths[mark.index] == 1 and mark.index not in stacked
        return (_escape_value(value) or "*") + ("" if unique else f"[{mark.index + 1}]")

    return [
        (
            "|".join(write(mark, str(mark.rank or "")) for mark in found) or "_",
            "|".join(write(mark, repr(float(mark.salience))) for mark in found) or "_",
        )
        for found in carried
    ]


def _escape_value(value: str) -> str:
    """Escape a feature's value; ``->`` counts as one character.

    >>> _escape_value("a_b->c")
    'a\\\\_b\\\\->c'
    """
    return _RESERVED.sub(lambda match: "\\" + {"\t": "t", "\n": "n"}.get(match[0], match[0]), value)


def _escape_text(line: str) -> str:
    """Escape a line of text: control characters and backslashes get a backslash.

    >>> _escape_text("a\\tb\\\\c")
    'a\\\\tb\\\\\\\\c'
    """
    return _CONTROL.sub(lambda match: _READABLE.get(match[0], "\\" + match[0]), line)


def find_words(text: str, start: int, end: int, *, cuts: Collection[int] = ()) -> Iterator[tuple[int, int]]:
    """Yield words and punctuation marks of ``text[start:end]`` as half-open spans, in any language.

    No word crosses one of the `cuts`: *didn't* is two words where one of them is an event.

    >>> text = "Don't go, wolf!"
    >>> [text[a:b] for a, b in find_words(text, 0, len(text))]
    ["Don't", 'go', ',', 'wolf', '!']
    """
    position = start
    while position < end:
        if text[position].isspace():
            position += 1
            continue
        stop = position + 1
        if _is_letter(text[position]):
            while stop < end and stop not in cuts and _continues(text, stop, end):
                stop += 1
        yield position, stop
        position = stop


def _continues(text: str, offset: int, end: int) -> bool:
    """Return whether a word goes on at the offset: with a letter, or with a link between two letters."""
    if _is_letter(text[offset]):
        return True
    linked = text[offset] in _LINKS and _is_letter(text[offset - 1])
    return linked and offset + 1 < end and _is_letter(text[offset + 1])


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"


WEBANNO = FileFormat(
    name="webanno",
    purpose="WebAnno TSV 3.3, for INCEpTION",
    extension=".tsv",
    write=write_each(to_webanno),
    options=frozenset({"top"}),
    one_story=True,
)
