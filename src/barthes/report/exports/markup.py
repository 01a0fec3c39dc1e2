"""XML as text: escaping, and the characters that XML cannot hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

__all__ = ["DECLARATION", "TEI_NAMESPACE", "element", "escape_text", "hold_in_xml"]

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
TEI_NAMESPACE = "http://www.tei-c.org/ns/1.0"

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def hold_in_xml(text: str) -> str:
    """The text with a space or � for each character that XML 1.0 forbids; offsets stay.

    >>> hold_in_xml("a\\x0cb\\x00c")
    'a b�c'
    """
    return _FORBIDDEN.sub(lambda match: " " if match[0].isspace() else "�", text)


def escape_text(text: str) -> str:
    """Text as the content of an element; a carriage return stays one when it is read back.

    >>> escape_text("a < b\\r\\n")
    'a &lt; b&#13;\\n'
    """
    return escape(hold_in_xml(text), {"\r": "&#13;"})


def element(name: str, attributes: Mapping[str, str] | None = None, *content: str) -> str:
    """An element; its content is XML already.

    >>> element("s", {"n": 'a"b'}, "x")
    '<s n=\\'a"b\\'>x</s>'
    >>> element("lb")
    '<lb/>'
    """
    given = "".join(f" {key}={quoteattr(hold_in_xml(value))}" for key, value in (attributes or {}).items())
    inside = "".join(content)
    return f"<{name}{given}>{inside}</{name}>" if inside else f"<{name}{given}/>"
