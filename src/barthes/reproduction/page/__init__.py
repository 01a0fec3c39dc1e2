"""A reproduction of the paper as people read it: Markdown and one HTML page, our figures beside its own.

Everything is made from the plain dict that is also written as JSON, so what the pages show can be checked
against the file beside them, and the same dict gives the same bytes on every run.
"""

from __future__ import annotations

from barthes.reproduction.page.html_page import render_html
from barthes.reproduction.page.markdown import render_markdown

__all__ = ["render_html", "render_markdown"]
