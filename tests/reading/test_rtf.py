r"""RTF: characters, destinations, and files that are damaged."""

from __future__ import annotations

import pytest

from barthes.errors import EmptyNarrativeError, ReadingError
from barthes.reading.formats import parse_document
from barthes.reading.rtf import parse as read_rtf
from tests.reading.conversion import make_rtf

FONTS = r"{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset204 Arial;}{\f2\fcharset128 Mincho;}{\f3\cpg1250 X;}}"


def read(body: str, head: str = r"\ansi\ansicpg1252\deff0" + FONTS):
    return read_rtf(f"{{\\rtf1{head} {body}}}".encode("latin-1"), where="tale.rtf")


def text_of(body: str, head: str = r"\ansi\ansicpg1252\deff0" + FONTS) -> str:
    return "\n\n".join(block.text for block in read(body, head).blocks)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"w\'f6lf", "wölf"),
        (r"w\u246?lf \uc0\u8212 so\uc2\u8212--!", "wölf —so—!"),
        (r"{\uc0 a\u246 }\u246?b", "aööb"),
        (r"\u-10179?\u-8704?", "😀"),
        (r"\u-10179?alone", "alone"),
        (r"\u246\'f6b, \u246{}c", "öb, öc"),
        (r"{\f1 \'e2\'ee\'eb\'ea}, {\f2 \'83A}, {\f3\'b3}\plain\'f6", "волк, ア, łö"),
        (r"\ldblquote So\rdblquote\~she said\emdash no\_one \{x\} \\", "“So” she said—no-one {x} \\"),
        ("One line\r\n continues.\\par Two\\\nThree", "One line continues.\n\nTwo\n\nThree"),
        (r"A\line B\par\par\par C\cell D\row", "A\nB\n\nC\n\nD"),
        (r"a{\v b}{\deleted c}\v d\v0 e", "ae"),
        (r"a{\*\unknown b{c}}{\pict\bin4 }{}\}d", "ad"),
    ],
)
def test_characters_and_paragraphs(body, text):
    assert text_of(body) == text


@pytest.mark.parametrize(
    ("head", "body", "text"),
    [
        (r"\mac", r"\'8a", "ä"),
        (r"\ansi\ansicpg1251", r"\'e2\'ee\'eb\'ea", "волк"),
        (r"\ansi\ansicpg65001", r"\'c3\'b6", "ö"),
        (r"\pc", r"\'94", "ö"),
        (r"\ansi\ansicpg1251\deff1{\fonttbl\f0\fcharset0 A;\f1\fcharset238 B;}", r"\'b3", "ł"),
    ],
)
def test_code_pages(head, body, text):
    assert text_of(body, head) == text


def test_unknown_code_pages_and_characters_are_noted():
    draft = read(r"\'f6", r"\ansicpg99999")
    assert draft.notes == ["The code page 99999 is unknown; cp1252 was used: check the accented letters."]
    assert read(r"w\'81lf").notes == ["Some characters are not in cp1252: check the accented letters."]


def test_what_is_not_the_story_is_counted():
    body = (
        r"{\field{\*\fldinst TOC}{\fldrslt One{\field{\*\fldinst PAGEREF x}{\fldrslt 3}}}}\par "
        r"See {\field{\*\fldinst{HYPERLINK x}}{\fldrslt the mill}}.{\footnote One.}{\footnote\ftnalt Two.}"
        r"{\*\annotation Why?}{\shp{\*\shpinst{\sp{\sn a}{\sv 1}}{\shptxt Box}}{\shprslt Box}}\par"
        r"{\headerl Wolf\par}{\footerr\chpgn}"
    )
    draft = read(body)
    assert [block.text for block in draft.blocks if block.is_text] == ["See the mill."]
    marked = {(block.mark, block.text) for block in draft.blocks if block.mark}
    assert {("note", "One."), ("note", "Why?"), ("caption", "Box"), ("furniture", "Wolf")} <= marked


def test_headings_by_outline_level_and_the_language():
    draft = read(r"\deflang1031{\pard\outlinelevel1 Der Fluss\par}{\pard Es regnete.\par}")
    assert [(block.level, block.text) for block in draft.blocks] == [(2, "Der Fluss"), (0, "Es regnete.")]
    assert draft.language == "de-DE"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (make_rtf().data[:-200], "it ends too early: some of its groups are not closed"),
        (b"{\\rtf1 " + b"{" * 600 + b"A wolf." + b"}" * 601, "its groups are nested more than 500 deep"),
        (b"{\\rtf1 {\\pict\\bin999999999 x}}", "it ends too early"),
    ],
)
def test_damaged_files_are_refused(data, message):
    with pytest.raises(ReadingError, match=rf"tale\.rtf: {message}") as caught:
        parse_document(data, where="tale.rtf", name="tale.rtf")
    assert "save it again" in caught.value.remedy


def test_a_file_without_words_is_empty():
    with pytest.raises(EmptyNarrativeError, match="no running text"):
        parse_document(b"{\\rtf1\\ansi{\\footnote Only.}\\par}", where="tale.rtf")
