"""Griffe extension: put the doctests of docstrings into code blocks, so that the site shows them as code."""

from __future__ import annotations

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^>>> .*\n(?:(?!\s*$).*(?:\n|\Z))*", re.MULTILINE)


class FenceDoctests(griffe.Extension):
    """Fence every run of lines that starts with `>>>` and ends at a blank line."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite one docstring before it is parsed."""
        if obj.docstring:
            text = obj.docstring.value + "\n"
            obj.docstring.value = DOCTEST.sub(lambda found: f"```python\n{found[0].rstrip()}\n```\n", text)
