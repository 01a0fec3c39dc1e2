"""Word and OpenDocument: what their editors hide in the text."""

from __future__ import annotations

from barthes.reading.docx import parse as parse_docx
from barthes.reading.odt import parse_flat
from tests.reading.conversion import make_zip

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"


def word(body, space=WORD):
    document = f'<w:document xmlns:w="{space}" xmlns:mc="mc"><w:body>{body}</w:body></w:document>'
    return parse_docx(make_zip({"word/document.xml": document}), where="x")


def office(body):
    spaces = " ".join(f'xmlns:{name}="urn:{name}"' for name in ("office", "text", "table", "draw"))
    inside = f"<office:body><office:text>{body}</office:text></office:body>"
    return parse_flat(f"<office:document {spaces}>{inside}</office:document>".encode(), where="x")


def test_either_edition_of_the_standard_is_read():
    for space in (WORD, STRICT):
        assert word("<w:p><w:r><w:t>A wolf.</w:t></w:r></w:p>", space).join().text == "A wolf."


def test_signs_and_fields_of_word():
    body = (
        "<w:p><w:r><w:t>A</w:t><w:tab/><w:t>wolf</w:t><w:noBreakHyphen/><w:t>man</w:t><w:br/><w:t>came.</w:t></w:r>"
        "<w:r><w:fldChar/><w:instrText>PAGE</w:instrText></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        "<w:hyperlink><w:r><w:t> Late.</w:t></w:r></w:hyperlink></w:p>"
    )
    assert word(body).join().text == "A wolf-man\ncame. Late."


def test_text_boxes_count_once():
    box = "<w:txbxContent><w:p><w:r><w:t>Pull quote</w:t></w:r></w:p></w:txbxContent>"
    both = f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    boxes = f"<mc:AlternateContent>{both}</mc:AlternateContent>"
    document = word(f"<w:p><w:r><w:t>A wolf came.</w:t>{boxes}</w:r></w:p>")
    assert (document.join().text, document.left_out) == ("A wolf came.", {"text box": 1})


def test_contents_controls_and_tables_of_word():
    gallery = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    paragraph = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    contents = f"<w:sdt>{gallery}<w:sdtContent>{paragraph.format('Rain 1')}</w:sdtContent></w:sdt>"
    control = f"<w:sdt><w:sdtContent>{paragraph.format('It rained.')}</w:sdtContent></w:sdt>"
    table = f"<w:tbl><w:tr><w:tc>{paragraph.format('A wolf came.')}</w:tc></w:tr></w:tbl>"
    document = word(contents + control + table)
    assert (document.join().text, document.left_out) == (
        "It rained.\n\nA wolf came.",
        {"table of contents": 1},
    )


def test_outline_levels_make_headings_without_styles():
    heading = '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
    text = "<w:p><w:r><w:t>It rained.</w:t></w:r></w:p>"
    found = word(heading.format("Rain") + text + heading.format("Wolf") + text)
    assert [chapter.title for chapter in found.chapters] == ["Rain", "Wolf"]


def test_changes_and_spaces_of_opendocument():
    body = (
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        '<text:p>A<text:s text:c="3"/>wolf<text:tab/>came<text:line-break/>late.</text:p>'
        "<text:list><text:list-item><text:p>One.</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>Two.</text:p></table:table-cell></table:table-row></table:table>"
        "<text:p>Three.<draw:frame><draw:text-box><text:p>Box</text:p></draw:text-box></draw:frame></text:p>"
    )
    document = office(body)
    assert document.join().text == "A wolf came\nlate.\n\nOne.\n\nTwo.\n\nThree."
    assert document.left_out == {"text box": 1}
