"""The form of *do* that replaces a verb; forms of *be* become *be*."""

from __future__ import annotations

from collections.abc import Sequence

from barthes.annotation.events import Token

_DO = {"VB": "do", "VBP": "do", "VBD": "did", "VBG": "doing", "VBN": "done", "VBZ": "does"}
_BE = frozenset("am are be been being is was were 'm 're 's ai art wast wert".split())
_AFTER_HAS = frozenset(["been", "got", "had"])


def is_verb(token: Token) -> bool:
    """Return whether a token is tagged as a verb that has a form of *do*; modals have none.

    Taggers sometimes call a dash or a quotation mark a verb; a verb has at least one letter.
    """
    return token.tag in _DO and any(map(str.isalpha, token.text))


def name_do_form(tokens: Sequence[Token], position: int) -> str:
    """Return what replaces a verb: the form of *do* for its tag, or *be*, in the case of the verb.

    As in the paper's release, *am, is, are, was, were* become *be*; so do *be, been, being* and contractions.
    The next word distinguishes a contracted *has* (*he's been*) from *is*.

    >>> name_do_form([Token(0, 4, "Sang", "VBD")], 0), name_do_form([Token(0, 3, "was", "VBD")], 0)
    ('Did', 'be')
    """
    token = tokens[position]
    form = token.text.lower().replace("’", "'")
    is_be = form in _BE and not (form == "'s" and _follows_has(tokens[position + 1 :]))
    return copy_case("be" if is_be else _DO[token.tag], token.text)


def copy_case(word: str, model: str) -> str:
    """Return a word in the case of another one.

    >>> copy_case("did", "Sang"), copy_case("did", "SANG"), copy_case("be", "'M")
    ('Did', 'DID', 'BE')
    """
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word


def _follows_has(rest: Sequence[Token]) -> bool:
    """Return whether the first word that is not an adverb can only follow *has*."""
    following = next((token for token in rest if not token.tag.startswith("RB")), None)
    return following is not None and following.text.lower() in _AFTER_HAS
