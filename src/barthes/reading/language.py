"""The language of a story: what its reader says, or else the file, or else English."""

from __future__ import annotations

import re

from barthes.annotation.languages import known_languages, resolve_language

__all__ = ["choose_language"]

ANY = "xx"
"""spaCy's code for a language that it has no rules for."""

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
