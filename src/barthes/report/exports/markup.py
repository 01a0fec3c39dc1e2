"""Write XML: escape text, replace characters that XML forbids, and fill in the templates of this package."""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape

from barthes.report.escaping import load_templates

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def replace_forbidden(text: str) -> str:
    """Replace each character that XML 1.0 forbids with a space or �; offsets stay.

    >>> replace_forbidden("a\\x0cb\\x00c")
    'a b�c'
    """
    return _FORBIDDEN.sub(lambda match: " " if match[0].isspace() else "�", text)


def escape_text(text: str) -> str:
    """Escape text for the content of an element; a carriage return survives reading it back.

    >>> escape_text("a < b\\r\\n")
    'a &lt; b&#13;\\n'
    """
    return escape(replace_forbidden(text), {"\r": "&#13;"})


def render_xml(template: str, **content: Any) -> str:
    """Fill in a template of this package; all values are escaped, except those marked ``safe``."""
    templates = load_templates("barthes.report.exports", autoescape=False, finalize=_finalize)
    return templates.get_template(template).render(**content)


def _finalize(value: Any) -> Any:
    """Escape a value for XML; floats get the fewest digits that give the same number back."""
    return value if hasattr(value, "__html__") else escape_text(str(value))
