"""Parse HTML pages, and Markdown through HTML: their paragraphs and headings as a browser separates them.

HTML is read with lxml (libxml2), which never opens a connection. Navigation, notes, page numbers, captions
and tables of contents are marked (`page_elements`); tables that only lay out a page are read cell by cell.
Markdown is CommonMark with tables, footnotes and front matter.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any

from barthes.reading.document import Draft, mark_text
from barthes.reading.encoding import decode
from barthes.reading.page_elements import PageElements, is_verse
from barthes.reading.printing import is_initial
from barthes.reading.scene_breaks import SCENE_BREAK
from barthes.reading.xml_parsing import first_character_of, name_of, parse_html, text_of

_CHARSET = re.compile(
    rb"""<(?:meta\b[^>]*?charset|\?xml\b[^>]*?encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE
)
_DROP_CAP = re.compile(r"drop|initial|lettrine|float\s*:\s*left", re.IGNORECASE)
_HEADING = re.compile(r"h([1-6])")
_LATIN = ("iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii")  # which browsers read as Windows-1252
# Python codecs that no page uses; some take hours for a long page.
_UNFIT = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined")
_BREAK = "\N{LINE SEPARATOR}"  # stands for <br> until white space is tidied
_EMPTY_HEADING = re.compile(r"^#{1,6}[^\S\n]*$", re.MULTILINE)
_FRONT_MATTER = re.compile(  # one-line values; YAML's blocks and lists are not read
    r"^(title|author|lang(?:uage)?)[^\S\n]*+:[^\S\n]*+([^|>[{\s](?:.*\S)?)", re.MULTILINE
)
_LINES = frozenset(["p", "div", "span", "dd", "li"])  # of verse
_BLOCKS = frozenset(  # elements that separate paragraphs
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer "
    "h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol p pre section summary table tbody td tfoot th "
    "thead tr ul caption".split()
)


