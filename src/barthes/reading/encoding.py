"""Decode bytes: UTF-8, UTF-16 with a byte order mark, Windows-1252; anything else is refused."""

from __future__ import annotations

import codecs
from pathlib import Path

from barthes.errors import UnknownEncodingError

_REMEDY = "Save the story as plain text in UTF-8."
_SIGNATURES = {  # formats that may look like text to a decoder
    b"%PDF-": "a PDF file",
    b"{\\rtf": "an RTF file",
    b"PK\x03\x04": "a zip archive (as DOCX, EPUB and ODT files are)",
}
_CONTROLS = frozenset(map(chr, range(32))) - frozenset("\t\n\v\f\r\x1a") | {"\x7f"}  # \x1a ended files in DOS
_TOLERATED = 0.01  # share of control characters: a stray one does not matter


def decode(data: bytes, *, where: str | Path) -> tuple[str, str | None]:
    """Return the text of a file's bytes, and a note for the reader if it is not in UTF-8.

    Byte order marks are removed; line ends stay as they are.

    Raises:
        UnknownEncodingError: The bytes are not text in any encoding we try.

    >>> decode("Märchen".encode(), where="tale.txt")
    ('Märchen', None)
    >>> decode("Märchen".encode("cp1252"), where="tale.txt")
    ('Märchen', 'Read as Windows-1252, because byte 2 (line 1) is not UTF-8: check the accented letters.')
    """
    try:
        text, note = _decode(data)
        if "\0" in text:
            raise ValueError(f"this is not text: character {text.index(chr(0)) + 1} is a null.")
        controls = sum(text.count(control) for control in _CONTROLS)
        if controls > _TOLERATED * len(text):
            share = f"{controls} of its {len(text)} characters"
            raise ValueError(f"this is not text: {share} are control characters.")
    except ValueError as error:
        raise UnknownEncodingError(str(error), where=where, remedy=_REMEDY) from error
    return text, note


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
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        # The codec that strips the mark counts from after it.
        position = error.start + (len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
    line = data.count(b"\n", 0, position) + 1
    wrong = f"byte {position + 1} (line {line}) is not UTF-8"
    try:
        return data.decode("cp1252"), f"Read as Windows-1252, because {wrong}: check the accented letters."
    except UnicodeDecodeError as error:
        also = f"and byte {error.start + 1} is not Windows-1252"
        raise ValueError(f"this is not text: {wrong}, {also}.") from error
