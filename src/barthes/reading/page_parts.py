"""Which parts of an HTML page or an EPUB chapter are not the story: told by element, role, type and class."""

from __future__ import annotations

import re
from typing import Any

from barthes.reading.markup import name_of, text_of

__all__ = ["BLOCKS", "SILENT", "find_kind"]

SILENT = frozenset(
    "head script style noscript template svg math iframe object embed audio video canvas map form button "
    "select textarea input label datalist rt rp rtc del meter progress dialog menu source track param".split()
)
"""Elements that never hold a story, and are not worth a count."""

BLOCKS = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer "
    "h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol p pre section summary table tbody td tfoot th "
    "thead tr ul caption".split()
)
"""Elements that part paragraphs."""

_ELEMENTS = {"nav": "navigation", "figcaption": "caption", "caption": "caption", "footer": "page footer"}
_TYPES = {
    "toc": "table of contents",
    "loi": "table of contents",
    "lot": "table of contents",
    "page-list": "navigation",
    "landmarks": "navigation",
    "footnote": "footnote",
    "footnotes": "footnote",
    "endnote": "footnote",
    "endnotes": "footnote",
    "rearnote": "footnote",
    "rearnotes": "footnote",
    "noteref": "",
    "backlink": "",
    "pagebreak": "page number",
    "index": "index",
    "titlepage": "title page",
    "halftitlepage": "title page",
    "cover": "title page",
    "copyright-page": "copyright page",
    "imprint": "copyright page",
    "colophon": "copyright page",
}
_ROLES = {
    "navigation": "navigation",
    "search": "navigation",
    "banner": "",
    "contentinfo": "page footer",
    "complementary": "sidebar",
}
_CLASSES = {
    "footnote": "footnote",
    "footnotes": "footnote",
    "fnote": "footnote",
    "endnote": "footnote",
    "endnotes": "footnote",
    "pagenum": "page number",
    "pageno": "page number",
    "pagenumber": "page number",
    "page-number": "page number",
    "pgnum": "page number",
    "toc": "table of contents",
    "table-of-contents": "table of contents",
    "contents": "table of contents",
    "pg-boilerplate": "licence",
    "runninghead": "running head",
    "running-head": "running head",
    "transnote": "transcriber's note",
    "tnotes": "transcriber's note",
    "noprint": "",
    "visually-hidden": "",
    "sr-only": "",
    "fnanchor": "",
    "footnote-ref": "",
    "footnote-backref": "",
    "noteref": "",
    "reference": "",
}
_ONCE = frozenset(["fnanchor", "footnote-ref", "footnote-backref", "noteref", "reference"])  # on links only
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MARK = re.compile(r"[\[(]?(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})[\])]?", re.IGNORECASE)
_DEEPEST = 40  # elements around a table of contents
_LISTS = frozenset("ul ol table dl p div blockquote".split())


def find_kind(element: Any, *, depth: int = 0) -> str | None:
    """What an element is if it is no part of the story: a kind to count, or nothing (``""``) to count.

    None stands for a part of the story.

    Args:
        element: An element of a page.
        depth: How many elements it stands in.
    """
    name = name_of(element)
    if name in SILENT or _is_hidden(element):
        return ""
    if name in _ELEMENTS:
        return _ELEMENTS[name]
    for kinds, words in (
        (_TYPES, _types_of(element)),
        (_ROLES, element.get("role", "").split()),
        (_CLASSES, _classes_of(element, name)),
    ):
        for word in words:
            if word in kinds:
                return kinds[word]
    if name == "aside":
        return "sidebar"
    if _refers_to_note(element, name):
        return ""
    # To look for links reads all that is in an element, which is too much for hundreds inside each other.
    is_list = name in _LISTS and depth <= _DEEPEST and _is_list_of_links(element)
    return "table of contents" if is_list else None


def _is_hidden(element: Any) -> bool:
    style = element.get("style", "")
    return element.get("hidden") is not None or bool(style and _HIDDEN.search(style))


def _types_of(element: Any) -> list[str]:
    """The words of ``epub:type`` (however the parser spells it) and of the DPUB roles."""
    types = element.get("{http://www.idpf.org/2007/ops}type") or element.get("epub:type") or ""
    roles = [role.removeprefix("doc-") for role in element.get("role", "").split() if role.startswith("doc-")]
    return [*types.split(), *roles]


def _classes_of(element: Any, name: str) -> list[str]:
    classes = element.get("class", "").lower().split()
    on_link = name in ("a", "sup", "span")
    return [each for each in classes if (each not in _ONCE or on_link) and not _holds_all(element, name)]


def _holds_all(element: Any, name: str) -> bool:
    """A class on the page as a whole (``<body class="contents">``) says nothing about a part of it."""
    return name in ("html", "body", "main", "article")


def _refers_to_note(element: Any, name: str) -> bool:
    """A raised number that leads to a note, as a link or inside one."""
    if name not in ("sup", "a"):
        return False
    text = text_of(element)
    if not _MARK.fullmatch(text):
        return False
    links = [element] if name == "a" else list(element.iter("{*}a"))
    leads = any("#" in (link.get("href") or "") for link in links)
    raised = name == "sup" or any(name_of(child) == "sup" for child in element.iter("{*}sup"))
    return leads and (raised or text[0] in "[(*†‡§")


def _is_list_of_links(element: Any) -> bool:
    """Whether three or more links into the book are most of what is written here."""
    links = [
        link
        for link in element.iter("{*}a")
        if "#" in (link.get("href") or "") or _is_local(link.get("href"))
    ]
    if len(links) < 3:
        return False
    linked = sum(len(text_of(link)) for link in links)
    return linked > 0.5 * len(text_of(element))


def _is_local(reference: str | None) -> bool:
    return bool(reference) and not re.match(r"[a-z][a-z0-9+.-]*:|//", reference or "", re.IGNORECASE)
