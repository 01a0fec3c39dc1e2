"""Gather the pages of Barthes and of its lab in one folder, from which the site is built.

    python scripts/gather_pages.py [build/docs]

    docs/                ──▶  build/docs/
    research/docs/       ──▶  build/docs/research/
    research/results/    ──▶  build/docs/research/results/

Links between pages are relative to where the pages are in the repository, and adapted.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {"docs": "", "research/docs": "research", "research/results": "research/results"}
_LINK = re.compile(r"(?<=\]\()[^)\s#]+(?=[)\s#])")


def gather(folder: Path) -> None:
    """Write all pages to a folder, which is replaced."""
    shutil.rmtree(folder, ignore_errors=True)
    for source, place in FOLDERS.items():
        shutil.copytree(ROOT / source, folder / place, dirs_exist_ok=True)
        for page in (ROOT / source).rglob("*.md"):
            text = adapt_links(page.read_text(encoding="utf-8"), page)
            (folder / _place(page)).write_text(text, encoding="utf-8")


def adapt_links(text: str, page: Path) -> str:
    """Return the text of a page with its links as they are in the gathered folder."""

    def adapt(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(page.parent / match[0]))
        if "://" in match[0] or not target.exists():
            return match[0]
        return Path(os.path.relpath(_place(target), _place(page).parent)).as_posix()

    return _LINK.sub(adapt, text)


def _place(path: Path) -> Path:
    """Return where a file or folder of the repository is in the gathered folder."""
    for source, place in FOLDERS.items():
        if path.is_relative_to(ROOT / source):
            return Path(place) / path.relative_to(ROOT / source)
    raise SystemExit(f"{path}: a page links to a file that is not on the site")


if __name__ == "__main__":
    gather(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "docs"))
