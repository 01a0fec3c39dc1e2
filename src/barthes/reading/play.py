"""Find speakers, stage directions and scene headings in plays and screenplays without markup.

A text is a play if several names, each more than once, stand before speeches: alone on a line in capitals, or
with a full stop or a colon at the start of a line. In a play, brackets that fill a line, follow a name or end
a line are stage directions.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile

from barthes.reading.chapters import NUMBERED, to_number

_NAME = r"_?([^\W\d_][\w.'’&#, -]{0,38}?)"
_REMARK = r"(?:\s*[(\[][^()\[\]]*[)\]])?"
_ALONE = re.compile(rf"{_NAME}{_REMARK}\s*[.:]?_?{_REMARK}")
_LEADING = re.compile(rf"{_NAME}(?:[.:]_?|{_REMARK}\s*[.:]_?)(?=\s+\S)")
_DIRECTION = re.compile(r"_?(?:\[[^\[\]]{1,600}\]|\([^()]{1,600}\))[._]{0,2}")
_ENTRANCE = re.compile(r"_?(?:Re-?enter|Enter|Exit|Exeunt)\b")
_SCENE = re.compile(r"(?:\d+\s+)?(?:INT|EXT|INT\.?/EXT|I/E)[. ]+\S.*|(?:ACT|SCENE)\s+(?:[IVXLC]+|\d+)\b.*")
_MOST_WORDS = 4  # of a name
_FEWEST = 4  # speeches of a play
_LONGEST_DIRECTION = 20  # lines
_SMALL = frozenset("of the and a an in de du la le von van und et y".split())  # words in names
_NO_NAMES = frozenset(
    "mr mrs ms dr st no vol ps monday tuesday wednesday thursday friday saturday sunday item note he she i "
    "they we it you january february march april may june july august september october november "
    "december".split()
)
_SHARE = 0.35  # of the paragraphs: names in capitals before speeches
_COLON_SHARE = 0.4  # of the paragraphs: other names, with a colon

Span = tuple[int, int, str]
"""The start, end and kind of something that is not a sentence."""


@dataclass(frozen=True, slots=True)
class Cast:
    """In which forms names stand before speeches, and the names that do so more than once."""

    forms: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str  # stripped

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class _Cue:
    """A name before a speech."""

    line: _Line
    name: str
    end: int  # offset one past the name and its mark
    form: str


def find_structure(text: str, cast: Cast | None = None) -> list[Span]:
    r"""Return the speakers, stage directions and scene headings of a play in order; nothing for other texts.

    `cast` is that of the whole, if the text is a scene: its own speeches may be too few to tell a play.

    >>> play = "ANNA. Who is it?\n\nBEN. The wolf.\n\nANNA. [Rising] Which?\n\nBEN. The grey one.\n"
    >>> [(play[start:end], kind) for start, end, kind in find_structure(play)][2:4]
    [('ANNA.', 'speaker'), ('[Rising]', 'stage direction')]
    """
    cast = find_cast(text) if cast is None else cast
    if not cast.forms:
        return []
    lines = _read_lines(text)
    cues = [cue for cue in _find_cues(lines) if cue.form in cast.forms]
    cues = [cue for cue in cues if cue.form in ("above", "before") or cue.name in cast.names]
    found = [(cue.line.start, cue.end, "speaker") for cue in cues]
    found += [(each.start, each.end, "scene heading") for each in _find_scenes(lines)]
    found += _find_directions(text, lines, {cue.end for cue in cues})
    kept: list[Span] = []
    for span in sorted(found, key=lambda span: (span[0], -span[1])):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def mask(text: str, spans: Sequence[Span]) -> str:
    """Return a text with line breaks in the place of some spans, so that other offsets stay the same."""
    pieces, position = [], 0
    for start, end, _ in spans:
        pieces += [text[position:start], "\n" * (end - start)]
        position = end
    return "".join([*pieces, text[position:]])


def describe_structure(spans: Sequence[Span]) -> tuple[str, ...]:
    """Return a note on what of a play is not scored; nothing for other texts."""
    counts = Counter(kind for *_, kind in spans)
    found = [f"{count:,} {kind}{'s' if count > 1 else ''}" for kind, count in sorted(counts.items())]
    return (f"Read as a play; not scored: {', '.join(found)}.",) if found else ()


def _read_lines(text: str) -> list[_Line]:
    """Return the lines of a text, blank ones as well."""
    lines, position = [], 0
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        lines.append(_Line(position + (line.index(stripped) if stripped else 0), stripped))
        position += len(line)
    return lines


def _find_scenes(lines: Sequence[_Line]) -> list[_Line]:
    """Return acts and scenes; in a screenplay also other lines in capitals that stand alone (CUT TO:)."""
    scenes = [line for line in lines if _SCENE.fullmatch(line.text)]
    if any(line.text.startswith(("INT", "EXT", "I/E")) for line in scenes):
        edges = [_Line(0, ""), *lines, _Line(0, "")]
        near = zip(edges, lines, edges[2:], strict=False)
        scenes += [line for above, line, below in near if line.text.isupper() and not above.text + below.text]
    return scenes


def find_cast(text: str) -> Cast:
    """Return the speakers of a play; none for other texts."""
    lines = _read_lines(text)
    texts = [each.text for each in lines]
    paragraphs = sum(bool(text) and (not i or not texts[i - 1]) for i, text in enumerate(texts))
    forms: set[str] = set()
    cast: set[str] = set()
    cues = _find_cues(lines)
    for form in ("above", "apart", "before", "colon"):
        counts = Counter(cue.name for cue in cues if cue.form == form)
        least = 2 if form in ("above", "before") else 3
        names = {name for name, count in counts.items() if count >= least}
        spoken = sum(counts[name] for name in names)
        total = paragraphs if paragraphs > spoken else sum(map(bool, texts))
        share = _COLON_SHARE if form == "colon" else _SHARE
        if len(names) > 1 and spoken >= max(_FEWEST, share * total):
            forms.add(form)
            cast |= names
    return Cast(frozenset(forms), frozenset(cast))


def _find_cues(lines: Sequence[_Line]) -> list[_Cue]:
    cues = []
    for index, line in enumerate(lines):
        if not line.text or _SCENE.fullmatch(line.text) or NUMBERED.match(line.text):
            continue
        after = lines[index + 1].text if index + 1 < len(lines) else ""
        is_first = not index or not lines[index - 1].text
        alone, leading = _ALONE.fullmatch(line.text), _LEADING.match(line.text)
        if alone and is_first and _is_name(alone[1]) and alone[1].isupper():
            form = "above" if after and not after.isupper() else "apart"
            cues.append(_Cue(line, alone[1], _end_name(line, alone[1]), form))
        elif leading and _is_name(leading[1]) and not line.text.isupper():
            form = "before" if leading[1].isupper() else "colon"
            if form == "before" or leading[0].rstrip("_")[-1] == ":":
                cues.append(_Cue(line, leading[1], _end_name(line, leading[1]), form))
    return cues


def _end_name(line: _Line, name: str) -> int:
    """Return the offset past a name and the mark right after it."""
    end = line.text.index(name) + len(name)
    while end < len(line.text) and line.text[end] in ".:_":
        end += 1
    return line.start + end


def _is_name(text: str) -> bool:
    words = text.split()
    if len(words) > _MOST_WORDS or len(text) < 2 or not text[0].isupper() or "." in text:
        return False
    if any(word[0].islower() and word not in _SMALL for word in words) or text.casefold() in _NO_NAMES:
        return False
    return to_number(text.strip(". ")) is None


def _find_directions(text: str, lines: Sequence[_Line], cue_ends: set[int]) -> list[Span]:
    """Return brackets that fill a line, follow a name or end a line, and lines of entrances and exits."""
    before = {line.start: previous.text for previous, line in pairwise([_Line(-1, ""), *lines])}
    ends = {line.end for line in lines}
    found: list[Span] = []
    for match in _DIRECTION.finditer(text):
        start, end = match.span()
        previous = before.get(start)  # the line above, if the bracket begins a line
        is_free = previous is not None and (_closes(previous) or previous.isupper())
        is_spoken = any(edge in cue_ends for edge in range(start - 2, start + 1))
        if is_free or is_spoken or (end in ends and _closes(text[max(0, start - 9) : start])):
            found.append((start, end, "stage direction"))
    for index, line in enumerate(lines):
        if _ENTRANCE.match(line.text) and _closes(before[line.start]):
            rest = takewhile(
                lambda each: each.text and not _LEADING.match(each.text) and not _ENTRANCE.match(each.text),
                islice(lines, index + 1, index + _LONGEST_DIRECTION),
            )
            found.append((line.start, max([line.end, *(each.end for each in rest)]), "stage direction"))
    return found


def _closes(text: str) -> bool:
    """Return whether a new sentence may begin after a text: it is blank or ends with punctuation."""
    last = text.rstrip()[-1:]
    return not last or (unicodedata.category(last)[0] == "P" and last not in ",;")
