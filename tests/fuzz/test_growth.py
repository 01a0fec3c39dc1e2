"""Files under a megabyte that take very long to read if any step needs quadratic time."""

from __future__ import annotations

import pytest

from barthes.reading.formats import parse_document
from tests.fuzz.bounds import attempt
from tests.reading.conversion import make_docx, make_epub, make_odt, read_members
from tests.reading.printing import build_pdf

TEI = b"<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body>%s</body></text></TEI>"
STY = b"<story><rep id='edu.mit.story.char'><desc id='0' off='0' len='9'>%s</desc></rep></story>"
WRAPPED = (
    b"*** START OF THE PROJECT GUTENBERG EBOOK X ***\n\n%s\n\n*** END OF THE PROJECT GUTENBERG EBOOK X ***\n"
)
PAGE = b"<!DOCTYPE html><html><body>%s</body></html>"


def chain_of_word_styles(count):
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    style = '<w:style w:styleId="s{}"><w:basedOn w:val="s{}"/></w:style>'
    styles = "".join(style.format(i, i + 1) for i in range(count))
    return make_docx(**{"word/styles.xml": f"<w:styles {space}>{styles}</w:styles>".encode()}).data


def chain_of_odt_styles(count):
    names = ("office", "text", "style")
    spaces = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in names)
    style = '<style:style style:name="s{}" style:family="paragraph" style:parent-style-name="s{}"/>'
    styles = "".join(style.format(i, i + 1) for i in range(count))
    body = '<text:p text:style-name="s0">A wolf.</text:p>' * count
    content = (
        f"<office:document-content {spaces}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    return make_odt(**{"content.xml": content.encode()}).data


def one_page_in_the_spine_again_and_again(count):
    package = read_members("epub")["OEBPS/book.opf"]
    spine = b'<itemref idref="c1"/>' * count + b"</spine>"
    return make_epub(**{"OEBPS/book.opf": package.replace(b"</spine>", spine)}).data


def small_lines_of_a_pdf(count):
    head = b"BT /F1 11 Tf 60 700 Td (" + b"word " * 4000 + b") Tj ET "
    lines = [b"BT /F1 4 Tf 60 %d Td (1 note) Tj ET " % (500 - i % 450) for i in range(count)]
    lines += [b"BT /F1 11 Tf 60 %d Td (The wolf came.) Tj ET " % (690 - i % 100) for i in range(count + 9)]
    return build_pdf([head + b"".join(lines)])


CASES = {
    "spaces in a TEI paragraph": ("a.xml", TEI % (b"<p>" + b" " * 133_333 + b"<lg><l>A wolf.</l></lg></p>")),
    "TEI chapters without a number": ("a.xml", TEI % (b"<div type='chapter'><p>A.</p></div>" * 20_000)),
    "TEI elements side by side, deep": (
        "a.xml",
        TEI % (b"<floatingText>" * 200 + b"<seg>a</seg>" * 6_666 + b"</floatingText>" * 200),
    ),
    "TEI paragraphs in paragraphs": ("a.xml", TEI % (b"<p>" * 200 + b"<l>a</l>" * 1_666 + b"</p>" * 200)),
    "illustrations of Gutenberg": ("a.txt", WRAPPED % (b"[Illustration]" * 13_333)),
    "footnotes of Gutenberg": ("a.txt", WRAPPED % (b"[Footnote [a][a]" * 13_333)),
    "asterisks": ("a.txt", WRAPPED % (b"A wolf came.\n\n" + b"* " * 100_000)),
    "a contents of many entries": (
        "a.txt",
        WRAPPED % (b"Contents\n\n" + b"\n\n".join(b"Tale %d of x" % i for i in range(15_000))),
    ),
    "lines that lead to pages": ("a.html", PAGE % (b"<p>A ..... 7</p><p>Then the wolf came.</p>" * 6_666)),
    "dots": ("a.html", PAGE % (b"<p>" + b"." * 166_666 + b"</p>")),
    "spaces in a .sty header": ("a.sty", STY % (b"/**\n * Title: a" + b" " * 100_000 + b"b\n */\nA wolf.")),
    "front matter": ("a.md", b"---\ntitle: a" + b" " * 100_000 + b"b\n---\n\nA wolf came."),
    "fields of front matter": ("a.md", b"---\n" + b"title: a\n" * 10_000 + b"---\n\nA wolf came."),
    "a Word style made from another": ("a.docx", chain_of_word_styles(12_000)),
    "an ODT style made from another": ("a.odt", chain_of_odt_styles(5_000)),
    "a page in the spine again": ("a.epub", one_page_in_the_spine_again_and_again(12_000)),
    "groups of RTF": ("a.rtf", b"{\\rtf1 A wolf came." + b"{\\b x}" * 50_000 + b"}"),
    "styles of RTF": ("a.rtf", b"{\\rtf1{\\stylesheet" + b"{\\s1 x;}" * 30_000 + b"}A wolf came.}"),
    "fields of RTF": ("a.rtf", b"{\\rtf1 A wolf." + b"{\\field{\\*\\fldinst " * 200 + b"}}" * 200 + b"}"),
    "comments of Fountain": ("a.fountain", b"A wolf came.\n\n" + b"/*" * 100_000),
    "notes of Fountain": ("a.fountain", b"A wolf came.\n\n" + b"[[a" * 66_666 + b"\n\n]]"),
    "emphasis of Fountain": ("a.fountain", b"*a _b **c " * 20_000),
    "speeches of Fountain": ("a.fountain", b"A\n" + b"(b)\nc\n" * 30_000),
    "notes of a PDF": ("a.pdf", small_lines_of_a_pdf(2_500)),
    "a long word of a PDF": ("a.pdf", build_pdf([b"BT /F1 11 Tf 60 500 Td (%s) Tj ET" % (b"a" * 133_333)])),
    "spaces of a PDF": ("a.pdf", build_pdf([b"BT /F1 9 Tf 9 9 Td (a) Tj " + b"( ) Tj " * 20_000 + b"ET"])),
    "nested brackets of Markdown": ("a.md", b"[" * 20_000 + b"a"),
    "links of Markdown": ("a.md", b"[a](" * 13_333),
    "pictures of Markdown": ("a.md", b"![[]()" * 10_000),
    "emphasis of Markdown": ("a.md", b"*a _b " * 13_333),
    "code of Markdown": ("a.md", b"".join(b"`" * (i % 300 + 1) + b"a" for i in range(1_000))),
    "quotes of Markdown": ("a.md", b"> " * 1_000 + b"a"),
    "lists of Markdown": ("a.md", b"".join(b" " * (2 * i) + b"- a\n" for i in range(400))),
    "footnotes of Markdown": ("a.md", b"[^1]: a\n\n" * 3_333 + b"[^1] " * 3_333),
    "tables of Markdown": ("a.md", b"|a" * 666 + b"|\n" + b"|-" * 666 + b"|\n" + b"|b\n" * 333),
    "entities of Markdown": ("a.md", b"&" * 100_000),
    "autolinks of Markdown": ("a.md", b"<a" * 33_333),
    "comments of Markdown": ("a.md", b"a <!-- " * 16_666),
    "references of Markdown": ("a.md", b"".join(b"[r%d]: /u\n" % i for i in range(3_333)) + b"[r1] " * 3_333),
    "quotations in quotations": ("a.html", PAGE % (b"<q>" * 200 + b"<i>a</i>" * 16_666)),
    "divisions of links": ("a.html", PAGE % (b"<div>" * 200 + b"<a href='#x'>a</a> words " * 2_666)),
    "a style of spaces": ("a.html", PAGE % (b"<p style='" + b"display " * 16_666 + b"'>A wolf.</p>")),
    "anchors": ("a.html", PAGE % (b"<a id='x'></a>" * 20_000 + b"<p>A wolf.</p>")),
    "one class after another": ("a.html", PAGE % (b"<p class='" + b"x " * 66_666 + b"'>A wolf.</p>")),
    "breaks": ("a.html", PAGE % (b"<p>" + b"<br>" * 66_666 + b"A wolf.</p>")),
    "blank lines": ("a.txt", b"\n \n" * 100_000 + b"A wolf."),
    "returns": ("a.txt", b"A\r" * 100_000),
    "chapters": ("a.txt", b"".join(b"CHAPTER %d\n\nA wolf.\n\n" % i for i in range(6_666))),
    "attributes": ("a.xml", b"<TEI " + b"".join(b"a%d='1' " % i for i in range(10_000)) + b"/>"),
}  # fmt: skip


# Nothing but ornaments, contents or notes, nested too deep, or too much of one kind.
REFUSED = {
    *("illustrations of Gutenberg", "a contents of many entries", "attributes"),
    *("footnotes of Markdown", "references of Markdown"),
}


@pytest.mark.parametrize("case", CASES)
def test_no_file_takes_quadratic_time(case):
    name, data = CASES[case]
    document = attempt(parse_document, data, where="x", name=name)
    assert (document is None) == (case in REFUSED)
    assert document is None or document.chapters[0].text.strip()
