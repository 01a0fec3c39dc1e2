from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import UnknownEncodingError
from barthes.reading.encoding import decode

TALE = "“Märchen” – naïve, 5 €.\r\nThe end.\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_utf8_needs_no_note(encoding):
    assert decode(TALE.encode(encoding), where="tale.txt") == (TALE, None)


@pytest.mark.parametrize(
    "data",
    [codecs.BOM_UTF16_LE + TALE.encode("utf-16-le"), codecs.BOM_UTF16_BE + TALE.encode("utf-16-be")],
    ids=["little", "big"],
)
def test_utf16_with_a_mark_says_so(data):
    assert decode(data, where="tale.txt") == (TALE, "Read as UTF-16.")


def test_windows_1252_says_so_and_where():
    text, note = decode(b"A wolf.\n" + TALE.encode("cp1252"), where="tale.txt")
    assert text == "A wolf.\n" + TALE
    assert note == "Read as Windows-1252, because byte 9 (line 2) is not UTF-8: check the accented letters."


def test_the_wrong_byte_is_counted_from_the_start_of_the_file():
    _, note = decode(codecs.BOM_UTF8 + b"abc\xe4 ", where="tale.txt")
    assert note is not None
    assert "byte 7 " in note


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


def test_a_stray_control_character_is_tolerated():
    text = "The wolf came.\f" * 20 + "\x07"
    assert decode(text.encode(), where="tale.txt") == (text, None)


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_refused(data):
    try:
        text, _ = decode(data, where="x")
    except UnknownEncodingError:
        return
    assert "\0" not in text
