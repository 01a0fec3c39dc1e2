"""Parse PDF files: text by PDFium, paragraphs and chapters from the layout of the pages.

Scans, which have no text, files with a password, and fonts that do not say which letters they draw are
refused. Text that is set sideways is marked as furniture.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from threading import Lock
from typing import Any, NoReturn

from barthes.errors import ReadingError
from barthes.reading.document import Draft, fold, tidy
from barthes.reading.legibility import is_garbled, lacks_vowels
from barthes.reading.pdf_layout import form_blocks, set_apart_margins
from barthes.reading.pdf_lines import Line, find_turn, read_lines

MAX_PAGES = 5_000
MAX_CHARACTERS = 20_000_000
"""On all pages: a small file can show one large stream many times."""

_UNNAMED = 0.2  # share of the text that may be in fonts that do not name its letters
_CONTROLS = 0.05  # share of control characters; some fonts draw a ligature in the place of one
_LOCK = Lock()  # PDFium must not be used by two threads at once
_FILE_NAME = re.compile(r"\.(docx?|odt|rtf|tex|txt|html?|indd)$|^untitled$|^microsoft word", re.IGNORECASE)
_LONGEST_LANGUAGE = 100  # characters


def parse(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of a PDF file."""
    import pypdfium2

    draft = Draft()
    with _LOCK:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            _refuse_unopened(error, where)
        try:
            pages = _read_pages(document, where, draft)
            _read_properties(document, draft)
            outline = _read_outline(document)
        except pypdfium2.PdfiumError as error:
            _refuse_broken(error, where)
        finally:
            document.close()
    body, margins = set_apart_margins(pages)
    draft.blocks = [*form_blocks(body, outline), *draft.blocks]
    for mark, lines in margins:
        draft.add(" ".join(line.text for line in lines), mark=mark)
    return draft


def _refuse_unopened(error: Any, where: str) -> NoReturn:
    import pypdfium2.raw

    if error.err_code in (pypdfium2.raw.FPDF_ERR_PASSWORD, pypdfium2.raw.FPDF_ERR_SECURITY):
        remedy = "Open it with its password and save a copy without one."
        _refuse(where, "this PDF is encrypted and asks for a password.", remedy)
    _refuse_broken(error, where)


def _refuse_broken(error: Exception, where: str) -> NoReturn:
    remedy = "Open it in a viewer and print it to a new PDF."
    reason = str(error).rstrip(".")
    raise ReadingError(f"this PDF is broken ({reason}).", where=where, remedy=remedy) from error


def _read_pages(document: Any, where: str, draft: Draft) -> list[list[Line]]:
    """Return the lines of all pages; those without text are noted if they have pictures."""
    if len(document) > MAX_PAGES:
        _refuse(where, f"it has {len(document):,} pages.", "Split it into stories.")
    pages: list[list[Line]] = []
    characters = scanned = 0
    for index in range(len(document)):
        page = document[index]
        lines = read_lines(page, index)
        characters += sum(len(line.text) for line in lines)
        if characters > MAX_CHARACTERS:
            _refuse(where, f"it has more than {MAX_CHARACTERS:,} characters.", "Split it into stories.")
        scanned += not lines and _has_picture(page)
        pages.append(_mark_sideways(lines, draft))
        page.close()
    if not characters:
        _refuse_empty(where, is_scan=bool(scanned))
    if scanned:
        draft.notes.append(f"{scanned} of {len(pages)} pages are pictures without text, and are not read.")
    _check_letters(pages, where)
    return pages


def _mark_sideways(lines: list[Line], draft: Draft) -> list[Line]:
    """Return the lines that run as most of a page does; the others are furniture."""
    turn = find_turn(lines)
    for line in lines:
        if line.turn != turn:
            draft.add(line.text, mark="furniture")
    return [line for line in lines if line.turn == turn]


def _refuse_empty(where: str, *, is_scan: bool) -> NoReturn:
    if not is_scan:
        _refuse(where, "this PDF has no text.", None)
    remedy = "Run text recognition (OCR) on it, for example with OCRmyPDF."
    _refuse(where, "this PDF is a scan: its pages are pictures, without text.", remedy)


def _check_letters(pages: list[list[Line]], where: str) -> None:
    text = "\n".join(line.text for lines in pages for line in lines)
    unnamed = "".join(line.unnamed for lines in pages for line in lines)
    controls = sum(unicodedata.category(each) == "Cc" for each in text.replace("\n", ""))
    is_unnamed = len(unnamed) > _UNNAMED * len(text) and lacks_vowels(unnamed)
    if is_garbled(text) or is_unnamed or controls > _CONTROLS * len(text):
        remedy = "Run text recognition (OCR) on it (ocrmypdf --force-ocr), or export it again."
        _refuse(where, "the fonts of this PDF do not say which letters they draw.", remedy)


def _has_picture(page: Any) -> bool:
    import pypdfium2.raw

    return next(page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE]), None) is not None


def _read_properties(document: Any, draft: Draft) -> None:
    import pypdfium2.raw

    properties = document.get_metadata_dict()
    title = tidy(properties.get("Title", ""))
    draft.title = "" if _FILE_NAME.search(title) else title
    draft.author = tidy(properties.get("Author", ""))
    language = (ctypes.c_ushort * _LONGEST_LANGUAGE)()
    pypdfium2.raw.FPDFCatalog_GetLanguage(document, language, ctypes.sizeof(language))
    draft.language = bytes(language).decode("utf-16-le", "replace").partition("\0")[0]


def _read_outline(document: Any) -> dict[str, int]:
    """Return the levels of the titles in the outline, by their words."""
    levels: dict[str, int] = {}
    for bookmark in document.get_toc(max_depth=6):
        if title := fold(bookmark.get_title()):
            levels.setdefault(title, bookmark.level + 1)
    return levels


def _refuse(where: str, problem: str, remedy: str | None) -> NoReturn:
    raise ReadingError(problem, where=where, remedy=remedy)
