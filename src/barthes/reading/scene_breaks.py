"""Recognize lines that separate scenes: ornaments such as ``***`` or ``#``, and headings of screenplays.

Such lines stay in the text of a narrative, between its sentences, and are never sentences themselves.
"""

from __future__ import annotations

import re

SCENE_BREAK = "***"
"""The line that stands for a break that has no words of its own."""

_ORNAMENTS = frozenset("*#~⁂⁎⁑⁕※•●○◊◆◇❖❦❧☙§✻✽✿★☆")
_RULES = frozenset("-–—―_=+")  # ornaments only if there are three or more: a single dash may be speech
_PLACE = re.compile(r"(?:\d+[A-Z]?\.? +)?(?:(?:INT|EXT)[./ ]+|(?:EST|I/E)[. ]+)(?=[\d ]*[^\W\d])")
_FORCED = re.compile(r"\.[^\W\d](?:[^\W\d]| )")
_TRANSITION = re.compile(r"(?:.* )?TO:|FADE (?:IN|OUT|UP|TO BLACK)[.:]?|(?:\w+ )?\w*CUT[.:]|DISSOLVE[.:]")
_LINE = re.compile(r"[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


def is_scene_break(line: str) -> bool:
    """Return whether a line separates scenes: an ornament, or the heading of a scene in a screenplay.

    Headings are in capitals and begin with INT, EXT, EST or I/E, after a number or not, or with a full stop,
    as Fountain writes any other heading.

    >>> [is_scene_break(line) for line in ("* * *", "#", "⁂", "---", "INT. MILL - NIGHT", ".MONTAGE")]
    [True, True, True, True, True, True]
    >>> [is_scene_break(line) for line in ("", "—", "...", "# 3", "Int. is a word.", ".NET is not one.")]
    [False, False, False, False, False, False]
    """
    return is_ornament(line) or is_scene_heading(line)


def is_ornament(line: str) -> bool:
    """Return whether a line has nothing but stars, hashes and the like, or three dashes or more."""
    marks = "".join(line.split())
    is_whole = all(mark in _ORNAMENTS or mark in _RULES for mark in marks)
    return is_whole and (len(marks) > 2 or not _ORNAMENTS.isdisjoint(marks))


def is_scene_heading(line: str) -> bool:
    """Return whether a line is the heading of a scene in a screenplay."""
    line = line.strip()
    is_place = names_place(line) and not line.startswith("EST ")  # a word of Latin and French
    is_marked = is_place or _FORCED.match(line) is not None
    return is_marked and line == line.upper() and line[-1] not in ".!?"


def names_place(line: str) -> bool:
    """Return whether a line begins with INT, EXT, EST or I/E in capitals and names a place.

    >>> [names_place(line) for line in ("INT. 2ND FLOOR", "12A EXT/INT. MILL", "EXT. 204", "Int. mill")]
    [True, True, False, False]
    """
    return _PLACE.match(line) is not None


def is_transition(line: str) -> bool:
    """Return whether a line of a screenplay says how one scene gives way to the next.

    >>> [is_transition(line) for line in ("CUT TO:", "FADE OUT.", "CUT THE ROPE!", "THE SIGN READS:")]
    [True, True, False, False]
    """
    return line.isupper() and _TRANSITION.fullmatch(line) is not None


def mask_scene_breaks(text: str) -> str:
    """Return a text of the same length whose scene breaks are blank lines.

    >>> mask_scene_breaks("He left.\\n***\\nShe came.")
    'He left.\\n\\n\\n\\n\\nShe came.'
    """
    return _LINE.sub(lambda line: "\n" * len(line[0]) if is_scene_break(line[0]) else line[0], text)


def find_scene_headings(text: str) -> list[tuple[int, int]]:
    """Return the spans of the headings of scenes in a screenplay, without the white space around them."""
    lines = (line for line in _LINE.finditer(text) if is_scene_heading(line[0]))
    return [(line.end() - len(line[0].lstrip()), line.start() + len(line[0].rstrip())) for line in lines]
