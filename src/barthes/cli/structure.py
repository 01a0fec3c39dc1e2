"""Show the structure of a file: its chapters, and each passage that is not scored."""

from __future__ import annotations

from barthes.cli.console import echo, print_json
from barthes.reading import Document
from barthes.reading.document import count_words
from barthes.report.escaping import printable

_SHOWN = 60  # characters of a passage


def show_structure(document: Document, format: str) -> None:  # noqa: A002 - the option's name
    """Print the chapters of a document and its marked passages, as text or as JSON."""
    chapters = [{"title": each.title, "words": each.count_scored()} for each in document.chapters]
    marked = [{"kind": kind, "words": count_words(text), "text": text} for kind, text in document.marked]
    if format == "json":
        found = {"division": document.division, "note": document.describe_marked()}
        print_json({"title": document.title, **found, "chapters": chapters, "marked": marked})
        return
    lines = [f"{len(chapters)} chapters {document.division}".rstrip()] if len(chapters) > 1 else []
    lines += [
        f"{number:>4}  {each['words']:>7,}  {_shorten(str(each['title'])) or '(no title)'}"
        for number, each in enumerate(chapters, start=1)
    ]
    lines += ["", document.describe_marked() or "All words are scored."]
    lines += [f"{each['kind']:<9}  {each['words']:>7,}  {_shorten(str(each['text']))}" for each in marked]
    echo("\n".join(lines))


def _shorten(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
