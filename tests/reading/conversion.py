"""Our own tale in every format, with the clutter that such files have: each must give the same sentences."""

from __future__ import annotations

import textwrap
from html import escape

from tests.reading.office_files import make_docx, make_fodt, make_odt
from tests.reading.printing import Printer
from tests.reading.tale import CHAPTERS, EXAMPLE, NOTE, PARAGRAPHS, TITLE, Made, make_zip

__all__ = ["CHAPTERS", "EXAMPLE", "MAKERS", "NOTE", "PARAGRAPHS", "TITLE", "Made", "make_docx", "make_zip"]


def make_markdown() -> Made:
    lines = ["---", f'title: "{TITLE}"', "lang: en", "---", "", f"# {TITLE}", ""]
    for number, (title, paragraphs) in enumerate(CHAPTERS):
        lines += [f"## {title}", ""]
        for paragraph in paragraphs:
            wrapped = paragraph.replace(". ", ".\n").replace("Maren", "**Maren**", 1)
            lines += [wrapped + ("[^1]" if number == 1 and paragraph is paragraphs[0] else ""), ""]
    lines += [f"[^1]: {NOTE}", "", "<!-- a comment -->", ""]
    data = "\n".join(lines).encode()
    return Made("tale.md", data, tuple(title for title, _ in CHAPTERS), {"footnote": 1})


def _page(body: str) -> str:
    head = '<head><meta charset="utf-8"><title>Tales | Site</title></head>'
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>'


def make_html() -> Made:
    links = "".join(f'<li><a href="#c{i}">{title}</a></li>' for i, (title, _) in enumerate(CHAPTERS))
    parts = [
        f"<body><nav>Home | Tales</nav><h1>{escape(TITLE)}</h1><p>by Nobody</p>"
        f"<h2>Contents</h2><ol>{links}</ol>"
    ]
    for index, (title, paragraphs) in enumerate(CHAPTERS):
        parts.append(f'<h2 id="c{index}">{title}</h2>')
        for number, paragraph in enumerate(paragraphs):
            text = (
                escape(paragraph, quote=False)
                .replace("Maren", "<b>Mar&shy;en</b>", 1)
                .replace("eel", "e<i>el</i>", 1)
            )
            mark = '<sup><a href="#n1">1</a></sup>' if (index, number) == (1, 0) else ""
            page = f'<span class="pagenum">[Pg {index + 7}]</span>' if number == 1 else ""
            parts.append(f"<p>{page}{text}{mark}</p>")
    parts.append(f'<div class="footnote" id="n1"><p>1. {NOTE}</p></div><script>alert("no")</script>')
    parts.append("<footer>All rights wrong.</footer></body>")
    left = {"navigation": 1, "table of contents": 1, "page number": 3, "footnote": 1, "page footer": 1}
    return Made("tale.html", _page("\n".join(parts)).encode(), tuple(t for t, _ in CHAPTERS), left)


def make_epub(**changes: str | bytes | None) -> Made:
    """An EPUB 3; `changes` replace members, or take them out where they are None."""
    head = (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" '
    )
    head += 'xmlns:epub="http://www.idpf.org/2007/ops" lang="en"><head><title>x</title></head>'
    pages = {}
    for index, (title, paragraphs) in enumerate(CHAPTERS, start=1):
        texts = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)
        if index == 2:
            texts = texts.replace("</p>", '<a epub:type="noteref" href="#n">1</a></p>', 1)
            texts += f'<aside epub:type="footnote" id="n"><p>{NOTE}</p></aside>'
        body = f'<body><h2 id="top">{index}</h2><h2>{title}&#160;</h2>{texts}</body></html>'
        pages[f"OEBPS/text/c{index}.xhtml"] = head + body
    cover = f'<body epub:type="titlepage"><h1>{escape(TITLE)}</h1><p>Nobody &amp; Sons</p></body></html>'
    entries = "".join(
        f'<li><a href="text/c{i}.xhtml#top">{t}</a></li>' for i, (t, _) in enumerate(CHAPTERS, 1)
    )
    nav = f'{head}<body><nav epub:type="toc"><h1>Contents</h1><ol>{entries}</ol></nav></body></html>'
    items = "".join(
        f'<item id="c{i}" href="text/c{i}.xhtml" media-type="application/xhtml+xml"/>' for i in (1, 2, 3)
    )
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
        'unique-identifier="i">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">x</dc:identifier>'
        f"<dc:title>{escape(TITLE)}</dc:title><dc:language>en-GB</dc:language></metadata><manifest>"
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        f'<item id="cover" href="cover.xhtml" media-type="application/xhtml+xml"/>{items}</manifest>'
        '<spine><itemref idref="cover"/><itemref idref="nav"/><itemref idref="c1"/><itemref idref="c2"/>'
        '<itemref idref="c3"/></spine></package>'
    )
    container = (
        '<?xml version="1.0"?><container version="1.0" '
        'xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles>'
        "</container>"
    )
    members: dict[str, str | bytes | None] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "OEBPS/book.opf": package,
        "OEBPS/nav.xhtml": nav,
        "OEBPS/cover.xhtml": head + cover,
        **pages,
        **changes,
    }
    data = make_zip({name: content for name, content in members.items() if content is not None})
    left = {"title page": 1, "table of contents": 1, "footnote": 1}
    return Made("tale.epub", data, tuple(title for title, _ in CHAPTERS), left)


