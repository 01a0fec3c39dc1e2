"""Remove what editors and printers added to a tale."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from barthes.reading.story_document import Block
from barthes.reading.titles import begins_with_number

_PAGE_NUMBER = re.compile(r"[\[({]?\s*(?:p|pp|pg|page)?\.?\s*\d{1,4}\s*[\])}]?", re.I)
_FOOTNOTE = re.compile(r"(\(\d{1,3}\)|\[\d{1,3}\]|\[[*†‡]+\]|[*†‡]+)\s*[^\s*.]")
_EMPHASIS = re.compile(r"\*[^\s*][^*]*(?<!\s)\*(?!\w)")
_MARK = re.compile(r"\[\d{1,3}\]|\[[*†‡]+\]|\{\d{1,4}\}|\[(?:p|pg|page)\.? ?\d{1,4}\]|[†‡]", re.I)
_RAISED_MARK = re.compile(r"(?<=[^\s(])\(\d{1,3}\)|(?<=[\w.,;:!?’”\"'])\*(?!\w)")
_SOURCE = re.compile(
    r"(?:(?:a )?(?:story|tale) from|from|adapted|translated|retold|after|taken|collected|source)\b", re.I
)
_THE_END = re.compile(r"(?:the end|finis|end of [\w' ’]+)\W*", re.I)
_AUTHOR = re.compile(r"(?i:by|told by|retold by|collected by)(?: (?:[A-ZÀ-Þ][\w.'’-]*|and|de|of|the|von),?)+")
_OPENING_CAPITALS = re.compile(r"(\W{0,2}(?:[AIO] )?)([A-ZÀ-Þ])([A-ZÀ-Þ]+)(?=,? [\w’']* ?[a-zß-ÿ])")


def clean_tale(blocks: Sequence[Block]) -> list[str]:
    """Return the paragraphs that tell a tale, without headings, dividers, page numbers, notes and sources.

    >>> clean_tale([Block("ONCE upon a time a _wolf_(1) came."), Block("(1) Canis.")])
    ['Once upon a time a wolf came.']
    """
    told = (block for index, block in enumerate(blocks) if not _is_heading(block, index))
    texts = [" ".join(block.text.split()) for block in told]
    texts = [text for text in texts if any(map(str.isalnum, text)) and not _PAGE_NUMBER.fullmatch(text)]
    marks = _find_footnotes(texts)
    texts = _trim([text for text, mark in zip(texts, marks, strict=True) if not mark])
    references = {mark for mark in marks if mark[:1] in ("(", "[")}
    cleaned = [text for text in (_remove_marks(each, references) for each in texts) if text]
    return [_lower_opening(text) for text in cleaned[:1]] + cleaned[1:]


def _is_heading(block: Block, index: int) -> bool:
    """Return whether it numbers or, set apart by space, names a chapter in capitals.

    What a character reads or shouts in capitals stands in the tale without that space.
    """
    text = block.text
    apart = (index == 0 or block.gap >= 2) and len(text) <= 120
    return begins_with_number(text) or (apart and text.isupper() and text[0] not in "\"“‘'")


def _find_footnotes(texts: Sequence[str]) -> list[str]:
    """Return for each paragraph the mark of the footnote that it is; empty for the tale.

    A star may begin a word in italics. A number found nowhere else is a footnote to the title, which is not
    among the paragraphs; several of them number the paragraphs.

    >>> _find_footnotes(["*No*, said the fox.", "*Canis lupus."])
    ['', '*']
    >>> _find_footnotes(["A wolf(1) came.", "(1) Canis."]), _find_footnotes(["A wolf came.", "(7) Grimm."])
    (['', '(1)'], ['', '(7)'])
    >>> _find_footnotes(["(1) A wolf came.", "(2) It ate."])
    ['', '']
    """
    found = [None if _EMPHASIS.match(text) else _FOOTNOTE.match(text) for text in texts]
    marks = [match[1] if match else "" for match in found]
    numbers = {mark for mark in marks if mark.strip("([])").isdigit()}
    alone = {mark for mark in numbers if sum(text.count(mark) for text in texts) == 1}
    return ["" if mark in alone and len(alone) > 1 else mark for mark in marks]


def _trim(texts: list[str]) -> list[str]:
    """Remove authors' lines at the start, and sources and "The End" at the end."""
    while len(texts) > 1 and (_is_author(texts[0]) or (texts[0][0] in "([" and _is_source(texts[0]))):
        texts = texts[1:]
    while len(texts) > 1 and (_THE_END.fullmatch(texts[-1].replace("_", "")) or _is_source(texts[-1])):
        texts = texts[:-1]
    return texts


def _is_author(text: str) -> bool:
    return len(text) <= 80 and bool(_AUTHOR.fullmatch(text.replace("_", "")))


def _is_source(text: str) -> bool:
    """Return whether a first or last paragraph names a source, in brackets or as "From the …".

    A last remark of the teller may stand in round brackets too: it has few capitals.

    >>> _is_source("(Volksmarchen der Serben.)"), _is_source("(And that is why the moon is cool.)")
    (True, False)
    """
    if len(text) > 160:
        return False
    bare = text.strip("_ ")
    if bare.startswith("[") and bare.endswith("]"):
        return True
    inside = bare.strip("(). ‘’_")
    words = [word for word in re.findall(r"[^\W\d_]+", inside) if len(word) > 3]
    named = 2 * sum(word[0].isupper() for word in words) >= len(words)
    if bare.startswith("(") and bare.endswith(")"):
        return named or bool(_SOURCE.match(inside))
    return named and len(bare) <= 80 and bool(_SOURCE.match(inside))


def _remove_marks(text: str, references: Iterable[str]) -> str:
    """Remove the marks of footnotes and pages, and the underscores that stand for italics."""
    for mark in references:
        text = text.replace(mark, "")
    return " ".join(_RAISED_MARK.sub("", _MARK.sub("", text)).replace("_", "").split())


def _lower_opening(text: str) -> str:
    """Spell the first words normally: printers set one of them in capitals.

    >>> _lower_opening("A VERY old wolf"), _lower_opening("THERE was a wolf"), _lower_opening("I saw it")
    ('A very old wolf', 'There was a wolf', 'I saw it')
    """
    found = _OPENING_CAPITALS.match(text)
    if not found:
        return text
    first = found[2].lower() if found[1].strip("\"“‘'( ") else found[2]
    return found[1] + first + found[3].lower() + text[found.end() :]
