"""Find speakers, stage directions, scene headings and cast lists in plays and screenplays without markup.

A text is a play if several names, each more than once, stand before speeches: alone on a line in capitals, or
with a full stop or a colon at the start of a line. In a play, brackets that fill a line, follow a name or end
a line, closed or not, are stage directions, and so are square brackets between the sentences of a speech and
paragraphs such as “Enter BEN”, “SCENE: A mill” and “CURTAIN”.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile

from barthes.reading.document import list_counts
from barthes.reading.scene_breaks import is_transition, names_place
from barthes.reading.titles import CAST_TITLE, NUMBERED, ends_sentence, to_number

_NAME = r"_?([^\W\d_][\w.'’&#, -]{0,38}?)"
_REMARK = r"(?:\s*[(\[][^()\[\]]*[)\]])?"
_ALONE = re.compile(rf"{_NAME}{_REMARK}\s*[.:]?_?{_REMARK}")
_LEADING = re.compile(rf"{_NAME}(?:[.:]_?|{_REMARK}\s*[.:]_?)(?=\s+\S)")
_DIRECTION = re.compile(
    r"_?(?:\[[^\[\]]{1,600}\]|\([^()]{1,600}\))[._]{0,2}|_?\[[^\[\]\n]{0,200}[^\s\[\]](?=\s*$)", re.MULTILINE
)
_ENTRANCE = re.compile(  # “Exit the wolf”, not “Exit polls”
    r"_?(?:Exeunt\b|(?:Re-?enter|Enter|Exit)\b_?(?:[.,;:]|$|\s+_?(?:[A-ZÀ-Þ]|(?:a|an|the|two|three|four|some"
    r"|several|severally|all|both|another|again|from|with|above|below|left|right)\b)))"
)
_CURTAIN = re.compile(r"[_\[(]*(?:THE |SLOW |QUICK )?CURTAIN(?: FALLS| RISES| DROPS)?[.\])_]*", re.IGNORECASE)
_SETTING = re.compile(r"_?(?:SCENE|TIME|PLACE)_?\s*[.:—–-]")
_ACT = re.compile(r"(?:ACT|SCENE)\s+(?:[IVXLC]+|\d+)\b.*")
_ENTRY_NAME = re.compile(r"[^,.:;()\[\]—–-]+")
_LONGEST_ENTRY = 16  # words of a line in a cast list
_LONGEST_CAST_LIST = 200  # lines
_MOST_WORDS = 4  # of a name
_FEWEST = 4  # speeches of a play
_LONGEST_DIRECTION = 20  # lines
_LONGEST_MARK = 2  # letters of a mark that refers to a note
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
    r"""Return speakers, stage directions, scene headings and cast list of a play; nothing for other texts.

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
    found += _find_directions(text, lines, cues)
    found += _find_cast_lists(lines, {cue.line.start: cue.name for cue in cues})
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
    return (f"Read as a play; not scored: {list_counts(counts)}.",) if counts else ()


def _read_lines(text: str) -> list[_Line]:
    """Return the lines of a text, blank ones as well."""
    lines, position = [], 0
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        lines.append(_Line(position + (line.index(stripped) if stripped else 0), stripped))
        position += len(line)
    return lines


def _find_scenes(lines: Sequence[_Line]) -> list[_Line]:
    """Return acts and scenes; in a screenplay also other lines in capitals that stand alone (LATER)."""
    scenes = [line for line in lines if _is_heading(line.text)]
    if any(names_place(line.text) for line in scenes):
        edges = [_Line(0, ""), *lines, _Line(0, "")]
        alone = (b for a, b, c in zip(edges, lines, edges[2:], strict=False) if not a.text + c.text)
        scenes += [line for line in alone if line.text.isupper() and not ends_sentence(line.text)]
    return scenes


def _is_heading(text: str) -> bool:
    return _ACT.fullmatch(text) is not None or names_place(text) or is_transition(text)


def find_cast(text: str) -> Cast:
    """Return the speakers of a play; none for other texts."""
    lines = _read_lines(text)
    cues = _find_cues(lines)
    listed = _find_cast_lists(lines, {cue.line.start: cue.name for cue in cues})
    texts = [each.text for each in _read_lines(mask(text, listed))]
    firsts = (text for above, text in pairwise(["", *texts]) if text and not above)
    paragraphs = sum(
        not (_is_heading(text) or _SETTING.match(text) or _ENTRANCE.match(text)) for text in firsts
    )
    forms: set[str] = set()
    cast: set[str] = set()
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
        is_other = NUMBERED.match(line.text) or _SETTING.match(line.text) or _CURTAIN.fullmatch(line.text)
        if not line.text or _is_heading(line.text) or is_other:
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


