"""The language of a story: what its reader says, or else the file, or else English."""

from __future__ import annotations

import re

from barthes.annotation.languages import known_languages, resolve_language

__all__ = ["choose_language", "doubt_english"]

ANY = "xx"
"""spaCy's code for a language that it has no rules for."""

_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset(
    "the and of to a in that it was he she his i you they with for on at had as but is not be".split()
)
_FEW = 20  # words: of fewer nothing can be told
_LITTLE = 0.18  # English tales have a share of 0.28 to 0.38; Dutch, which shares some, had 0.15

_CODE = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]+)*", re.IGNORECASE)
_SHORT = dict(
    pair.split("=")
    for pair in (
        "eng=en deu=de ger=de fra=fr fre=fr spa=es ita=it por=pt nld=nl dut=nl swe=sv dan=da nob=nb nor=nb "
        "fin=fi pol=pl ces=cs cze=cs slk=sk slo=sk hun=hu rus=ru ukr=uk ell=el gre=el tur=tr ara=ar heb=he "
        "zho=zh chi=zh jpn=ja kor=ko lat=la isl=is ice=is gle=ga ron=ro rum=ro bul=bg hrv=hr srp=sr cat=ca "
        "no=nb"
    ).split()
)


def choose_language(given: str | None, declared: str = "") -> tuple[str, str | None]:
    """The code of a language to split sentences by, and a note where there are no rules for it.

    Args:
        given: What the reader says: an ISO code, or nothing.
        declared: What the file says, which counts where the reader says nothing.

    Raises:
        UnknownNameError: What the reader gave is no code of a language.

    >>> choose_language(None, "deu-DE"), choose_language("fr", "en"), choose_language(None)
    (('de', None), ('fr', None), ('en', None))
    >>> choose_language("cy")
    ('xx', "There are no rules for the language 'cy': its sentences are split by punctuation alone.")
    """
    name = (given if given is not None else declared).strip()
    if not name and given is None:
        return "en", None
    code = re.split("[-_]", name.lower())[0]
    code = _SHORT.get(code, code)
    if code in known_languages():
        return code, None
    if given is not None and not _CODE.fullmatch(name):
        return resolve_language(name), None  # which names what there is
    what = f"There are no rules for the language {name!r}: its sentences are split by punctuation alone."
    return ANY, what


def doubt_english(text: str) -> str | None:
    """A note for a text that was taken to be English because nobody said otherwise, where it hardly is.

    >>> doubt_english("Es war einmal eine alte Geis, die hatte sieben junge Geislein, und hatte sie lieb, "
    ...               "wie eine Mutter ihre Kinder lieb hat.")
    'It does not look like English, but was read as such: say which language it is.'
    >>> doubt_english("The wolf came.")
    """
    words = [word.lower() for word in _WORD.findall(text)]
    if len(words) < _FEW or sum(word in _ENGLISH for word in words) >= _LITTLE * len(words):
        return None
    return "It does not look like English, but was read as such: say which language it is."
