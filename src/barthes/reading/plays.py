"""Mark speakers, stage directions and cast lists in plays that have no markup for them.

::

    DRAMATIS PERSONÆ                          direction
    ANNA, a miller.   BEN, her son.           direction
    ANNA. (_Rises._) Who is there?            speaker, direction, text
    _Enter_ BEN.                              direction

A text is a play if several names recur before speeches, and if it looks like one besides: with stage
directions, acts or a cast list. Names stand alone, in capitals or italics, or at
the start of a paragraph, with a full stop or a colon.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from barthes.reading.document import Block, Draft, Mark
from barthes.reading.gutenberg import add_marks
from barthes.reading.scene_breaks import is_transition, names_place
from barthes.reading.titles import CAST_TITLE, ends_sentence, find_number, to_number

_REMARK = r"_?[(\[][^()\[\]]{1,600}[)\]]_?"
_TITLE = r"(?:M[Rr][Ss]?|M(?:me|ME|lle|LLE)|D[Rr]|S[Tt])"
_CUE = re.compile(
    rf"(?P<italic>_)?(?P<name>(?:{_TITLE}\. )?[^\W\d_][\w'’&#-]*(?:[ ,]{{1,2}}[\w'’&#-]+){{0,4}})_?"
    rf"(?P<remark>[^\S\n]*{_REMARK})?(?P<sign>[.:—])?_?(?=\s|$)"
)
_BRACKET = re.compile(rf"{_REMARK}[._]{{0,2}}|_?\[[^\[\]\n]{{1,200}}$", re.MULTILINE)
_MOVED = re.compile(  # “Exit the wolf”, not “Exit polls”
    r"_?(?:Exeunt\b|(?:Re-?enter|Enter|Exit)(?![^\W_])_?(?:[.,;:]|$|\s+_?(?:[A-ZÀ-Þ]|(?:a|an|the|two|three|four|some"
    r"|several|severally|all|both|another|again|from|with|above|below|left|right)\b)))"
    r"|[_\[(]*(?:THE |SLOW |QUICK )?CURTAIN(?: FALLS| RISES| DROPS)?[.\])_]*$"
    r"|_?(?:SCENE|TIME|PLACE)_?\s*[.:—–-]"
)
_FIRST_NAME = re.compile(r"[^,.:;()\[\]—–]+(?=[,.:;()\[\]—–]|$)")
_ITALICS = re.compile(r"_[^_]*_\.?(?:\s+_[^_]*_\.?)*")
_NO_NAMES = frozenset(
    "mr mrs ms dr st no vol ps monday tuesday wednesday thursday friday saturday sunday item note he she i "
    "they we it you january february march april may june july august september october november "
    "december yes no oh ah well".split()
)
_SMALL = frozenset("of the and a an in de du la le von van und et y".split())  # words in names
_FEWEST = 4  # speeches of a play
_SHARE = 0.35  # of the paragraphs
_LONGEST_ENTRY = 16  # words of a line in a cast list
_LONGEST_MARK = 2  # letters of a mark that refers to a note


@dataclass(frozen=True, slots=True)
class _Cue:
    """A name before a speech: the index of its block, where the name ends and a remark after it begins, the
    end of both, and the form in which it stands."""

    index: int
    name: str
    remark: int
    end: int
    form: str
    is_alone: bool


def mark_play(draft: Draft) -> None:
    """Mark speakers, directions and the cast list, if the text is a play, and note that."""
    blocks = draft.blocks
    cues = _find_cues(blocks)
    names = _choose_names(cues, blocks)
    if not names:
        return
    usual = Counter(cue.form for cue in cues if cue.name in names).most_common(1)[0][0]
    places = [cue.index for cue in cues if cue.name in names]
    between = range(places[0], places[-1])
    spoken = {
        cue.index: cue
        for cue in cues
        if cue.name in names or (cue.form == usual and cue.is_alone and cue.index in between)
    }
    _mark_cast(blocks, spoken)
    speeches = 0
    for index, block in enumerate(blocks):
        if not block.is_text:
            continue
        cue = spoken.get(index)
        speeches += cue is not None
        marks = [Mark(0, cue.remark, "speaker"), Mark(cue.remark, cue.end, "direction")] if cue else []
        is_direction = cue is None and (_MOVED.match(block.text) or _ITALICS.fullmatch(block.text))
        if is_direction or is_transition(block.line):
            blocks[index] = block.mark_as("direction")
        else:
            blocks[index] = add_marks(block, [*marks, *_find_directions(block.text, cue)])
    draft.notes.append(f"Read as a play: {speeches} speeches of {len(names)} or more speakers.")


def _find_cues(blocks: Sequence[Block]) -> list[_Cue]:
    cues = []
    for index, block in enumerate(blocks):
        match = _CUE.match(block.text) if block.is_text else None
        if (
            match is None
            or any(mark.start < match.end() for mark in block.marks)
            or not _is_name(match["name"])
            or match[0].count("_") % 2
        ):
            continue
        if find_number(block.line) or _MOVED.match(block.text) or names_place(block.text):
            continue
        rest = block.text[match.end() :]
        is_caps = match["name"].isupper()
        ends_line = not rest.strip(" ") or rest.lstrip(" ").startswith("\n")
        form = "capitals" if is_caps else "italics" if match["italic"] else "colon"
        is_marked = match["sign"] in (".", ":") or (match["italic"] and match["remark"])
        if form == "colon":
            is_cue = match["sign"] == ":"
        else:
            is_cue = bool(is_marked) or (ends_line and (is_caps or form == "italics"))
        if is_cue and not (ends_line and is_caps and rest.strip().isupper()):
            remark = match.start("remark") if match["remark"] else match.end()
            cues.append(_Cue(index, match["name"].casefold(), remark, match.end(), form, not rest.strip()))
    return cues


def _is_name(text: str) -> bool:
    words = text.split()
    if len(words) > 5 or len(text) < 2 or not text[0].isupper() or text.casefold() in _NO_NAMES:
        return False
    if any(word[0].islower() and word not in _SMALL for word in words):
        return False
    return to_number(text) is None


def _choose_names(cues: Sequence[_Cue], blocks: Sequence[Block]) -> frozenset[str]:
    """Return the names that recur before speeches; none if the text is not a play."""
    counts = Counter(cue.name for cue in cues)
    recurring = frozenset(name for name, count in counts.items() if count > 1)
    speeches = [cue for cue in cues if cue.name in recurring]
    texts = [block for block in blocks if block.is_text]
    alone = sum(cue.is_alone for cue in speeches)
    if len(recurring) < 2 or len(speeches) < max(_FEWEST, _SHARE * (len(texts) - alone)):
        return frozenset()
    return recurring if _has_directions(blocks, speeches) else frozenset()


def _has_directions(blocks: Sequence[Block], speeches: Sequence[_Cue]) -> bool:
    """Return whether there are acts, scenes, a cast list, entrances, or directions after several names."""
    headings = (number[0] for block in blocks if (number := find_number(block.line)))
    if any(word in ("act", "scene") for word in headings):
        return True
    directed = sum(_is_directed(blocks[cue.index].text, cue) for cue in speeches)
    places = {cue.index for cue in speeches}
    return directed >= _FEWEST or any(
        CAST_TITLE.fullmatch(block.line.strip(".: "))
        or names_place(block.text)
        or (block.is_text and index not in places and _MOVED.match(block.text))
        for index, block in enumerate(blocks)
    )


def _is_directed(text: str, cue: _Cue) -> bool:
    """Return whether a direction stands right after a name."""
    return cue.remark < cue.end or text[cue.end :].lstrip(" \n_")[:1] in ("(", "[")


def _find_directions(text: str, cue: _Cue | None) -> list[Mark]:
    """Return the brackets in italics, after the name, at the end of a line or between sentences."""
    start = cue.end if cue else 0
    found = []
    for bracket in _BRACKET.finditer(text, start):
        inside = bracket[0].strip("_()[]. \n")
        if len(inside) <= _LONGEST_MARK:
            continue
        before, after = text[start : bracket.start()].rstrip(), text[bracket.end() :].lstrip(" ")
        is_free = not before or (ends_sentence(before) and (not after or not after[0].islower()))
        if is_free or bracket[0].strip("([")[:1] == "_" or bracket[0].startswith("_"):
            found.append(Mark(*bracket.span(), "direction"))
    return found


def _mark_cast(blocks: list[Block], spoken: dict[int, _Cue]) -> None:
    """Mark the list of the persons under its title: its lines are short, and none of them is a speech."""
    for start, block in enumerate(blocks):
        if (
            not block.text
            or block.mark
            or not CAST_TITLE.fullmatch(block.text.partition("\n")[0].strip("_.: "))
        ):
            continue
        blocks[start] = block.mark_as("direction")
        listed: set[str] = set()
        for index in range(start + 1, len(blocks)):
            entry, cue = blocks[index], spoken.get(index)
            is_speech = cue is not None and cue.name in listed
            if not entry.is_text or find_number(entry.line) or is_speech or not _lists(entry.text):
                break
            listed |= {
                name[0].casefold() for line in entry.text.split("\n") if (name := _FIRST_NAME.match(line))
            }
            spoken.pop(index, None)
            blocks[index] = entry.mark_as("direction")


def _lists(text: str) -> bool:
    """Return whether the lines of a block are entries of a cast list."""
    lines = text.split("\n")
    if _ITALICS.fullmatch(text) or _MOVED.match(text):
        return True
    return all(len(line.split()) <= _LONGEST_ENTRY for line in lines) and all(
        line[:1].isupper() or line[:1] in "_[(" for line in lines
    )