def _find_directions(text: str, lines: Sequence[_Line], cues: Sequence[_Cue]) -> list[Span]:
    """Return brackets around directions, and entrances, exits, settings and curtains."""
    before = {line.start: previous.text for previous, line in pairwise([_Line(-1, ""), *lines])}
    ends = {line.end for line in lines}
    cue_ends = {cue.end for cue in cues}
    found: list[Span] = []
    for match in _DIRECTION.finditer(text):
        start, end = match.span()
        previous = before.get(start)  # the line above, if the bracket begins a line
        is_free = previous is not None and (_closes(previous) or previous.isupper())
        is_spoken = any(edge in cue_ends for edge in range(start - 2, start + 1))
        is_last = end in ends and _closes(text[max(0, start - 9) : start])
        if is_free or is_spoken or is_last or _is_between(text, match):
            found.append((start, end, "stage direction"))
    spoken = False  # the last line with words is the name of a speaker
    for index, line in enumerate(lines):
        is_moved = _ENTRANCE.match(line.text) or _CURTAIN.fullmatch(line.text)
        is_direction = _SETTING.match(line.text) or (is_moved and not spoken)
        if is_direction and _closes(before[line.start]):
            rest = takewhile(
                lambda each: each.text and not _LEADING.match(each.text) and not _ENTRANCE.match(each.text),
                islice(lines, index + 1, index + _LONGEST_DIRECTION),
            )
            found.append((line.start, max([line.end, *(each.end for each in rest)]), "stage direction"))
        spoken = line.end in cue_ends if line.text else spoken
    return found


def _is_between(text: str, bracket: re.Match[str]) -> bool:
    """Return whether words in square brackets stand between two sentences."""
    is_direction = bracket[0].lstrip("_")[0] == "[" and sum(map(str.isalpha, bracket[0])) > _LONGEST_MARK
    start, end = bracket.span()
    before, after = text[max(0, start - 9) : start], text[end : end + 9].lstrip()
    return is_direction and ends_sentence(before.rstrip()) and not after[:1].islower()


def _find_cast_lists(lines: Sequence[_Line], cues: Mapping[int, str]) -> list[Span]:
    """Return lists of the persons of a play under a title; one ends where one of its names speaks."""
    found: list[Span] = []
    for index, line in enumerate(lines):
        is_inside = bool(found) and line.start < found[-1][1]
        if not is_inside and CAST_TITLE.fullmatch(line.text.strip("_.: ")):
            entries = _read_entries(lines[index + 1 : index + _LONGEST_CAST_LIST], cues)
            # “ANNA. A girl.” reads like a speech; a list has no blank line in it, and one after it.
            is_spoken = all(each.start in cues for each in entries if each.text) and (
                bool(entries and entries[-1].text) or not all(each.text for each in _strip(entries))
            )
            if sum(bool(each.text) for each in entries) > 1 and not is_spoken:
                found.append((line.start, _strip(entries)[-1].end, "cast list"))
    return found


def _strip(lines: Sequence[_Line]) -> Sequence[_Line]:
    """Return lines without blank ones at their start and end."""
    filled = [index for index, line in enumerate(lines) if line.text]
    return lines[filled[0] : filled[-1] + 1] if filled else ()


def _read_entries(lines: Sequence[_Line], cues: Mapping[int, str]) -> list[_Line]:
    """Return the lines of a cast list, with blank ones between and after them."""
    entries: list[_Line] = []
    names: set[str] = set()
    words: set[str] = set()
    for line, after in pairwise([*lines, _Line(0, "")]):
        if not line.text:
            entries.append(line)
            continue
        match = _ENTRY_NAME.match(line.text)
        name = match[0].strip("_ ").upper() if match else ""
        if len(name.split()) > _MOST_WORDS and after.text[:1].islower():
            break  # prose over several lines
        speaks = line.start in cues and words.issuperset(cues[line.start].upper().split())
        is_other = _is_heading(line.text) or _SETTING.match(line.text) or _ENTRANCE.match(line.text)
        if not name or is_other or speaks or name in names or len(line.text.split()) > _LONGEST_ENTRY:
            break
        entries.append(line)
        names.add(name)
        words.update(name.split())
    return entries


def _closes(text: str) -> bool:
    """Return whether a new sentence may begin after a text: it is blank or ends with punctuation."""
    last = text.rstrip()[-1:]
    return not last or (unicodedata.category(last)[0] == "P" and last not in ",;")
