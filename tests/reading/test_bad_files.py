"""Files that are damaged, encrypted, hostile or misnamed: each is refused with a clear message."""

from __future__ import annotations

import io
import re

import pypdf
import pytest

from barthes.errors import BarthesError, EmptyNarrativeError, ReadingError, UnknownEncodingError
from barthes.reading import archive as archives
from barthes.reading.formats import parse_document
from tests.reading.conversion import (
    make_docx,
    make_epub,
    make_odt,
    make_pdf,
    make_tei,
    make_zip,
    read_members,
)
from tests.reading.printing import PICTURE, build_pdf


def refuse(data, match, *, name="story", kind=ReadingError):
    with pytest.raises(kind, match=match) as caught:
        parse_document(data, where=f"tales/{name}", name=name)
    assert str(caught.value).startswith(f"tales/{name}")
    return caught.value


def encrypt(data, *, user, algorithm):
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(user, "bear", algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_an_encrypted_pdf_is_refused_unless_it_only_forbids_printing(algorithm):
    made = make_pdf()
    locked = encrypt(made.data, user="wolf", algorithm=algorithm)
    assert "password" in refuse(locked, "this PDF is encrypted and asks for a password").remedy
    document = parse_document(encrypt(made.data, user="", algorithm=algorithm), where="x")
    assert tuple(chapter.title for chapter in document.chapters) == made.chapters


SCAN = build_pdf([PICTURE] * 2)
STRANGE = build_pdf([b"BT /F1 11 Tf 60 500 Td (%s) Tj ET" % (b"\x81\x8d\x8f\x90\x9d" * 20)])
XML = b"<?xml version='1.0'?><recipe>Eels</recipe>"
DEEP_TEI = b"<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body>%s<p>A wolf.</p>%s</body></text></TEI>"


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (SCAN, "", "this PDF is a scan.*OCR"),
        (build_pdf([b""]), "", "this PDF has no text"),
        (STRANGE, "", "fonts of this PDF"),
        (b"%PDF-1.7\nnothing", "", "PDF"),
        (b"%PDF-", "", "PDF"),
        (
            make_zip({"notes.txt": "A wolf came.", "picture.png": b"\x89PNG"}),
            "tale.docx",
            r"a zip archive \(notes.txt, picture.png\), not a DOCX, EPUB, ODT or Scrivener file.*plain text",
        ),
        (make_zip({}), "tale.docx", r"\(empty\)|not a valid zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "tale.docx", "old Word file"),
        (bytes(60) + b"BOOKMOBI" + bytes(100), "", "Kindle"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "", "not text"),
        (XML, "tale.xml", "its root is <recipe>, not <TEI>"),
        (XML, "tale.txt", "its root <recipe> is not a known format"),
        (b"<TEI><text>", "tale.xml", "not well-formed"),
        (b"<TEI/>", "tale.xml", "has no <body>"),
        (b"A wolf came.", "tale.xml", "but is not XML"),
        (b"<!DOCTYPE html>" + b"<div>" * 5000 + b"A wolf came.", "tale.html", "nested too deep"),
        (DEEP_TEI % (b"<div>" * 900, b"</div>" * 900), "", "not well-formed|too deep"),
    ],
)
def test_files_that_cannot_be_read_say_why(data, name, message):
    refuse(data, message, name=name, kind=BarthesError)


OASIS = "application/vnd.oasis.opendocument"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"[Content_Types].xml": "", "xl/workbook.xml": ""}, "spreadsheet"),
        ({"[Content_Types].xml": "<a/>", "word/styles.xml": "<a/>"}, r"word/document\.xml is missing"),
        ({"word/document.xml": "<w:document"}, r"'word/document.xml' in it is not well-formed XML"),
        ({"word/document.xml": "<document/>"}, "has no body"),
        ({"mimetype": f"{OASIS}.spreadsheet", "content.xml": "<a/>"}, "OpenDocument file but not"),
        ({"mimetype": f"{OASIS}.text"}, r"'content\.xml' is missing"),
        ({"mimetype": "application/epub+zip"}, r"META-INF/container\.xml is missing"),
    ],
)
def test_archives_that_lack_something_say_what(members, message):
    refuse(make_zip(members), message)


@pytest.mark.parametrize(
    ("ending", "kind"),
    [("epub", "EPUB"), ("docx", "DOCX"), ("ODT", "ODT"), ("pdf", "PDF"), ("rtf", "RTF")],
)
def test_random_bytes_are_not_taken_for_text(ending, kind):
    match = rf"it has the extension of an? {kind}.*, but is neither that nor text"
    noise = (bytes(range(256)) * 8)[1:]
    error = refuse(noise, match, name=f"book.{ending}", kind=UnknownEncodingError)
    assert error.remedy.startswith("Get it again")
    text = parse_document(b"A wolf came.", where="x", name=f"tale.{ending}")
    assert (text.join().text, len(text.notes)) == ("A wolf came.", 1)
    assert re.fullmatch(rf"It has the extension of an? {kind}.*, but is plain text\.", text.notes[0])


