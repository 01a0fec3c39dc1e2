"""Tell which parts of an HTML page or an EPUB chapter are not the story, by element, role, type and class."""

from __future__ import annotations

import re
from typing import Any

from barthes.reading.xml_parsing import name_of, text_of

__all__ = ["BLOCKS", "find_kind"]

BLOCKS = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer "
    "h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol p pre section summary table tbody td tfoot th "
    "thead tr ul caption".split()
)
"""Elements that separate paragraphs."""

# Elements that never hold a story and are not worth a count.
_SILENT = frozenset(
    "head script style noscript template svg math iframe object embed audio video canvas map form button "
    "select textarea input label datalist rt rp rtc del meter progress dialog menu source track param".split()
)


def _kinds(**words: str) -> dict[str, str]:
    """Return the kind for each word, from the words for each kind; `_` stands for a space in a kind."""
    return {word: kind.replace("_", " ").strip() for kind, listed in words.items() for word in listed.split()}


_ELEMENTS = _kinds(navigation="nav", caption="figcaption caption", page_footer="footer")
_TYPES = _kinds(
    table_of_contents="toc loi lot",
    navigation="page-list landmarks",
    footnote="footnote footnotes endnote endnotes rearnote rearnotes",
    page_number="pagebreak",
    index="index",
    title_page="titlepage halftitlepage cover",
    copyright_page="copyright-page imprint colophon",
    _="noteref backlink",  # left out and not counted
)
_ROLES = _kinds(
    navigation="navigation search", page_footer="contentinfo", sidebar="complementary", _="banner"
)
_CLASSES = _kinds(
    footnote="footnote footnotes fnote endnote endnotes",
    page_number="pagenum pageno pagenumber page-number pgnum",
    table_of_contents="toc table-of-contents contents",
    licence="pg-boilerplate",
    running_head="runninghead running-head",
    _="noprint visually-hidden sr-only fnanchor footnote-ref footnote-backref noteref reference",
) | dict.fromkeys(["transnote", "tnotes"], "transcriber's note")
_LINK_CLASSES = frozenset(["fnanchor", "footnote-ref", "footnote-backref", "noteref", "reference"])
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MARK = re.compile(r"[\[(]?(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})[\])]?", re.IGNORECASE)
_EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_DEEPEST = 40  # elements around a table of contents
_LISTS = frozenset("ul ol table dl p div blockquote".split())


def find_kind(element: Any, *, depth: int = 0) -> str | None:
    """Return the kind of an element that is not part of the story; None for a part of the story.

    An empty kind is left out without being counted.

    Args:
        element: An element of a page.
        depth: How many elements it is nested in.
    """
    name = name_of(element)
    if name in _SILENT or _is_hidden(element):
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
    # Looking for links reads everything in an element: too much for hundreds nested in each other.
    is_list = name in _LISTS and depth <= _DEEPEST and _is_list_of_links(element)
    return "table of contents" if is_list else None


def _is_hidden(element: Any) -> bool:
    style = element.get("style", "")
    return element.get("hidden") is not None or bool(style and _HIDDEN.search(style))


def _types_of(element: Any) -> list[str]:
    """Return the words of ``epub:type`` (however the parser spells it) and of the DPUB roles."""
    types = element.get("{http://www.idpf.org/2007/ops}type") or element.get("epub:type") or ""
    roles = [role.removeprefix("doc-") for role in element.get("role", "").split() if role.startswith("doc-")]
    return [*types.split(), *roles]


def _classes_of(element: Any, name: str) -> list[str]:
    if name in ("html", "body", "main", "article"):  # <body class="contents"> says nothing about a part
        return []
    on_link = name in ("a", "sup", "span")
    return [each for each in element.get("class", "").lower().split() if each not in _LINK_CLASSES or on_link]


def _refers_to_note(element: Any, name: str) -> bool:
    """Return whether it is a raised number that leads to a note, as a link or inside one."""
    if name not in ("sup", "a"):
        return False
    text = text_of(element)
    if not _MARK.fullmatch(text):
        return False
    links = [element] if name == "a" else list(element.iter("{*}a"))
    leads = any("#" in (link.get("href") or "") for link in links)
    raised = name == "sup" or next(element.iter("{*}sup"), None) is not None
    return leads and (raised or text[0] in "[(*†‡§")


def _is_list_of_links(element: Any) -> bool:
    """Return whether three or more links into the book are most of the text."""
    links = [link for link in element.iter("{*}a") if _is_local(link.get("href"))]
    if len(links) < 3:
        return False
    return sum(len(text_of(link)) for link in links) > 0.5 * len(text_of(element))


def _is_local(reference: str | None) -> bool:
    return bool(reference and ("#" in reference or not _EXTERNAL.match(reference)))
