"""PDF files: text by pypdf, paragraphs and chapters from how the pages are set.

Scans have no text, and encrypted files do not give it away: both say so.
"""

from __future__ import annotations

import io
import logging
import re
from typing import Any, NoReturn

from barthes.errors import ReadingError
from barthes.reading.blocks import Gathering, tidy
from barthes.reading.chapters import arrange
from barthes.reading.document import Document
from barthes.reading.headings import mark_headings
from barthes.reading.printed_lines import Line, assemble_lines, extract_pieces
from barthes.reading.printed_margins import leave_out_margins
from barthes.reading.printed_paragraphs import form_blocks

__all__ = ["MAX_CHARACTERS", "MAX_PAGES", "parse"]

MAX_PAGES = 5_000
MAX_CHARACTERS = 20_000_000
"""Of all pages, as which a small file can show one large stream again and again."""
_UNREADABLE = 0.2  # share of characters that a font does not explain


def parse(data: bytes, *, where: str) -> Document:
    """The document in the bytes of a PDF file.

    Raises:
        ReadingError: It is broken, encrypted or a scan, or its fonts do not say which letters they draw.
        EmptyNarrativeError: There is no running text in it.
    """
    gathering = Gathering()
    try:
        pages, outline = _extract(data, where, gathering)
    except ReadingError:
        raise
    except Exception as error:  # pypdf raises whatever a broken file leads it to
        remedy = "Open it in a viewer and print it to a new PDF."
        raise ReadingError(
            f"this PDF is broken ({type(error).__name__}: {error}).", where=where, remedy=remedy
        ) from error
    pages = leave_out_margins(pages, gathering)
    gathering.blocks = [block for block in form_blocks(pages, outline) if block.text]
    if not any(block.level for block in gathering.blocks):
        gathering.blocks = mark_headings(gathering.blocks)
    return arrange(gathering, where=where)


def _extract(data: bytes, where: str, gathering: Gathering) -> tuple[list[list[Line]], dict[str, int]]:
    import pypdf

    logger = logging.getLogger("pypdf")
    if not logger.handlers:  # its warnings about odd files are not the reader's concern
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
    reader = pypdf.PdfReader(io.BytesIO(data), strict=False)
    _unlock(reader, where)
    if len(reader.pages) > MAX_PAGES:
        _refuse(where, f"it has {len(reader.pages):,} pages.", "Cut it into stories.")
    pages: list[list[Line]] = []
    characters = 0
    for index, page in enumerate(reader.pages):
        pieces = extract_pieces(page)
        characters += sum(len(piece.text) for piece in pieces)
        if characters > MAX_CHARACTERS:
            _refuse(where, f"it has more than {MAX_CHARACTERS:,} characters.", "Cut it into stories.")
        pages.append(assemble_lines(pieces, index))
    _check_text(reader, pages, where, gathering)
    gathering.title = _find_title(reader)
    language = reader.root_object.get("/Lang")
    gathering.language = str(language) if language else ""
    return pages, _read_outline(reader)


def _unlock(reader: Any, where: str) -> None:
    """Files that only forbid printing open without a password; others cannot be read."""
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


def _check_text(reader: Any, pages: list[list[Line]], where: str, gathering: Gathering) -> None:
    empty = [index for index, lines in enumerate(pages) if not lines]
    if len(empty) == len(pages):
        pictures = any(_has_picture(page) for page in reader.pages)
        what = (
            "this PDF is a scan: its pages are pictures, without text."
            if pictures
            else "this PDF has no text."
        )
        _refuse(
            where, what, "Run text recognition (OCR) on it, for example with OCRmyPDF." if pictures else None
        )
    scanned = sum(_has_picture(reader.pages[index]) for index in empty)
    if scanned:
        gathering.notes.append(
            f"{scanned} of {len(pages)} pages are pictures without text, and are not read."
        )
    text = "".join(line.text for lines in pages for line in lines)
    strange = sum(not character.isprintable() or character == "\ufffd" for character in text)
    if strange > _UNREADABLE * len(text):
        remedy = "Run text recognition (OCR) on it, or export it anew."
        _refuse(where, "the fonts of this PDF do not say which letters they draw.", remedy)


def _has_picture(page: Any) -> bool:
    try:
        objects = page["/Resources"]["/XObject"].get_object().values()
        return any(each.get_object().get("/Subtype") in ("/Image", "/Form") for each in objects)
    except (KeyError, AttributeError, TypeError):
        return False


def _find_title(reader: Any) -> str:
    title = tidy(str(reader.metadata.title)) if reader.metadata and reader.metadata.title else ""
    # Programs that print put the name of a file or nothing there.
    return (
        ""
        if re.search(r"\.(docx?|odt|rtf|tex|txt|html?|indd)$|^untitled$|^microsoft word", title, re.I)
        else title
    )


def _read_outline(reader: Any) -> dict[str, int]:
    """The levels of the titles in the outline, by their words."""
    levels: dict[str, int] = {}

    def walk(items: Any, level: int) -> None:
        for item in items:
            if isinstance(item, list):
                walk(item, min(level + 1, 6))
            elif title := re.sub(r"\W+", " ", str(getattr(item, "title", ""))).strip().casefold():
                levels.setdefault(title, level)

    try:
        walk(reader.outline, 1)
    except Exception:  # an outline is a convenience: the pages are there without it
        return {}
    return levels


def _refuse(where: str, problem: str, remedy: str | None) -> NoReturn:
    raise ReadingError(problem, where=where, remedy=remedy)
