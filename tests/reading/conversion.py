"""Our own tale in every format, with the clutter that such files have: each must give the same sentences.

The files are in `tests/reading/data`; those of zip archives are in folders there.
"""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

DATA = Path(__file__).parent / "data"
EXAMPLE = Path(__file__).parents[2] / "examples" / "the_ferrymans_daughter.txt"
TITLE, *PARAGRAPHS = [
    part.strip() for part in EXAMPLE.read_text(encoding="utf-8").split("\n\n") if part.strip()
]
CHAPTERS = [
    ("The Coin", PARAGRAPHS[:3]),
    ("The Bell", PARAGRAPHS[3:5]),
    ("The Change", PARAGRAPHS[5:]),
]
NOTE = "A note that no teller ever told."
TITLES = tuple(title for title, _ in CHAPTERS)


@dataclass(frozen=True)
class Made:
    """A file, and what should be found in it."""

    name: str
    data: bytes
    chapters: tuple[str, ...] = TITLES
    title: str = TITLE
    language: str = "en"
    author: str = "A. Writer"


def make_zip(members: dict[str, str | bytes | None]) -> bytes:
    """Pack an archive; members that are None are left out."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            if content is not None:
                archive.writestr(name, content)
    return buffer.getvalue()


def read_members(kind: str) -> dict[str, str | bytes | None]:
    """Return the members of the tale as an archive: ``epub``, ``docx`` or ``odt``."""
    files = sorted(path for path in (DATA / kind).rglob("*") if path.is_file())
    return {path.relative_to(DATA / kind).as_posix(): path.read_bytes() for path in files}


def _make(name: str, chapters: tuple[str, ...] = TITLES, **more: str) -> Made:
    return Made(name, (DATA / name).read_bytes(), chapters, **more)


def _make_archive(kind: str, **changes: str | bytes | None) -> Made:
    return Made(f"tale.{kind}", make_zip(read_members(kind) | changes), TITLES)


make_html = partial(_make, "tale.html")
make_pdf = partial(_make, "tale.pdf")
make_epub = partial(_make_archive, "epub")
make_docx = partial(_make_archive, "docx")
make_odt = partial(_make_archive, "odt")


def make_tei(*, prolog: str = "") -> Made:
    """Return the tale in TEI, with a document type before its root."""
    data = (DATA / "tale.xml").read_bytes().replace(b"?><TEI", f"?>{prolog}<TEI".encode(), 1)
    return Made("tale.xml", data, TITLES)


def escape_rtf(text: str) -> str:
    """Return a text as RTF writes it: characters beyond ASCII by their numbers, each with a `?`."""
    escaped = re.sub(r"[\\{}]", lambda match: "\\" + match[0], text).replace("\n", "\\line ")
    units = (each.encode("utf-16-le") for each in escaped)
    numbers = ([int.from_bytes(unit[i : i + 2], "little") for i in range(0, len(unit), 2)] for unit in units)
    return "".join(chr(n[0]) if n[0] < 128 else "".join(f"\\u{each}?" for each in n) for n in numbers)


def make_rtf() -> Made:
    """Return the tale in RTF, as a word processor writes it."""
    body = ""
    for title, paragraphs in CHAPTERS:
        texts = [escape_rtf(" ".join(each.split())) for each in paragraphs]
        texts[0] += rf"{{\super\chftn{{\footnote\chftn {NOTE}}}}}" if not body else ""
        body += rf"\pard\s1 {title}\par" + "".join(rf"\pard\s0 {text}\par" "\n" for text in texts)
    return Made("tale.rtf", (DATA / "head.rtf").read_bytes() + body.encode("ascii") + b"}", TITLES)


def make_fountain() -> Made:
    """Return the tale as action in Fountain, with sections as chapters."""
    acts = (f"# {title}\n\n= {NOTE}\n\n" + "\n\n".join(paragraphs) for title, paragraphs in CHAPTERS)
    text = f"Title: {TITLE}\nAuthor: A. Writer\n\n" + "\n\n".join(acts) + f"\n\n[[{NOTE}]]\n\n/* {NOTE} */\n"
    return Made("tale.fountain", text.encode(), TITLES)


def make_final_draft() -> Made:
    """Return the tale as action in a Final Draft file, with acts as chapters."""
    paragraph = '<Paragraph Type="{}"><Text>{}</Text>{}</Paragraph>'
    note = f"<ScriptNote><Paragraph><Text>{NOTE}</Text></Paragraph></ScriptNote>"
    body = ""
    for title, paragraphs in CHAPTERS:
        body += paragraph.format("New Act", title, "" if body else note)
        body += "".join(paragraph.format("Action", escape(each), "") for each in paragraphs)
    lines = "".join(paragraph.format("", line, "") for line in ("", TITLE, "by A. Writer"))
    page = f"<TitlePage><Content>{lines}</Content></TitlePage>"
    root = f'<FinalDraft DocumentType="Script" Version="5"><Content>{body}</Content>{page}</FinalDraft>'
    data = f'<?xml version="1.0" encoding="UTF-8" standalone="no" ?>\n{root}'.encode()
    return Made("tale.fdx", data, TITLES, author="")


MAKERS = {
    "markdown": partial(_make, "tale.md"),
    "html": make_html,
    "epub": make_epub,
    "docx": make_docx,
    "odt": make_odt,
    "fodt": partial(_make, "tale.fodt"),
    "pdf": make_pdf,
    "tei": make_tei,
    "gutenberg": partial(
        _make,
        "tale.txt",
        tuple(f"CHAPTER {'I' * number}: {title}" for number, title in enumerate(TITLES, 1)),
    ),
    "rtf": make_rtf,
    "fountain": make_fountain,
    "final draft": make_final_draft,
    "story workbench": partial(_make, "tale.sty", ("",), author=""),
}
