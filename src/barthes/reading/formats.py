"""Find the format of a story by the content of its file, and parse it.

The name of a file only decides between kinds of text.
"""

from __future__ import annotations

import codecs
from collections.abc import Collection
from enum import StrEnum
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING

from barthes.errors import ReadingError, UnknownEncodingError
from barthes.reading.document import Document, Draft, check_kinds

if TYPE_CHECKING:
    from barthes.reading.archive import Archive


class Format(StrEnum):
    """A format that can be read."""

    TEXT = "plain text"
    MARKDOWN = "Markdown"
    HTML = "HTML"
    EPUB = "EPUB"
    DOCX = "DOCX"
    ODT = "ODT"
    FLAT_ODT = "FODT"
    PDF = "PDF"
    TEI = "TEI"
    STORY_WORKBENCH = "Story Workbench"
    RTF = "RTF"
    FOUNTAIN = "Fountain"
    FINAL_DRAFT = "Final Draft"
    SCRIVENER = "Scrivener"


# The module and the function that parse each format, and its endings; modules are imported when needed.
_FORMATS = {
    Format.TEXT: ("plain_text", "parse", ".txt"),
    Format.MARKDOWN: ("html", "parse_markdown", ".md .markdown"),
    Format.HTML: ("html", "parse", ".html .htm .xhtml"),
    Format.EPUB: ("epub", "parse", ".epub"),
    Format.DOCX: ("docx", "parse", ".docx"),
    Format.ODT: ("odt", "parse", ".odt"),
    Format.FLAT_ODT: ("odt", "parse_flat", ".fodt"),
    Format.PDF: ("pdf", "parse", ".pdf"),
    Format.TEI: ("tei", "parse", ".tei .xml"),
    Format.STORY_WORKBENCH: ("sty", "parse", ".sty"),
    Format.RTF: ("rtf", "parse", ".rtf"),
    Format.FOUNTAIN: ("fountain", "parse", ".fountain .spmd"),
    Format.FINAL_DRAFT: ("screenplay", "parse_final_draft", ".fdx"),
    Format.SCRIVENER: ("scrivener", "parse", ".scriv .scriv.zip"),
}

ENDINGS = {ending: kind for kind, (_, _, endings) in _FORMATS.items() for ending in endings.split()}
"""The format of files with each ending."""

_ENCODED = (Format.TEXT, Format.MARKDOWN, Format.HTML, Format.FOUNTAIN)
_KNOWN = f"Stories may be in these formats: {', '.join(Format)}."
_EXPECTED = {
    ".epub": "an EPUB, which is a zip archive",
    ".docx": "a DOCX file, which is a zip archive",
    ".odt": "an ODT file, which is a zip archive",
    ".pdf": "a PDF, which begins with %PDF",
    ".scriv": "a Scrivener project, which is a folder or a zip archive",
    ".rtf": "an RTF file, which begins with {\\rtf",
}
_ROOTS = dict.fromkeys(["tei", "tei.2", "teicorpus"], Format.TEI)
_ROOTS |= {"html": Format.HTML, "finaldraft": Format.FINAL_DRAFT}
_XML_FORMATS = (Format.TEI, Format.STORY_WORKBENCH, Format.FLAT_ODT, Format.FINAL_DRAFT)
_UNSUPPORTED = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": (
        "this is an old Word file (.doc), or a document locked with a password.",
        "Open it (with its password) and save it as DOCX, without one.",
    ),
    b"AT&TFORM": ("this is a DjVu file.", "Convert it to PDF or plain text."),
}


def parse_document(
    data: bytes,
    *,
    where: str,
    name: str = "",
    encoding: str | None = None,
    keep: Collection[str] = (),
    split: str | None = None,
) -> Document:
    """Parse the bytes of a file in any known format.

    Errors call the file `where`. The ending of its `name` decides between plain text, Markdown, Fountain and
    a fragment of HTML. The `encoding` is that of text and HTML, by default guessed; other formats name
    theirs. Marked words are text of the story if their kind (see `document.MARKS`) is one to `keep`. Lines
    that the regular expression `split` finds are the headings of chapters, and no others.

    Raises:
        UnknownNameError: There is no such encoding, or no such kind to keep.
        ReadingError: Its format is unknown, or it is damaged, encrypted, or a scan; `split` finds nothing.
        EmptyNarrativeError: There is no running text in it.
    """
    check_kinds(keep)
    found = find_format(data, where=where, name=name)
    expected = _EXPECTED.get(PurePath(name).suffix.lower()) if found is Format.TEXT else None
    try:
        module, function, _ = _FORMATS[found]
        parse = getattr(import_module(f"barthes.reading.{module}"), function)
        if encoding is not None and found in _ENCODED:
            data = _encode_as_utf8(data, encoding, where)
        draft: Draft = parse(data, where=where)
        if expected is not None:
            draft.notes.append(f"It has the extension of {expected.split(',')[0]}, but is plain text.")
        return _build(draft, where, keep, split)
    except UnknownEncodingError as error:
        if expected is None:
            raise
        problem = f"it has the extension of {expected}, but is neither that nor text."
        remedy = "Get it again from where it came: it is damaged, or something else."
        raise UnknownEncodingError(problem, where=where, remedy=remedy) from error
    except RecursionError as error:
        remedy = "Save it again, or as plain text."
        raise ReadingError("its elements are nested too deeply.", where=where, remedy=remedy) from error


