"""Markdown (CommonMark, with tables, footnotes and front matter): rendered by markdown-it, read as a page."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from barthes.reading.document import Document
from barthes.reading.encoding import decode
from barthes.reading.html import parse_page

__all__ = ["parse"]

_FIELD = re.compile(r"^(title|lang(?:uage)?)\s*+:\s*+(.+)$", re.MULTILINE)


def parse(data: bytes, *, where: str) -> Document:
    """The document in the bytes of a Markdown file.

    Raises:
        UnknownEncodingError: It is not text.
        EmptyNarrativeError: There is no text in it.
    """
    text, note = decode(data, where=where)
    page, fields = _render(text)
    document = parse_page(page, where=where, notes=(note,) if note else ())
    return replace(
        document,
        title=fields.get("title") or document.title,
        language=fields.get("lang") or fields.get("language") or document.language,
    )


def _render(text: str) -> tuple[str, dict[str, str]]:
    """The page as HTML, and the fields of its front matter."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(front_matter_plugin)
    environment: dict[str, Any] = {}
    tokens = parser.parse(text, environment)
    matter = "\n".join(token.content for token in tokens if token.type == "front_matter")
    fields = {key: value.strip().strip("\"'") for key, value in _FIELD.findall(matter)}
    return f"<body>{parser.renderer.render(tokens, parser.options, environment)}</body>", fields