def make_pdf() -> Made:
    printer = Printer(title=TITLE, head="Tales of the Sorrel")
    printer.set_heading(TITLE, size=22)
    for index, (title, paragraphs) in enumerate(CHAPTERS):
        printer.set_heading(title)
        for number, paragraph in enumerate(paragraphs):
            printer.set_paragraph(paragraph, note=NOTE if (index, number) == (1, 0) else "")
    count = len(printer.pages)
    left = {"running head": count, "page number": count, "footnote": 1}
    return Made("tale.pdf", printer.to_pdf(), tuple(title for title, _ in CHAPTERS), left)


def make_tei(*, prolog: str = "") -> Made:
    divisions = []
    for index, (title, paragraphs) in enumerate(CHAPTERS):
        texts = [escape(paragraph, quote=False) for paragraph in paragraphs]
        texts = [
            text.replace("Maren", "<choice><sic>Marne</sic><corr>Maren</corr></choice>", 1) for text in texts
        ]
        texts = [text.replace("ferryman", "ferry<lb break='no'/>\n  man", 1) for text in texts]
        note = f'<note place="bottom">{NOTE}</note>' if index == 1 else ""
        texts[0] = f'<fw type="header">Tales</fw><pb n="{index}"/>{texts[0]}{note}'
        inside = "\n".join(f"<p>\n{text}\n</p>" for text in texts)
        divisions.append(
            f'<div type="chapter"><head>{title}</head>{inside}<fw type="pageNum">{index}</fw></div>'
        )
    data = (
        f'<?xml version="1.0" encoding="UTF-8"?>{prolog}<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>'
        "<fileDesc>"
        f"<titleStmt><title>{escape(TITLE)}</title></titleStmt></fileDesc><profileDesc><langUsage>"
        '<language ident="en">English</language></langUsage></profileDesc></teiHeader><text><front>'
        "<titlePage><docTitle><titlePart>Tales</titlePart></docTitle></titlePage>"
        '<div type="contents"><p>The Coin</p></div>'
        f"</front><body>{''.join(divisions)}</body></text></TEI>"
    ).encode()
    left = {"title page": 1, "table of contents": 1, "running head": 3, "page number": 3, "footnote": 1}
    return Made("tale.xml", data, tuple(title for title, _ in CHAPTERS), left)


def make_gutenberg() -> Made:
    lines = ["The Project Gutenberg eBook of Nothing", "", f"Title: {TITLE}", "", "Language: English", ""]
    lines += [
        "*** START OF THE PROJECT GUTENBERG EBOOK NOTHING ***",
        "",
        "Produced by Nobody",
        "",
        "CONTENTS",
        "",
    ]
    lines += [f" CHAPTER {'I' * i}. {title}" for i, (title, _) in enumerate(CHAPTERS, 1)] + ["", ""]
    for index, (title, paragraphs) in enumerate(CHAPTERS, 1):
        lines += ["", f"CHAPTER {'I' * index}.", "", title, ""]
        for number, paragraph in enumerate(paragraphs):
            mark = "[1]" if (index, number) == (2, 0) else ""
            lines += [textwrap.fill(paragraph + mark, 72), ""]
        lines += ["[Illustration: A ferry]", ""]
    lines += ["FOOTNOTES:", "", f"[1] {NOTE}", "", "*** END OF THE PROJECT GUTENBERG EBOOK NOTHING ***", ""]
    lines += ["Updated editions will replace the previous one.", "", "Section 1. General Terms of Use", ""]
    chapters = tuple(f"CHAPTER {'I' * i}: {title}" for i, (title, _) in enumerate(CHAPTERS, 1))
    left = {
        "header": 1,
        "licence": 1,
        "transcriber's note": 1,
        "footnote": 1,
        "illustration": 3,
        "table of contents": 1,
    }
    return Made("tale.txt", "\r\n".join("\n".join(lines).split("\n")).encode(), chapters, left)


def make_story_workbench() -> Made:
    text = f"\n/**\n * Title      : {TITLE}\n */\n\n" + "\n\n".join(PARAGRAPHS) + "\n"
    data = (
        '<?xml version="1.0" encoding="UTF-8"?><story><rep id="edu.mit.story.char">'
        f'<desc id="0" off="0" len="{len(text)}">\n{escape(text, quote=False)}\n</desc></rep></story>'
    ).encode()
    return Made("tale.sty", data, ("",), {"comment header": 1})


MAKERS = {
    "markdown": make_markdown,
    "html": make_html,
    "epub": make_epub,
    "docx": make_docx,
    "odt": make_odt,
    "fodt": make_fodt,
    "pdf": make_pdf,
    "tei": make_tei,
    "gutenberg": make_gutenberg,
    "story workbench": make_story_workbench,
}
