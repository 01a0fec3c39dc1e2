"""Texts that Markdown and LaTeX show as they are."""

from __future__ import annotations

import re

__all__ = ["escape_latex", "escape_markdown"]

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


def escape_markdown(text: str) -> str:
    """A text, on one line, that GitHub's Markdown shows as it is.

    >>> print(escape_markdown("a|b *c* <d>"))
    a\\|b \\*c\\* \\<d\\>
    >>> print(escape_markdown("1. x"), escape_markdown("- x"))
    1\\. x \\- x
    """
    return _LIST_START.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", text))


def escape_latex(text: str) -> str:
    """A text that LaTeX prints as it is.

    >>> print(escape_latex("50 % of a_b"))
    50 \\% of a\\_b
    """
    return "".join(_LATEX.get(sign, sign) for sign in text)
