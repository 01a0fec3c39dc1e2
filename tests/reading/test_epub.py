from __future__ import annotations

import io
import zipfile

from barthes.reading.epub import parse
from tests.reading.conversion import make_epub, make_zip

PAGE = '<html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'
CONTAINER = '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'


def bind(pages, *, ncx="", guide=""):
    """An EPUB 2 of these pages."""
    kind = 'media-type="application/xhtml+xml"'
    items = "".join(f'<item id="{name}" href="{name}" {kind}/>' for name in pages)
    items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' if ncx else ""
    spine = "".join(f'<itemref idref="{name}"/>' for name in pages)
    contents = f'<manifest>{items}</manifest><spine toc="ncx">{spine}</spine><guide>{guide}</guide>'
    package = f"<package>{contents}</package>"
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "book.opf": package}
    members |= {name: PAGE.format(body) for name, body in pages.items()}
    return make_zip(members | ({"toc.ncx": f"<ncx><navMap>{ncx}</navMap></ncx>"} if ncx else {}))


def point(title, target, inside=""):
    return f'<navPoint><navLabel><text>{title}</text></navLabel><content src="{target}"/>{inside}</navPoint>'


def chapters(data):
    return [(each.title, each.text) for each in parse(data, where="x").chapters]


def test_the_contents_of_epub_2_part_a_file_and_join_files():
    pages = {
        "a.xhtml": '<p id="one">It rained.</p><h2 id="two">II</h2><p>A wolf came.</p>',
        "b.xhtml": "<p>He ate.</p><h3>Interlude</h3><p>He slept.</p>",
    }
    ncx = point("Part A", "a.xhtml", point("Rain", "a.xhtml#one") + point("Wolf", "a.xhtml#two"))
    assert chapters(bind(pages, ncx=ncx)) == [
        ("Rain", "It rained."),
        ("Wolf", "A wolf came.\n\nHe ate.\n\nHe slept."),
    ]


def test_without_contents_the_headings_part_the_book():
    pages = {"a.xhtml": "<h1>Rain</h1><p>It rained.</p>", "b.xhtml": "<h1>Wolf</h1><p>A wolf came.</p>"}
    assert chapters(bind(pages)) == [("Rain", "It rained."), ("Wolf", "A wolf came.")]


def test_anchors_on_what_is_left_out_still_lead_somewhere():
    pages = {"a.xhtml": '<p>It rained.</p><span class="pagenum"><a id="p2"></a>2</span><p>A wolf came.</p>'}
    ncx = point("Rain", "a.xhtml") + point("Wolf", "a.xhtml#p2")
    assert chapters(bind(pages, ncx=ncx)) == [("Rain", "It rained."), ("Wolf", "A wolf came.")]


def test_the_guide_names_what_is_no_story():
    pages = {"cover.xhtml": "<p>Buy me.</p>", "a.xhtml": "<p>A wolf came.</p>"}
    document = parse(bind(pages, guide='<reference type="cover" href="cover.xhtml"/>'), where="x")
    assert (document.join().text, document.left_out) == ("A wolf came.", {"title page": 1})


def test_pages_that_are_not_quite_xhtml_are_read():
    pages = {"a.xhtml": "<p>A wolf&nbsp;came &mdash; late.<br>It rained.", "b.xhtml": "<p>x</p>"}
    assert parse(bind(pages), where="x").join().text.startswith("A wolf came — late.\nIt rained.")


def test_pictures_are_never_unpacked():
    made = make_epub()
    buffer = io.BytesIO(made.data)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as book:
        book.writestr("OEBPS/bomb.png", bytes(80_000_000))
    assert len(parse(buffer.getvalue(), where="x").chapters) == 3


def test_gutenberg_books_lose_their_wrapping():
    header = (
        '<section class="pg-boilerplate pgheader" id="pg-header"><p>The Project Gutenberg eBook</p></section>'
    )
    pages = {
        "a.xhtml": f"{header}<h1>The Wolf</h1><p>A wolf came.</p>",
        "b.xhtml": header.replace("header", "footer"),
    }
    document = parse(bind(pages), where="x")
    assert (document.join().text, document.left_out) == ("A wolf came.", {"licence": 2})
