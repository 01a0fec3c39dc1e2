"""Write XML: escaping, the characters that XML cannot hold, and the templates of this package."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from jinja2 import Environment

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def hold_in_xml(text: str) -> str:
    """Replace each character that XML 1.0 forbids with a space or �; offsets stay.

    >>> hold_in_xml("a\\x0cb\\x00c")
    'a b�c'
    """
    return _FORBIDDEN.sub(lambda match: " " if match[0].isspace() else "�", text)


def escape_text(text: str) -> str:
    """Escape text for the content of an element; a carriage return survives reading it back.

    >>> escape_text("a < b\\r\\n")
    'a &lt; b&#13;\\n'
    """
    return escape(hold_in_xml(text), {"\r": "&#13;"})


def render_xml(template: str, **content: Any) -> str:
    """Fill in a template of this package; all values are escaped, except those marked ``safe``."""
    return _load_templates().get_template(template).render(**content)


def _finalize(value: Any) -> Any:
    """Escape a value for XML; floats get the fewest digits that give the same number back."""
    return value if hasattr(value, "__html__") else escape_text(str(value))


@cache
def _load_templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("barthes.report.exports"),
        autoescape=False,  # that would escape for HTML
        finalize=_finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
