"""Resolve the language of a story from an ISO code or an English name."""

from __future__ import annotations

import difflib
import functools
import importlib.util
import pkgutil
import re
from pathlib import Path

from barthes.errors import UnknownNameError

# The standard library has no language names, and spaCy has them only if it imports every language.
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
_THREE_LETTER_CODES = dict(
    pair.split("=")
    for pair in (
        "eng=en deu=de ger=de fra=fr fre=fr spa=es ita=it por=pt nld=nl dut=nl swe=sv dan=da nob=nb nor=nb "
        "fin=fi pol=pl ces=cs cze=cs slk=sk slo=sk hun=hu rus=ru ukr=uk ell=el gre=el tur=tr ara=ar heb=he "
        "zho=zh chi=zh jpn=ja kor=ko lat=la isl=is ice=is gle=ga ron=ro rum=ro bul=bg hrv=hr srp=sr cat=ca "
        "no=nb"
    ).split()
)
_ANY = "xx"  # spaCy's code for any other language
_CODE = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]+)*", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset(
    "the and of to a in that it was he she his i you they with for on at had as but is not be your my me we "
    "this are have what will who when there were been their said from by him them her would could which out "
    "if do no so all".split()
)
_FEWEST_WORDS = 20  # shorter texts are not judged
_SURELY_ENGLISH = 0.25
_LEAST_ENGLISH = 0.18  # 0.49 in English tales, 0.2 or more in 999 of 1,000 runs of 20 words; Dutch 0.14


@functools.cache
def known_languages() -> frozenset[str]:
    """Return the codes of spaCy's languages (``xx`` for any other), without importing spaCy."""
    spec = importlib.util.find_spec("spacy")
    if spec is None or spec.origin is None:
        return frozenset({"en"})
    folder = Path(spec.origin).parent / "lang"
    return frozenset(module.name for module in pkgutil.iter_modules([str(folder)]) if module.ispkg)


def resolve_language(name: str) -> str:
    """Return spaCy's code, without region, for the code or English name of a language.

    Raises:
        UnknownNameError: spaCy has no such language.

    >>> resolve_language("en-GB"), resolve_language("DE"), resolve_language("German")
    ('en', 'de', 'de')
    """
    plain = name.strip().lower().replace("_", "-")
    code = _NAMES.get(plain.replace("-", " ")) or plain.split("-")[0]
    if code in known_languages():
        return code
    error = UnknownNameError("language", name, known_languages())
    near = difflib.get_close_matches(name.strip().lower(), _NAMES, n=1)
    if near and _NAMES[near[0]] in known_languages():
        codes = ", ".join(error.known)
        error.remedy = f"Did you mean {_NAMES[near[0]]!r} ({near[0].title()})? There are: {codes}."
    raise error


def choose_language(given: str | None, declared: str = "") -> tuple[str, str | None]:
    """Return the language code for splitting sentences, and a note if there are no rules for it.

    Args:
        given: The user's choice: an ISO code, a name, or None.
        declared: The language declared in the file, used if `given` is None. English without either.

    Raises:
        UnknownNameError: `given` is not a language.

    >>> choose_language(None, "deu-DE"), choose_language("fr", "en"), choose_language(None)
    (('de', None), ('fr', None), ('en', None))
    >>> choose_language("cy")
    ('xx', "There are no rules for the language 'cy': its sentences are split by punctuation alone.")
    """
    name = (given if given is not None else declared).strip()
    if not name and given is None:
        return "en", None
    code = re.split("[-_]", name.lower())[0]
    code = _THREE_LETTER_CODES.get(code, code)
    if code in known_languages():
        return code, None
    if given is not None and not _CODE.fullmatch(name):
        return resolve_language(name), None
    note = f"There are no rules for the language {name!r}: its sentences are split by punctuation alone."
    return _ANY, note


def doubt_language(text: str, code: str) -> str | None:
    """Return a note if a text was read as English and does not look like it, or the other way round.

    >>> tale = "Es war einmal eine alte Geis, die hatte sieben junge Geislein, und hatte sie lieb, wie eine "
    >>> doubt_language(tale + "Mutter ihre Kinder lieb hat.", "en")
    'It does not look like English but was read as English: give its language.'
    >>> doubt_language("The wolf came.", "de")
    >>> doubt_language("The wolf came to the river, and it was cold. " * 3, "de")
    "It looks like English but was read as 'de': give its language."
    """
    words = [word.lower() for word in _WORD.findall(text)]
    if len(words) < _FEWEST_WORDS:
        return None
    share = sum(word in _ENGLISH for word in words) / len(words)
    if code == "en" and share < _LEAST_ENGLISH:
        return "It does not look like English but was read as English: give its language."
    if code != "en" and share > _SURELY_ENGLISH:
        return f"It looks like English but was read as {code!r}: give its language."
    return None
