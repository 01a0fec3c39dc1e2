"""Recognize headings by their wording: titles by their capitals, numbers, and what is not part of a story."""

from __future__ import annotations

import re
import unicodedata

_WORDS = (
    "chapter part book canto letter scene act stave tale story kapitel teil buch chapitre partie livre "
    "capítulo parte capitolo libro hoofdstuk deel kapittel luku глава часть"
).split()
NUMERALS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth last".split()
_COUNT = rf"(?:\d{{1,3}}|[ivxlc]{{1,8}}|{'|'.join(NUMERALS + _ORDINALS)}|twenty(?:-\w+)?|the \w+)"
NUMBERED = re.compile(rf"(?:{'|'.join(_WORDS)})\s+{_COUNT}(?:\s*[.:—–-]+|\b)", re.IGNORECASE)
BARE = re.compile(r"[\[(]?(\d{1,3}|[IVXLC]{1,8})[.)\]]*")
_ROMAN = re.compile(r"C*(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
LONGEST_TITLE = 120  # characters
PART_STORY = re.compile(rf"(?:the )?(?:{'|'.join(_ORDINALS)}) (?:story|tale)")
THE_END = re.compile(r"(?:the end|finis|fin|ende)\W*", re.IGNORECASE)
_FINAL = ("Pe", "Pf", "Pi", "Po")  # Unicode categories of closing and other punctuation
_NUMBER = re.compile(
    r"^(?:(?:legend|no|nr|tale|story)\.? )?(?:\d{1,4}\*?|[ivxlc]{1,8})(?:[.:)]\s*|\s+)(?=\S)", re.I
)
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


def reads_like_title(text: str) -> bool:
    """Return whether a paragraph is a title on one short line without a full stop.

    Scripts without capitals have no titles, so that no sentence in them is taken for one.

    >>> [reads_like_title(text) for text in ("The Ferryman’s Daughter", "The wolf came back", "So!", "狼")]
    [True, False, False, False]
    """
    is_line = "\n" not in text and len(text.split()) <= 10 and text[-1] not in ",;:"
    return is_line and not ends_sentence(text) and is_title(text)


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


def is_numbered(heading: str) -> bool:
    """Return whether a heading is only a number, with or without “chapter”: its title may follow.

    >>> is_numbered("Chapter IV."), is_numbered("12"), is_numbered("Chapter 2: The Fog")
    (True, True, False)
    """
    heading = heading.strip()
    match = NUMBERED.match(heading)
    return bool(match and not heading[match.end() :].strip(" .:—–-")) or bool(BARE.fullmatch(heading))


def to_number(text: str) -> int | None:
    """Return the number that digits or Roman numerals write; None for anything else.

    >>> to_number("14"), to_number("XIV"), to_number("IIX"), to_number("wolf")
    (14, 14, None, None)
    """
    if text.isascii() and text.isdigit():
        return int(text)
    if not text or not _ROMAN.fullmatch(text):
        return None
    values = [_VALUES[letter] for letter in text]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def begins_with_number(heading: str) -> bool:
    """Return whether a heading is a number, or begins with “chapter” and one.

    >>> [begins_with_number(text) for text in ("XII", "_CHAPTER I_. The Wolf", "Part of the Way")]
    [True, True, False]
    """
    bare = heading.replace("_", "").strip()
    return bool(NUMBERED.match(bare) or BARE.fullmatch(bare))


def ends_sentence(text: str) -> bool:
    """Return whether a text ends with a full stop, another such mark or a quotation mark, of any script."""
    return unicodedata.category(text[-1]) in _FINAL and text[-1] not in ",;:)]*"
