"""Report how well texts are read: cut sentences, speakers, ligatures, repeats, chapters and lost words.

Usage::

    python scripts/check_texts.py tales/ book.pdf --format tsv

Folders stand for the stories in them. Words are compared with what `pdftotext` or `pandoc` extract where
they are installed; headings, notes and page numbers, which Barthes leaves out, count as lost.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from barthes.errors import BarthesError
from barthes.files import decode_name
from barthes.narrative import Narrative
from barthes.reading import find_stories, narrate, parse_document
from barthes.reading.formats import Format, find_format
from barthes.reading.source import read_bytes

__all__ = ["TextCheck", "check_text", "count_repeats", "find_speakers", "main", "measure_lost"]

_PANDOC = {  # the names of its readers
    Format.MARKDOWN: "markdown",
    Format.HTML: "html",
    Format.EPUB: "epub",
    Format.DOCX: "docx",
    Format.ODT: "odt",
    Format.RTF: "rtf",
}
_SPEAKER = re.compile(r"([^\W\d_][^\d_.:!?…,;\n]{0,40})[.:](?:\s|$)")
_ROMAN = re.compile(r"[IVXLCDM]+")
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_SECONDS = 120  # for another program


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
        lost: Share of the words of `pdftotext` or `pandoc` that are not read; None without them.
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
    has_chapters = len(document.chapters) > 1 or bool(document.chapters[0].title)
    return TextCheck(
        name,
        sentences=len(narrative),
        lower_case=sum(_starts_in_lower_case(str(sentence)) for sentence in narrative),
        speakers=round(len(find_speakers(lines)) / len(lines), 4),
        ligatures=len(_LIGATURE.findall(narrative.text)),
        repeats=count_repeats(narrative),
        chapters=len(document.chapters) if has_chapters else 0,
        lost=measure_lost(path, found, narrative.text),
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


def measure_lost(path: Path, found: Format, text: str) -> float | None:
    """Return the share of the words that another program reads in a file and that are not in the text."""
    if found is Format.PDF:
        command = ["pdftotext", str(path.resolve()), "-"]
    elif found in _PANDOC:
        command = ["pandoc", "--sandbox", "--from", _PANDOC[found], "--to", "plain", "--wrap", "none"]
        command.append(str(path.resolve()))
    else:
        return None
    if shutil.which(command[0]) is None:
        return None
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"{path}: not compared ({error}).", file=sys.stderr)
        return None
    expected = _count_words(re.sub(r"-\n", "", done.stdout.decode("utf-8", "replace")))
    return round((expected - _count_words(text)).total() / max(expected.total(), 1), 4)


def _count_words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


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
