r"""Parse RTF: paragraphs, headings by outline level or style, and characters in any code page or Unicode.

striprtf drops footnotes and headers and knows no headings, so this is our own reader: one pass over the
control words with a stack of groups.
"""

from __future__ import annotations

import codecs
import locale
import re
from dataclasses import dataclass, replace

from barthes.errors import ReadingError
from barthes.reading.document import Draft
from barthes.reading.encoding import join_surrogates

SIGNATURE = b"{\\rtf"

_DEEPEST = 500  # groups in each other; Word nests a few dozen
_TOKEN = re.compile(
    rb"\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,9})? ?|\\'(?P<hex>[0-9A-Fa-f]{2})|\\(?P<symbol>[^A-Za-z])"
    rb"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n\0]+)|[\r\n\0]+|\\",
    re.DOTALL,
)
_HEADING = re.compile(r"heading\s*([1-9])", re.IGNORECASE)
_LAYOUT_FIELD = re.compile(r"\s*(TOC|INDEX|PAGE|NUMPAGES|SECTIONPAGES)\b")
_HEADS = frozenset(part + page for part in ("header", "footer") for page in ("", "l", "r", "f"))
_MARKED = {"footnote": "note", "annotation": "note", "shptxt": "caption"} | dict.fromkeys(_HEADS, "furniture")
_FIELDS = frozenset(["title", "author"])  # inside info
_READ = frozenset("fonttbl stylesheet info fldinst fldrslt".split()) | _FIELDS | _MARKED.keys()
_SILENT = frozenset(  # destinations without text of the story; all unknown ones after \* are silent too
    "colortbl filetbl pict object shprslt nonshppict listtext pntext ftnsep ftnsepc ftncn tc xe rxe txe "
    "atnid atnauthor atrfstart atrfend bkmkstart bkmkend listtable listoverridetable revtbl private".split()
)
_SIGNS = {
    **dict.fromkeys(("tab", "emspace", "enspace", "qmspace"), " "),
    **{"line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "bullet": "•"},
    **{"lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”"},
}
_SYMBOLS = {b"~": "\u00a0", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}", b"\t": " "}
_ENDS = frozenset("par sect page column row cell nestcell".split())
_CODE_PAGES = {0: "cp1252", 10000: "mac_roman", 10007: "mac_cyrillic", 10029: "mac_latin2", 65001: "utf-8"}
_CHARSETS = {77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255}
_CHARSETS |= {178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850}  # others: \ansicpg


def parse(data: bytes, *, where: str) -> Draft:
    """Return the paragraphs and headings of an RTF file.

    Raises:
        ReadingError: It is not RTF, ends too early, or has too many groups in each other.
    """
    return _Reader(data, where).read()


@dataclass(slots=True)
class _Group:
    """What holds until the end of a group.

    Attributes:
        sink: Where its text goes; None for text that is left out.
        destination: The destination that begins in it: ``footnote``, ``title`` …
        table: ``fonttbl``, ``stylesheet`` or ``info`` inside these.
        codec: The encoding of its bytes.
        skip: How many characters after a Unicode character replace it in old programs.
        is_hidden: Whether its text is hidden or deleted.
    """

    sink: list[str] | None
    destination: str = ""
    table: str = ""
    codec: str = "cp1252"
    skip: int = 1
    is_hidden: bool = False


class _Reader:
    """Reads a file once from start to end."""

    def __init__(self, data: bytes, where: str) -> None:
        self._data = data
        self._where = where
        self._draft = Draft()
        self._paragraph: list[str] = []
        self._group = _Group(self._paragraph)
        self._stack: list[_Group] = []
        self._bytes = bytearray()  # not decoded yet
        self._skipped = 0  # characters still to be skipped
        self._is_optional = False  # after \*
        self._codec = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font = self._default_font = self._style = 0
        self._styles: dict[int, str] = {}
        self._level = 0
        self._instruction = ""
        self._marked: list[tuple[str, str]] = []  # what stands beside the paragraph that is read
        self._undecoded: set[str] = set()

    def read(self) -> Draft:
        """Read the file."""
        if not self._data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(SIGNATURE):
            self._refuse("it is not an RTF file: it does not begin with {\\rtf.")
        position = self._data.index(SIGNATURE)
        while match := _TOKEN.match(self._data, position):
            position = match.end()
            if word := match["word"]:
                number = int(match["number"]) if match["number"] else None
                position += max(number or 0, 0) if word == b"bin" else 0
                self._flush()
                self._read_word(word.decode("ascii"), number)
            elif match["brace"]:
                self._flush()
                self._skipped = 0
                if match["brace"] == b"{":
                    self._open()
                elif self._close():
                    break
            else:
                self._read_text(match)
        if self._stack:
            self._refuse("it ends too early: some of its groups are not closed.")
        self._end_paragraph()
        if self._undecoded:
            shown = ", ".join(sorted(self._undecoded))
            self._draft.notes.append(f"Some characters are not in {shown}: check the accented letters.")
        return self._draft

    def _refuse(self, problem: str) -> None:
        remedy = "Get it again, or save it again as RTF or DOCX."
        raise ReadingError(problem, where=self._where, remedy=remedy)

    def _open(self) -> None:
        if len(self._stack) >= _DEEPEST:
            self._refuse(f"its groups are nested more than {_DEEPEST} deep.")
        self._stack.append(self._group)
        self._group = replace(self._group, destination="")
        self._is_optional = False

    def _close(self) -> bool:
        """End a group; return whether it was the last."""
        group, self._group = self._group, self._stack.pop()
        kind = group.destination
        is_style = group.table == "stylesheet" and bool(group.sink)
        text = "".join(group.sink or ()) if kind or is_style else ""
        if kind in _MARKED:
            self._marked.append((_MARKED[kind], join_surrogates(text)))
        elif kind.startswith("field "):
            self._marked.append((kind.removeprefix("field ") or "furniture", join_surrogates(text)))
        elif kind == "fldinst":
            self._instruction = text
        elif kind in _FIELDS:
            setattr(self._draft, kind, " ".join(text.split()))
        elif is_style and group.sink:
            self._styles[self._style] = text.strip(" ;").lower()
            self._style = 0
            group.sink.clear()
        elif kind == "fonttbl":
            self._group.codec = self._fonts.get(self._default_font, self._codec)
        return not self._stack

    def _read_text(self, match: re.Match[bytes]) -> None:
        if symbol := match["symbol"]:
            self._read_symbol(symbol)
            return
        content = bytes.fromhex(match["hex"].decode()) if match["hex"] else match["text"] or b""
        skipped = min(self._skipped, len(content))
        self._skipped -= skipped
        if self._group.sink is not None and not self._group.is_hidden:
            self._bytes += content[skipped:]

    def _read_symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._is_optional = True
        elif self._skipped:
            self._skipped -= 1
        elif symbol in b"\r\n":
            self._flush()
            self._end_paragraph()
        else:
            self._add(_SYMBOLS.get(symbol, ""))

    def _add(self, text: str) -> None:
        self._flush()
        if self._group.sink is not None and not self._group.is_hidden:
            self._group.sink.append(text)

    def _flush(self) -> None:
        """Decode the bytes read so far: a character may have several."""
        if self._bytes and self._group.sink is not None:
            codec = self._group.codec
            text = self._bytes.decode(codec, "replace")
            if "\ufffd" in text:
                self._undecoded.add(codec)
            self._group.sink.append(text)
        self._bytes.clear()

    def _read_word(self, word: str, number: int | None) -> None:
        group = self._group
        is_optional, self._is_optional = self._is_optional, False
        if word == "u":
            self._add(chr((number or 0) % 0x10000))
            self._skipped = group.skip
            return
        self._skipped = 0
        if word in _READ and (word not in _FIELDS or group.table == "info"):
            self._begin(word)
        elif word in _SILENT or is_optional:
            group.sink = None
        elif word in _SIGNS:
            self._add(_SIGNS[word])
        elif word in _ENDS:
            self._end_paragraph()
        else:
            self._change(word, number if number is not None else int(word in ("v", "deleted", "uc")))

    def _begin(self, word: str) -> None:
        """Begin a destination."""
        group = self._group
        if word == "fldrslt":
            if match := _LAYOUT_FIELD.match(self._instruction):
                kind = {"TOC": "contents", "INDEX": "matter"}.get(match[1], "")
                group.destination = f"field {kind}"
                group.sink = []
        else:
            group.destination, group.sink = word, []
            group.table = word if word in ("fonttbl", "stylesheet", "info") else group.table

    def _end_paragraph(self) -> None:
        if self._group.sink is not self._paragraph:
            self._add(" ")
            return
        text = join_surrogates("".join(self._paragraph))
        self._paragraph.clear()
        style = self._styles.get(self._style, "")
        heading = _HEADING.fullmatch(style)
        level = self._level or (min(int(heading[1]), 6) if heading else 0)
        self._draft.add_styled("contents" if style.startswith("toc ") else style, text, level=level)
        for mark, marked in self._marked:
            self._draft.add(marked, mark=mark)
        self._marked.clear()

    def _change(self, word: str, value: int) -> None:
        """Change what holds for the following text."""
        group = self._group
        match word:
            case "f" if group.table == "fonttbl":
                self._font = value
            case "f":
                group.codec = self._fonts.get(value, self._codec)
            case "fcharset" if value in _CHARSETS:
                self._fonts[self._font] = self._find_codec(_CHARSETS[value])
            case "cpg" if group.table == "fonttbl":
                self._fonts[self._font] = self._find_codec(value)
            case "ansicpg" | "mac" | "pc" | "pca":
                page = {"mac": 10000, "pc": 437, "pca": 850}.get(word, value)
                self._codec = group.codec = self._find_codec(page)
            case "deff":
                self._default_font = value
            case "deflang":
                self._draft.language = locale.windows_locale.get(value, "").replace("_", "-")
            case "s":
                self._style = value
            case "outlinelevel" if group.table != "stylesheet" and 0 <= value < 9:
                self._level = min(value + 1, 6)
            case "pard":
                self._style = self._level = 0
            case "v" | "deleted":
                group.is_hidden = value != 0
            case "plain":
                group.is_hidden = False
                group.codec = self._fonts.get(self._default_font, self._codec)
            case "uc":
                group.skip = min(max(value, 0), 10)
            case "field":
                self._instruction = ""

    def _find_codec(self, page: int) -> str:
        try:
            return codecs.lookup(_CODE_PAGES.get(page, f"cp{page}")).name
        except LookupError:
            note = f"The code page {page} is unknown; {self._codec} was used: check the accented letters."
            self._draft.notes += [] if note in self._draft.notes else [note]
            return self._codec
