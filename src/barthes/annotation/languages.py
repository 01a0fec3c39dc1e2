"""The languages that stories can be split in: those that spaCy knows, by ISO code or English name."""

from __future__ import annotations

import difflib
import functools
import importlib.util
import pkgutil
from pathlib import Path

from barthes.errors import UnknownNameError

__all__ = ["known_languages", "resolve_language"]

# Written down here: neither the standard library nor spaCy, unless every language is imported, has the names.
_NAMES = dict(
    pair.replace("_", " ").split("=")
    for pair in (
        "afrikaans=af albanian=sq amharic=am ancient_greek=grc arabic=ar armenian=hy "
        "azerbaijani=az basque=eu bengali=bn bokmål=nb bulgarian=bg castilian=es catalan=ca "
        "chinese=zh croatian=hr czech=cs danish=da dutch=nl english=en estonian=et faroese=fo "
        "farsi=fa filipino=tl finnish=fi flemish=nl french=fr gaelic=gd german=de greek=el "
        "gujarati=gu haitian_creole=ht hebrew=he hindi=hi hungarian=hu icelandic=is "
        "indonesian=id irish=ga italian=it japanese=ja kannada=kn korean=ko kurdish=kmr "
        "kurmanji=kmr kyrgyz=ky latin=la latvian=lv ligurian=lij lithuanian=lt "
        "lower_sorbian=dsb luganda=lg luxembourgish=lb macedonian=mk malay=ms malayalam=ml "
        "mandarin=zh marathi=mr nepali=ne norwegian=nb norwegian_bokmål=nb norwegian_nynorsk=nn "
        "nynorsk=nn persian=fa polish=pl portuguese=pt romanian=ro russian=ru sanskrit=sa "
        "scottish_gaelic=gd serbian=sr setswana=tn sinhala=si slovak=sk slovenian=sl "
        "spanish=es swedish=sv tagalog=tl tamil=ta tatar=tt telugu=te thai=th tibetan=bo "
        "tigrinya=ti turkish=tr ukrainian=uk upper_sorbian=hsb urdu=ur vietnamese=vi yoruba=yo "
    ).split()
)


@functools.cache
def known_languages() -> frozenset[str]:
    """The ISO codes of spaCy's languages (``xx`` is any other), listed without importing spaCy."""
    spec = importlib.util.find_spec("spacy")
    if spec is None or spec.origin is None:
        return frozenset({"en"})
    folder = Path(spec.origin).parent / "lang"
    return frozenset(module.name for module in pkgutil.iter_modules([str(folder)]) if module.ispkg)


def resolve_language(name: str) -> str:
    """The code of a language as spaCy writes it, from a code or an English name; regions are left out.

    Raises:
        UnknownNameError: spaCy has no such language.

    >>> resolve_language("en-GB"), resolve_language("DE"), resolve_language("German")
    ('en', 'de', 'de')
    """
    plain = name.strip().lower().replace("_", "-")
    code = _NAMES.get(plain.replace("-", " ")) or plain.split("-")[0]
    if code not in known_languages():
        raise _refuse(name)
    return code


def _refuse(name: str) -> UnknownNameError:
    error = UnknownNameError("language", name, known_languages())
    near = difflib.get_close_matches(name.strip().lower(), _NAMES, n=1)
    if near and _NAMES[near[0]] in known_languages():
        codes = ", ".join(error.known)
        error.remedy = f"Did you mean {_NAMES[near[0]]!r} ({near[0].title()})? There are: {codes}."
    return error
