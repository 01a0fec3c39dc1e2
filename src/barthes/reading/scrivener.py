"""Read Scrivener projects: the documents of the Draft folder, in the order of the binder.

A project is a folder. `pack_project` puts what is read of it into a zip archive in memory, so that folders
and zipped projects are parsed alike. Nothing is ever written into a project.
"""

from __future__ import annotations

import io
import os
import posixpath
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from barthes.errors import EmptyNarrativeError, ReadingError
from barthes.reading.archive import Archive
from barthes.reading.document import Draft, mark_text
from barthes.reading.rtf import parse as parse_rtf
from barthes.reading.scene_breaks import SCENE_BREAK
from barthes.reading.source import LARGEST
from barthes.reading.xml_parsing import name_of, text_of

BINDER = ".scrivx"
"""The ending of the file that lists the documents of a project."""

_READ = re.compile(  # what is packed of a project: the binder, and texts of Scrivener 3 and of older versions
    r"[^/]+\.scrivx|Files/Data/[^/]+/content\.rtf|Files/Docs/\d+\.rtf"
)
_DATE = (1980, 1, 1, 0, 0, 0)  # of members, so that the same project gives the same bytes
_TAG = re.compile(r"<!?\$[^<>\n]{1,200}>")
_INLINE = re.compile(r"\{\\Scrv_(?:annot|fn|ps)\b|\\end_Scrv_(?:annot|fn|ps)\}")
_MOST_TITLES = 10  # that a note lists
_SYNCHRONIZE = "Let the synchronization finish, open the project in Scrivener once, and read it again."


def pack_project(folder: Path) -> bytes:
    """Return the binder and the texts of a project as a zip archive, without following links.

    Raises:
        ReadingError: It has no binder, or more bytes than a story file may have.
        OSError: Part of it cannot be read.
    """
    if not any(folder.glob(f"*{BINDER}")):
        problem = f"this Scrivener project has no binder ({BINDER})."
        raise ReadingError(problem, where=folder, remedy=_SYNCHRONIZE)
    buffer = io.BytesIO()
    size = 0
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(_list_files(folder)):
            size += path.stat().st_size
            if size > LARGEST:
                problem = f"the texts of this project are larger than {LARGEST // 1_000_000} MB."
                raise ReadingError(problem, where=folder, remedy="Export a part of it.")
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            archive.writestr(zipfile.ZipInfo(name, _DATE), path.read_bytes())
    return buffer.getvalue()