def parse(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of an HTML page."""
    text, note = _decode(data, where)
    return parse_page(text, where=where, note=note)


def parse_markdown(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of a Markdown file; its rules and empty headings (``***``, ``#``) separate scenes."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    text, note = decode(data, where=where)
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(front_matter_plugin)
    environment: dict[str, Any] = {}
    tokens = parser.parse(_EMPTY_HEADING.sub(SCENE_BREAK, text), environment)
    draft = parse_page(
        f"<body>{parser.renderer.render(tokens, parser.options, environment)}</body>", where=where, note=note
    )
    matter = "\n".join(token.content for token in tokens if token.type == "front_matter")
    fields = {key: value.strip("\"'") for key, value in _FRONT_MATTER.findall(matter)}
    draft.language = fields.get("lang") or fields.get("language") or draft.language
    draft.title, draft.author = fields.get("title", ""), fields.get("author", "")
    return draft


def parse_page(text: str, *, where: str, note: str | None = None) -> Draft:
    """Parse the text of an HTML page."""
    root = parse_html(text, where=where)
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    draft = Draft(language=language, notes=[note] if note else [])
    read_page(root, draft)
    draft.file_title = text_of(root.find(".//head/title"))
    authors = [
        " ".join(meta.get("content", "").split())
        for meta in root.iterfind(".//head/meta")
        if meta.get("name", "").lower() == "author"
    ]
    draft.author = ", ".join(filter(None, authors))
    return draft


def read_page(root: Any, draft: Draft, *, is_book: bool = False) -> None:
    """Add the paragraphs and headings of a page; around its only `<main>` or `<article>` is furniture.

    A page of a book has no header, footer or menus of a website.
    """
    body = next(root.iter("{*}body"), root)
    _PageReader(draft, PageElements(body, is_book=is_book)).read(body)


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

    def __init__(self, draft: Draft, elements: PageElements) -> None:
        self._draft = draft
        self._elements = elements
        self._pieces: list[str] = []
        self._anchors: list[str] = []
        self._mark = ""
        self._level = 0
        self._preformatted = 0
        self._verse = 0
        self._depth = 0

    def read(self, body: Any) -> None:
        """Add a page with everything in it."""
        self._mark = "" if body is self._elements.main else "furniture"
        self._enter(body)
        self._flush()

    def _enter(self, element: Any) -> None:
        name = name_of(element)
        is_block = name in _BLOCKS and not (self._verse and name in _LINES)
        if anchor := element.get("id") or element.get("name"):
            if is_block:
                self._flush()
            self._anchors.append(anchor)
        kind = "" if self._depth == 0 else self._elements.find_kind(element, self._depth)
        if kind is None:
            # Links may lead to what is not shown.
            self._anchors += [
                name for each in element.iter() for name in (each.get("id"), each.get("name")) if name
            ]
            return
        if kind == "contents":
            self._note_contents(element)
        if is_block:
            self._flush()
            before = self._mark
            self._mark = self._choose_mark(element, name, kind)
            self._read_block(element, name)
            self._flush()
            self._mark = before
        elif kind and not self._mark:
            start = len(self._pieces)
            self._read_inline(element, name)
            self._pieces[start:] = [mark_text(kind, "".join(self._pieces[start:]))]
        else:
            self._read_inline(element, name)

    def _choose_mark(self, element: Any, name: str, kind: str) -> str:
        if element is self._elements.main:
            return ""
        if _HEADING.fullmatch(name) and self._mark == "furniture":
            return "heading"  # in a header: it may be the title of the story
        return self._mark or kind

    def _read_block(self, element: Any, name: str) -> None:
        if name == "hr" and self._draft.blocks and element.get("class") != "footnotes-sep":
            self._add_scene_break()
        heading = _HEADING.fullmatch(name)
        before, self._level = self._level, int(heading[1]) if heading else self._level
        verse = is_verse(element, name)
        self._preformatted += name == "pre"
        self._verse += verse
        self._read_inside(element, name)
        self._verse -= verse
        self._flush()
        self._preformatted -= name == "pre"
        self._level = before

    def _read_inline(self, element: Any, name: str) -> None:
        if name == "br" or (self._verse and name in _LINES):
            self._pieces.append(_BREAK)
        elif name == "img" and len(letter := element.get("alt", "").strip()) == 1 and letter.isalpha():
            self._pieces.append(letter)  # a picture of an initial
        self._read_inside(element, name)
        if self._is_drop_cap(element):
            self._flush()

    def _note_contents(self, element: Any) -> None:
        """Note where the links in a table of contents on this page lead."""
        links = [(text_of(link), link.get("href") or "") for link in element.iter("{*}a")]
        self._draft.contents += [
            (title, target[1:]) for title, target in links if title and target[:1] == "#"
        ]

    def _add_scene_break(self) -> None:
        """Add a break for a rule, unless it stands under a heading."""
        if not self._draft.blocks[-1].level:
            self._draft.add(SCENE_BREAK)

    def _is_drop_cap(self, element: Any) -> bool:
        """Return whether only an initial has been read that is set apart and white space follows it."""
        style = f"{element.get('class', '')} {element.get('style', '')}"
        if not _DROP_CAP.search(style) or not (element.tail or "x")[0].isspace():
            return False
        return is_initial("".join(self._pieces).strip())

    def _read_inside(self, element: Any, name: str) -> None:
        quoted = name == "q" and first_character_of(element) not in ("“", '"', "«", "„", "‘", "'")
        self._depth += 1
        self._pieces.append("“" if quoted else "")
        self._add_text(element.text)
        for child in element:
            self._enter(child)
            self._add_text(child.tail)
        self._pieces.append("”" if quoted else "")
        self._depth -= 1

    def _add_text(self, text: str | None) -> None:
        if text:
            text = text.replace(_BREAK, " ")
            self._pieces.append(text.replace("\n", _BREAK) if self._preformatted else text)

    def _flush(self) -> None:
        text = "".join(self._pieces)
        anchors, self._pieces = self._anchors, []
        if text.strip(f" \t\r\n{_BREAK}"):
            self._anchors = []
            for index, part in enumerate(_split_paragraphs(text)):
                level = 0 if self._mark else self._level
                self._draft.add(part, level=level, anchors=() if index else anchors, mark=self._mark)
        elif anchors and not self._level:
            self._anchors = []
            self._draft.add("", anchors=anchors)


def _split_paragraphs(text: str) -> Iterator[str]:
    """Split a block where two breaks follow each other; a single one is a line of verse."""
    lines = (" ".join(line.split()) for line in text.split(_BREAK))
    for part in re.split(r"\n{2,}", "\n".join(lines).strip("\n")):
        if part.strip():
            yield part.strip("\n")
