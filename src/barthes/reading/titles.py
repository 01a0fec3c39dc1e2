"""Recognize titles of stories: by their capitals, and by words that announce something else."""

from __future__ import annotations

import re

from barthes.reading.tale_cleaning import NUMERAL, ORDINAL

LONGEST_TITLE = 120  # characters
PART_STORY = re.compile(rf"(?:the )?{ORDINAL} (?:story|tale)")

_NUMBER = re.compile(rf"^(?:(?:legend|no|nr|tale|story)\.? )?{NUMERAL}(?:[.:)]\s*|\s+)(?=\S)", re.I)
_PAGE = re.compile(r"[\s.·…]{2,}(?:\d+|[ivxlc]+)$", re.I)
_MARK = re.compile(r"\s*(?:\(\d{1,3}\)|\[\d{1,3}\]|\[\*+\])")
_GLOSS = re.compile(r"\s*(?:\([^)]*\)|\[[^\]]*\])")
_MATTER = re.compile(
    r"(?:the |a |an |to the |general |author s |editor s |translator s |translators |publisher s "
    r"|transcriber s |preparer s |full page |list of |colour |explanatory |introductory )*"
    r"(?:(?:table of )?contents|preface|foreword|introduction|prologue by .*|notes?|remarks?|reader"
    r"|notes and references|notes on .*|note on .*|references|illustrations?|plates|colour plates"
    r"|dedication|acknowledge?ments?|index|indexes|glossary|appendix|appendices|bibliography|errata|corrigenda"
    r"|footnotes?|endnotes?|advertisements?|vocabulary|pronunciation|sources|copyright|colophon|postscript"
    r"|afterword)(?: to .*| of .*| [ivx]+| \d+)?"
)
BACK_MATTER = re.compile(
    r"\b(?:notes|references|index|indexes|glossary|appendix|appendices|bibliography|advertisements?|footnotes"
    r"|endnotes|errata|vocabulary|sources)\b"
)
FRONT_MATTER = re.compile(
    r"\b(?:contents|preface|foreword|introduction|illustrations?|plates|dedication|reader)\b"
)


CAST_TITLE = re.compile(
    r"dramatis person(?:ae|æ|a)|(?:the |list of )*(?:persons|characters|people)(?: represented"
    r"|(?: of| in) the (?:play|drama|comedy|tragedy|piece|story))?|(?:the )?cast(?: of characters| list)?"
    r"|personen|personnages|personaggi|personajes|действующие лица",
    re.IGNORECASE,
)


def is_title(line: str) -> bool:
    """Return whether a line is in capitals, or most of its longer words begin with one.

    >>> [is_title(text) for text in ("THE WOLF", "Why the Fish Laughed.", "It rained there.")]
    [True, True, False]
    """
    text = clean_title(line)
    if not text or text[0] in "\"“‘'(" or text[-1] in ",;":
        return False
    if text.isupper():
        return True
    words = [word for word in re.split(r"[\s(\[—]+|--", text) if word[:1].isalpha()]
    long = [word for word in words if len(word) > 3] or words
    return bool(long) and text[0].isupper() and 2 * sum(word[0].isupper() for word in long) >= len(long)


def is_matter(text: str) -> bool:
    """Return whether a heading announces something other than a tale: a preface, notes, an index …

    >>> is_matter("PREFACE"), is_matter("Notes and References"), is_matter("The Story of Sigurd")
    (True, True, False)
    """
    return bool(_MATTER.fullmatch(normalize_title(text)))


def clean_title(text: str) -> str:
    """Remove the number, the mark of a footnote, italics and the full stop from a title.

    >>> clean_title("12 _Rapunzel_"), clean_title("IV. THE CROW(13)"), clean_title("SALT.")
    ('Rapunzel', 'THE CROW', 'SALT')
    """
    bare = _MARK.sub("", text.replace("_", "")).strip()
    return _NUMBER.sub("", bare).strip().removesuffix(".").rstrip(":").strip()


def normalize_title(text: str) -> str:
    """Return the words of a title in lower case, without number, page and what is in brackets.

    >>> normalize_title("1 The Frog-King, or Henry (Der Froschkönig)  . . . 12")
    'the frog king or henry'
    """
    bare = clean_title(_GLOSS.sub("", _PAGE.sub("", text.strip())))
    return " ".join(re.findall(r"[^\W\d_]+", bare.lower()))
