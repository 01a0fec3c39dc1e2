"""Putting a rewritten sentence together: the source's white space, and contractions that still read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from barthes.annotation.events import Token
from barthes.narrative import Sentence
from barthes.removal.verb_forms import copy_case

__all__ = ["Piece", "join"]

_TAKES_NOT = ("do", "does", "did")
_EXPANDED = {
    ("n't", "RB"): "not",
    ("nt", "RB"): "not",
    ("'s", "PRP"): "us",
    ("na", "TO"): "to",
    ("ta", "TO"): "to",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """What stands in the place of some neighbouring tokens.

    Attributes:
        first: The first of the tokens.
        last: The last of them.
        text: Their own text, or what replaces it; empty where nothing does.
        changed: Whether it was replaced.
        begins: Whether a sentence or quotation begins with it.
    """

    first: Token
    last: Token
    text: str
    changed: bool = False
    begins: bool = False


def join(sentence: Sentence, pieces: Iterable[Piece]) -> str:
    """The text of the pieces, parted as their tokens are in the sentence."""
    out: list[str] = []
    position, before, gap, capital = sentence.start, None, None, False
    for piece in pieces:
        space = sentence.text[position - sentence.start : piece.first.start - sentence.start]
        gap = space if gap is None or gap else ""  # of the spaces around what is gone, one stays
        position, capital = piece.last.end, capital or piece.begins
        if piece.text:
            text = piece.text[0].upper() + piece.text[1:] if capital else piece.text
            out += [gap, text if gap or before is None else _attach(before, piece, text)]
            before, gap, capital = piece, None, False
    return "".join(out) + sentence.text[position - sentence.start :]


def _attach(before: Piece, piece: Piece, text: str) -> str:
    """A piece that follows another without a space, parted from it where one of them was replaced.

    *didn't* can stay together, *wasn't* becomes *be not*, *he's* (is) *he be*, *let's* *do us*.
    """
    if piece.changed:
        return f" {text}" if _is_word(before.text[-1]) and _is_word(text[0]) else text
    if not before.changed:
        return text
    form, tag = text.lower().replace("’", "'"), piece.first.tag
    if tag == "POS" and form in ("'", "'s"):
        return "'s"
    if (form, tag) in _EXPANDED:
        if tag == "RB" and before.text.lower() in _TAKES_NOT:
            return text
        return " " + copy_case(_EXPANDED[form, tag], text.lstrip("'’"))
    return f" {text}" if _is_word(before.text[-1]) and _is_word(text[0]) else text


def _is_word(character: str) -> bool:
    return character.isalnum()
