"""Make text safe for terminals, pages, XML, Markdown, LaTeX and file names; load templates that escape."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from jinja2 import Environment

# Control characters (escape sequences begin with one), halves of surrogate pairs, and characters that change
# the direction of writing. Joiners stay: Hindi, Persian and emoji need them.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
_FORBIDDEN_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_WHITE = re.compile(r"[ \t\r\n\f\v]+")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~$&])")
_LIST_START = re.compile(r"^(\d*)([-+=.)])(?=\s|$)")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "†": r"\textsuperscript{\textdagger}",
    "ρ": r"$\rho$",
    "±": r"$\pm$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "…": r"\dots{}",
} | {sign: f"\\{sign}" for sign in "&%$#_{}"}
_UNSAFE_IN_NAMES = re.compile(r"[^\w.-]+")
_ENDING = re.compile(r"\.\w{1,8}$")  # not the rest of a title such as "1. The wolf"
_LONGEST_NAME = 100
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)", re.IGNORECASE | re.ASCII)  # on Windows


def printable(text: str) -> str:
    """Replace characters that could control a terminal with �, and drop soft hyphens.

    >>> printable("a\\x1b[31mb")
    'a�[31mb'
    """
    return _UNSAFE.sub("�", text.replace("\u00ad", ""))


def clean(text: str) -> str:
    """Return printable text on one line: each run of white space becomes one space.

    >>> clean("a\\n  b\\x00")
    'a b�'
    """
    return printable(_WHITE.sub(" ", text))


def escape_markdown(text: str) -> str:
    """Escape one line of text for GitHub's Markdown.

    >>> print(escape_markdown("a|b *c* <d>"))
    a\\|b \\*c\\* \\<d\\>
    >>> print(escape_markdown("1. x"), escape_markdown("- x"))
    1\\. x \\- x
    """
    return _LIST_START.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", text))


def escape_latex(text: str) -> str:
    """Escape text for LaTeX.

    >>> print(escape_latex("50 % of a_b"))
    50 \\% of a\\_b
    """
    return "".join(_LATEX.get(sign, sign) for sign in text)


def replace_forbidden(text: str) -> str:
    """Replace each character that XML 1.0 forbids with a space or �; offsets stay.

    >>> replace_forbidden("a\\x0cb\\x00c")
    'a b�c'
    """
    return _FORBIDDEN_IN_XML.sub(lambda match: " " if match[0].isspace() else "�", text)


def escape_xml(text: str) -> str:
    """Escape text for the content of an element; a carriage return survives reading it back.

    >>> escape_xml("a < b\\r\\n")
    'a &lt; b&#13;\\n'
    """
    return escape(replace_forbidden(text), {"\r": "&#13;"})


def pipe_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, words: Sequence[str]) -> str:
    """Return a Markdown table of escaped cells; columns are set to the right, except those in `words`.

    >>> print(pipe_table(["method", "MAP"], [["sd", "0.3"]], words=["method"]))
    | method | MAP |
    |---|---:|
    | sd | 0.3 |
    """
    rule = "|".join("---" if name in words else "---:" for name in header)
    first, *others = (f"| {' | '.join(cells)} |" for cells in (header, *rows))
    return "\n".join([first, f"|{rule}|", *others])


@cache
def load_templates(package: str, **options: Any) -> Environment:
    """Return the Jinja templates of a package; they escape for HTML unless `options` differ."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    settings: dict[str, Any] = {
        "loader": PackageLoader(package),
        "autoescape": True,
        "undefined": StrictUndefined,
        "trim_blocks": True,
        "lstrip_blocks": True,
        "keep_trailing_newline": True,
    }
    return Environment(**(settings | options))


def render_xml(template: str, **content: Any) -> str:
    """Fill in a template of `report.exports`; all values are escaped, except those marked ``safe``."""
    templates = load_templates("barthes.report.exports", autoescape=False, finalize=_finalize)
    return templates.get_template(template).render(**content)


def _finalize(value: Any) -> Any:
    """Escape a value for XML; floats get the fewest digits that give the same number back."""
    return value if hasattr(value, "__html__") else escape_xml(str(value))


class FileNames:
    """Choose file names, without extension, for the titles of stories: safe on every disk and never twice.

    >>> names = FileNames()
    >>> names.choose("tales/a wolf.txt"), names.choose("../A wolf.txt"), names.choose("1. The fog")
    ('a_wolf', 'A_wolf-2', '1._The_fog')
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def reserve(self, names: Iterable[str]) -> None:
        """Never choose these names; case is ignored, as on some disks."""
        self._taken |= {name.lower() for name in names}

    def choose(self, title: str) -> str:
        """Return a name for the story of that title."""
        name = _ENDING.sub("", PurePath(title.replace("\\", "/")).name)
        stem = _UNSAFE_IN_NAMES.sub("_", name).strip("._")[:_LONGEST_NAME] or "story"
        stem = f"_{stem}" if _DEVICE.match(stem) else stem
        found, number = stem, 1
        while found.lower() in self._taken:
            number += 1
            found = f"{stem}-{number}"
        self._taken.add(found.lower())
        return found
