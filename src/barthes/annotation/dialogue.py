"""Dialogue: what stays together (``"Stop!" she cried.``) and what does not (``"Who?" "I."``)."""

from __future__ import annotations

import re

from barthes.annotation.abbreviations import is_starter
from barthes.annotation.marks import QUOTES, Site

__all__ = ["changes_speaker", "continues_sentence", "exclaims_clause"]

_SPEECH = frozenset(
    """
    add added adds admits admitted agreed agrees announced announces answer answered answers ask asked asks
    beg begged begs bellowed bellows call called calls continue continued continues cried cries cry declared
    declares demand demanded demands enquired enquires exclaim exclaimed exclaims gasped gasps groaned groans
    growled growls hissed hisses howled howls inquire inquired inquires insisted insists interrupted
    interrupts laughed laughs moaned moans murmur murmured murmurs mutter muttered mutters observed observes
    pleaded pleads protested protests quoth rejoined rejoins remarked remarks repeat repeated repeats replied
    replies reply responded responds retorted retorts returned returns roared roars said sang say says
    screamed screams shout shouted shouts shrieked shrieks sighed sighs sings snapped snaps sobbed sobs
    stammered stammers suggested suggests think thinks thought wailed wails wept whisper whispered whispers
    wondered wonders yelled yells
    """.split()
)
_PARTICLES = frozenset(["the", "of", "de", "la", "le", "du", "von", "van", "der", "den", "and"])
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_CLAUSE_EDGE = re.compile(r"[\"“”«»„‘:;—–.!?…]|(?:^|\s)'")
_CLAUSE_END = re.compile(r"[:.!?,;]")
_DASHES = "-–—"


def continues_sentence(text: str, site: Site) -> bool:
    """Whether the sentence goes on after this mark.

    It does in lower case after a closing quote (``"Stop!" she cried``), a dash (``and - splash! - he sank``)
    or an ellipsis; with a name and a verb of speaking (``"Stop!" Anna cried``); and in scripts without
    spaces wherever a quotation closes and no other opens.
    """
    between = text[site.start : site.lead]
    if site.following.islower():
        return site.closes_quote or site.is_ellipsis or between[:1] in tuple(_DASHES)
    if not site.closes_quote or between:
        return False
    if site.is_wide:
        return not site.is_spaced
    return site.is_exclaimed and _names_speaker(text, site.start)


def changes_speaker(text: str, site: Site) -> bool:
    """Whether one quotation closes and another opens: ``"Who is it?" "The wolf."``"""
    return site.closes_quote and site.is_spaced and text[site.start] in QUOTES and site.following.isupper()


def exclaims_clause(text: str, site: Site) -> bool:
    """Whether more than one word is exclaimed or asked before a capital: ``Not me, sir! Ask …``.

    After a single word the capital may belong to a name in the same sentence (``Ah! Sister, stay``).
    """
    if not (site.is_exclaimed and site.is_spaced and site.following.isupper()):
        return False
    clause = _CLAUSE_EDGE.split(text[max(0, site.mark - 80) : site.mark])[-1]
    return len(_WORD.findall(clause)) > 1


def _names_speaker(text: str, start: int) -> bool:
    """Whether a name and a verb of speaking stand here, and do not introduce another quotation."""
    for index, match in enumerate(_WORD.finditer(text, start, start + 80)):
        word = match[0]
        if index and word in _SPEECH:
            return not _introduces_speech(text, match.end())
        is_name = word[0].isupper() and (index > 0 or not is_starter(word))
        is_joined = index > 0 and (word in _PARTICLES or word.endswith("ly"))
        if not (is_name or is_joined) or text[match.end() : match.end() + 1] not in (" ", "."):
            return False
    return False


def _introduces_speech(text: str, position: int) -> bool:
    """Whether the clause ends in a colon: ``"Who is it?" Anna answered: "The wolf."``"""
    edge = _CLAUSE_END.search(text, position)
    return edge is not None and edge[0] == ":"
