"""Find what is on an HTML page but not part of its text: menus, notes, page numbers, headers and footers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from barthes.reading.xml_parsing import name_of, text_of

_SILENT = frozenset(  # elements that never hold a story and are not worth a count
    "head script style noscript template svg math iframe object embed audio video canvas map button "
    "select textarea input label datalist rt rp rtc del meter progress dialog menu source track param".split()
)


def _kinds(**words: str) -> dict[str, str]:
    """Return the kind for each word, from the words for each kind; `_` stands for a space in a kind."""
    return {word: kind.replace("_", " ").strip() for kind, listed in words.items() for word in listed.split()}


_ELEMENTS = _kinds(navigation_menu="nav", caption="figcaption caption", _="form")
_TYPES = _kinds(
    table_of_contents="toc loi lot",
    navigation_menu="page-list landmarks",
    footnote="footnote footnotes endnote endnotes rearnote rearnotes",
    page_number="pagebreak",
    index="index",
    title_page="titlepage halftitlepage cover",
    copyright_page="copyright-page imprint colophon",
    _="noteref backlink",  # left out and not counted
)
_ROLES = _kinds(
    navigation_menu="navigation search",
    page_footer="contentinfo",
    sidebar="complementary",
    page_header="banner",
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
_PARTS = frozenset(
    ["main", "article", "section", "blockquote"]
)  # whose headers and footers belong to the text
_LONG_RUN = 20  # words without markup: prose, not a menu or a list
_UNREAD = _SILENT | {"a", ""}
_DOUBTFUL = frozenset(["table of contents", "navigation menu", "sidebar", "page header", "page footer", ""])
_LISTS = frozenset("ul ol table dl p div blockquote".split())


class PageFurniture:
    """Finds the elements of a page that are not part of the story.

    `body` is the page. What holds more than half of its prose is read, whatever its markup says. A page of a
    book has no header, footer or menus of a website.
    """

    def __init__(self, body: Any, *, is_book: bool) -> None:
        self._body = body
        self._is_book = is_book
        self._prose = 0 if is_book else _count_prose(body)

    def is_main(self, element: Any) -> bool:
        """Return whether an element that is marked as the main one has at least a tenth of the prose."""
        return not self._is_book and _count_prose(element) * 10 >= self._prose

    def find_kind(self, element: Any, depth: int) -> str | None:
        """Return the kind of an element that is not part of the story; None for a part of the story.

        An empty kind is left out without being counted. `depth` says how many elements it is nested in.
        """
        name = name_of(element)
        if not name or _is_hidden(element, name):
            return ""
        kind = _find_kind(element, depth)
        if kind is None and name in ("header", "footer") and self._is_outside(element):
            kind = f"page {name}"
        if kind in _DOUBTFUL and self._prose and depth <= _DEEPEST:
            return None if _count_prose(element) * 2 > self._prose else kind
        return kind

    def find_outside(self, main: Any) -> Iterator[tuple[str, Any]]:
        """Yield the kinds and elements that are worth a count around the main element of the page."""
        around = set(main.iterancestors())
        rest = [(self._body, 0)] if self._body in around else []
        while rest:
            element, depth = rest.pop()
            for child in (each for each in element if each is not main):
                kind = None if child in around else self.find_kind(child, depth + 1)
                if kind is None:
                    rest.append((child, depth + 1))
                elif kind and text_of(child):
                    yield kind, child

    def _is_outside(self, element: Any) -> bool:
        """Return whether a header or footer is not in a part of the text, or is nothing but links."""
        if element.get("role") in ("none", "presentation"):
            return False
        outside = not self._is_book and _PARTS.isdisjoint(map(name_of, element.iterancestors()))
        return outside or _is_mostly_links(element)


def _is_hidden(element: Any, name: str) -> bool:
    """Return whether a browser shows nothing of an element, or only a control or a picture."""
    if name in ("html", "body"):  # shown by a script
        return False
    hidden = element.get("hidden") is not None or _HIDDEN.search(element.get("style", "")) is not None
    return hidden or name in _SILENT


def _find_kind(element: Any, depth: int) -> str | None:
    """Return the kind that the markup of an element gives it, or its many links."""
    name = name_of(element)
    if name in _ELEMENTS:
        return _ELEMENTS[name]
    roles = element.get("role", "").split()
    words = [(_TYPES, _types_of(element)), (_ROLES, roles), (_CLASSES, _classes_of(element, name))]
    for kinds, word in ((kinds, word) for kinds, found in words for word in found):
        if word in kinds:
            return kinds[word]
    if name == "aside":
        return "sidebar"
    if _refers_to_note(element, name):
        return ""
    # Looking for links reads everything in an element: too much for hundreds nested in each other.
    is_list = name in _LISTS and depth <= _DEEPEST and _is_list_of_links(element)
    return "table of contents" if is_list else None


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
    if name not in ("sup", "a") or not _MARK.fullmatch(text := text_of(element)):
        return False
    links = [element] if name == "a" else list(element.iter("{*}a"))
    leads = any("#" in (link.get("href") or "") for link in links)
    raised = name == "sup" or next(element.iter("{*}sup"), None) is not None
    return leads and (raised or text[0] in "[(*†‡§")


def _is_list_of_links(element: Any) -> bool:
    """Return whether three or more links into the book are most of the text."""
    links = [link for link in element.iter("{*}a") if link.get("href")]
    local = [each for each in links if "#" in each.get("href") or not _EXTERNAL.match(each.get("href"))]
    return len(local) > 2 and _are_most(local, element)


def _is_mostly_links(element: Any) -> bool:
    return _are_most([link for link in element.iter("{*}a") if link.get("href")], element)


def _are_most(links: list[Any], element: Any) -> bool:
    return sum(len(text_of(link)) for link in links) > 0.5 * len(text_of(element))


def _count_prose(element: Any) -> int:
    """Return the number of words in long runs of text outside links, scripts and controls."""
    count = 0
    rest = [element]
    while rest:
        each = rest.pop()
        runs = (len(text.split()) for text in (each.text, *(child.tail for child in each)) if text)
        count += sum(words for words in runs if words >= _LONG_RUN)
        rest += [child for child in each if name_of(child) not in _UNREAD]
    return count
