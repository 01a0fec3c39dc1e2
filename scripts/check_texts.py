"""Report how well texts are read: cut sentences, speakers, ligatures, repeats, chapters and lost words.

Usage::

    python scripts/check_texts.py tales/ book.pdf --format tsv

Folders stand for the stories in them. Scored and marked words are compared with all text of the markup, or
with pypdf's own extraction; scripts, fields and deleted text are left out.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from lxml import etree
from pypdf import PdfReader

from barthes.errors import BarthesError
from barthes.files import decode_name
from barthes.narrative import Narrative
from barthes.reading import find_stories, narrate, parse_document
from barthes.reading.formats import Format, find_format
from barthes.reading.source import read_bytes

__all__ = [
    "TextCheck",
    "check_text",
    "count_repeats",
    "extract_text",
    "find_speakers",
    "main",
    "measure_lost",
]

_PARTS = {  # of archives that have text
    Format.DOCX: r"word/(document|footnotes|endnotes|comments|header\d*|footer\d*)\.xml",
    Format.ODT: r"content\.xml|styles\.xml",
    Format.EPUB: r"(?i).*\.x?html?",
}
_INSIDE = {  # where the text is
    Format.DOCX: "//*[local-name()='t']",
    Format.ODT: "//*[local-name()='body' or local-name()='master-styles']",
    Format.FLAT_ODT: "//*[local-name()='body']",
    Format.EPUB: "//*[local-name()='body']",
    Format.HTML: "//body",
    Format.TEI: "//*[local-name()='text'][not(ancestor::*[local-name()='text'])]",
}
_SILENT = (
    "script style nav delText moveFrom Fallback binary-data tracked-changes index-title-template".split()
)
_TEXT_NODES = f".//text()[not({' or '.join(f'ancestor::*[local-name()={name!r}]' for name in _SILENT)})]"
_SPEAKER = re.compile(r"([^\W\d_][^\d_.:!?…,;\n]{0,40})[.:](?:\s|$)")
_ROMAN = re.compile(r"[IVXLCDM]+")
_LIGATURE = re.compile("[\ufb00-\ufb06]")


@dataclass(frozen=True)
class TextCheck:
    """What was found in one file; everything but the name is None if it cannot be read.

    Attributes:
        file: Its path.
        sentences: How many it has.
        lower_case: Sentences that start with a lower-case letter.
        speakers: Share of the lines that start with the name of a speaker.
        ligatures: Characters such as ﬁ.
        repeats: Sentences that occur more than once, word for word.
        chapters: How many were found; 0 if the file is one story.
        lost: Share of the text that is neither scored nor marked; None for formats without markup.
        error: Why it cannot be read.
    """

    file: str
    sentences: int | None = None
    lower_case: int | None = None
    speakers: float | None = None
    ligatures: int | None = None
    repeats: int | None = None
    chapters: int | None = None
    lost: float | None = None
    error: str | None = None


def check_text(path: Path) -> TextCheck:
    """Read a file and measure how well that went."""
    name = decode_name(path)
    try:
        data = read_bytes(path)
        document = parse_document(data, where=name, name=path.name)
        narrative = narrate(document, where=name, name=path.name)
        found = find_format(data, where=name, name=path.name)
    except BarthesError as error:
        return TextCheck(name, error=f"{error.problem} {error.remedy or ''}".strip())
    lines = [line for line in narrative.text.splitlines() if line.strip()]
    read = [*(each.copy_scored() for each in document.chapters), *(text for _, text in document.marked)]
    whole = extract_text(data, found)
    has_chapters = len(document.chapters) > 1 or bool(document.chapters[0].title)
    return TextCheck(
        name,
        sentences=len(narrative),
        lower_case=sum(_starts_in_lower_case(str(sentence)) for sentence in narrative),
        speakers=round(len(find_speakers(lines)) / len(lines), 4),
        ligatures=len(_LIGATURE.findall(narrative.text)),
        repeats=count_repeats(narrative),
        chapters=len(document.chapters) if has_chapters else 0,
        lost=None if whole is None else measure_lost(whole, "\n".join(read)),
    )


def _starts_in_lower_case(sentence: str) -> bool:
    return next(filter(str.isalpha, sentence), "").islower()


def find_speakers(lines: Sequence[str]) -> list[str]:
    """Return the lines that start with a name in capitals, with a full stop or colon, that occurs again.

    >>> find_speakers(["ACT I.", "WOLF. Who's there?", "GOAT:", "Me.", "WOLF.", "I.", "GOAT: It is I."])
    ["WOLF. Who's there?", 'GOAT:', 'WOLF.', 'GOAT: It is I.']
    """
    named = [(match[1], line) for line in lines if (match := _SPEAKER.match(line.strip()))]
    named = [(name, line) for name, line in named if name.isupper() and not _ROMAN.fullmatch(name)]
    counts = Counter(name for name, _ in named)
    return [line for name, line in named if counts[name] > 1]


def count_repeats(narrative: Narrative) -> int:
    """Return how many sentences occur more than once, all of their occurrences counted."""
    counts = Counter(str(sentence) for sentence in narrative)
    return sum(count for count in counts.values() if count > 1)


def measure_lost(expected: str, found: str) -> float:
    """Return the share of the letters of a text that stand in words that another text does not have.

    Words that are only divided or joined differently have the same letters, and are not lost.

    >>> measure_lost("The wolf-cub came.", "The wolfcub"), measure_lost("A wolf", "A wolf.")
    (0.2857, 0.0)
    """
    words, own = _count_words(expected), _count_words(found)
    missing, more = (Counter("".join(each.elements())) for each in (words - own, own - words))
    return round((missing - more).total() / max(len("".join(words.elements())), 1), 4)


def _count_words(text: str) -> Counter[str]:
    plain = re.sub("[\u00ad\u200b]", "", unicodedata.normalize("NFKC", text))
    return Counter(re.findall(r"[^\W_]+", plain.casefold()))


def extract_text(data: bytes, found: Format) -> str | None:
    """Return all text of a file without any of Barthes's readers; None for formats without markup."""
    if found is Format.PDF:
        return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(data)).pages)
    if found in _PARTS:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [name for name in archive.namelist() if re.fullmatch(_PARTS[found], name)]
            return "\n".join(_extract_markup(archive.read(name), found) for name in names)
    if found in (Format.FLAT_ODT, Format.TEI, Format.HTML):
        return _extract_markup(data, found)
    return None