def _build(draft: Draft, where: str, keep: Collection[str], split: str | None) -> Document:
    from barthes.reading.structure import build_document  # imported only when there is a file

    return build_document(draft, where=where, keep=keep, split=split)


def _encode_as_utf8(data: bytes, encoding: str, where: str) -> bytes:
    from barthes.reading.encoding import decode

    text, _ = decode(data, where=where, encoding=encoding)
    return codecs.BOM_UTF8 + text.encode("utf-8", "replace")  # the mark overrules what a page declares


def find_format(data: bytes, *, where: str, name: str = "") -> Format:
    """Return the format of some bytes.

    Raises:
        ReadingError: They are in a format that cannot be read, such as an archive of something else.

    >>> find_format(b"%PDF-1.7", where="a", name="story.txt").value
    'PDF'
    >>> find_format(b"# The Crane", where="b", name="crane.md").value
    'Markdown'
    """
    start = data[:2048].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"%PDF-"):
        return Format.PDF
    if start.startswith(b"{\\rtf"):
        return Format.RTF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _find_in_archive(data, where)
    for signature, (problem, remedy) in _UNSUPPORTED.items():
        if data.startswith(signature):
            raise ReadingError(problem, where=where, remedy=remedy)
    if data[60:68] in (b"BOOKMOBI", b"TEXtREAd"):
        raise ReadingError("this is a Kindle book.", where=where, remedy="Convert it to EPUB.")
    return _find_in_text(data, start, where, name)


def _find_in_archive(data: bytes, where: str) -> Format:
    from barthes.reading.archive import Archive  # imported only when there is a file, to start quickly

    archive = Archive(data, where=where)
    kind = archive.read("mimetype").strip() if "mimetype" in archive else b""
    if kind == b"application/epub+zip" or "META-INF/container.xml" in archive:
        return Format.EPUB
    if kind.startswith(b"application/vnd.oasis.opendocument.text"):
        return Format.ODT
    if "word/document.xml" in archive or _has_folder(archive, "word/"):
        return Format.DOCX
    if any(name.lower().endswith(".scrivx") for name in archive.names):
        from barthes.reading.scrivener import find_binders

        if find_binders(archive.names):
            return Format.SCRIVENER
    raise ReadingError(_describe(archive, kind), where=where, remedy=_KNOWN)


def _describe(archive: Archive, kind: bytes) -> str:
    """Describe an archive that is not a story."""
    if kind.startswith(b"application/vnd.oasis.opendocument"):
        return "it is an OpenDocument file but not a text."
    if _has_folder(archive, "xl/") or _has_folder(archive, "ppt/"):
        return "it is a spreadsheet or a presentation, not a text."
    inside = ", ".join(name[:80] for name in archive.names[:3]) + (" …" if len(archive.names) > 3 else "")
    return f"it is a zip archive ({inside or 'empty'}), not a DOCX, EPUB, ODT or Scrivener file."


def _has_folder(archive: Archive, folder: str) -> bool:
    return "[Content_Types].xml" in archive and any(name.startswith(folder) for name in archive.names)


def _find_in_text(data: bytes, start: bytes, where: str, name: str) -> Format:
    from barthes.reading.xml_parsing import find_root

    by_name = ENDINGS.get(PurePath(name).suffix.lower(), Format.TEXT)
    head = start[:200].lower()
    is_marked_up = start.startswith(b"<") or data.startswith((b"\xff\xfe<", b"\xfe\xff\0<"))
    if head.startswith((b"<!doctype html", b"<html")):
        return Format.HTML
    root = find_root(data, where=where) if is_marked_up else None
    if root is not None and root[1] == "ScrivenerProject":
        remedy = "Give the folder of the project, which ends in .scriv, or a zip archive of it."
        raise ReadingError("this is only the binder of a Scrivener project.", where=where, remedy=remedy)
    if root is not None and (known := _find_by_root(*root)):
        return known
    shown = f"<{root[1][:80]}>" if root else ""
    problem = f"it has the extension of {by_name.value} but is not XML."
    if by_name in (Format.TEXT, Format.MARKDOWN, Format.HTML, Format.FOUNTAIN):
        if not root or not head.startswith(b"<?xml"):
            return by_name
        problem = f"it is XML, but its root {shown} is not a known format."
    elif by_name not in _XML_FORMATS:
        return Format.TEXT  # text named .docx is still text
    elif is_marked_up and root is None:
        return by_name  # its parser will say where it is not well-formed
    elif by_name is Format.TEI and root:
        problem = f"it is XML, but its root is {shown}, not <TEI>."
    raise ReadingError(problem, where=where, remedy=_KNOWN)


def _find_by_root(namespace: str, name: str) -> Format | None:
    if name.lower() == "document" and "opendocument" in namespace:
        return Format.FLAT_ODT
    if name.lower() == "story" and not namespace:
        return Format.STORY_WORKBENCH
    return _ROOTS.get(name.lower())
