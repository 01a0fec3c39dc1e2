"""Files that are broken, locked, hostile or not what they are called: each is refused in plain words."""

from __future__ import annotations

import contextlib
import io
import zipfile

import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.errors import BarthesError, EmptyNarrativeError, ReadingError, UnknownEncodingError
from barthes.reading import archive as archives
from barthes.reading.formats import parse_document
from barthes.reading.story_document import Document
from tests.reading.conversion import MAKERS, make_docx, make_epub, make_odt, make_pdf, make_tei, make_zip
from tests.reading.printing import build_pdf


def refuse(data, match, *, name="story", kind=ReadingError):
    with pytest.raises(kind, match=match) as caught:
        parse_document(data, where=f"tales/{name}", name=name)
    assert str(caught.value).startswith(f"tales/{name}")
    return caught.value


def encrypt(data, *, user, owner, algorithm):
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(user, owner, algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_an_encrypted_pdf_says_so(algorithm):
    locked = encrypt(make_pdf().data, user="wolf", owner="bear", algorithm=algorithm)
    error = refuse(locked, "this PDF is encrypted and asks for a password")
    assert "password" in error.remedy


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_a_pdf_that_only_forbids_printing_is_read(algorithm):
    made = make_pdf()
    locked = encrypt(made.data, user="", owner="bear", algorithm=algorithm)
    document = parse_document(locked, where="x")
    assert tuple(chapter.title for chapter in document.chapters) == made.chapters


def test_a_scanned_pdf_says_so():
    picture = b"/XObject << /Im0 << /Type /XObject /Subtype /Image /Width 1 /Height 1 >> >>"
    scan = build_pdf([b"q 400 0 0 500 0 0 cm /Im0 Do Q"] * 2, resources=picture)
    assert "OCR" in refuse(scan, "this PDF is a scan").remedy
    refuse(build_pdf([b""]), "this PDF has no text")


def test_a_pdf_whose_fonts_are_mute_says_so():
    refuse(
        build_pdf([b"BT /F1 11 Tf 60 500 Td (%s) Tj ET" % (b"\x81\x8d\x8f\x90\x9d" * 20)]),
        "fonts of this PDF",
    )


@pytest.mark.parametrize("data", [b"%PDF-1.7\nnothing", b"%PDF-", make_pdf().data[:700]])
def test_a_broken_pdf_is_named(data):
    refuse(data, "PDF", kind=BarthesError)


def test_a_docx_that_is_a_renamed_zip():
    data = make_zip({"notes.txt": "A wolf came.", "picture.png": b"\x89PNG"})
    error = refuse(
        data, r"a zip archive \(notes.txt, picture.png\), but no DOCX, EPUB or ODT", name="tale.docx"
    )
    assert "plain text" in error.remedy
    refuse(make_zip({}), r"\(empty\)|not a sound zip", name="tale.docx")


@pytest.mark.parametrize(
    ("members", "match"),
    [
        ({"[Content_Types].xml": "", "xl/workbook.xml": ""}, "spreadsheet"),
        ({"[Content_Types].xml": "<a/>", "word/styles.xml": "<a/>"}, r"it lacks word/document\.xml"),
        ({"word/document.xml": "<w:document"}, r"'word/document.xml' in it is not well-formed XML"),
        ({"word/document.xml": "<document/>"}, "has no body"),
        (
            {"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<a/>"},
            "OpenDocument, but",
        ),
        ({"mimetype": "application/vnd.oasis.opendocument.text"}, r"it lacks 'content\.xml'"),
        ({"mimetype": "application/epub+zip"}, r"it lacks META-INF/container\.xml"),
    ],
)
def test_archives_that_lack_something_say_what(members, match):
    refuse(make_zip(members), match)


def test_an_old_word_file_and_others_are_named():
    refuse(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "old Word file", name="tale.docx")
    refuse(b"{\\rtf1 A wolf came.}", "RTF")
    refuse(bytes(60) + b"BOOKMOBI" + bytes(100), "Kindle")
    refuse(b"\x89PNG\r\n\x1a\n" + bytes(50), "not text", kind=UnknownEncodingError)


@pytest.mark.parametrize(
    ("ending", "kind"), [("epub", "EPUB"), ("docx", "DOCX"), ("ODT", "ODT"), ("pdf", "PDF")]
)
def test_bytes_that_are_nothing_are_not_taken_for_text_in_another_encoding(ending, kind):
    noise = bytes(range(256)) * 8
    match = rf"it is named like an? {kind}.*, but is neither that nor text"
    error = refuse(noise[1:], match, name=f"book.{ending}", kind=UnknownEncodingError)
    assert error.remedy.startswith("Get it again")
    assert "A wolf came." in str(parse_document(b"A wolf came.", where="x", name=f"tale.{ending}").chapters)


def test_a_locked_odt_says_so():
    refuse(make_odt(locked=True).data, "this document is encrypted")


def test_an_epub_with_a_broken_spine():
    lost = {f"OEBPS/text/c{number}.xhtml": None for number in (1, 2, 3)}
    refuse(
        make_epub(**lost, **{"OEBPS/cover.xhtml": None}).data,
        r"the spine of this EPUB is broken.*'OEBPS/cover",
    )
    found = parse_document(make_epub(**{"OEBPS/text/c2.xhtml": None}).data, where="x")
    assert [chapter.title for chapter in found.chapters] == ["The Coin", "The Change"]
    assert found.notes == ("The spine is broken: 1 of 5 parts are missing ('OEBPS/text/c2.xhtml').",)


def test_an_epub_without_a_package():
    refuse(make_epub(**{"OEBPS/book.opf": None}).data, "names no package document")


def test_an_epub_under_copy_protection_says_so():
    space = "http://www.w3.org/2001/04/xmlenc#"
    lock = '<encryption><e:CipherReference xmlns:e="{}" URI="OEBPS/{}"/></encryption>'
    locked = make_epub(**{"META-INF/encryption.xml": lock.format(space, "text/c1.xhtml")})
    refuse(locked.data, "encrypted")
    scrambled = make_epub(**{"META-INF/encryption.xml": lock.format(space, "font.otf")})
    assert len(parse_document(scrambled.data, where="x").chapters) == 3


LAUGHS = '<!DOCTYPE TEI [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
FILE = '<!DOCTYPE TEI [<!ENTITY passwd SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize("prolog", [LAUGHS, FILE, FILE.replace("passwd SYSTEM", "% passwd SYSTEM")])
def test_tei_with_entities_is_refused(prolog):
    error = refuse(make_tei(prolog=prolog).data, "it declares the entity '(a|passwd)'")
    assert "<!ENTITY" in error.remedy


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_entities_are_found_in_any_encoding(encoding):
    text = make_tei(prolog=LAUGHS).data.decode().replace("UTF-8", encoding[:6].upper())
    refuse(text.encode(encoding), "it declares the entity 'a'", name="tale.xml")


@pytest.mark.parametrize("encoding", ["shift_jis", "gb18030", "euc-jp"])
def test_entities_are_found_in_encodings_that_only_one_of_our_parsers_knows(encoding):
    tei = f'<?xml version="1.0" encoding="{encoding}"?>%s<TEI><text><body><p n="%s">狼が来た。</p>'
    tei += "</body></text></TEI>"
    read = parse_document((tei % ("", "1")).encode(encoding), where="tale.xml", name="tale.xml")
    assert read.join().text == "狼が来た。"
    laughs = '<!DOCTYPE TEI [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    refuse((tei % (laughs, "&b;")).encode(encoding), "it declares the entity '[ab]'", name="tale.xml")


def test_an_entity_that_nobody_declared():
    tei = make_tei(prolog='<!DOCTYPE TEI SYSTEM "http://example.org/tei.dtd">').data
    known = parse_document(tei.replace(b"The road was bad", b"The road&mdash;was bad"), where="x")
    assert "The road—was bad" in known.join().text
    refuse(tei.replace(b"The road was bad", b"&wolf; was bad"), "it uses the entity &wolf;")


@pytest.mark.parametrize("made", [make_docx, make_odt, make_epub])
def test_entities_in_archives_are_refused(made):
    source = zipfile.ZipFile(io.BytesIO(made().data))
    members = {name: source.read(name) for name in source.namelist()}
    for name in ("word/document.xml", "content.xml", "OEBPS/text/c1.xhtml"):
        if name in members:
            body = members[name].split(b"?>")[-1].replace(b"<!DOCTYPE html>", b"")
            members[name] = b'<!DOCTYPE x [<!ENTITY a "ha">]>' + body
    refuse(make_zip(members), "it declares the entity 'a'")


def test_xml_of_another_kind_is_named():
    refuse(b"<?xml version='1.0'?><recipe>Eels</recipe>", "its root is <recipe>, not <TEI>", name="tale.xml")
    refuse(
        b"<?xml version='1.0'?><recipe>Eels</recipe>", "its root <recipe> is of no format", name="tale.txt"
    )
    refuse(b"<TEI><text>", "not well-formed", name="tale.xml")
    refuse(b"<TEI/>", "has no <body>", name="tale.xml")
    refuse(b"A wolf came.", "but is no XML", name="tale.xml")


def test_zip_bombs_do_not_go_off(monkeypatch):
    swollen = make_zip({"mimetype": "application/epub+zip", "META-INF/container.xml": b" " * 40_000_000})
    refuse(swollen, "would swell more than 200 times")
    monkeypatch.setattr(archives, "MAX_BYTES", 1000)
    refuse(make_zip({"word/document.xml": b"<a>" + bytes(range(256)) * 8}), "would unpack to")


def test_too_many_members_are_refused():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for number in range(archives.MAX_MEMBERS + 1):
            file.writestr(str(number), b"")
    refuse(buffer.getvalue(), "more than 10,000")


def test_a_member_without_a_name_is_passed_over():
    data = make_odt().data.replace(b"styles.xml", b"\0tyles.xml")
    assert parse_document(data, where="x").chapters


def test_paths_that_lead_out_of_an_archive_lead_nowhere():
    epub = make_epub()
    source = zipfile.ZipFile(io.BytesIO(epub.data))
    package = source.read("OEBPS/book.opf").decode()
    for path in (
        "../../../../etc/passwd",
        "/etc/passwd",
        "file:///etc/passwd",
        "http://example.org/c2.xhtml",
    ):
        changed = package.replace("text/c2.xhtml", path)
        document = parse_document(make_epub(**{"OEBPS/book.opf": changed}).data, where="x")
        assert [chapter.title for chapter in document.chapters] == ["The Coin", "The Change"]


def test_elements_nested_too_deep_are_refused():
    refuse(b"<!DOCTYPE html>" + b"<div>" * 5000 + b"A wolf came.", "nested too deep", name="tale.html")
    deep = b"<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body>" + b"<div>" * 900 + b"<p>A wolf.</p>"
    refuse(deep + b"</div>" * 900 + b"</body></text></TEI>", "nested too deep|not well-formed|too deep")


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


@given(
    st.binary(max_size=400),
    st.sampled_from(["", "a.md", "a.html", "a.xml", "a.sty", "a.docx", "a.pdf", "a.fodt"]),
)
@settings(max_examples=150)
def test_any_bytes_are_a_document_or_refused(data, name):
    with contextlib.suppress(BarthesError):
        assert isinstance(parse_document(data, where="x", name=name), Document)


STARTS = [b"%PDF-1.7\n", b"PK\x03\x04", b"<html>", b"<?xml version='1.0'?><TEI>", b"<story>", b"\xff\xfe<\0"]


@given(st.sampled_from(STARTS), st.binary(max_size=200))
@settings(max_examples=100)
def test_any_bytes_behind_a_signature_too(start, data):
    with contextlib.suppress(BarthesError):
        parse_document(start + data, where="x")


FILES = [make() for make in MAKERS.values()]


@given(st.sampled_from(FILES), st.data())
@settings(max_examples=60)
def test_a_damaged_file_is_read_or_refused(made, data):
    damaged = bytearray(made.data)
    for _ in range(data.draw(st.integers(1, 6))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(1, len(damaged)))
    for content in (bytes(damaged), bytes(damaged[:cut])):
        with contextlib.suppress(BarthesError):
            parse_document(content, where="x", name=made.name)