def _extract_markup(data: bytes, found: Format) -> str:
    parser = etree.HTMLParser() if found is Format.HTML else etree.XMLParser(recover=True, no_network=True)
    root = etree.fromstring(data, parser)
    if root is None:
        return ""
    inside = _INSIDE.get(found)
    bodies = [root] if inside is None else root.xpath(inside)
    return "\n".join(" ".join(body.xpath(_TEXT_NODES)) for body in bodies)


def _format(value: object) -> str:
    if isinstance(value, float):
        return f"{100 * value:.1f} %"
    return "–" if value is None else str(value)


def _print_table(checks: Sequence[TextCheck]) -> None:
    names = [field.name for field in fields(TextCheck) if field.name != "error"]
    rows = [[_format(getattr(check, name)) for name in names] for check in checks]
    header = [name.replace("_", " ") for name in names]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row, error in zip([header, *rows], [None, *(check.error for check in checks)], strict=True):
        cells = [row[0].ljust(widths[0])]
        cells += (
            [error] if error else [cell.rjust(width) for cell, width in zip(row, widths, strict=True)][1:]
        )
        print("  ".join(cells))


def _print_tsv(checks: Sequence[TextCheck]) -> None:
    rows = [[field.name for field in fields(TextCheck)], *(asdict(check).values() for check in checks)]
    for row in rows:
        print("\t".join("" if value is None else " ".join(str(value).split()) for value in row))


def main(arguments: Sequence[str] | None = None) -> int:
    """Check files; return 2 if one of them cannot be read, else 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("texts", nargs="+", help="files and folders")
    parser.add_argument("--format", choices=["table", "tsv", "json"], default="table", help="default: table")
    options = parser.parse_args(arguments)
    try:
        checks = [check_text(path) for path in find_stories(options.texts)]
    except BarthesError as error:
        parser.error(str(error))
    if options.format == "json":
        print(json.dumps([asdict(check) for check in checks], ensure_ascii=False, indent=2))
    else:
        (_print_tsv if options.format == "tsv" else _print_table)(checks)
    return 2 if any(check.error for check in checks) else 0


if __name__ == "__main__":
    sys.exit(main())
