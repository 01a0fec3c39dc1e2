"""Recognize lines that separate scenes: ornaments such as ``***`` or ``#``, and headings of screenplays.

Such lines stay in the text of a narrative, between its sentences, and are never sentences themselves.
"""

from __future__ import annotations

import re

SCENE_BREAK = "***"
"""The line that stands for a break that has no words of its own."""

_ORNAMENTS = frozenset("*#~⁂⁎⁑⁕※•●○◊◆◇❖❦❧☙§✻✽✿★☆")
_RULES = frozenset("-–—―_=+")  # ornaments only if there are three or more: a single dash may be speech
_HEADING = re.compile(
    r"(?:(?:\d+[A-Z]?\.? +)?(?:(?:INT|EXT)[./ ]+|EST\. *|I/E[. ]+)[^\W\d]|\.[^\W\d]).*[^.!?]"
)
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
    return bool(_HEADING.fullmatch(line)) and line == line.upper() and any(map(str.isalnum, line))


def mask_scene_breaks(text: str) -> str:
    """Return a text of the same length whose scene breaks are blank lines.

    >>> mask_scene_breaks("He left.\\n***\\nShe came.")
    'He left.\\n\\n\\n\\n\\nShe came.'
    """
    return _LINE.sub(lambda line: "\n" * len(line[0]) if is_scene_break(line[0]) else line[0], text)
