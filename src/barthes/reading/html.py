"""Parse HTML pages, and Markdown through HTML: their paragraphs and headings as a browser separates them.

HTML is read with lxml (libxml2), which never opens a connection. Navigation, notes, page numbers, captions
and tables of contents are left out; tables that only lay out a page are read cell by cell. Markdown is
CommonMark with tables, footnotes and front matter.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from barthes.reading.chapters import build_document
from barthes.reading.encoding import decode
from barthes.reading.story_document import Document, DocumentDraft
from barthes.reading.xml_parsing import first_character_of, name_of, parse_html, text_of

_CHARSET = re.compile(
    rb"""<(?:meta\b[^>]*?charset|\?xml\b[^>]*?encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE
)
_HEADING = re.compile(r"h([1-6])")
_LATIN = ("iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii")  # which browsers read as Windows-1252
# Python codecs that no page uses; some take hours for a long page.
_UNFIT = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined")
_BREAK = "\N{LINE SEPARATOR}"  # stands for <br> until white space is tidied
_FRONT_MATTER = re.compile(r"^(title|lang(?:uage)?)\s*+:\s*+(.+)$", re.MULTILINE)
_BLOCKS = frozenset(  # elements that separate paragraphs
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer "
    "h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol p pre section summary table tbody td tfoot th "
    "thead tr ul caption".split()
)
_SILENT = frozenset(  # elements that never hold a story and are not worth a count
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


def parse(data: bytes, *, where: str) -> Document:
    """Parse the bytes of an HTML page."""
    text, note = _decode(data, where)
    return parse_page(text, where=where, note=note)


def parse_markdown(data: bytes, *, where: str) -> Document:
    """Parse the bytes of a Markdown file."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    text, note = decode(data, where=where)
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(front_matter_plugin)
    environment: dict[str, Any] = {}
    tokens = parser.parse(text, environment)
    page = f"<body>{parser.renderer.render(tokens, parser.options, environment)}</body>"
    document = parse_page(page, where=where, note=note)
    matter = "\n".join(token.content for token in tokens if token.type == "front_matter")
    fields = {key: value.strip().strip("\"'") for key, value in _FRONT_MATTER.findall(matter)}
    language = fields.get("lang") or fields.get("language") or document.language
    return replace(document, title=fields.get("title") or document.title, language=language)


def parse_page(text: str, *, where: str, note: str | None = None) -> Document:
    """Parse the text of an HTML page."""
    root = parse_html(text, where=where)
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    draft = DocumentDraft(language=language, notes=[note] if note else [])
    read_page(root, draft)
    document = build_document(draft, where=where)
    return replace(document, title=document.title or text_of(root.find(".//head/title")))


def read_page(root: Any, draft: DocumentDraft) -> None:
    """Add the paragraphs and headings of a page, only its `<main>` or `<article>` if it has exactly one."""
    body = next(root.iter("{*}body"), root)
    parts = (list(body.iter(f"{{*}}{name}")) for name in ("main", "article"))
    _PageReader(draft).read(next((found[0] for found in parts if len(found) == 1), body))


def _decode(data: bytes, where: str) -> tuple[str, str | None]:
    declared = _CHARSET.search(data[:4096])
    name = declared[1].decode("ascii").lower() if declared else ""
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"))
    if name and not marked and not name.startswith(("utf-16", "utf-32")):  # we could not have read the name
        try:
            codec = codecs.lookup("cp1252" if name in _LATIN else name).name
            if codec.replace("_", "-") not in _UNFIT:
                return data.decode(codec), None
        except (LookupError, ValueError):
            pass  # the page declares a wrong encoding
    return decode(data, where=where)


class _PageReader:
    """Reads a page in document order and puts its text into blocks."""

    def __init__(self, draft: DocumentDraft) -> None:
        self._draft = draft
        self._pieces: list[str] = []
        self._anchors: list[str] = []
        self._level = 0
        self._preformatted = 0
        self._depth = 0

    def read(self, element: Any) -> None:
        """Add an element with everything in it."""
        self._enter(element)
        self._flush()

    def _enter(self, element: Any) -> None:
        name = name_of(element)
        is_block = name in _BLOCKS
        if anchor := element.get("id") or element.get("name"):
            if is_block:
                self._flush()
            self._anchors.append(anchor)
        kind = _find_kind(element, self._depth) if name else ""
        if kind is not None:
            self._leave_out(element, kind)
            return
        if is_block:
            self._flush()
        if name == "br":
            self._pieces.append(_BREAK)
        elif name == "img" and len(letter := element.get("alt", "").strip()) == 1 and letter.isalpha():
            self._pieces.append(letter)  # a picture of an initial
        heading = _HEADING.fullmatch(name)
        before, self._level = self._level, int(heading[1]) if heading else self._level
        self._preformatted += name == "pre"
        self._depth += 1
        self._read_inside(element, name)
        self._depth -= 1
        if is_block:
            self._flush()
        self._preformatted -= name == "pre"
        self._level = before

    def _read_inside(self, element: Any, name: str) -> None:
        quoted = name == "q" and first_character_of(element) not in ("“", '"', "«", "„", "‘", "'")
        self._pieces.append("“" if quoted else "")
        self._add_text(element.text)
        for child in element:
            self._enter(child)
            self._add_text(child.tail)
        self._pieces.append("”" if quoted else "")

    def _add_text(self, text: str | None) -> None:
        if text:
            text = text.replace(_BREAK, " ")
            self._pieces.append(text.replace("\n", _BREAK) if self._preformatted else text)

    def _leave_out(self, element: Any, kind: str) -> None:
        # Links may lead to what is left out, and the text continues after it.
        inner = (each for each in element.iter() if each is not element)
        self._anchors += [name for each in inner for name in (each.get("id"), each.get("name")) if name]
        if name_of(element) in _BLOCKS:
            self._flush()
        if kind and (text_of(element) or kind == "page number"):
            notes = len(list(element.iter("{*}li"))) if kind == "footnote" else 1  # a list of notes
            self._draft.leave_out(kind, max(1, notes))

    def _flush(self) -> None:
        text = "".join(self._pieces)
        anchors, self._pieces = self._anchors, []
        if text.strip(f" \t\r\n{_BREAK}"):
            self._anchors = []
            for index, part in enumerate(_split_paragraphs(text)):
                self._draft.add(part, level=self._level, anchors=() if index else anchors)
        elif anchors and not self._level:
            self._anchors = []
            self._draft.add("", anchors=anchors)


def _split_paragraphs(text: str) -> Iterator[str]:
    """Split a block where two breaks follow each other; a single one is a line of verse."""
    lines = (" ".join(line.split()) for line in text.split(_BREAK))
    for part in re.split(r"\n{2,}", "\n".join(lines).strip("\n")):
        if part.strip():
            yield part.strip("\n")


def _find_kind(element: Any, depth: int) -> str | None:
    """Return the kind of an element that is not part of the story; None for a part of the story.

    An empty kind is left out without being counted. `depth` says how many elements it is nested in.
    """
    name = name_of(element)
    if name in _SILENT or element.get("hidden") is not None or _HIDDEN.search(element.get("style", "")):
        return ""
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
    return len(local) > 2 and sum(len(text_of(link)) for link in local) > 0.5 * len(text_of(element))
