from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import UnknownEncodingError
from barthes.reading.encoding import decode

TALE = "“Märchen” – naïve, 5 €.\r\nThe end.\n"
CONTROLS = "The wolf came.\f" * 20 + "\x07"


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        (TALE.encode(), TALE, None),
        (TALE.encode("utf-8-sig"), TALE, None),
        (CONTROLS.encode(), CONTROLS, None),
        (codecs.BOM_UTF16_LE + TALE.encode("utf-16-le"), TALE, "Read as UTF-16."),
        (codecs.BOM_UTF16_BE + TALE.encode("utf-16-be"), TALE, "Read as UTF-16."),
        (b"A.\n" + TALE.encode("cp1252"), "A.\n" + TALE, "because byte 4 (line 2) is not UTF-8: check the"),
        (codecs.BOM_UTF8 + b"abc\xe4 ", "ï»¿abcä ", "Read as Windows-1252, because byte 7 "),
    ],
)
def test_text_is_decoded_with_a_note_unless_it_is_utf8(data, text, note):
    found, said = decode(data, where="tale.txt")
    assert found == text
    assert said is None if note is None else note in said


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "is a null"),
        (b"The wolf\x00came.", "character 9 is a null"),
        (bytes(range(1, 32)) * 4, "control characters"),
        (b"\xe4\x81\xff", "is not Windows-1252"),
        (codecs.BOM_UTF16_LE + b"a\x00b", "is not UTF-16"),
        (codecs.BOM_UTF32_LE + "wolf".encode("utf-32-le"), "is a null"),
        (b"%PDF-1.7\n1 0 obj\n", "a PDF file"),
        (b"{\\rtf1\\ansi A wolf came.}", "an RTF file"),
        (b"PK\x03\x04\x14\x00", "a zip archive"),
    ],
)
def test_what_is_not_text_is_refused(data, cause):
    with pytest.raises(UnknownEncodingError, match=cause) as caught:
        decode(data, where="tales/wolf.bin")
    assert caught.value.where == "tales/wolf.bin"
    assert caught.value.remedy == "Save the story as plain text in UTF-8."


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_refused(data):
    try:
        text, _ = decode(data, where="x")
    except UnknownEncodingError:
        return
    assert "\0" not in text
