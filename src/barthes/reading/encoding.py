"""Decode bytes: UTF-8, UTF-16 with a byte order mark, Windows-1252, or an encoding that fits the text better.

Latin alphabets are told apart by the words and letters of languages. Other Western text is read as
Windows-1252. If what comes out is not Western, charset-normalizer guesses.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import TYPE_CHECKING

from barthes.errors import UnknownEncodingError, UnknownNameError
from barthes.reading.latin_encodings import WESTERN, recognize_encoding
from barthes.reading.legibility import is_garbled

if TYPE_CHECKING:
    from charset_normalizer import CharsetMatch

_REMEDY = "Save the story as plain text in UTF-8, or name its encoding."
_SIGNATURES = {  # formats that may look like text to a decoder
    b"%PDF-": "a PDF file",
    b"{\\rtf": "an RTF file",
    b"PK\x03\x04": "a zip archive (as DOCX, EPUB and ODT files are)",
}
_CONTROLS = frozenset(map(chr, range(32))) - frozenset("\t\n\v\f\r\x1a") | {"\x7f"}  # \x1a ended files in DOS
_TOLERATED = 0.01  # share of control characters: a stray one does not matter
_CANDIDATES = (
    "cp1252 cp1250 cp1251 cp1253 cp1255 cp1256 cp866 cp874 koi8_r koi8_u iso8859_2 iso8859_5 iso8859_7 "
    "euc_jp cp932 euc_kr gb18030 big5"
).split()
_OTHERS = "utf_8 utf_16 latin_1 cp437 cp850 cp1254 cp1257 iso8859_4 iso8859_9 iso8859_13 mac_roman iso2022_jp"
USUAL_ENCODINGS = tuple(sorted({*_CANDIDATES, *_OTHERS.split()}))
"""Python's names of the encodings that stories are likely to have."""

_NO_TEXT = frozenset("idna punycode unicode_escape raw_unicode_escape undefined mbcs oem".split())
_ACCENTED = 0.08  # share of letters beyond ASCII: 0.07 in Finnish, 0.14 in Czech, 0.9 in Russian
_ESCAPES = {  # which switch between sets of characters in bytes that are all ASCII
    "iso2022_jp_2": re.compile(rb"\x1b\$(?:[@AB]|\([CD])"),
    "iso2022_kr": re.compile(rb"\x1b\$\)C"),
}
_MAC_MARKS = re.compile(rb"[a-z]\xd5[a-z]|[.,!?]\xd3(?=\s|$)")  # apostrophes and closing quotes of Mac Roman
_MAC_SHARE = 0.25  # of bytes beyond ASCII, at most: Chinese has the same bytes, and many more
_MAC_END = re.compile("[а-ю]Я")  # “я” of Mac Cyrillic
_IN_WORDS = frozenset("’‘´·­-–—…ªº")  # that are not letters, but stand between them in Western text
_LITTLE_WORSE = 0.02  # charset-normalizer's measure of mess
_KANA = 0.2  # share of Japanese text
_FEWEST_BYTES = 10  # beyond ASCII, for a guess
_SAMPLE = 100_000  # bytes that are enough for a guess
_SHORTEST = 100  # characters: shorter texts are not refused for being in no known encoding


def decode(data: bytes, *, where: str | Path, encoding: str | None = None) -> tuple[str, str | None]:
    """Return the text of a file's bytes, and a note for the reader if the encoding was guessed.

    Byte order marks are removed; line ends stay as they are. By default, the encoding is found out.

    Raises:
        UnknownEncodingError: The bytes are not text in any encoding we try, or in the one given.
        UnknownNameError: There is no such encoding.

    >>> decode("Märchen".encode(), where="tale.txt")
    ('Märchen', None)
    >>> decode("Märchen".encode("cp1252"), where="tale.txt")
    ('Märchen', 'Read as Windows-1252, because byte 2 (line 1) is not UTF-8: check the accented letters.')
    """
    try:
        text, note = _decode(data) if encoding is None else (_decode_as(data, encoding), None)
        if "\0" in text:
            raise ValueError(f"this is not text: character {text.index(chr(0)) + 1} is a null.")
        controls = sum(text.count(control) for control in _CONTROLS)
        if controls > _TOLERATED * len(text):
            share = f"{controls} of its {len(text)} characters"
            raise ValueError(f"this is not text: {share} are control characters.")
    except ValueError as error:
        raise UnknownEncodingError(str(error), where=where, remedy=_REMEDY) from error
    return text, note


def check_encoding(encoding: str) -> None:
    """Raise `UnknownNameError` unless there is an encoding of text with this name."""
    try:
        if "\0" in encoding or encoding.lower().replace("-", "_") in _NO_TEXT:
            raise LookupError
        b"A wolf".decode(encoding, "replace")  # unlike codecs.lookup, refuses base64 and the like
    except LookupError as error:
        raise UnknownNameError("encoding", encoding.replace("\0", "?"), USUAL_ENCODINGS) from error


