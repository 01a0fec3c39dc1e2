"""Recognize the encoding of bytes in a Latin alphabet by the frequent words and the letters of languages.

Windows-1252 reads every such text, but with the wrong letters: Turkish “şey” becomes “þey”.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

WESTERN = "cp1252"
_CENTRAL = "cp1250 iso8859_2"
_BALTIC = "cp1257 iso8859_13 iso8859_4"
_WESTERN_WORDS = (  # frequent words of languages that Windows-1252 writes
    "the and of to a in that it was he she his i you they with for on at had as but is not be",  # English
    "de la le et les des en un une du que est pour qui dans a par plus pas au sur ne se il elle",  # French
    "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als war er sie",  # German
    "de la que el en y a los se del las un por con no una su para es al lo como más había le",  # Spanish
    "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele",  # Portuguese
    "di e il la che in a per un è del non una le con si i da sono dei lo ma al gli come era",  # Italian
    "de en van het een in is dat op te zijn met voor niet aan er om ook als dan maar was hij ze",  # Dutch
    "och i att det som en på är av för med till den har de inte om ett han hon men var jag så",  # Swedish
    "og i at det er en til på som med de for af av den ikke der var han hun et fra men",  # Danish, Norwegian
    "ja on ei että se oli hän mutta kun niin ovat hänen joka mitä sen vain tai kuin jo minä",  # Finnish
    "og að í á sem er var við með en það ekki til hann hún um þá af fyrir ég þar þegar",  # Icelandic
    "ja on ei et ta oli see kui aga mis ka ma ning oma siis tema nii kes tuli mida sest juba",  # Estonian
    "i la el de que en a un una és els les per amb del al va no es com però hi havia",  # Catalan
)
_SHORTEST = 150  # characters
_FEWEST_KNOWN = 0.08  # share of frequent words
_FITTING = 0.9  # share of accented letters
_WORD = re.compile(r"[^\W\d_]+")
_TYPOGRAPHY = frozenset("«»‹›„“”‚‘’–—…·•°§©®´\xa0\xad")


@dataclass(frozen=True, slots=True)
class _Language:
    """A language that Windows-1252 does not write: frequent words, letters beyond ASCII, encodings."""

    words: str
    letters: str
    encodings: str

    def count_known(self, words: Counter[str]) -> int:
        return sum(words[word] for word in self.words.split())

    def measure_fit(self, text: str) -> float:
        """Return the share of the characters beyond ASCII, apart from typography, that it writes."""
        letters = {*self.letters, *self.letters.upper()}
        beyond = [each for each in text if not each.isascii() and each not in _TYPOGRAPHY]
        return sum(each in letters for each in beyond) / max(len(beyond), 1)


_LANGUAGES = (
    _Language(  # Turkish
        "bir ve bu da de için o ne çok ama gibi sonra daha kadar her dedi vardı ile ki ben onu var mı diye",
        "çğıöşüâîûİ",
        "cp1254",  # ISO-8859-9 is the same but for control characters
    ),
    _Language(  # Lithuanian
        "ir į kad iš tai jis su ne buvo ji o kaip bet jo tik jau ant po apie jos už dar prie nuo per",
        "ąčęėįšųūž",
        _BALTIC,
    ),
    _Language(  # Latvian
        "un ir ka no uz ar bija viņš viņa par tas kas lai bet arī kā pie tā to jau pēc tik nav vairs",
        "āčēģīķļņōŗšūž",
        _BALTIC,
    ),
    _Language(  # Romanian
        "și şi de în a la cu că nu o un care pe din să se mai era dar lui ce îi i le ca el ei iar",
        "ăâîşţșț",
        _CENTRAL,  # ISO-8859-16 has its letters in the same places
    ),
    _Language(  # Hungarian
        "a az és hogy nem is egy volt de azt meg csak el ha már mint még ő mert ki van olt aki majd be",
        "áéíóöőúüű",
        _CENTRAL,
    ),
    _Language(  # Czech
        "a se v na je že to s z do o k i ale jako si byl za by po byla jsem tak od když ve mu už ho",
        "áčďéěíňóřšťúůýž",
        _CENTRAL,
    ),
    _Language(  # Slovak
        "a sa v na je že to s z do o k i ale ako si bol za by po bola som tak od keď vo mu už ho",
        "áäčďéíĺľňóôŕšťúýž",
        _CENTRAL,
    ),
    _Language(  # Polish
        "i w się na nie z do to że a o jak ale był po co tak za od go jego jest przez już była dla",
        "ąćęłńóśźż",
        _CENTRAL,
    ),
    _Language(  # Croatian, Slovenian
        "i je u se na da su za od ne bio to s a kao o iz ali koji bi in v ki bil po ni so pa",
        "čćđšž",
        _CENTRAL,
    ),
)


def recognize_encoding(data: bytes) -> str | None:
    """Return the encoding if the language of bytes is surely Western, Turkish, Baltic or Central European.

    >>> tale = "Bir gün yaşlı kurt açtı ve ormanda ne bulduysa yedi. Sonra tilki geldi, çok şey anlattı. "
    >>> recognize_encoding(tale.encode("cp1254") * 2)
    'cp1254'
    """
    if len(data) < _SHORTEST:
        return None
    decoded = {name: data.decode(name, "replace") for each in _LANGUAGES for name in each.encodings.split()}
    counted = {name: Counter(map(str.lower, _WORD.findall(text))) for name, text in decoded.items()}
    usual = data.decode(WESTERN, "replace")
    western = Counter(map(str.lower, _WORD.findall(usual)))
    found = [
        (language.count_known(counted[name]), language.measure_fit(decoded[name]), name)
        for language in _LANGUAGES
        for name in language.encodings.split()
    ]
    known, fit, name = max(found, key=lambda each: each[0] * each[1])  # the first of several
    rival = max(sum(western[word] for word in words.split()) for words in _WESTERN_WORDS)
    if max(known, rival) < _FEWEST_KNOWN * western.total():
        return None
    if rival >= known or decoded[name] == usual:
        return WESTERN
    return name if fit >= _FITTING else None
