"""Recognize headings by their wording: capitals, numbers, and names of front and back matter.

::

    Chapter IV. The Fog      find_number: ("chapter", 4)      clean_title: "The Fog"
    NOTES AND REFERENCES     names_matter                     is_title
    It rained there.         none of these
"""

from __future__ import annotations

import re
import unicodedata

_WORDS = (
    "chapter part book volume canto letter scene act stave tale story kapitel teil buch chapitre partie "
    "livre capítulo parte capitolo libro hoofdstuk deel kapittel luku глава часть"
).split()
_NUMERALS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth last".split()
_COUNT = rf"(?:\d{{1,3}}|[ivxlc]{{1,8}}|{'|'.join(_NUMERALS + _ORDINALS)}|twenty(?:-\w+)?|the \w+)"
_NUMBERED = re.compile(rf"({'|'.join(_WORDS)})\s+({_COUNT})(?:\s*[.:—–-]+|\b)", re.IGNORECASE)
_BARE = re.compile(r"[\[(]?(\d{1,3}|[IVXLC]{1,8})[.)\]]*")
_ROMAN = re.compile(r"C*(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_SPELLED = {word: index for words in (_NUMERALS, _ORDINALS) for index, word in enumerate(words, start=1)}
_FINAL = ("Pe", "Pf", "Pi", "Po")  # Unicode categories of closing and other punctuation
_LEADING_NUMBER = re.compile(
    r"^(?:(?:legend|no|nr|tale|story)\.? )?(?:\d{1,4}\*?|[ivxlc]{1,8})(?:[.:)]+\s*|\s+)(?=\S)", re.IGNORECASE
)
_NOTE_MARK = re.compile(r"\s*(?:\(\d{1,3}\)|\[\d{1,3}\]|\[\*+\])")
_GLOSS = re.compile(r"\s*(?:\([^)]*\)|\[[^\]]*\])")
_MATTER = re.compile(
    r"\b(?:contents|preface|foreword|introduction|introductory|notes?|remarks|references|illustrations?"
    r"|plates|dedication|acknowledge?ments?|ind(?:ex|exes|ices)|glossary|appendi(?:x|ces)|bibliography"
    r"|errata|corrigenda|footnotes?|endnotes?|advertisements?|catalogue|vocabulary|pronunciation|sources"
    r"|copyright|colophon|afterword|vorwort|einleitung|anmerkungen|préface|avant-propos|publications)\b",
    re.IGNORECASE,
)
LONGEST_TITLE = 100  # characters
PARTS = frozenset("part book volume teil buch partie livre parte libro".split())
"""Words for what holds several chapters."""

CAST_TITLE = re.compile(
    r"dramatis person(?:ae|æ|a)|(?:the |list of )*(?:persons|characters|people)(?: represented"
    r"|(?: of| in) the (?:play|drama|comedy|tragedy|piece|story))?|(?:the )?cast(?: of characters| list)?"
    r"|personen|personnages|personaggi|personajes|действующие лица",
    re.IGNORECASE,
)


def find_number(heading: str) -> tuple[str, int] | None:
    """Return the word and the number that a heading begins with; the word of a bare number is empty.

    “Part one was over” is a sentence; “Chapter 3. The Fog.” is not.

    >>> find_number("Chapter IV. The Fog"), find_number("12."), find_number("Part one was over")
    (('chapter', 4), ('', 12), None)
    """
    text = heading.strip(" _")
    if bare := _BARE.fullmatch(text):
        number = to_number(bare[1])
        return ("", number) if number else None
    match = _NUMBERED.match(text)
    if match is None or (match[0][-1].isalnum() and text[match.end() :].strip()[:1].islower()):
        return None
    spelled = match[2].lower().removeprefix("the ")
    return match[1].lower(), _SPELLED.get(spelled) or to_number(match[2].upper()) or 0


def is_numbered(heading: str) -> bool:
    """Return whether a heading is only a number, with or without “chapter”: its title may follow.

    >>> is_numbered("Chapter IV."), is_numbered("12"), is_numbered("Chapter 2: The Fog")
    (True, True, False)
    """
    text = heading.strip(" _")
    match = _NUMBERED.match(text)
    return bool(match and not text[match.end() :].strip(" .:—–-")) or bool(_BARE.fullmatch(text))


def join_title(lines: str) -> str:
    """Return a heading on one line; after a number, a colon stands before the next line.

    >>> join_title("CHAPTER I.\\nThe Fog\\nat Sea"), join_title("The Old\\nWolf")
    ('CHAPTER I: The Fog at Sea', 'The Old Wolf')
    """
    first, *rest = (" ".join(line.split()) for line in lines.strip().split("\n"))
    if rest and is_numbered(first):
        return f"{first.rstrip('.:')}: {' '.join(rest)}"
    return " ".join([first, *rest])


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


def names_matter(heading: str) -> bool:
    """Return whether a heading has the name of front or back matter in it, which a story may have too.

    >>> names_matter("NOTES AND REFERENCES"), names_matter("Notes of a Madman"), names_matter("The Wolf")
    (True, True, False)
    """
    return _MATTER.search(heading) is not None


def clean_title(text: str) -> str:
    """Remove the number, the mark of a footnote, italics and the full stop from a title.

    >>> clean_title("12 _Rapunzel_"), clean_title("IV. THE CROW(13)"), clean_title("SALT.")
    ('Rapunzel', 'THE CROW', 'SALT')
    """
    bare = " ".join(_NOTE_MARK.sub("", text.replace("_", "")).split())
    return _LEADING_NUMBER.sub("", bare).strip().removesuffix(".").rstrip(":").strip() or bare


def normalize_title(text: str) -> str:
    """Return the words of a title in lower case, without number, and without what is in brackets.

    >>> normalize_title("1 The Frog-King, or Henry (Der Froschkönig)")
    'the frog king or henry'
    """
    words = re.findall(r"[^\W_]+", clean_title(_GLOSS.sub("", text) or text).lower())
    return " ".join(words)


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


def ends_sentence(text: str) -> bool:
    """Return whether a text ends with a full stop, another such mark or a quotation mark, of any script."""
    return unicodedata.category(text[-1]) in _FINAL and text[-1] not in ",;:)]*"
