"""Write stories in every format, each under a heading of its own."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tests.reading.conversion import escape_rtf, make_zip, read_members
from tests.reading.printing import Printer

Stories = Sequence[tuple[str, str]]  # titles and texts


def write_text(stories: Stories, *, contents: bool, wrapped: bool, gap: int) -> tuple[str, bytes]:
    parts = [f"{title}\n\n{text}" for title, text in stories]
    if contents:
        lines = "\n".join(f"  {title}   {number}" for number, (title, _) in enumerate(stories, start=3))
        parts.insert(0, f"CONTENTS\n\n{lines}")
    text = ("\n" * (gap + 1)).join(parts)
    if wrapped:
        start, end = (f"*** {edge} OF THE PROJECT GUTENBERG EBOOK X ***" for edge in ("START", "END"))
        text = f"{start}\n\n\n\n{text}\n\n\n\n{end}"
    return ".txt", text.encode()


def write_html(stories: Stories) -> tuple[str, bytes]:
    return ".html", f"<html><body>{_set(stories, 'h2', 'p')}</body></html>".encode()


def write_markdown(stories: Stories) -> tuple[str, bytes]:
    return ".md", "\n\n".join(f"# {title}\n\n{text}" for title, text in stories).encode()


def write_fountain(stories: Stories) -> tuple[str, bytes]:
    return ".fountain", "\n\n".join(f"# {title}\n\n{text}" for title, text in stories).encode()


def write_tei(stories: Stories) -> tuple[str, bytes]:
    body = "".join(f"<div>{_set([story], 'head', 'p')}</div>" for story in stories)
    text = f"<teiHeader/><text><body>{body}</body></text>"
    return ".xml", f'<TEI xmlns="http://www.tei-c.org/ns/1.0">{text}</TEI>'.encode()


def write_docx(stories: Stories) -> tuple[str, bytes]:
    w = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    styled = '<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
    body = _format(stories, styled, "<w:p><w:r><w:t>{}</w:t></w:r></w:p>")
    document = f'<w:document xmlns:w="{w}"><w:body>{body}</w:body></w:document>'
    parts = dict.fromkeys(f"word/{name}.xml" for name in ("header1", "footer1", "footnotes"))
    return ".docx", make_zip(read_members("docx") | parts | {"word/document.xml": document})


def write_odt(stories: Stories) -> tuple[str, bytes]:
    office, text = (f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in ("office", "text"))
    body = _format(stories, '<t:h t:outline-level="1">{}</t:h>', "<t:p>{}</t:p>")
    content = (
        f'<o:document-content xmlns:o="{office}" xmlns:t="{text}"><o:body><o:text>{body}</o:text></o:body>'
    )
    return ".odt", make_zip(
        read_members("odt") | {"styles.xml": None, "content.xml": f"{content}</o:document-content>"}
    )


def write_epub(stories: Stories) -> tuple[str, bytes]:
    """Write one file per story, with a table of contents."""
    page = '<html xmlns="http://www.w3.org/1999/xhtml"{}><body>{}</body></html>'
    names = [f"s{number}.xhtml" for number in range(len(stories))]
    links = "".join(
        f'<li><a href="{name}">{title}</a></li>' for name, (title, _) in zip(names, stories, strict=True)
    )
    space = ' xmlns:epub="http://www.idpf.org/2007/ops"'
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
    nav = '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    package = f'<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>{items}{nav}'
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": read_members("epub")["META-INF/container.xml"],
        "OEBPS/book.opf": f"{package}</manifest><spine>{spine}</spine></package>",
        "OEBPS/nav.xhtml": page.format(space, f'<nav epub:type="toc"><ol>{links}</ol></nav>'),
    }
    for name, story in zip(names, stories, strict=True):
        members[f"OEBPS/{name}"] = page.format("", _set([story], "h1", "p"))
    return ".epub", make_zip(members)


def write_rtf(stories: Stories) -> tuple[str, bytes]:
    head = r"{\rtf1\ansi\ansicpg1252{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}"
    pieces = [
        rf"\pard\s1 {escape_rtf(title)}\par"
        + "".join(rf"\pard\s0 {escape_rtf(each)}\par" for each in text.split("\n\n"))
        for title, text in stories
    ]
    return ".rtf", f"{head}{''.join(pieces)}}}".encode("ascii")


def write_pdf(stories: Stories) -> tuple[str, bytes]:
    printer = Printer()
    for title, text in stories:
        printer.set_heading(title, outlined=True)
        for each in text.split("\n\n"):
            printer.set_paragraph(each)
    return ".pdf", printer.to_pdf()


def _format(stories: Stories, heading: str, paragraph: str) -> str:
    return "".join(
        heading.format(escape(title)) + "".join(paragraph.format(escape(each)) for each in text.split("\n\n"))
        for title, text in stories
    )


def _set(stories: Stories, heading: str, paragraph: str) -> str:
    return _format(stories, f"<{heading}>{{}}</{heading}>", f"<{paragraph}>{{}}</{paragraph}>")


WRITERS = (
    write_html,
    write_markdown,
    write_fountain,
    write_tei,
    write_docx,
    write_odt,
    write_epub,
    write_rtf,
    write_pdf,
)
"""Those whose format marks headings."""