def _list_files(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> NoReturn:
        raise error

    for parent, _, names in os.walk(folder, onerror=refuse):
        for path in (Path(parent, name) for name in names):
            if (
                _READ.fullmatch(path.relative_to(folder).as_posix())
                and path.is_file()
                and not path.is_symlink()
            ):
                yield path


def find_binders(names: Sequence[str]) -> list[str]:
    """Return the members of an archive that are binders of Scrivener projects, without those of macOS."""
    found = (name for name in names if name.lower().endswith(BINDER) and not name.startswith("__MACOSX/"))
    return [name for name in found if not posixpath.basename(name).startswith("._")]


def parse(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of a zipped project."""
    archive = Archive(data, where=where)
    binder = _choose_binder(archive)
    items = archive.parse(binder).iter("{*}BinderItem")
    folder = next((each for each in items if each.get("Type") == "DraftFolder"), None)
    if folder is None:
        remedy = "Open the project in Scrivener once, which repairs its binder."
        raise ReadingError(f"its binder {binder!r} has no Draft folder.", where=where, remedy=remedy)
    draft = Draft(title=_name_project(binder))
    reader = _ProjectReader(archive, posixpath.dirname(binder), draft)
    reader.is_marked = next(folder.iter("{*}IncludeInCompile"), None) is not None
    reader.read(folder, level=1)
    reader.add_notes()
    return draft


def _name_project(binder: str) -> str:
    return posixpath.basename(binder)[: -len(BINDER)]


def _choose_binder(archive: Archive) -> str:
    """Return the binder of the only project in an archive; synchronization may have made copies of it."""
    binders = sorted(find_binders(archive.names), key=lambda name: (len(name), name))
    folders = {posixpath.dirname(name) for name in binders}
    if len(folders) != 1:
        shown = ", ".join(sorted(folders)[:3])
        problem = f"it has {len(folders)} Scrivener projects ({shown[:200]})."
        raise ReadingError(problem, where=archive.where, remedy="Zip each project by itself.")
    named = posixpath.basename(folders.pop()).removesuffix(".scriv")
    return next((name for name in binders if _name_project(name) == named), binders[0])


class _ProjectReader:
    """Reads the documents below the Draft folder."""

    def __init__(self, archive: Archive, folder: str, draft: Draft) -> None:
        self._archive = archive
        self._files = posixpath.join(folder, "Files")
        self._draft = draft
        self._headings: list[tuple[str, int]] = []  # of folders without text so far
        self._excluded: list[str] = []
        self._empty: list[str] = []
        self.is_marked = False  # whether the binder says what is included in compile

    def read(self, parent: Any, *, level: int) -> None:
        """Add the documents in an item of the binder, in order."""
        for children in (each for each in parent if name_of(each) == "children"):
            for item in (each for each in children if name_of(each) == "binderitem"):
                self._read_item(item, level)

    def _read_item(self, item: Any, level: int) -> None:
        title = text_of(next((each for each in item if name_of(each) == "title"), None)) or "Untitled"
        has_children = next(item.iterdescendants("{*}BinderItem"), None) is not None
        is_chapter = has_children or item.get("Type") == "Folder" or level == 1
        waiting = len(self._headings)
        if is_chapter:
            self._headings.append((title, min(level, 6)))
        if item.get("Type") in ("Folder", "Text"):
            self._read_document(item, title)
        self.read(item, level=level + 1)
        del self._headings[waiting:]

    def _read_document(self, item: Any, title: str) -> None:
        name = self._find_text(item)
        data = self._archive.read(name) if name in self._archive else b""
        if data and self.is_marked and not _is_included(item):
            self._excluded.append(title)
        elif data:
            self._add(data, title)
        elif item.get("Type") == "Text":
            self._empty.append(title)

    def _find_text(self, item: Any) -> str:
        """Return the member with the text of an item."""
        if identity := item.get("UUID"):
            return posixpath.join(self._files, "Data", identity, "content.rtf")
        return posixpath.join(self._files, "Docs", f"{item.get('ID', '')}.rtf")  # Scrivener 1 and 2

    def _add(self, data: bytes, title: str) -> None:
        found = parse_rtf(data, where=f"{self._archive.where} (document {title[:80]!r})")
        self._draft.language = self._draft.language or found.language
        self._draft.notes += [note for note in found.notes if note not in self._draft.notes]
        if not any(block.is_text for block in found.blocks):
            return
        is_first = not self._draft.blocks
        for heading, level in self._headings:
            self._draft.add(heading, level=level)
        self._headings.clear()
        if not is_first:
            self._draft.add(SCENE_BREAK)
        for block in found.blocks:
            kept, *notes = _INLINE.split(_TAG.sub("", block.text))
            text = kept + "".join(
                part if index % 2 else mark_text("note", part) for index, part in enumerate(notes)
            )
            self._draft.add(text, mark=block.mark or ("heading" if block.level else ""))

    def add_notes(self) -> None:
        """Say what was not read.

        Raises:
            ReadingError: No document has a text.
            EmptyNarrativeError: None of them is included.
        """
        where, notes = self._archive.where, self._draft.notes
        if not self._draft.blocks and self._excluded:
            problem = "no document with text in its Draft folder is included in compile."
            remedy = "Select “Include in Compile” in Scrivener for the documents of the story."
            raise EmptyNarrativeError(problem, where=where, remedy=remedy)
        if not self._draft.blocks and self._empty:
            problem = f"the texts of {_quote(self._empty)} are missing."
            raise ReadingError(problem, where=where, remedy=_SYNCHRONIZE)
        if self._empty:
            notes.append(
                f"These documents have no text, or it is not synchronized yet: {_quote(self._empty)}."
            )
        if self._excluded:
            notes.append(f"Left out because not included in compile: {_quote(self._excluded)}.")


def _is_included(item: Any) -> bool:
    data = next((each for each in item if name_of(each) == "metadata"), ())
    return any(name_of(each) == "includeincompile" and text_of(each).lower() == "yes" for each in data)


def _quote(titles: Sequence[str]) -> str:
    shown = ", ".join(f"“{title[:80]}”" for title in titles[:_MOST_TITLES])
    more = len(titles) - _MOST_TITLES
    return f"{shown} and {more} more" if more > 0 else shown
