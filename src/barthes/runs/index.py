"""What the records of a run say without the results: what is done, what failed, and where it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from barthes.runs.records import Record

if TYPE_CHECKING:
    from barthes.runs.inputs import Input

__all__ = ["Index", "Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record is: a file, an offset and a length in bytes."""

    name: str
    offset: int
    length: int


@dataclass
class Index:
    """What a store holds, without the results themselves.

    Attributes:
        done: The place of each result, by the text's id.
        failed: Why there is none, for texts without a result.
        parts: The places of a long text's parts by their labels, for texts without a result.
        damaged: How many records cannot be used.
        texts: The SHA-256 of the text that each of `done` and `failed` was made from.
        noted: Texts whose results have notes.
    """

    done: dict[str, Place] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    parts: dict[str, dict[str, Place]] = field(default_factory=dict)
    damaged: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    noted: set[str] = field(default_factory=set)

    def add(self, record: Record, place: Place) -> None:
        """Note a record: a result counts more than a failure, and the later one of two."""
        if record.kind == "done":
            self.done[record.id] = place
            self.texts[record.id] = record.sha256
            self.failed.pop(record.id, None)
            self.parts.pop(record.id, None)
            (self.noted.add if record.has_notes else self.noted.discard)(record.id)
        elif record.id in self.done:
            return
        elif record.kind == "failed":
            self.failed[record.id] = str(record.content["reason"])
            self.texts[record.id] = record.sha256
        else:
            self.parts.setdefault(record.id, {})[record.detail] = place

    def is_done(self, id: str, sha256: str) -> bool:  # noqa: A002
        """Whether there is a result of a text, and of that text."""
        return id in self.done and self.texts[id] == sha256

    def failures_of(self, inputs: Iterable[Input]) -> dict[str, str]:
        """Why texts, as they are now, have no result: by id, in their order."""
        return {
            each.id: self.failed[each.id]
            for each in inputs
            if each.id in self.failed and self.texts[each.id] == each.sha256
        }

    def noted_of(self, inputs: Iterable[Input]) -> list[str]:
        """The ids of texts whose results have notes, in their order."""
        return [each.id for each in inputs if each.id in self.noted and self.is_done(each.id, each.sha256)]

    def find_parts(self, id: str) -> dict[str, Place]:  # noqa: A002
        """The places of the parts of a long text, by their labels."""
        return self.parts.get(id, {})

    def needs(self, record: Record, place: Place) -> bool:
        """Whether a record still says something that no other does."""
        if record.kind == "done":
            return self.done.get(record.id) == place
        if record.kind == "failed":
            return record.id in self.failed
        return self.parts.get(record.id, {}).get(record.detail) == place
