"""Our own tale as Word and OpenDocument files, with styles, notes, comments and tracked changes."""

from __future__ import annotations

from html import escape

from tests.reading.tale import CHAPTERS, NOTE, TITLE, Made, make_zip

_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def _paragraph(inside: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{inside}</w:p>"


def make_docx() -> Made:
    body = [
        _paragraph(_run(TITLE), "Titel"),
        _paragraph(_run("Contents"), "TOC"),
        _paragraph(_run("The Coin 1"), "TOC"),
    ]
    for index, (title, paragraphs) in enumerate(CHAPTERS):
        body.append(_paragraph(_run(title), "berschrift1"))
        for number, text in enumerate(paragraphs):
            first, rest = text[:20], text[20:]
            removed = '<w:del w:id="1"><w:r><w:delText>never told</w:delText></w:r></w:del>'
            inserted = f'<w:ins w:id="2">{_run(rest)}</w:ins>'
            mark = '<w:r><w:footnoteReference w:id="2"/></w:r>' if (index, number) == (1, 0) else ""
            comment = '<w:r><w:commentReference w:id="0"/></w:r>' if (index, number) == (2, 0) else ""
            body.append(_paragraph(_run(first) + removed + inserted + mark + comment))
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{identity}"><w:name w:val="{name}"/></w:style>'
        for identity, name in (("Titel", "Title"), ("berschrift1", "heading 1"), ("TOC", "toc 1"))
    )
    language = (
        '<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="en-GB"/></w:rPr></w:rPrDefault></w:docDefaults>'
    )
    main = f'<Relationship Id="r" Type="{_RELATED}/officeDocument" Target="word/document.xml"/>'
    note = f"<w:footnote w:id='2'>{_paragraph(_run(NOTE))}</w:footnote>"
    number = "<w:r><w:instrText>PAGE</w:instrText></w:r>"
    members: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{main}</Relationships>',
        "word/document.xml": f"<w:document {_WORD}><w:body>{''.join(body)}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {_WORD}>{language}{styles}</w:styles>",
        "word/footnotes.xml": f"<w:footnotes {_WORD}>{note}</w:footnotes>",
        "word/header1.xml": f"<w:hdr {_WORD}>{_paragraph(_run(TITLE))}</w:hdr>",
        "word/footer1.xml": f"<w:ftr {_WORD}>{_paragraph(number)}</w:ftr>",
    }
    left = {"table of contents": 1, "footnote": 1, "comment": 1, "running head": 1, "page number": 1}
    return Made("tale.docx", make_zip(members), tuple(title for title, _ in CHAPTERS), left)


_OFFICE = (
    " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"'
        for name, space in (("office", "office"), ("text", "text"), ("style", "style"), ("meta", "meta"))
    )
    + ' xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
)


def _odt_parts() -> tuple[str, str, str]:
    body = [f'<text:p text:style-name="P1">{escape(TITLE)}</text:p><text:table-of-content><text:index-body>']
    body.append("<text:p>The Coin 1</text:p></text:index-body></text:table-of-content>")
    for index, (title, paragraphs) in enumerate(CHAPTERS):
        body.append(f'<text:h text:outline-level="1">{title}</text:h>')
        for number, text in enumerate(paragraphs):
            note = f"<text:note><text:note-body><text:p>{NOTE}</text:p></text:note-body></text:note>"
            mark = note if (index, number) == (1, 0) else ""
            comment = (
                "<office:annotation><text:p>nice</text:p></office:annotation>"
                if (index, number) == (2, 0)
                else ""
            )
            words = (
                escape(text).replace(" ", "<text:s/>", 1).replace("Maren", "<text:span>Maren</text:span>", 1)
            )
            body.append(f"<text:p>{words}{mark}{comment}</text:p>")
    automatic = (
        '<office:automatic-styles><style:style style:name="P1" style:family="paragraph" '
        'style:parent-style-name="Title"/></office:automatic-styles>'
    )
    styles = (
        '<office:styles><style:default-style style:family="paragraph"><style:text-properties fo:language="en"'
        ' fo:country="GB"/></style:default-style></office:styles><office:master-styles><style:master-page '
        f'style:name="S"><style:header><text:p>{escape(TITLE)}</text:p></style:header><style:footer><text:p>'
        "<text:page-number>1</text:page-number></text:p></style:footer></style:master-page>"
        "</office:master-styles>"
    )
    return automatic, styles, f"<office:body><office:text>{''.join(body)}</office:text></office:body>"


_ODT_LEFT = {"table of contents": 1, "footnote": 1, "comment": 1, "running head": 1, "page number": 1}


def make_odt(*, locked: bool = False) -> Made:
    automatic, styles, body = _odt_parts()
    secret = "<m:encryption-data/>" if locked else ""
    space = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    entry = f'<m:file-entry m:full-path="content.xml">{secret}</m:file-entry>'
    manifest = f'<m:manifest xmlns:m="{space}">{entry}</m:manifest>'
    members: dict[str, str | bytes] = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": f"<office:document-content {_OFFICE}>{automatic}{body}</office:document-content>",
        "styles.xml": f"<office:document-styles {_OFFICE}>{styles}</office:document-styles>",
        "META-INF/manifest.xml": manifest,
    }
    return Made("tale.odt", make_zip(members), tuple(title for title, _ in CHAPTERS), _ODT_LEFT)


def make_fodt() -> Made:
    parts = "".join(_odt_parts())
    data = f'<?xml version="1.0"?><office:document {_OFFICE}>{parts}</office:document>'.encode()
    return Made("tale.fodt", data, tuple(title for title, _ in CHAPTERS), _ODT_LEFT)
