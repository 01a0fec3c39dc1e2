"""What editors and printers add to a tale: footnotes, sources, dividers, numbers of chapters and pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from barthes.finetuning.headings import is_capitals, is_chapter
from barthes.finetuning.paragraphs import Paragraph

__all__ = ["clean_tale", "is_divider"]

_DIVIDER = re.compile(r"[\s*.·•~_=#+—–-]+")
_PAGE_NUMBER = re.compile(r"[\[({]?\s*(?:p|pp|pg|page)?\.?\s*\d{1,4}\s*[\])}]?", re.I)
_FOOTNOTE = re.compile(r"(\(\d{1,3}\)|\[\d{1,3}\]|\[[*†‡]+\]|[*†‡]+)\s*[^\s*.]")
_EMPHASIS = re.compile(r"\*[^\s*][^*]*(?<!\s)\*(?!\w)")
_MARK = re.compile(r"\[\d{1,3}\]|\[[*†‡]+\]|\{\d{1,4}\}|\[(?:p|pg|page)\.? ?\d{1,4}\]|[†‡]", re.I)
_RAISED_MARK = re.compile(r"(?<=[^\s(])\(\d{1,3}\)|(?<=[\w.,;:!?’”\"'])\*(?!\w)")
_SOURCE = re.compile(
    r"(?:(?:a )?(?:story|tale) from|from|adapted|translated|retold|after|taken|collected|source)\b", re.I
)
_END = re.compile(r"(?:the end|finis|end of [\w' ’]+)\W*", re.I)
_AUTHOR = re.compile(r"(?i:by|told by|retold by|collected by)(?: (?:[A-ZÀ-Þ][\w.'’-]*|and|de|of|the|von),?)+")
_OPENING_CAPITALS = re.compile(r"(\W{0,2}(?:[AIO] )?)([A-ZÀ-Þ])([A-ZÀ-Þ]+)(?=,? [\w’']* ?[a-zß-ÿ])")
_LONGEST_SOURCE = 160  # characters


def clean_tale(paragraphs: Sequence[Paragraph]) -> list[str]:
    """The paragraphs of a tale that tell it, without what editors and printers added.

    >>> told = clean_tale([Paragraph(("ONCE upon a time a _wolf_(1) came.",)), Paragraph(("(1) Canis.",))])
    >>> told
    ['Once upon a time a wolf came.']
    """
    told = [each for index, each in enumerate(paragraphs) if not _is_heading(each, index)]
    texts = [each.text for each in told if not _is_furniture(each.text)]
    marks = _find_marks(texts)
    texts = _trim(text for text, mark in zip(texts, marks, strict=True) if not mark)
    cleaned = [_clean_marks(text, set(filter(None, marks))) for text in texts]
    return [_lower_opening(text) if index == 0 else text for index, text in enumerate(filter(None, cleaned))]


def is_divider(text: str) -> bool:
    """Whether there is nothing but stars, dots or dashes.

    >>> is_divider("* * *"), is_divider("*Canis lupus")
    (True, False)
    """
    return bool(_DIVIDER.fullmatch(text))


def _is_heading(paragraph: Paragraph, index: int) -> bool:
    """A chapter's number, or its title in capitals: set apart by space, or first under the tale's title.

    What a character reads or shouts in capitals stands in the middle of the tale without that space.
    """
    text = paragraph.text
    apart = index == 0 or paragraph.gap >= 2
    return is_chapter(text) or (apart and is_capitals(text) and text[0] not in "\"“‘'" and len(text) <= 120)


def _is_furniture(text: str) -> bool:
    return is_divider(text) or bool(_PAGE_NUMBER.fullmatch(text))


def _find_marks(texts: Sequence[str]) -> list[str]:
    """For each paragraph the mark of a footnote that it begins with; empty for what tells.

    A star may begin a word in italics. A number that stands nowhere else is a footnote to the title, which is
    not among the paragraphs; several of them number the paragraphs.

    >>> _find_marks(["*No*, said the fox.", "*Canis lupus."])
    ['', '*']
    >>> _find_marks(["A wolf(1) came.", "(1) Canis lupus."]), _find_marks(["A wolf came.", "(7) Grimm."])
    (['', '(1)'], ['', '(7)'])
    >>> _find_marks(["(1) A wolf came.", "(2) It ate."])
    ['', '']
    """
    found = [None if _EMPHASIS.match(text) else _FOOTNOTE.match(text) for text in texts]
    marks = [match[1] if match else "" for match in found]
    alone = {mark for mark in marks if mark.strip("([])").isdigit() and _count(mark, texts) == 1}
    return ["" if mark in alone and len(alone) > 1 else mark for mark in marks]


def _count(mark: str, texts: Sequence[str]) -> int:
    return sum(text.count(mark) for text in texts)


def _trim(texts: Iterable[str]) -> list[str]:
    """Without authors' lines at the head, and sources and "The End" at the tail."""
    kept = list(texts)
    while len(kept) > 1 and (_is_author(kept[0]) or (kept[0][0] in "([" and _is_source(kept[0]))):
        del kept[0]
    while len(kept) > 1 and (_END.fullmatch(kept[-1].replace("_", "")) or _is_source(kept[-1])):
        del kept[-1]
    return kept


def _is_author(text: str) -> bool:
    return len(text) <= 80 and bool(_AUTHOR.fullmatch(text.replace("_", "")))


def _is_source(text: str) -> bool:
    """Whether a first or last paragraph names a book or a people: in brackets, or short and "From the …".

    A last remark of the teller may stand in round brackets too: it has few capitals.

    >>> _is_source("(Volksmarchen der Serben.)"), _is_source("(And that is why the moon is cool.)")
    (True, False)
    """
    if len(text) > _LONGEST_SOURCE:
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


def _clean_marks(text: str, marks: Iterable[str]) -> str:
    """Without the marks of footnotes and pages, and the underscores that stand for italics."""
    for mark in marks:
        text = text.replace(mark, "") if mark[0] in "([" else text
    return " ".join(_RAISED_MARK.sub("", _MARK.sub("", text)).replace("_", "").split())


def _lower_opening(text: str) -> str:
    """The first words as they are spelt: printers set one of them in capitals.

    >>> _lower_opening("A VERY old wolf"), _lower_opening("THERE was a wolf"), _lower_opening("I saw it")
    ('A very old wolf', 'There was a wolf', 'I saw it')
    """
    found = _OPENING_CAPITALS.match(text)
    if not found:
        return text
    first = found[2].lower() if found[1].strip("\"“‘'( ") else found[2]
    return found[1] + first + found[3].lower() + text[found.end() :]
