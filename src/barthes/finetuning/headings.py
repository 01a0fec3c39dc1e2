"""Headings of a printed book: which paragraph is one, and whether a tale follows it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from barthes.finetuning.paragraphs import Paragraph

__all__ = [
    "begins_back_matter",
    "begins_front_matter",
    "clean_title",
    "find_entries",
    "is_capitals",
    "is_chapter",
    "is_contents",
    "is_matter",
    "is_part_story",
    "is_short",
    "is_title",
    "normalise_title",
]

_LONGEST = 120  # characters of a title
_NUMERAL = r"(?:\d{1,4}\*?|[ivxlc]{1,8})"
_NUMBER = re.compile(rf"^(?:(?:legend|no|nr|tale|story)\.? )?{_NUMERAL}(?:[.:)]\s*|\s+)(?=\S)", re.I)
_PAGE = re.compile(r"[\s.·…]{2,}(?:\d+|[ivxlc]+)$", re.I)
_MARK = re.compile(r"\s*(?:\(\d{1,3}\)|\[\d{1,3}\]|\[\*+\])")
_GLOSS = re.compile(r"\s*(?:\([^)]*\)|\[[^\]]*\])")
_ORDINAL = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
_PART_STORY = re.compile(rf"^(?:the )?(?:{_ORDINAL}) (?:story|tale)$")
_CHAPTER = re.compile(
    rf"^{_NUMERAL}\.?$|^(?:chapter|part|canto|book) (?:{_NUMERAL}|(?:the )?(?:{_ORDINAL})|one|two|three"
    r"|four|five|six|seven|eight|nine|ten)\b",
    re.I,
)
_CONTENTS = re.compile(r"^(?:the )?(?:table of )?contents$")
_MATTER = re.compile(
    r"^(?:the |a |an |to the |general |author s |editor s |translator s |translators |publisher s "
    r"|transcriber s |preparer s |full page |list of |colour |explanatory |introductory )*"
    r"(?:(?:table of )?contents|preface|foreword|introduction|prologue by .*|notes?|remarks?|reader"
    r"|notes and references|notes on .*|note on .*|references|illustrations?|plates|colour plates"
    r"|dedication|acknowledge?ments?|index|indexes|glossary|appendix|appendices|bibliography|errata|corrigenda"
    r"|footnotes?|endnotes?|advertisements?|vocabulary|pronunciation|sources|copyright|colophon|postscript"
    r"|afterword)(?: to .*| of .*| [ivx]+| \d+)?$"
)
_BACK = re.compile(
    r"\b(?:notes|references|index|indexes|glossary|appendix|appendices|bibliography|advertisements?|footnotes"
    r"|endnotes|errata|vocabulary|sources)\b"
)
_FRONT = re.compile(r"\b(?:contents|preface|foreword|introduction|illustrations?|plates|dedication|reader)\b")


def is_short(paragraph: Paragraph) -> bool:
    """Whether a paragraph is short enough for a heading."""
    return len(paragraph.text) <= _LONGEST and len(paragraph.lines) <= 3


def is_title(paragraph: Paragraph) -> bool:
    """Whether a paragraph reads as a title: short, in capitals, or its longer words begin with one.

    >>> texts = ("THE WOLF", "Why the Fish Laughed.", "It rained there.")
    >>> [is_title(Paragraph((text,), 4)) for text in texts]
    [True, True, False]
    """
    text = clean_title(paragraph.text)
    if not is_short(paragraph) or not text or text[0] in "\"“‘'(" or text[-1] in ",;":
        return False
    if is_capitals(text):
        return True
    words = [word for word in re.split(r"[\s(\[—]+|--", text) if word[:1].isalpha()]
    long = [word for word in words if len(word) > 3] or words
    return bool(long) and text[0].isupper() and 2 * sum(word[0].isupper() for word in long) >= len(long)


def is_capitals(text: str) -> bool:
    """Whether there are letters in a text, and none of them is small.

    >>> is_capitals("XII. THE WOLF!"), is_capitals("12"), is_capitals("The Wolf")
    (True, False, False)
    """
    return text.isupper()


def clean_title(text: str) -> str:
    """A title as it is called: without its number, the mark of a footnote, italics and a full stop.

    >>> clean_title("12 _Rapunzel_"), clean_title("IV. THE CROW(13)"), clean_title("SALT.")
    ('Rapunzel', 'THE CROW', 'SALT')
    """
    bare = _MARK.sub("", text.replace("_", "")).strip()
    return _NUMBER.sub("", bare).strip().removesuffix(".").rstrip(":").strip()


def normalise_title(text: str) -> str:
    """A title for comparison: its words in small letters, without number, page and what is in brackets.

    >>> normalise_title("1 The Frog-King, or Henry (Der Froschkönig)  . . . 12")
    'the frog king or henry'
    """
    bare = clean_title(_GLOSS.sub("", _PAGE.sub("", text.strip())))
    return " ".join(re.findall(r"[^\W\d_]+", bare.lower()))


def is_chapter(text: str) -> bool:
    """Whether a heading only counts: ``XII``, ``CHAPTER I``; a tale goes on under it."""
    return bool(_CHAPTER.match(text.replace("_", "").strip()))


def is_part_story(text: str) -> bool:
    """Whether a heading counts stories that share one title: ``SECOND STORY``."""
    return bool(_PART_STORY.match(normalise_title(text)))


def is_contents(text: str) -> bool:
    """Whether a heading is that of the table of contents."""
    return bool(_CONTENTS.match(normalise_title(text)))


def is_matter(text: str) -> bool:
    """Whether a heading announces something other than a tale: a preface, notes, an index …

    >>> is_matter("PREFACE"), is_matter("Notes and References"), is_matter("The Story of Sigurd")
    (True, True, False)
    """
    return bool(_MATTER.match(normalise_title(text)))


def begins_back_matter(text: str) -> bool:
    """Whether it is matter of the kind that stands behind the last tale."""
    return is_matter(text) and bool(_BACK.search(normalise_title(text)))


def begins_front_matter(text: str) -> bool:
    """Whether it is matter of the kind that stands before the first tale."""
    return is_matter(text) and bool(_FRONT.search(normalise_title(text)))


def find_entries(paragraphs: Iterable[Paragraph]) -> frozenset[str]:
    """The titles, normalised, in a table of contents: each has its paragraph, its line, or two lines."""
    entries = set()
    for paragraph in paragraphs:
        pairs = (" ".join(pair) for pair in pairwise(paragraph.lines))
        entries |= {normalise_title(entry) for entry in (paragraph.text, *paragraph.lines, *pairs)}
    return frozenset(entry for entry in entries if entry and not is_matter(entry))
