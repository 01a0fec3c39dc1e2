"""Recognize what the elements of an HTML page are: notes, captions, menus, speakers, or text of the story."""

from __future__ import annotations

import re
from typing import Any

from barthes.reading.printing import NOTE_MARK
from barthes.reading.xml_parsing import name_of, text_of

SILENT = frozenset(
    "head script style noscript template svg math iframe object embed audio video canvas map button select "
    "textarea input label datalist rt rp rtc meter progress dialog menu source track param".split()
)
"""Elements that hold no text, or only controls."""

_NAMES = {"nav": "furniture", "form": "furniture", "aside": "furniture"} | dict.fromkeys(
    ["figcaption", "caption"], "caption"
)
_WORDS = {  # of ``epub:type``, of roles and of classes
    "contents": "toc loi lot table-of-contents contents",
    "furniture": "navigation search page-list landmarks pagebreak contentinfo complementary banner pagenum "
    "pageno pagenumber page-number pgnum runninghead running-head noprint midi",
    "note": "footnote footnotes endnote endnotes rearnote rearnotes fnote foot",
    "matter": "index titlepage halftitlepage cover copyright-page imprint colophon",
    "caption": "figure figcenter figleft figright illustration caption image",
    "header": "transnote tnote tnotes transcriber-note",
    "licence": "pg-boilerplate",
    "speaker": "speaker charname",
    "direction": "stage direction stage-direction stagedirection stagedir stagedirections",
}
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_LINKS = frozenset("noteref backlink fnanchor footnote-ref footnote-backref reference".split())
_VERSE = frozenset("stanza poem poetry verse lg linegroup".split())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SIGN = re.compile(r"[\[(]?(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})[\])]?", re.IGNORECASE)
_EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_MEDIA = re.compile(r"\.(?:midi?|mp3|ogg|wav|ly|mxl|xml|png|jpe?g|gif)$", re.IGNORECASE)
_DEEPEST = 40  # elements around a table of contents
_PARTS = frozenset(["main", "article", "section", "blockquote"])  # whose headers belong to the text
_LONG_RUN = 20  # words without markup: prose, not a menu or a list
_LISTS = frozenset("ul ol table dl p div blockquote".split())
_INLINE = ("a", "sup", "span")
_LINKED = 0.5  # share of a list that is links


class PageElements:
    """Says what the elements of a page are.

    `body` is the page. What holds more than half of its prose is text, whatever its markup says. A page of a
    book has no header, footer or menus of a website.
    """

    def __init__(self, body: Any, *, is_book: bool) -> None:
        self._is_book = is_book
        self._prose = _count_prose(body)
        self.main = body if is_book else self._find_main(body)

    def _find_main(self, body: Any) -> Any:
        """Return the only `<main>` or `<article>`, if it has at least a tenth of the prose."""
        for name in ("main", "article"):
            found = list(body.iter(f"{{*}}{name}"))
            if len(found) == 1 and _count_prose(found[0]) * 10 >= self._prose:
                return found[0]
        return body

    def find_kind(self, element: Any, depth: int) -> str | None:
        """Return the mark of an element; an empty one for text, None for an element without text.

        `depth` says how many elements it is nested in.
        """
        name = name_of(element)
        if not name or _is_hidden(element, name):
            return None
        kind = self._name_kind(element, name, depth)
        if kind == "caption" and not text_of(element):
            return ""  # perhaps the picture of an initial
        if not kind or kind in ("speaker", "direction") or name in _INLINE or depth > _DEEPEST:
            return kind
        holds_most = 2 * _count_prose(element) > self._prose > 0
        return "" if holds_most else kind

    def _name_kind(self, element: Any, name: str, depth: int) -> str:
        words = _words_of(element, name)
        if kind := next((_KINDS[word] for word in words if word in _KINDS), _NAMES.get(name, "")):
            return kind
        if _refers_to_note(element, name) or (name in _INLINE and not _LINKS.isdisjoint(words)):
            return "note"
        if name in ("header", "footer") and self._is_outside(element):
            return "furniture"
        if name == "p" and _links_only(element, lambda link: bool(_MEDIA.search(link))):
            return "furniture"
        # Looking for links reads everything in an element: too much for hundreds nested in each other.
        return "contents" if name in _LISTS and depth <= _DEEPEST and _is_list_of_links(element) else ""

    def _is_outside(self, element: Any) -> bool:
        """Return whether a header or footer is not in a part of the text, or is nothing but links."""
        if element.get("role") in ("none", "presentation"):
            return False
        outside = not self._is_book and _PARTS.isdisjoint(map(name_of, element.iterancestors()))
        return outside or _links_only(element, bool)


def is_verse(element: Any, name: str) -> bool:
    """Return whether the paragraphs in an element are lines of verse."""
    if _VERSE.isdisjoint(_words_of(element, name)):
        return False
    return not any(
        not _VERSE.isdisjoint(_words_of(each, "div")) for each in element.iterdescendants("{*}div")
    )


def _is_hidden(element: Any, name: str) -> bool:
    """Return whether a browser shows nothing of an element, or only a control or a picture."""
    if name in ("html", "body"):  # shown by a script
        return False
    hidden = element.get("hidden") is not None or _HIDDEN.search(element.get("style", "")) is not None
    return hidden or name in SILENT


def _words_of(element: Any, name: str) -> list[str]:
    """Return the words of ``epub:type`` (however the parser spells it), of the roles and of the classes."""
    types = element.get("{http://www.idpf.org/2007/ops}type") or element.get("epub:type") or ""
    roles = [role.removeprefix("doc-") for role in element.get("role", "").split()]
    if name in ("html", "body", "main", "article"):  # <body class="contents"> says nothing about a part
        return [*types.split(), *roles]
    return [*types.split(), *roles, *element.get("class", "").lower().split()]


def _refers_to_note(element: Any, name: str) -> bool:
    """Return whether it is a raised number that leads to a note, as a link or inside one."""
    if name not in ("sup", "a") or len(text := text_of(element)) > 6 or not _SIGN.fullmatch(text):
        return False
    links = [element] if name == "a" else list(element.iter("{*}a"))
    leads = any("#" in (link.get("href") or "") for link in links)
    raised = name == "sup" or next(element.iter("{*}sup"), None) is not None
    return leads and (raised or NOTE_MARK.fullmatch(text) is not None or text[0] in "*†‡§")


def _is_list_of_links(element: Any) -> bool:
    """Return whether three or more links into the book are most of the text."""
    links = [link for link in element.iter("{*}a") if link.get("href")]
    local = [each for each in links if "#" in each.get("href") or not _EXTERNAL.match(each.get("href"))]
    return len(local) > 2 and _are_most(local, element)


def _links_only(element: Any, is_meant: Any) -> bool:
    links = [link for link in element.iter("{*}a") if is_meant(link.get("href") or "")]
    return bool(links) and _are_most(links, element)


def _are_most(links: list[Any], element: Any) -> bool:
    return sum(len(text_of(link)) for link in links) > _LINKED * len(text_of(element))


def _count_prose(element: Any) -> int:
    """Return the number of words in long runs of text outside links, scripts and controls."""
    count = 0
    rest = [element]
    while rest:
        each = rest.pop()
        runs = (len(text.split()) for text in (each.text, *(child.tail for child in each)) if text)
        count += sum(words for words in runs if words >= _LONG_RUN)
        rest += [child for child in each if name_of(child) not in SILENT and name_of(child) not in ("a", "")]
    return count
