from __future__ import annotations

import pytest

from tests.reading.conversion import make_epub, make_zip
from tests.reading.parsing import parser

parse = parser(".epub")

PAGE = '<html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'
CONTAINER = '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'


def bind(pages, *, ncx="", guide=""):
    """Make an EPUB 2 of some pages."""
    kind = 'media-type="application/xhtml+xml"'
    items = "".join(f'<item id="{name}" href="{name}" {kind}/>' for name in pages)
    items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' if ncx else ""
    spine = "".join(f'<itemref idref="{name}"/>' for name in pages)
    contents = f'<manifest>{items}</manifest><spine toc="ncx">{spine}</spine><guide>{guide}</guide>'
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER}
    members |= {"book.opf": f"<package>{contents}</package>"}
    members |= {name: PAGE.format(body) for name, body in pages.items()}
    return make_zip(members | ({"toc.ncx": f"<ncx><navMap>{ncx}</navMap></ncx>"} if ncx else {}))


def point(title, target, inside=""):
    return f'<navPoint><navLabel><text>{title}</text></navLabel><content src="{target}"/>{inside}</navPoint>'


HEADER = '<section class="pg-boilerplate" id="pg-header"><p>The Project Gutenberg eBook</p></section>'
BOTH = [("Rain", "It rained."), ("Wolf", "A wolf came.")]


@pytest.mark.parametrize(
    ("pages", "options", "chapters"),
    [
        pytest.param(
            {
                "a.xhtml": '<p id="one">It rained.</p><h2 id="two">II</h2><p>A wolf came.</p>',
                "b.xhtml": "<p>He ate.</p><h3>Interlude</h3><p>He slept.</p>",
            },
            {"ncx": point("Part A", "a.xhtml", point("Rain", "a.xhtml#one") + point("Wolf", "a.xhtml#two"))},
            [("Rain", "It rained."), ("Wolf", "A wolf came.\n\nHe ate.\n\nHe slept.")],
            id="contents divide and join files",
        ),
        pytest.param(
            {"a.xhtml": "<h1>Rain</h1><p>It rained.</p>", "b.xhtml": "<h1>Wolf</h1><p>A wolf came.</p>"},
            {},
            BOTH,
            id="headings divide a book without contents",
        ),
        pytest.param(
            {"a.xhtml": '<p>It rained.</p><span class="pagenum"><a id="p2"></a>2</span><p>A wolf came.</p>'},
            {"ncx": point("Rain", "a.xhtml") + point("Wolf", "a.xhtml#p2")},
            BOTH,
            id="anchors in what is left out lead to the text after it",
        ),
        pytest.param(
            {"cover.xhtml": "<p>Buy me.</p>", "a.xhtml": "<p>A wolf came.</p>"},
            {"guide": '<reference type="cover" href="cover.xhtml"/>'},
            [("", "A wolf came.")],
            id="the guide lists front matter",
        ),
        pytest.param(
            {"a.xhtml": "<p>A wolf&nbsp;came &mdash; late.<br>It rained.", "b.xhtml": "<p>x</p>"},
            {},
            [("", "A wolf came — late.\nIt rained.\n\nx")],
            id="pages may be HTML",
        ),
        pytest.param(
            {
                "a.xhtml": f"{HEADER}<h1>The Wolf</h1><p>A wolf came.</p>",
                "b.xhtml": HEADER.replace("header", "footer"),
            },
            {},
            [("", "A wolf came.")],
            id="Gutenberg's wrapping is left out",
        ),
        pytest.param(
            {"a.xhtml": "<header><h1>Fox</h1><p>To my son</p></header><p>A fox.</p><footer>Wait.</footer>"},
            {},
            [("", "To my son\n\nA fox.\n\nWait.")],
            id="pages of a book have no page header or footer",
        ),
        pytest.param(
            {"a.xhtml": "<p>It rained.</p><article><p>A wolf came.</p></article>"},
            {},
            [("", "It rained.\n\nA wolf came.")],
            id="all of a page is read, not only its article",
        ),
    ],
)
def test_the_chapters_of_a_book(pages, options, chapters):
    document = parse(bind(pages, **options), where="x")
    assert [(each.title, each.text) for each in document.chapters] == chapters


def test_pictures_are_never_unpacked():
    assert len(parse(make_epub(**{"OEBPS/bomb.png": bytes(80_000_000)}).data, where="x").chapters) == 3
