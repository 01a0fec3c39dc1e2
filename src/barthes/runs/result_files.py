"""Result files: JSON lines, one file per batch of finished texts, written whole and never changed.

::

    results/
      1-of-1.000001.5f3a9c01d2e4b687.jsonl     writer (shard), number, BLAKE2b of the content
      2-of-4.000001.00c1f7a2935be84d.jsonl     another shard's; both may be written at the same time

A batch is written when its time is up: after a quarter of a second at first, later after 1 % of the time
that the run has taken so far, and after half a minute at most. A kill costs the batch that was not yet
written, and a hundred thousand texts make some thousands of files. A file whose content does not match the
hash in its name is not used, and its texts are scored again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

from barthes.runs.inputs import Input
from barthes.runs.storage import Storage

_NAME = re.compile(r"\d+-of-\d+\.\d+\.[0-9a-f]{16}\.jsonl")
_SHORTEST, _LONGEST = 0.25, 30.0  # seconds between two files
_SHARE = 0.01  # of the time so far
_WRITING = 20  # times what the last file took, so that writing takes 5 % of the time at most
_FULL = 8 << 20  # bytes after which a batch is written at once
_LOADED = 32  # files in memory while records are read; neighbours may be in files of different shards
_TEXTS = {"done": None, "failed": "reason", "part": "label"}  # what must be a text in records of each kind


@dataclass(frozen=True, slots=True)
class Record:
    """What became of a text, or of a part of a long text.

    Attributes:
        kind: A result, a failure, or the scores of a part.
        id: The text's id in the run.
        sha256: Hash of the text that it was computed from.
        content: ``profiles``, ``reason``, or a part's ``label`` and scores.
    """

    kind: Literal["done", "failed", "part"]
    id: str
    sha256: str
    content: dict[str, Any]

    @classmethod
    def parse(cls, line: bytes) -> Record:
        """Read the line of a record.

        Raises:
            ValueError: It is not one.
        """
        try:
            record = cls(**json.loads(line))
            name, text = _TEXTS[record.kind], record.content
            kinds = (type(record.id), type(record.sha256), type(text), type(text[name] if name else ""))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError("not a record") from error
        if kinds != (str, str, dict, str):
            raise ValueError("not a record")
        return record

    def format(self) -> bytes:
        """Return the line of the record."""
        text = json.dumps(asdict(self), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode() + b"\n"

    @property
    def has_notes(self) -> bool:
        """Whether one of a result's profiles has notes."""
        profiles = self.content.get("profiles")
        return isinstance(profiles, list) and any(isinstance(p, dict) and p.get("notes") for p in profiles)


class Place(NamedTuple):
    """Where a record is: a file, an offset and a length in bytes."""

    name: str
    offset: int
    length: int


_Key = tuple[str, str]  # the id and the hash of a text


@dataclass
class Index:
    """What is in the files, without the results themselves; texts are known by id and SHA-256.

    Attributes:
        done: Where each result is.
        failed: Why there is none.
        parts: Where the parts of long texts are, by label.
        noted: Texts whose results have notes.
        damaged: Files that cannot be used.
    """

    done: dict[_Key, Place] = field(default_factory=dict)
    failed: dict[_Key, str] = field(default_factory=dict)
    parts: dict[_Key, dict[str, Place]] = field(default_factory=dict)
    noted: set[_Key] = field(default_factory=set)
    damaged: list[str] = field(default_factory=list)

    def add(self, record: Record, place: Place) -> None:
        """Note a record."""
        key = (record.id, record.sha256)
        if record.kind == "done":
            self.done[key] = place
            if record.has_notes:
                self.noted.add(key)
        elif record.kind == "failed":
            self.failed[key] = record.content["reason"]
        else:
            self.parts.setdefault(key, {})[record.content["label"]] = place

    @property
    def failed_ids(self) -> set[str]:
        """The ids of texts that have failed, and have no result in any version."""
        return {name for name, _ in self.failed} - {name for name, _ in self.done}

    def failures(self, texts: Iterable[Input]) -> dict[str, str]:
        """Return why texts, as they are now, have no result: by id, in their order."""
        failed = self.failed.keys() - self.done.keys()
        return {text.id: self.failed[text.key] for text in texts if text.key in failed}


class ResultFiles:
    """The result files in a folder; `writer` is the name of the shard whose files this object writes."""

    def __init__(self, storage: Storage, *, writer: str = "1-of-1") -> None:
        self._storage = storage
        self._writer = writer
        self._load = functools.lru_cache(maxsize=_LOADED)(storage.read)
        self._batch: list[bytes] = []
        self._size = 0
        self._number: int | None = None
        self._began = self._written = time.monotonic()
        self._took = 0.0

    def names(self) -> list[str]:
        """Return the names of the files, sorted."""
        return [name for name in self._storage.names() if _NAME.fullmatch(name)]

    def scan(self) -> Index:
        """Read and check every file.

        Raises:
            ReadingError: A file cannot be read.
        """
        index = Index()
        for name, data in self._storage.read_each(self.names()):
            lines = data.splitlines(keepends=True)
            try:
                if name.split(".")[2] != _hash(data):
                    raise ValueError("the content is not what was written")
                records = list(map(Record.parse, lines))
            except ValueError:
                index.damaged.append(name)
                continue
            offset = 0
            for record, line in zip(records, lines, strict=True):
                index.add(record, Place(name, offset, len(line)))
                offset += len(line)
        return index

    def read(self, places: Iterable[Place]) -> Iterator[Record]:
        """Yield the records at some places.

        Raises:
            ReadingError: A file cannot be read.
            ValueError: A record is not there any more.
        """
        for name, offset, length in places:
            yield Record.parse(self._load(name)[offset : offset + length])

    def remove(self, names: Iterable[str]) -> None:
        """Remove files."""
        for name in names:
            self._storage.remove(name)

    def add(self, record: Record) -> None:
        """Put a record into the current batch, and write that if it is due."""
        self._batch.append(record.format())
        self._size += len(self._batch[-1])
        self.flush_if_due()

    def flush_if_due(self) -> None:
        """Write the batch if its time is up, or if it is large."""
        now = time.monotonic()
        pause = max(_SHORTEST, _SHARE * (now - self._began), _WRITING * self._took)
        if now - self._written >= min(pause, _LONGEST) or self._size >= _FULL:
            self.flush()

    def flush(self) -> None:
        """Write the batch.

        Raises:
            OutputError: It cannot be written; it is kept in memory.
        """
        if not self._batch:
            return
        began = time.monotonic()
        if self._number is None:
            own = [name.split(".") for name in self.names() if name.startswith(f"{self._writer}.")]
            self._number = max((int(number) for _, number, *_ in own), default=0)
        data = b"".join(self._batch)
        self._storage.write(f"{self._writer}.{self._number + 1:06}.{_hash(data)}.jsonl", data)
        self._number += 1
        self._batch.clear()
        self._size = 0
        self._written = time.monotonic()
        self._took = self._written - began


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()
