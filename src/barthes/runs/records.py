"""One result on one line, with a checksum in front, so that a damaged one is known and the next one is found.

::

    checksum ⇥ kind ⇥ id ⇥ SHA-256 of the text ⇥ detail ⇥ payload (JSON) ⏎

JSON has neither tabs nor line breaks in it, so a line is a record and nothing else.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Kind", "Record", "format_record", "parse_record"]

Kind = Literal["done", "failed", "part"]
"""A text's result, the reason why there is none, or a part of a long text's scores."""

_KINDS: dict[bytes, Kind] = {b"done": "done", b"failed": "failed", b"part": "part"}
_CHECKSUM = 16  # bytes
_NOTES = b'"notes":["'  # as `format_record` writes a list that is not empty


@dataclass(frozen=True, slots=True)
class Record:
    """What became of a text, or of a part of it.

    Attributes:
        kind: Which of the three it is.
        id: The text's id in the run.
        sha256: Of the text that it was computed from.
        detail: The label of a part, else empty.
        payload: The line's JSON, as bytes.
    """

    kind: Kind
    id: str
    sha256: str
    detail: str
    payload: bytes

    @property
    def has_notes(self) -> bool:
        """Whether a result has remarks for its reader; found without reading all of it.

        Inside a text the quotation marks would have backslashes in front.
        """
        return self.kind == "done" and _NOTES in self.payload

    @property
    def content(self) -> Any:
        """The payload as Python knows it."""
        return json.loads(self.payload)


def format_record(kind: Kind, id: str, sha256: str, content: Any, *, detail: str = "") -> bytes:  # noqa: A002
    """The line of a record.

    >>> parse_record(format_record("failed", "wolf", "f00", {"reason": "it is empty."})).content
    {'reason': 'it is empty.'}
    """
    payload = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    fields = (kind, json.dumps(id), sha256, detail, payload)
    body = "\t".join(fields).encode("utf-8")
    return b"%s\t%s\n" % (_checksum(body), body)


def parse_record(line: bytes) -> Record | None:
    """What a line holds, or None where it is damaged.

    >>> parse_record(b"0123\\tdone\\t...") is None
    True
    """
    checksum, _, body = line.removesuffix(b"\n").partition(b"\t")
    if not line.endswith(b"\n") or checksum != _checksum(body):
        return None
    try:
        kind, id_, sha256, detail, payload = body.split(b"\t", 4)
        record = Record(_KINDS[kind], json.loads(id_), sha256.decode(), detail.decode(), payload)
        return record if _is_sound(record) else None
    except (ValueError, KeyError, RecursionError):  # from a version that wrote something else
        return None


def _is_sound(record: Record) -> bool:
    """Whether it is what Barthes writes; results are long, and looked into only when they are needed."""
    if record.kind != "failed":
        return isinstance(record.id, str) and record.payload.startswith(b"{")
    content = record.content
    return isinstance(record.id, str) and isinstance(content, dict) and isinstance(content.get("reason"), str)


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECKSUM).hexdigest().encode()
