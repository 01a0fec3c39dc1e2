"""Word and OpenDocument: what their editors hide in the text."""

from __future__ import annotations

import pytest

from barthes.errors import EmptyNarrativeError
from tests.reading.conversion import make_zip
from tests.reading.parsing import parser

parse_docx = parser(".docx")
parse_flat = parser(".fodt")

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"


def word(body, space=WORD):
    document = f'<w:document xmlns:w="{space}" xmlns:mc="mc"><w:body>{body}</w:body></w:document>'
    return parse_docx(make_zip({"word/document.xml": document}), where="x")


def office(body):
    spaces = " ".join(
        f'xmlns:{name}="urn:opendocument:{name}"' for name in ("office", "text", "table", "draw")
    )
    inside = f"<office:body><office:text>{body}</office:text></office:body>"
    return parse_flat(f"<office:document {spaces}>{inside}</office:document>".encode(), where="x")


def paragraph(text):
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


SIGNS = (
    "<w:p><w:r><w:t>A</w:t><w:tab/><w:t>wolf</w:t><w:noBreakHyphen/><w:t>man</w:t><w:br/><w:t>came.</w:t></w:r>"
    "<w:r><w:fldChar/><w:instrText>PAGE</w:instrText></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
    "<w:hyperlink><w:r><w:t> Late.</w:t></w:r></w:hyperlink></w:p>"
)
BOX = f"<w:txbxContent>{paragraph('Pull quote')}</w:txbxContent>"
BOXES = (
    f"<mc:AlternateContent><mc:Choice>{BOX}</mc:Choice><mc:Fallback>{BOX}</mc:Fallback></mc:AlternateContent>"
)
GALLERY = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
CONTROLS = (
    f"<w:sdt>{GALLERY}<w:sdtContent>{paragraph('Rain 1')}</w:sdtContent></w:sdt>"
    f"<w:sdt><w:sdtContent>{paragraph('It rained.')}</w:sdtContent></w:sdt>"
    f"<w:tbl><w:tr><w:tc>{paragraph('A wolf came.')}</w:tc></w:tr></w:tbl>"
)
ODT = (
    "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
    '<text:p>A<text:s text:c="3"/>wolf<text:tab/>came<text:line-break/>late.</text:p>'
    "<text:list><text:list-item><text:p>One.</text:p></text:list-item></text:list>"
    "<table:table><table:table-row><table:table-cell><text:p>Two.</text:p></table:table-cell></table:table-row></table:table>"
    "<text:p>Three.<draw:frame><draw:text-box><text:p>Box</text:p></draw:text-box></draw:frame></text:p>"
)


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (word(paragraph("A wolf."), STRICT), "A wolf."),
        (word(SIGNS), "A wolf-man\ncame. Late."),
        (word(f"<w:p><w:r><w:t>A wolf.</w:t>{BOXES}</w:r></w:p>"), "A wolf."),
        (word(CONTROLS), "It rained.\n\nA wolf came."),
        (office(ODT), "A wolf came\nlate.\n\nOne.\n\nTwo.\n\nThree."),
    ],
    ids=["strict edition", "signs and fields", "text boxes", "controls and tables", "OpenDocument"],
)
def test_the_text_of_a_document(document, text):
    assert document.join().text == text


FRAME = "<text:p><draw:frame><draw:text-box><text:p>Box</text:p></draw:text-box></draw:frame></text:p>"


@pytest.mark.parametrize("make", [lambda: word(f"<w:p><w:r>{BOXES}</w:r></w:p>"), lambda: office(FRAME)])
def test_text_in_boxes_only_is_refused_with_the_reason(make):
    with pytest.raises(EmptyNarrativeError, match="only caption"):
        make()


DROP_CAP = '<w:p><w:pPr><w:framePr w:dropCap="drop" w:lines="3"/></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (DROP_CAP.format("A") + paragraph("lice slept."), "Alice slept."),
        (DROP_CAP.format("A") + paragraph(" wolf came."), "A wolf came."),
        (paragraph("It rained.") + DROP_CAP.format("A"), "It rained.\n\nA"),
        (paragraph("T") + paragraph("HE wolf came."), "THE wolf came."),
    ],
)
def test_drop_caps_are_joined_with_their_words(body, text):
    assert word(body).join().text == text


def test_outline_levels_make_headings_without_styles():
    heading = '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
    found = word("".join(heading.format(title) + paragraph("It rained.") for title in ("Rain", "Wolf")))
    assert [chapter.title for chapter in found.chapters] == ["Rain", "Wolf"]
