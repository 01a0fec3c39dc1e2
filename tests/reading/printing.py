"""Set text on the pages of a PDF, with running heads and page numbers."""

from __future__ import annotations

import textwrap
import zlib
from dataclasses import dataclass, field

TIMES = b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>"
IDENTITY = (  # its codes are numbers of glyphs, and nothing says which letters they are
    b"<< /Type /Font /Subtype /Type0 /BaseFont /ABCDEF+Wolf /Encoding /Identity-H /DescendantFonts [<< "
    b"/Type /Font /Subtype /CIDFontType2 /BaseFont /ABCDEF+Wolf /DW 500 /CIDSystemInfo "
    b"<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >>"
)
PICTURE = b"q 400 0 0 500 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q"
WIDTH, HEIGHT, LEFT, TOP, STEP = 420, 595, 60, 520, 14


def escape(text: str) -> bytes:
    return text.encode("cp1252").replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")


@dataclass
class Printer:
    """Sets paragraphs on pages of 30 lines; `to_pdf` returns the bytes of the file."""

    head: str = ""
    pages: list[list[bytes]] = field(default_factory=list)
    outline: list[tuple[str, int]] = field(default_factory=list)
    _line: int = 10**9

    def set_heading(self, text: str, *, size: int = 16, outlined: bool = False) -> None:
        self._line += 1
        self._put(text, LEFT, size)
        if outlined:
            self.outline.append((text, len(self.pages) - 1))
        self._line += 1

    def set_paragraph(self, text: str) -> None:
        wrapper = textwrap.TextWrapper(58, initial_indent="   ", break_on_hyphens=False)
        for index, line in enumerate(wrapper.wrap(text)):
            self._put(line.strip(), LEFT + 12 * (index == 0), 11)

    def _put(self, text: str, x: float, size: int) -> None:
        if self._line >= 30:
            self.pages.append([])
            self._line = 0
        place = (size, x, TOP - STEP * self._line, escape(text))
        self.pages[-1].append(b"BT /F1 %d Tf %d %d Td (%s) Tj ET" % place)
        self._line += 1

    def to_pdf(self) -> bytes:
        contents = []
        for number, page in enumerate(self.pages):
            head = [b"BT /F1 9 Tf 150 560 Td (%s) Tj ET" % escape(self.head)] if self.head else []
            contents.append(b"\n".join([*head, *page, b"BT /F1 9 Tf 205 30 Td (%d) Tj ET" % (number + 1)]))
        return build_pdf(contents, outline=self.outline)


def build_pdf(
    contents: list[bytes],
    *,
    outline: list[tuple[str, int]] | None = None,
    font: bytes = TIMES,
) -> bytes:
    """A PDF of pages with these content streams, by default in Times-Roman and the encoding of Windows."""
    objects: list[bytes] = []
    count = len(contents)
    kids = b" ".join(b"%d 0 R" % (5 + 2 * i) for i in range(count))
    first = 5 + 2 * count
    marks = b" /Outlines %d 0 R" % first if outline else b""
    objects.append(b"<< /Type /Catalog /Pages 2 0 R%s >>" % marks)
    objects.append(b"<< /Type /Pages /Count %d /Kids [%s] >>" % (count, kids))
    objects.append(font)
    objects.append(b"<< /Title () >>")
    for index, content in enumerate(contents):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (WIDTH, HEIGHT, 6 + 2 * index)
        )
        packed = zlib.compress(content)
        objects.append(
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)
        )
    if outline:
        last = first + len(outline)
        objects.append(b"<< /Type /Outlines /First %d 0 R /Last %d 0 R >>" % (first + 1, last))
        for index, (text, page) in enumerate(outline):
            links = b" /Prev %d 0 R" % (first + index) if index else b""
            links += b" /Next %d 0 R" % (first + index + 2) if index + 1 < len(outline) else b""
            objects.append(
                b"<< /Title (%s) /Parent %d 0 R /Dest [%d 0 R /Fit]%s >>"
                % (escape(text), first, 5 + 2 * page, links)
            )
    return _write(objects)


def _write(objects: list[bytes]) -> bytes:
    data = b"%PDF-1.7\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return data + trailer % (len(objects) + 1, table)
