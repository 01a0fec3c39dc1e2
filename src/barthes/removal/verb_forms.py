"""The form of *do* that stands in for a verb, and *be* for forms of *be*."""

from __future__ import annotations

from collections.abc import Sequence

from barthes.annotation.events import Token

__all__ = ["copy_case", "is_verb", "name_do_form"]

_DO = {"VB": "do", "VBP": "do", "VBD": "did", "VBG": "doing", "VBN": "done", "VBZ": "does"}
_BE = frozenset("am are be been being is was were 'm 're 's ai art wast wert".split())
_AFTER_HAS = frozenset(["been", "got", "had"])


def is_verb(token: Token) -> bool:
    """Whether a token is tagged as a verb that has a form of *do*; modals have none.

    A tagger may call a dash or a quotation mark a verb; without a letter it is none.
    """
    return token.tag in _DO and any(character.isalpha() for character in token.text)


def name_do_form(tokens: Sequence[Token], position: int) -> str:
    """What a verb becomes: the form of *do* that its tag asks for, or *be*, with the verb's capitals.

    The paper's release turns *am, is, are, was, were* into *be*; so do we, and with them *be, been, being*
    and what is contracted. A contracted *has* is told from *is* by what follows: *he's been*, *he's got*.

    >>> name_do_form([Token(0, 4, "Sang", "VBD")], 0), name_do_form([Token(0, 3, "was", "VBD")], 0)
    ('Did', 'be')
    """
    token = tokens[position]
    form = token.text.lower().replace("’", "'")
    is_be = form in _BE and not (form == "'s" and _follows_has(tokens[position + 1 :]))
    return copy_case("be" if is_be else _DO[token.tag], token.text)


def copy_case(word: str, model: str) -> str:
    """The word in the capitals of another one.

    >>> copy_case("did", "Sang"), copy_case("did", "SANG"), copy_case("be", "'M")
    ('Did', 'DID', 'BE')
    """
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word


def _follows_has(rest: Sequence[Token]) -> bool:
    for token in rest:
        if not token.tag.startswith("RB"):
            return token.text.lower() in _AFTER_HAS
    return False