def _decode_as(data: bytes, encoding: str) -> str:
    check_encoding(encoding)
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"byte {error.start + 1} (line {line}) is not {encoding}.") from error


def _decode(data: bytes) -> tuple[str, str | None]:
    """Return the text and a note; raise ValueError for what is not text."""
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            raise ValueError(f"this is {kind}, not plain text.")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return data.decode("utf-16"), "Read as UTF-16."
        except UnicodeDecodeError as error:
            wrong = f"byte {error.start + 1} is not UTF-16"
            raise ValueError(f"it begins as UTF-16 does, but {wrong}.") from error
    for name, escape in _ESCAPES.items():
        if escape.search(data):
            return _decode_as(data, name), f"Read as {_show(name)}."
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        # The codec that strips the mark counts from after it.
        position = error.start + (len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
    line = data.count(b"\n", 0, position) + 1
    wrong = f"byte {position + 1} (line {line}) is not UTF-8"
    name = _guess(data)
    try:
        text = data.decode(name)
    except UnicodeDecodeError as error:
        also = f"and byte {error.start + 1} is not {_show(name)}"
        raise ValueError(f"this is not text: {wrong}, {also}.") from error
    if name == WESTERN:
        if len(text) >= _SHORTEST and _measure_accents(text) > 0.5:
            raise ValueError(f"{wrong}, and no other encoding fits it.")
        return text, f"Read as Windows-1252, because {wrong}: check the accented letters."
    return text, f"Read as {_show(name)}, a guess, because {wrong}: check the text."


def _show(name: str) -> str:
    """Return the usual name of an encoding."""
    if name.startswith("mac_"):
        return name.replace("_", " ").title()
    name = name.removesuffix("_2") if name.startswith("iso2022") else name
    return re.sub("^CP(?=12|874)", "Windows-", re.sub("^ISO", "ISO-", name.upper().replace("_", "-")))


def _guess(data: bytes) -> str:
    """Return the encoding of bytes that are not UTF-8."""
    sample = data[: data.rfind(b"\n", 0, _SAMPLE) + 1] or data if len(data) > _SAMPLE else data
    if _is_mac_roman(sample):
        return "mac_roman"
    latin = recognize_encoding(sample)
    if latin and latin != WESTERN:
        return latin
    western = data.decode(WESTERN, "replace")
    has_few = latin == WESTERN or _measure_accents(western) <= _ACCENTED
    is_western = has_few and "\ufffd" not in western and not _has_symbols_in_words(western)
    if is_western or sum(byte > 0x7F for byte in data) < _FEWEST_BYTES:
        return WESTERN
    from charset_normalizer import from_bytes

    matches = [match for match in from_bytes(sample, cp_isolation=_CANDIDATES) if not is_garbled(str(match))]
    least = min((match.chaos for match in matches), default=0.0)
    near = [match for match in matches if match.chaos <= least + _LITTLE_WORSE or _rank(match)[0]]
    best = max(near, key=_rank, default=None)
    if best is not None and best.encoding == "cp1251" and _is_mac_cyrillic(str(best)):
        return "mac_cyrillic"
    return WESTERN if best is None else best.encoding


def _is_mac_roman(data: bytes) -> bool:
    """Return whether marks stand where Windows-1252 has capitals, and the words are right."""
    has_few = sum(byte > 0x7F for byte in data) <= _MAC_SHARE * len(data)
    return has_few and bool(_MAC_MARKS.search(data)) and not _has_symbols_in_words(data.decode("mac_roman"))


def _is_mac_cyrillic(text: str) -> bool:
    """Return whether words in Windows-1251 end in a capital “Я” more often than they have a small one."""
    return len(_MAC_END.findall(text)) > text.count("я")


def _rank(match: CharsetMatch) -> tuple[bool, bool, float]:
    """Return how well an encoding fits: Japanese by its syllables, then Western, then by the least mess."""
    text = str(match)
    kana = sum("\u3041" <= each <= "\u30fe" for each in text) > _KANA * len(text)
    return kana, match.encoding == WESTERN, -match.chaos


def _measure_accents(text: str) -> float:
    """Return the share of letters beyond ASCII."""
    letters = [each for each in text if each.isalpha()]
    return sum(not each.isascii() for each in letters) / max(len(letters), 1)


def _has_symbols_in_words(text: str) -> bool:
    """Return whether symbols such as ³ and ¿ stand between letters, as other encodings make them."""
    triples = zip(text, text[1:], text[2:], strict=False)
    return any(
        not each.isascii() and not each.isalpha() and each not in _IN_WORDS
        for before, each, after in triples
        if before.isalpha() and after.islower()
    )
