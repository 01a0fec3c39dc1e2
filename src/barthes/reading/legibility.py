"""Judge whether characters can be the text of a story in any language, or are left over from fonts."""

from __future__ import annotations

import re
import unicodedata

_FEWEST = 100  # characters: shorter texts are judged only by characters that no text has
_UNREADABLE = 0.2  # share of characters without meaning: PDFs with odd spaces and marks have fewer
_FEWEST_LETTERS = 0.5  # share of letters, marks and digits: 0.73 or more in 71 languages
_MIXED = 0.3  # share of words in two scripts: none in 71 languages
_RARE = 0.6  # share of letters of phonetic alphabets: 0.1 in Azerbaijani, 0.35 in a phonetic transcription
_VOWELS = 0.3  # share of vowels among Latin letters: 0.35 or more in 71 languages
_STRANGE = frozenset(["Cc", "Cn", "Co", "Cs"])  # control, unassigned, private, half of a pair
_GLYPH_NAME = re.compile(r"/[A-Za-z_]{1,8}\.?\d{1,6}(?![\w.])|\(cid:\d+\)")
_WORD = re.compile(r"[^\W\d_]{2,}")
# Scripts that are mixed within words, by the first word in the names of their letters.
_JOINED = frozenset("CJK HIRAGANA KATAKANA HANGUL BOPOMOFO IDEOGRAPHIC FULLWIDTH HALFWIDTH LATIN".split())


def is_garbled(text: str) -> bool:
    """Return whether a text is surely not what was written: glyph names, or letters that no language joins.

    >>> is_garbled("/g12/g45/g7 /g3/g12" * 9), is_garbled("ƣƛƘƒ ŌƣƑƚƠŌ" * 20), is_garbled("Жил волк. " * 20)
    (True, True, False)
    """
    characters = [each for each in text if not each.isspace()]
    strange = sum(unicodedata.category(each) in _STRANGE or each == "\ufffd" for each in characters)
    named = sum(len(name) for name in _GLYPH_NAME.findall(text))
    if strange + named > _UNREADABLE * len(characters):
        return True
    if len(characters) < _FEWEST:
        return False
    meaningful = sum(unicodedata.category(each)[0] in "LMN" for each in characters)
    rare = sum("\u0180" <= each <= "\u02af" for each in characters)
    return meaningful < _FEWEST_LETTERS * len(characters) or rare > _RARE * meaningful or _mixes_scripts(text)


def _mixes_scripts(text: str) -> bool:
    words = _WORD.findall(text)
    scripts = {letter: unicodedata.name(letter, "?").split()[0].split("-")[0] for letter in set(text)}
    mixed = sum(not _are_joined({scripts[letter] for letter in word} - {"MODIFIER"}) for word in words)
    return mixed > _MIXED * len(words)


def _are_joined(scripts: set[str]) -> bool:
    return len(scripts) < 2 or scripts <= _JOINED


def lacks_vowels(text: str) -> bool:
    """Return whether most letters are Latin but few are vowels, as if each was replaced by another.

    Transcriptions of Egyptian or Ugaritic lack vowels, too: this alone does not prove it.

    >>> lacks_vowels("7KH ZROI FDPH GRZQ WR WKH ULYHU " * 9), lacks_vowels("The wolf came down. " * 9)
    (True, False)
    """
    letters = [each for each in unicodedata.normalize("NFD", text.casefold()) if each.isalpha()]
    latin = [each for each in letters if each.isascii()]
    vowels = sum(each in "aeiouy" for each in latin)
    return len(letters) >= _FEWEST and 2 * len(latin) > len(letters) and vowels < _VOWELS * len(latin)
