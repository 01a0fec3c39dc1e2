"""Our own tale, its chapters, and what a file that we made of it should give."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "the_ferrymans_daughter.txt"
TITLE = "The Ferryman's Daughter"
PARAGRAPHS = [part.strip() for part in EXAMPLE.read_text(encoding="utf-8").split("\n\n") if part.strip()]
CHAPTERS = [
    ("The Coin", PARAGRAPHS[:3]),
    ("The Bell", PARAGRAPHS[3:5]),
    ("The Change", PARAGRAPHS[5:]),
]
NOTE = "A note that no teller ever told."


@dataclass(frozen=True)
class Made:
    """A file that we made, and what should be found in it."""

    name: str
    data: bytes
    chapters: tuple[str, ...]
    left_out: dict[str, int]
    title: str = TITLE
    language: str = "en"


def make_zip(members: dict[str, str | bytes], *, stored: str = "mimetype") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            kind = zipfile.ZIP_STORED if name == stored else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, compress_type=kind)
    return buffer.getvalue()
