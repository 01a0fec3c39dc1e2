"""Parse PDF files: text by pypdf, paragraphs and chapters from the layout of the pages.

Scans, which have no text, encrypted files and fonts that do not name their letters are refused.
"""

from __future__ import annotations

import io
import logging
import math
import re
import unicodedata
from dataclasses import replace
from typing import Any, NoReturn

from barthes.errors import ReadingError
from barthes.reading.document import Draft, fold, tidy
from barthes.reading.legibility import is_garbled, lacks_vowels
from barthes.reading.pdf_layout import Line, Piece, assemble_lines, form_blocks, set_apart_margins
from barthes.reading.pdf_spacing import GAP, mark_gaps

MAX_PAGES = 5_000
MAX_CHARACTERS = 20_000_000
"""On all pages: a small file can show one large stream many times."""
_UNNAMED = 0.2  # share of the text that may be in fonts that do not name its letters


def parse(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of a PDF file."""
    draft = Draft()
    try:
        pages, outline = _extract(data, where, draft)
    except ReadingError:
        raise
    except Exception as error:  # pypdf raises whatever a broken file leads it to
        problem = f"this PDF is broken ({type(error).__name__}: {error})."
        remedy = "Open it in a viewer and print it to a new PDF."
        raise ReadingError(problem, where=where, remedy=remedy) from error
    body, margins = set_apart_margins(pages)
    draft.blocks = form_blocks(body, outline)
    for mark, lines in margins:
        draft.add(" ".join(line.text for line in lines), mark=mark)
    return draft


def _extract(data: bytes, where: str, draft: Draft) -> tuple[list[list[Line]], dict[str, int]]:
    import pypdf

    logger = logging.getLogger("pypdf")
    if not logger.handlers:  # its warnings about odd files do not concern users
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
    reader = pypdf.PdfReader(io.BytesIO(data), strict=False)
    _unlock(reader, where)
    if len(reader.pages) > MAX_PAGES:
        _refuse(where, f"it has {len(reader.pages):,} pages.", "Cut it into stories.")
    pages: list[list[Line]] = []
    characters = 0
    for index, page in enumerate(reader.pages):
        pieces = _extract_pieces(page, reader)
        characters += sum(len(piece.text) for piece in pieces)
        if characters > MAX_CHARACTERS:
            _refuse(where, f"it has more than {MAX_CHARACTERS:,} characters.", "Cut it into stories.")
        pages.append(assemble_lines(pieces, index))
    _check_text(reader, pages, where, draft)
    draft.title = _find_title(reader)
    draft.author = tidy(str(reader.metadata.author or "")) if reader.metadata else ""
    draft.language = str(reader.root_object.get("/Lang") or "")
    return pages, _read_outline(reader, draft)


def _extract_pieces(page: Any, reader: Any) -> list[Piece]:
    """Return the pieces of text on a page in the order of its content, without text that runs upwards."""
    from pypdf.generic import NameObject

    contents = page.get("/Contents")
    try:
        mark_gaps(page, reader)
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        # Operators without their operands, fonts without their parts: pypdf skips them.
        return _visit_text(page)
    pieces = _visit_text(page)
    if any(unicodedata.bidirectional(each) in ("R", "AL") for piece in pieces for each in piece.text):
        page[NameObject("/Contents")] = contents  # pypdf reverses such text, and knows its own spaces
        return _visit_text(page)
    return [replace(piece, text=piece.text.replace(GAP, " ")) for piece in pieces]


def _visit_text(page: Any) -> list[Piece]:
    pieces: list[Piece] = []

    def visit(text: str, cm: list[float], tm: list[float], font: Any, size: float) -> None:
        if not text.strip():
            # A space or an end of line by itself; one is enough.
            if text and pieces and not pieces[-1].text.endswith(" "):
                pieces[-1] = replace(pieces[-1], text=pieces[-1].text + " ")
            return
        a = tm[0] * cm[0] + tm[1] * cm[2]
        b = tm[0] * cm[1] + tm[1] * cm[3]
        d = tm[2] * cm[1] + tm[3] * cm[3]
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        scale = abs(d) or math.hypot(a, b)
        if abs(b) > abs(a) or not all(map(math.isfinite, (x, y, scale))):
            return
        own = abs(size) * scale or 1.0
        # A call usually holds one line; if it holds more, the others follow at the usual distance.
        for index, part in enumerate(text.strip("\n").split("\n")):
            part += " " if text.endswith("\n") else ""
            pieces.append(Piece(part, x, y - 1.2 * own * index, own, _names_letters(font)))

    page.extract_text(visitor_text=visit)
    return pieces


def _unlock(reader: Any, where: str) -> None:
    """Open an encrypted file that needs no password, as those do that only forbid printing."""
    from pypdf.errors import DependencyError

    if not reader.is_encrypted:
        return
    try:
        opened = reader.decrypt("")
    except (DependencyError, NotImplementedError):
        opened = 0
    if not opened:
        remedy = "Open it with its password and save a copy without one."
        _refuse(where, "this PDF is encrypted and asks for a password.", remedy)


def _check_text(reader: Any, pages: list[list[Line]], where: str, draft: Draft) -> None:
    empty = [index for index, lines in enumerate(pages) if not lines]
    scanned = sum(_has_picture(reader.pages[index]) for index in empty)
    if len(empty) == len(pages) and not scanned:
        _refuse(where, "this PDF has no text.", None)
    if len(empty) == len(pages):
        remedy = "Run text recognition (OCR) on it, for example with OCRmyPDF."
        _refuse(where, "this PDF is a scan: its pages are pictures, without text.", remedy)
    if scanned:
        draft.notes.append(f"{scanned} of {len(pages)} pages are pictures without text, and are not read.")
    text = "\n".join(line.text for lines in pages for line in lines)
    pieces = (piece for lines in pages for line in lines for piece in line.pieces)
    unnamed = "".join(piece.text for piece in pieces if not piece.named)
    if is_garbled(text) or (len(unnamed) > _UNNAMED * len(text) and lacks_vowels(unnamed)):
        remedy = "Run text recognition (OCR) on it (ocrmypdf --force-ocr), or export it again."
        _refuse(where, "the fonts of this PDF do not say which letters they draw.", remedy)


def _names_letters(font: Any) -> bool:
    """Return whether a font says which letters it draws; if it does not, its codes may happen to be right."""
    if font is None or "/ToUnicode" in font:
        return True
    encoding = font.get("/Encoding")
    return encoding is not None and not str(encoding).startswith("/Identity")


def _has_picture(page: Any) -> bool:
    try:
        objects = page["/Resources"]["/XObject"].get_object().values()
        return any(each.get_object().get("/Subtype") in ("/Image", "/Form") for each in objects)
    except (KeyError, AttributeError, TypeError):
        return False


def _find_title(reader: Any) -> str:
    title = tidy(str(reader.metadata.title)) if reader.metadata and reader.metadata.title else ""
    is_file_name = re.search(r"\.(docx?|odt|rtf|tex|txt|html?|indd)$|^untitled$|^microsoft word", title, re.I)
    return "" if is_file_name else title


def _read_outline(reader: Any, draft: Draft) -> dict[str, int]:
    """Return the levels of the titles in the outline, by their words."""
    levels: dict[str, int] = {}

    def walk(items: Any, level: int) -> None:
        for item in items:
            if isinstance(item, list):
                walk(item, min(level + 1, 6))
            elif title := fold(str(getattr(item, "title", ""))):
                levels.setdefault(title, level)

    try:
        walk(reader.outline, 1)
    except Exception:  # pypdf raises whatever a broken file leads it to
        draft.notes.append("The outline of this PDF cannot be read: its headings are found by their layout.")
        return {}
    return levels


def _refuse(where: str, problem: str, remedy: str | None) -> NoReturn:
    raise ReadingError(problem, where=where, remedy=remedy)
