"""Full stops that end no sentence (``Mr.``, ``1.`` before an item) and letters that do (``he and I.``)."""

from __future__ import annotations

import re

from barthes.annotation.marks import Site

__all__ = ["ends_on_letter", "is_abbreviated", "is_starter", "numbers_item"]

_ABBREVIATIONS = frozenset(
    """
    Mr Mrs Ms Messrs Mme Mlle Mgr Dr Drs Prof St Ste Rev Hon Capt Col Gen Lt Sgt Maj Cmdr Adm Gov Sen Fr
    e.g i.e viz cf vs ca
    """.split()
)
_STARTERS = frozenset(
    """
    A An The He She It We You They This That These Those There Here Then Now And But Or So For Yet As At In
    On When While Where Who What Which Why How If His Her Its Our My Your Their One Some All No Not After
    Before Once
    """.split()
)
_BEFORE = re.compile(r"(?P<previous>[\w,]*)\s*(?<![\w.])(?P<word>[\w.]+)$")
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\(?(?:\d{1,3}|[IVXLC]{1,6}|[a-zA-Z])\.")


def is_abbreviated(text: str, site: Site) -> bool:
    """Whether the full stop belongs to an English abbreviation that something always follows.

    What may also end a sentence (``etc.``, ``p.m.``) is left to the parser.
    """
    if site.marks != "." or site.closers:
        return False
    before = _read_before(text, site)
    if before is None:
        return False
    if before["word"] in ("No", "Nos"):
        return site.following.isdigit()
    word = _WORD.match(text, site.lead)
    return before["word"] in _ABBREVIATIONS and not (word and is_starter(word[0]))


def is_starter(word: str) -> bool:
    """Whether an English word has its capital because a sentence starts, and is never a name.

    >>> is_starter("The"), is_starter("Anna")
    (True, False)
    """
    return word in _STARTERS


def ends_on_letter(text: str, site: Site) -> bool:
    """Whether a sentence ends on a single letter, which looks like an initial (``J. Smith``).

    The pronoun ends one (``as old as he and I. Ask …``), and so does any letter before a word that
    only starts sentences (``her friend Lena K. She …``).
    """
    before = _read_before(text, site)
    if site.marks != "." or not site.is_spaced or before is None or len(before["word"]) != 1:
        return False
    is_pronoun = before["word"] == "I" and before["previous"][:1].islower() and site.following.isupper()
    word = _WORD.match(text, site.lead)
    return is_pronoun or (word is not None and len(word[0]) > 1 and is_starter(word[0]))


def numbers_item(text: str, site: Site) -> bool:
    """Whether the full stop belongs to the number of an item (``2. Salt``) at the head of the passage."""
    match = _NUMBER.match(text)
    return match is not None and match.end() == site.mark + 1


def _read_before(text: str, site: Site) -> re.Match[str] | None:
    return _BEFORE.search(text, max(0, site.mark - 40), site.mark)
