"""Find candidates for sentence ends, and rules that accept or reject them.

A candidate is a full stop, exclamation or question mark with its closing quotes. Rejected are those in ``Mr.
Fox``, ``1. Salt``, ``Alas! what now?`` and ``"Stop!" she cried.``
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_QUOTES = "\"'“”„‟‘’‚«»‹›「」『』"  # which open and which close differs by country
_WIDE = "。．！？｡"  # Chinese and Japanese: no space follows, and “ and 「 always open
_STOPS = ".!?…‼⁇⁈⁉‽։؟۔।॥။።፧"
_CLOSERS = r"""["'“”‘’‟«»‹›)\]}_*]"""
_OPENERS = rf"[\s{re.escape(_QUOTES)}(\[{{（【〈《¿¡_*\-–—]"

# Marks may be repeated ("?!") or spaced (". . ."), and a space may precede a closing quote: « Halte ! ».
_CANDIDATE = re.compile(
    rf"(?:(?P<wide>[{_WIDE}]+[…!?]*)(?P<wide_closers>[”’」』）】〉》)]*)"
    rf"|(?P<marks>[{_STOPS}]+(?:\s(?:\.\s)*\.(?=\s|$))?)"
    rf"(?P<closers>(?:{_CLOSERS}|\s[”»\"](?=\s|$))*))"
    rf"(?P<gap>\s*)(?={_OPENERS}*(?P<lead>))"
)

_ABBREVIATIONS = frozenset(
    """
    Mr Mrs Ms Messrs Mme Mlle Mgr Dr Drs Prof St Ste Rev Hon Capt Col Gen Lt Sgt Maj Cmdr Adm Gov Sen Fr
    e.g i.e viz cf vs ca
    """.split()
)
# Words that are capitalised only at the start of a sentence.
_STARTERS = frozenset(
    """
    A An The He She It We You They This That These Those There Here Then Now And But Or So For Yet As At In
    On When While Where Who What Which Why How If His Her Its Our My Your Their One Some All No Not After
    Before Once
    """.split()
)
_BEFORE = re.compile(r"(?P<previous>[\w,]*)\s*(?<![\w.])(?P<word>[\w.]+)$")
_LETTERS = re.compile(r"[^\W\d_]+")
_ITEM_NUMBER = re.compile(r"\(?(?:\d{1,3}|[IVXLC]{1,6}|[a-zA-Z])\.")

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
_NEARBY = 400  # characters: several sentences


@dataclass(frozen=True, slots=True)
class EndCandidate:
    """A place where a sentence may end; all numbers are offsets."""

    mark: int  # the first mark, such as a full stop
    marks: str  # such as ``?!``
    closers: str  # closing quotes and brackets
    end: int  # one past the closers: the end of the sentence
    start: int  # the next character that is not white space: the start of the next sentence
    lead: int  # the next character that is neither white space, quote, bracket nor dash
    following: str  # that character, or empty at the end of the text

    @property
    def closes_quote(self) -> bool:
        """Whether a quotation ends here."""
        return any(closer in _QUOTES for closer in self.closers)

    @property
    def is_exclaimed(self) -> bool:
        """Whether the last mark is an exclamation or question mark."""
        return self.marks[-1] in "!?‼⁇⁈⁉‽"

    @property
    def is_wide(self) -> bool:
        """Whether the mark is full-width, as in Chinese and Japanese."""
        return self.marks[0] in _WIDE

    @property
    def is_spaced(self) -> bool:
        """Whether white space follows."""
        return self.start > self.end


def find_candidates(text: str) -> Iterator[EndCandidate]:
    """Yield the places where a sentence may end, in order.

    >>> [candidate.end for candidate in find_candidates('"Stop!" she cried. It rained.')]
    [7, 18, 29]
    """
    for match in _CANDIDATE.finditer(text):
        marks, closers = match["wide"] or match["marks"], match["wide_closers"] or match["closers"] or ""
        end, start, lead = match.start("gap"), match.end("gap"), match.start("lead")
        yield EndCandidate(match.start(), marks, closers, end, start, lead, text[lead : lead + 1])


def is_abbreviated(text: str, candidate: EndCandidate) -> bool:
    """Return whether the full stop belongs to an English abbreviation that cannot end a sentence.

    Abbreviations that can (``etc.``, ``p.m.``) are left to the parser.
    """
    before = _read_before(text, candidate)
    if candidate.marks != "." or candidate.closers or before is None:
        return False
    if before["word"] in ("No", "Nos"):
        return candidate.following.isdigit()
    word = _LETTERS.match(text, candidate.lead)
    return before["word"] in _ABBREVIATIONS and not (word and word[0] in _STARTERS)


def ends_on_letter(text: str, candidate: EndCandidate) -> bool:
    """Return whether a sentence ends on a single letter, which looks like an initial (``J. Smith``).

    It does on the pronoun (``as old as he and I. Ask …``) and before a word that only starts sentences (``her
    friend Lena K. She …``).
    """
    before = _read_before(text, candidate)
    if candidate.marks != "." or not candidate.is_spaced or before is None or len(before["word"]) != 1:
        return False
    is_pronoun = before["word"] == "I" and before["previous"][:1].islower() and candidate.following.isupper()
    word = _LETTERS.match(text, candidate.lead)
    return is_pronoun or (word is not None and len(word[0]) > 1 and word[0] in _STARTERS)


def numbers_item(text: str, candidate: EndCandidate) -> bool:
    """Return whether the full stop belongs to the item number at the start of the passage (``2. Salt``)."""
    match = _ITEM_NUMBER.match(text)
    return match is not None and match.end() == candidate.mark + 1


def _read_before(text: str, candidate: EndCandidate) -> re.Match[str] | None:
    return _BEFORE.search(text, max(0, candidate.mark - 40), candidate.mark)


def continues_sentence(text: str, candidate: EndCandidate) -> bool:
    """Return whether the sentence continues after this mark.

    It does in lower case (``"Stop!" she cried``, ``Alas! what now?``); with a name and a verb of speaking
    (``"Stop!" Anna cried``); and in scripts without spaces if a quotation closes and no other opens. Where
    all is in lower case, it does only after a closing quote, a dash (``and - splash! - he sank``) or an
    ellipsis.
    """
    between = text[candidate.start : candidate.lead]
    if candidate.following.islower():
        is_ellipsis = candidate.marks.count(".") > 1 or "…" in candidate.marks
        is_attached = candidate.closes_quote or is_ellipsis or between[:1] in tuple(_DASHES)
        return is_attached or not _is_lower_case(text, candidate)
    if not candidate.closes_quote or between:
        return False
    if candidate.is_wide:
        return not candidate.is_spaced
    return candidate.is_exclaimed and _names_speaker(text, candidate.start)


def _is_lower_case(text: str, candidate: EndCandidate) -> bool:
    """Return whether no capital is near, so that a small letter says nothing; also in Georgian."""
    return text[max(0, candidate.mark - _NEARBY) : candidate.lead + _NEARBY].islower()


def changes_speaker(text: str, candidate: EndCandidate) -> bool:
    """Return whether one quotation closes and another opens: ``"Who is it?" "The wolf."``"""
    opens = candidate.is_spaced and text[candidate.start] in _QUOTES
    return candidate.closes_quote and opens and candidate.following.isupper()


def exclaims_clause(text: str, candidate: EndCandidate) -> bool:
    """Return whether an exclamation or question of several words precedes a capital: ``Not me, sir! Ask …``.

    After a single word, the capital may belong to a name in the same sentence (``Ah! Sister, stay``).
    """
    if not (candidate.is_exclaimed and candidate.is_spaced and candidate.following.isupper()):
        return False
    clause = _CLAUSE_EDGE.split(text[max(0, candidate.mark - 80) : candidate.mark])[-1]
    return len(_WORD.findall(clause)) > 1


def _names_speaker(text: str, start: int) -> bool:
    """Return whether a name and a verb of speaking follow that do not introduce another quotation."""
    for index, match in enumerate(_WORD.finditer(text, start, start + 80)):
        word = match[0]
        if index and word in _SPEECH:
            edge = _CLAUSE_END.search(text, match.end())
            return edge is None or edge[0] != ":"  # "Who is it?" Anna answered: "The wolf."
        is_name = word[0].isupper() and (index > 0 or word not in _STARTERS)
        is_joined = index > 0 and (word in _PARTICLES or word.endswith("ly"))
        if not (is_name or is_joined) or text[match.end() : match.end() + 1] not in (" ", "."):
            return False
    return False
