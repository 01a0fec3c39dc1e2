"""Decode bytes: UTF-8, UTF-16 with a byte order mark, or the encoding that chardet finds."""

from __future__ import annotations

import codecs
from pathlib import Path

from barthes.errors import UnknownEncodingError, UnknownNameError
from barthes.reading.legibility import is_garbled

_REMEDY = "Save the story as plain text in UTF-8, or name its encoding."
_SIGNATURES = {  # formats that may look like text to a decoder
    b"%PDF-": "a PDF file",
    b"{\\rtf": "an RTF file",
    b"PK\x03\x04": "a zip archive (as DOCX, EPUB and ODT files are)",
}
_CONTROLS = frozenset(map(chr, range(32))) - frozenset("\t\n\v\f\r\x1a") | {"\x7f"}  # \x1a ended files in DOS
_TOLERATED = 0.01  # share of control characters: a stray one does not matter
USUAL_ENCODINGS = tuple(
    "big5 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp437 cp850 cp866 cp874 cp932 euc_jp "
    "euc_kr gb18030 iso2022_jp iso8859_13 iso8859_2 iso8859_4 iso8859_5 iso8859_7 iso8859_9 koi8_r koi8_u "
    "latin_1 mac_cyrillic mac_roman utf_16 utf_8".split()
)
"""Python's names of the encodings that stories are likely to have."""

_NO_TEXT = frozenset("idna punycode unicode_escape raw_unicode_escape undefined mbcs oem".split())
_ESCAPE = b"\x1b"  # switches between sets of characters in the ISO-2022 encodings, whose bytes are all ASCII
_RARE = ["iso8859-16"]  # Romanian; Croatian and Slovenian in ISO-8859-2 look like it
_FEWEST_BYTES = 5  # beyond ASCII, for a guess: fewer are read as Windows-1252


def decode(data: bytes, *, where: str | Path, encoding: str | None = None) -> tuple[str, str | None]:
    """Return the text of a file's bytes, and a note for the reader if the encoding was guessed.

    Byte order marks are removed; line ends stay as they are. By default, the encoding is found out.

    Raises:
        UnknownEncodingError: The bytes are not text in any encoding we try, or in the one given.
        UnknownNameError: There is no such encoding.

    >>> decode("Märchen".encode(), where="tale.txt")
    ('Märchen', None)
    >>> decode("Märchen".encode("cp1252"), where="tale.txt")
    ('Märchen', 'Read as Windows-1252, a guess, because byte 2 (line 1) is not UTF-8: check the text.')
    """
    try:
        text, note = _decode(data) if encoding is None else (_decode_as(data, encoding), None)
        if "\0" in text:
            raise ValueError(f"this is not text: character {text.index(chr(0)) + 1} is a null.")
        controls = sum(text.count(control) for control in _CONTROLS)
        if controls > _TOLERATED * len(text):
            share = f"{controls} of its {len(text)} characters"
            raise ValueError(f"this is not text: {share} are control characters.")
        if note is not None and is_garbled(text):
            raise ValueError("this is not text: it is not UTF-8, and no other encoding fits it.")
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
    name = _detect(data) if _ESCAPE in data else "utf-8-sig"
    try:
        return data.decode(name), None if name == "utf-8-sig" else f"Read as {name}."
    except UnicodeDecodeError as error:
        # The codec that strips the mark counts from after it.
        position = error.start + (len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
    line = data.count(b"\n", 0, position) + 1
    wrong = f"byte {position + 1} (line {line}) is not UTF-8"
    name = _detect(data)
    try:
        return data.decode(name), f"Read as {name}, a guess, because {wrong}: check the text."
    except UnicodeDecodeError as error:
        raise ValueError(f"this is not text: {wrong}, and byte {error.start + 1} is not {name}.") from error


def _detect(data: bytes) -> str:
    """Return the name of the most likely encoding, of those that personal computers have used.

    Raises:
        ValueError: There is a null, as in UTF-16 without a mark, which binary data looks like.
    """
    if 0 in data:
        raise ValueError(f"this is not text: byte {data.index(0) + 1} is a null.")
    if _ESCAPE not in data and sum(byte > 0x7F for byte in data) < _FEWEST_BYTES:
        return "Windows-1252"
    import chardet

    eras = chardet.EncodingEra.ALL & ~chardet.EncodingEra.MAINFRAME
    found = chardet.detect(data, encoding_era=eras, exclude_encodings=_RARE, no_match_encoding="Windows-1252")
    return found["encoding"] or "utf-8-sig"


def join_surrogates(text: str) -> str:
    """Return a text whose characters beyond the first plane were written in two halves; a lone half goes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