SPACE = "http://www.w3.org/2001/04/xmlenc#"
LOCK = f'<encryption><e:CipherReference xmlns:e="{SPACE}" URI="OEBPS/%s"/></encryption>'


def test_encrypted_books_and_documents_are_refused():
    manifest = '<m:manifest xmlns:m="urn:m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>'
    refuse(make_odt(**{"META-INF/manifest.xml": manifest}).data, "this document is encrypted")
    refuse(make_epub(**{"META-INF/encryption.xml": LOCK % "text/c1.xhtml"}).data, "encrypted")
    scrambled = make_epub(**{"META-INF/encryption.xml": LOCK % "font.otf"})
    assert len(parse_document(scrambled.data, where="x").chapters) == 3


def test_an_epub_with_a_broken_spine():
    lost = dict.fromkeys([*(f"OEBPS/text/c{number}.xhtml" for number in (1, 2, 3)), "OEBPS/cover.xhtml"])
    refuse(make_epub(**lost).data, r"the spine of this EPUB is broken.*'OEBPS/cover")
    refuse(make_epub(**{"OEBPS/book.opf": None}).data, "names no package document")
    found = parse_document(make_epub(**{"OEBPS/text/c2.xhtml": None}).data, where="x")
    assert [chapter.title for chapter in found.chapters] == ["The Coin", "The Change"]
    assert found.notes == ("The spine is broken: 1 of 5 parts are missing ('OEBPS/text/c2.xhtml').",)


@pytest.mark.parametrize(
    "path",
    ["../../../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "http://example.org/c2.xhtml"],
)
def test_paths_that_lead_out_of_an_archive_are_ignored(path):
    package = read_members("epub")["OEBPS/book.opf"].decode().replace("text/c2.xhtml", path)
    document = parse_document(make_epub(**{"OEBPS/book.opf": package}).data, where="x")
    assert [chapter.title for chapter in document.chapters] == ["The Coin", "The Change"]


LAUGHS = '<!DOCTYPE TEI [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
FILE = '<!DOCTYPE TEI [<!ENTITY passwd SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize("prolog", [LAUGHS, FILE, FILE.replace("passwd SYSTEM", "% passwd SYSTEM")])
def test_tei_with_entities_is_refused(prolog):
    error = refuse(make_tei(prolog=prolog).data, "it declares the entity '(a|passwd)'")
    assert "<!ENTITY" in error.remedy


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "shift_jis", "gb18030", "euc-jp"])
def test_entities_are_found_in_any_encoding(encoding):
    declared = encoding.removesuffix("-sig")
    tei = f'<?xml version="1.0" encoding="{declared}"?>%s<TEI><text><body><p n="%s">狼が来た。</p>'
    tei += "</body></text></TEI>"
    read = parse_document((tei % ("", "1")).encode(encoding), where="tale.xml", name="tale.xml")
    assert read.join().text == "狼が来た。"
    refuse((tei % (LAUGHS, "&b;")).encode(encoding), "it declares the entity '[ab]'", name="tale.xml")


@pytest.mark.parametrize(
    ("make", "kind", "member"),
    [
        (make_docx, "docx", "word/document.xml"),
        (make_odt, "odt", "content.xml"),
        (make_epub, "epub", "OEBPS/text/c1.xhtml"),
    ],
)
def test_entities_in_archives_are_refused(make, kind, member):
    body = read_members(kind)[member].split(b"?>")[-1].replace(b"<!DOCTYPE html>", b"")
    changed = make(**{member: b'<!DOCTYPE x [<!ENTITY a "ha">]>' + body})
    refuse(changed.data, "it declares the entity 'a'")


def test_zip_bombs_are_refused(monkeypatch):
    swollen = make_zip({"mimetype": "application/epub+zip", "META-INF/container.xml": b" " * 40_000_000})
    refuse(swollen, "more than 200 times its size")
    monkeypatch.setattr(archives, "MAX_BYTES", 1000)
    refuse(make_zip({"word/document.xml": b"<a>" + bytes(range(256)) * 8}), "would unpack to")
    monkeypatch.setattr(archives, "MAX_MEMBERS", 10)
    refuse(make_zip({str(number): b"" for number in range(11)}), "it has 11 members, more than 10")


def test_a_member_without_a_name_is_skipped():
    data = make_odt().data.replace(b"styles.xml", b"\0tyles.xml")
    assert parse_document(data, where="x").chapters


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"<!DOCTYPE html><html><body><nav>Home</nav></body></html>", "tale.html"),
        (b"", "tale.html"),
        (b"# Title only", "tale.md"),
        (b"<TEI><text><body><div/></body></text></TEI>", "tale.xml"),
    ],
)
def test_a_file_without_a_story_is_empty(data, name):
    refuse(data, "there is no running text in it|empty", name=name, kind=EmptyNarrativeError)
