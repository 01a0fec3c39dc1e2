"""Join drop caps, large first letters that stand apart from their words, with the paragraphs they begin."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from barthes.reading.document import Block

_INITIAL = re.compile(r"\W{0,2}([^\W\d_])")
_WORD = re.compile(r"[^\W\d_]+")
_ONE_LETTER_WORDS = frozenset("AIOYEUWZÀÓÉАВИКОСУЯ")  # of European languages
_NUMERALS = "IVXLCDM"


def is_initial(text: str) -> bool:
    """Return whether a text is a single capital letter, perhaps after a quotation mark.

    >>> is_initial("“A"), is_initial("a"), is_initial("An")
    (True, False, False)
    """
    found = _INITIAL.fullmatch(text)
    return found is not None and found[1].isupper()


def join_drop_caps(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with paragraphs of one capital letter joined with the next paragraph.

    >>> [each.text for each in join_drop_caps([Block("A"), Block("LICE slept."), Block("Alice woke.")])]
    ['ALICE slept.', 'Alice woke.']
    """
    initials = {
        index for index, block in enumerate(blocks[:-1]) if not block.level and is_initial(block.text)
    }
    if not initials:
        return list(blocks)
    words = Counter(word.casefold() for block in blocks for word in _WORD.findall(block.text))
    joined: list[Block] = []
    for index, block in enumerate(blocks):
        text = _join(blocks[index - 1].text, block, words) if index - 1 in initials else None
        if text is None:
            joined.append(block)
        else:
            initial = joined.pop()
            anchors, omitted = initial.anchors + block.anchors, initial.omitted + block.omitted
            joined.append(replace(block, text=text, anchors=anchors, omitted=omitted))
    return joined


def _join(initial: str, block: Block, words: Counter[str]) -> str | None:
    """Return a paragraph with its initial; None if the letter does not belong to it, as a numeral does not.

    The other words of the document tell whether the letter is a word of its own.
    """
    rest = _WORD.match(block.text)
    if block.level or block.spans or (rest is None and not block.text.startswith("’")):
        return None
    letter, part = initial[-1], rest[0] if rest else ""
    if not (part.islower() or part.isupper() or not part):  # “The”: a picture of the letter, or another word
        return block.text if part[0] == letter else None
    whole, alone = words[(letter + part).casefold()], words[part.casefold()] - 1
    if not part or (whole and whole >= alone):
        return initial + block.text
    if letter in _NUMERALS and part.isupper():
        return None
    is_word = words[letter.casefold()] > 1 or (part.islower() and letter in _ONE_LETTER_WORDS)
    return f"{initial} {block.text}" if is_word else initial + block.text
