r"""Parse plain text files: their paragraphs, with the blank lines before them and their places in the file.

::

    THE WOLF            Block("THE WOLF", gap=9): the start counts as many blank lines

    A wolf came         Block("A wolf came\nto the door.", gap=1)
    to the door.
"""

from __future__ import annotations

import re

from barthes.reading.document import Block, Draft
from barthes.reading.encoding import decode

_PARAGRAPH = re.compile(r"[^\S\n]*\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")
_FIRST_GAP = 9  # blank lines that the start of a text counts for


def parse(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of a text file. The draft keeps the whole text as it is."""
    text, note = decode(data, where=where)
    return Draft(notes=[note] if note else [], raw=text, blocks=split_paragraphs(text), written_as="txt")


def split_paragraphs(text: str) -> list[Block]:
    """Split a text at blank lines, which are counted; line breaks inside the paragraphs stay.

    >>> [(block.text, block.gap, block.place) for block in split_paragraphs("One\\n two\\n\\n\\n  Three.")]
    [('One\\ntwo', 9, (0, 8)), ('Three.', 2, (13, 19))]
    """
    # The same length, so that places in it are places in the text.
    lines = text.replace("\r\n", " \n").replace("\r", "\n").replace("\x1a", " ")
    blocks: list[Block] = []
    end = 0
    for found in _PARAGRAPH.finditer(lines):
        paragraph = found[0]
        start = found.start() + len(paragraph) - len(paragraph.lstrip())
        gap = lines.count("\n", end, found.start()) - 1 if blocks else _FIRST_GAP
        own = "\n".join(line.strip() for line in paragraph.split("\n"))
        blocks.append(Block(own, gap=gap, place=(start, start + len(paragraph.strip()))))
        end = found.end()
    return blocks
