"""Scrivener projects of our own, as members of an archive or as folders."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

from tests.reading.conversion import CHAPTERS, NOTE, TITLE, TITLES, Made, escape_rtf, make_zip

__all__ = ["Item", "make_project", "make_tale", "write_project"]


class Item:
    """An item of a binder: a folder if it has children; without a text there is no file for it."""

    def __init__(
        self, title: str, *children: Item, text: str | None = None, included: str | None = "Yes"
    ) -> None:
        self.title, self.children, self.text, self.included = title, children, text, included

    def list_all(self) -> list[Item]:
        return [self, *(each for child in self.children for each in child.list_all())]


def make_project(
    *items: Item, version: int = 3, name: str = "Novel", **changes: str | bytes | None
) -> dict[str, str | bytes | None]:
    """Return the members of a project; `changes` are further ones below its folder, None for no such file."""
    numbered = [each for item in items for each in item.list_all()]
    identities = {
        id(item): f"{number:02}-AB" if version > 2 else str(number) for number, item in enumerate(numbered)
    }

    def write(item: Item) -> str:
        kind = "Folder" if item.children else "Text"
        own = f'{"UUID" if version > 2 else "ID"}="{identities[id(item)]}" Type="{kind}"'
        data = f"<IncludeInCompile>{item.included}</IncludeInCompile>" if item.included else ""
        inner = "".join(map(write, item.children))
        return (
            f"<BinderItem {own}><Title>{escape(item.title)}</Title><MetaData>{data}</MetaData>"
            f"<Children>{inner}</Children></BinderItem>"
        )

    draft = f"<Title>Draft</Title><Children>{''.join(map(write, items))}</Children>"
    research = '<Children><BinderItem UUID="N" Type="Text"/></Children>'
    folders = {"DraftFolder": draft, "ResearchFolder": research}
    binder = "".join(f'<BinderItem Type="{kind}">{inner}</BinderItem>' for kind, inner in folders.items())
    binder = f"<ScrivenerProject><Binder>{binder}</Binder></ScrivenerProject>"
    path = "Files/Data/{}/content.rtf" if version > 2 else "Files/Docs/{}.rtf"
    members: dict[str, str | bytes | None] = {
        f"{name}.scrivx": f'<?xml version="1.0" encoding="UTF-8"?>{binder}'
    }
    for item in numbered:
        if item.text is not None:
            members[path.format(identities[id(item)])] = f"{{\\rtf1\\ansi\\uc1 {item.text}}}"
    members |= {
        "Files/Data/N/content.rtf": "{\\rtf1 Research.}",
        "Files/Data/01-AB/notes.rtf": "{\\rtf1 Notes.}",
    }
    return {f"{name}.scriv/{member}": content for member, content in (members | changes).items()}


def write_project(folder: Path, members: dict[str, str | bytes | None]) -> Path:
    """Write a project below a folder, and return its own folder."""
    for name, content in members.items():
        if content is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / next(iter(members)).split("/")[0]


def make_tale() -> Made:
    """Return the tale as a zipped project."""
    texts = (" ".join(each.split()) for _, paragraphs in CHAPTERS for each in paragraphs)
    escaped = iter([escape_rtf(text) for text in texts])
    chapters = [
        Item(title, Item("Scene", text="\\par ".join(next(escaped) for _ in paragraphs)))
        for title, paragraphs in CHAPTERS
    ]
    chapters[0].children[0].text += rf"{{\footnote {NOTE}}}"
    return Made("tale.scriv.zip", make_zip(make_project(*chapters, name=TITLE)), TITLES)
