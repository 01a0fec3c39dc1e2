"""Parse HTML pages, and Markdown through HTML: their paragraphs and headings as a browser separates them.

HTML is read with lxml (libxml2), which never opens a connection. Navigation, notes, page numbers, captions
and tables of contents are marked (`page_elements`); tables that only lay out a page are read cell by cell.
Markdown is CommonMark, read by mistune, with tables, footnotes and front matter.
"""

from __future__ import annotations

import codecs
import re
from typing import Any

from barthes.reading.document import Draft
from barthes.reading.encoding import decode
from barthes.reading.markup import BREAK, MarkupReader, Role, split_paragraphs
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
_EMPTY_HEADING = re.compile(r"^#{1,6}[^\S\n]*$", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---[^\S\n]*\n(?P<lines>.*?)\n---[^\S\n]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(  # one-line values; YAML's blocks and lists are not read
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
    import mistune

    text, note = decode(data, where=where)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    matter = _FRONT_MATTER.match(text)
    text = text[matter.end() :] if matter else text
    render = mistune.create_markdown(escape=False, plugins=["footnotes", "table", "strikethrough"])
    page = render(_EMPTY_HEADING.sub(SCENE_BREAK, text))
    draft = parse_page(f"<body>{page}</body>", where=where, note=note)
    lines = _FIELD.findall(matter["lines"]) if matter else []
    fields = {key: value.strip("\"'") for key, value in lines}
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
    elements = PageElements(body, is_book=is_book)
    _PageReader(draft, elements, "" if body is elements.main else "furniture").read(body)


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


class _PageReader(MarkupReader):
    """Reads a page, with the names under which links lead to its paragraphs."""

    def __init__(self, draft: Draft, elements: PageElements, mark: str) -> None:
        super().__init__(draft, mark)
        self._elements = elements
        self._anchors: list[str] = []
        self._is_preformatted = False
        self._is_verse = False
        self._around: list[tuple[bool, bool]] = []  # whether the elements around are these

    def find_role(self, element: Any) -> Role | None:
        """Return what an element of a page is."""
        name = name_of(element)
        kind = self._elements.find_kind(element, len(self._around))
        if kind is None:
            # Links may lead to what is not shown.
            self._anchors += [
                name for each in element.iter() for name in (each.get("id"), each.get("name")) if name
            ]
            return None
        is_line = self._is_verse and name in _LINES
        is_block = name in _BLOCKS and not is_line
        heading = _HEADING.fullmatch(name)
        if heading and self.mark == "furniture":
            kind = "heading"  # in a header: it may be the title of the story
        is_quote = name == "q" and first_character_of(element) not in ("“", '"', "«", "„", "‘", "'")
        return Role(
            is_block,
            level=int(heading[1]) if heading else 0,
            mark=kind,
            before=BREAK if name == "br" or is_line else "“" if is_quote else _find_initial(element, name),
            after="”" if is_quote else "",
        )

    def begin(self, element: Any, role: Role) -> None:
        """Note what links lead to an element, and whether its line breaks are the author's."""
        name = name_of(element)
        if anchor := element.get("id") or element.get("name"):
            self._anchors.append(anchor)
        if name == "hr":
            self._add_scene_break()
        if role.mark == "contents":
            self._note_contents(element)
        if element is self._elements.main:
            self.mark = ""
        elif role.mark == "heading":
            self.mark = "heading"
        self._around.append((self._is_verse, self._is_preformatted))
        self._is_verse = self._is_verse or is_verse(element, name)
        self._is_preformatted = self._is_preformatted or name == "pre"

    def finish(self, element: Any, role: Role) -> None:
        """End a block of verse, and set a drop cap apart."""
        self._is_verse, self._is_preformatted = self._around.pop()
        if self._is_drop_cap(element):
            self.end_text()

    def _note_contents(self, element: Any) -> None:
        """Note where the links in a table of contents on this page lead."""
        links = [(text_of(link), link.get("href") or "") for link in element.iter("{*}a")]
        self.draft.contents += [(title, target[1:]) for title, target in links if title and target[:1] == "#"]

    def _add_scene_break(self) -> None:
        """Add a break for a rule, unless it stands under a heading."""
        if self.draft.blocks and not self.draft.blocks[-1].level:
            self.draft.add(SCENE_BREAK)

    def _is_drop_cap(self, element: Any) -> bool:
        """Return whether only an initial has been read that is set apart and white space follows it."""
        style = f"{element.get('class', '')} {element.get('style', '')}"
        if not _DROP_CAP.search(style) or not (element.tail or "x")[0].isspace():
            return False
        return is_initial("".join(self.pieces).strip())

    def add_text(self, text: str | None, parent: Any) -> None:
        """Add some text; the line breaks of preformatted text are the author's."""
        if text and self._is_preformatted:
            self.pieces.append(text.replace("\n", BREAK))
        else:
            super().add_text(text, parent)

    def end_text(self) -> None:
        """Add what has been read; without words it is kept only if links lead to it."""
        super().end_text()
        if self._anchors and not self.level:
            self.draft.add("", anchors=self._anchors)
            self._anchors = []

    def add_block(self, text: str) -> None:
        """Add paragraphs; links lead to the first."""
        for part in split_paragraphs(text):
            level = 0 if self.mark else self.level
            self.draft.add(part, level=level, anchors=self._anchors, mark=self.mark)
            self._anchors = []


def _find_initial(element: Any, name: str) -> str:
    """Return the letter that a picture of an initial shows."""
    letter = element.get("alt", "").strip() if name == "img" else ""
    return letter if len(letter) == 1 and letter.isalpha() else ""
