"""How layers point to tokens: ids joined by ``~`` inside a span, spans by ``,``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from barthes.annotation.events import Token

__all__ = ["BrokenReferenceError", "find_tokens", "parse_references"]

_REFERENCES = re.compile(r"\d+(?:~\d+)*(?:,\d+(?:~\d+)*)*")


class BrokenReferenceError(ValueError):
    """A pointer that points nowhere; the reader of a corpus turns it into a `Problem`."""


def parse_references(text: str) -> tuple[tuple[str, ...], ...]:
    """The ids, span by span.

    >>> parse_references("47~48,50")
    (('47', '48'), ('50',))
    """
    if not _REFERENCES.fullmatch(text):
        raise BrokenReferenceError(f"{text!r} does not read like token ids")
    return tuple(tuple(span.split("~")) for span in text.split(","))


def find_tokens(spans: tuple[tuple[str, ...], ...], tokens: Mapping[str, Token]) -> tuple[Token, ...]:
    """The tokens that are pointed to, in the order of the pointers."""
    ids = [identity for span in spans for identity in span]
    for identity in ids:
        if identity not in tokens:
            raise BrokenReferenceError(f"there is no token {identity}, or it was left out")
    return tuple(tokens[identity] for identity in ids)
