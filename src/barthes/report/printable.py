"""Text that a terminal shows and does not obey."""

from __future__ import annotations

import re

__all__ = ["printable"]

# Controls (escape sequences begin with one), halves of surrogate pairs, and what turns the direction of
# writing. Joiners stay: Hindi, Persian and emoji are written with them.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text without characters that could steer the reader's terminal; soft hyphens are left out.

    >>> printable("a\\x1b[31mb")
    'a�[31mb'
    """
    return _UNSAFE.sub("�", text.replace("\u00ad", ""))
