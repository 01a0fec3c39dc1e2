"""Result files: JSON lines, one file per batch of finished texts, written atomically and never changed.

::

    results/
      1-of-1.000001.5f3a9c01d2e4b687.jsonl     writer (shard), number, BLAKE2b of the content
      2-of-4.000001.00c1f7a2935be84d.jsonl     of another shard, which may write at the same time

A batch is written after a quarter of a second at first, later after 1 % of the run's time so far, and after
at most half a minute. A kill loses the batch that is not written yet, and 100,000 texts make a few thousand
files. A file whose content does not match the hash in its name is ignored, and its texts are scored again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from barthes.runs.inputs import Input
from barthes.runs.storage import Storage

_NAME = re.compile(r"\d+-of-\d+\.\d+\.[0-9a-f]{16}\.jsonl")
_MIN_PAUSE, _MAX_PAUSE = 0.25, 30.0  # seconds between two files
_TIME_SHARE = 0.01  # pause as a share of the run's time so far
_WRITING = 20  # pause as a multiple of the last write: writing takes at most 5 % of the time
_MAX_BATCH = 8 << 20  # bytes
_CACHED_FILES = 32  # while records are read: neighbours may be in files of different shards
_REQUIRED = {"done": None, "failed": "reason"}  # text in the content of each kind

Key = tuple[str, str]
"""The id and the SHA-256 of a text."""
Place = tuple[str, int]
"""Where a record is: the file's name and the number of the line."""


@dataclass(frozen=True, slots=True)
class Record:
    """The result of a text, or its failure."""

    kind: Literal["done", "failed"]
    id: str
    sha256: str
    content: dict[str, Any]  # ``profiles`` or ``reason``

    @classmethod
    def parse(cls, line: bytes) -> Record:
        """Parse the line of a record; raise a ValueError if it is something else."""
        try:
            record = cls(**json.loads(line))
            name, content = _REQUIRED[record.kind], record.content
            types = (type(record.id), type(record.sha256), type(content), type(content[name] if name else ""))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError("not a record") from error
        if types != (str, str, dict, str):
            raise ValueError("not a record")
        return record

    def format(self) -> bytes:
        """Return the line of the record."""
        text = json.dumps(asdict(self), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode() + b"\n"

    @property
    def has_notes(self) -> bool:
        """Whether a profile of the result has notes."""
        profiles = self.content.get("profiles")
        return isinstance(profiles, list) and any(isinstance(p, dict) and p.get("notes") for p in profiles)


@dataclass
class Index:
    """An index of the result files, without the results themselves."""

    done: dict[Key, Place] = field(default_factory=dict)
    failed: dict[Key, str] = field(default_factory=dict)  # the reasons
    noted: set[Key] = field(default_factory=set)  # texts whose results have notes
    damaged: list[str] = field(default_factory=list)  # files that cannot be used

    def add(self, record: Record, place: Place) -> None:
        """Add a record."""
        key = (record.id, record.sha256)
        if record.kind == "done":
            self.done[key] = place
            if record.has_notes:
                self.noted.add(key)
        else:
            self.failed[key] = record.content["reason"]

    @property
    def failed_ids(self) -> set[str]:
        """The ids of texts that have failed, and have no result in any version."""
        return {name for name, _ in self.failed} - {name for name, _ in self.done}

    def failures(self, texts: Iterable[Input]) -> dict[str, str]:
        """Return the reasons of texts that have failed in their current version, by id, in order."""
        failed = self.failed.keys() - self.done.keys()
        return {text.id: self.failed[text.key] for text in texts if text.key in failed}


class ResultFiles:
    """The result files in a folder; `writer` is the name of the shard whose files this object writes."""

    def __init__(self, storage: Storage, *, writer: str = "1-of-1") -> None:
        self._storage = storage
        self._writer = writer
        self._load_lines = functools.lru_cache(_CACHED_FILES)(lambda name: storage.read(name).splitlines())
        self._batch: list[bytes] = []
        self._size = 0
        self._number: int | None = None
        self._began = self._written = time.monotonic()
        self._took = 0.0

    def names(self) -> list[str]:
        """Return the names of the files, sorted."""
        return [name for name in self._storage.names() if _NAME.fullmatch(name)]

    def scan(self) -> Index:
        """Read and check every file; raise a `ReadingError` if one cannot be read."""
        index = Index()
        for name, data in self._storage.read_each(self.names()):
            try:
                if name.split(".")[2] != _hash(data):
                    raise ValueError("the content does not match the hash")
                records = list(map(Record.parse, data.splitlines()))
            except ValueError:
                index.damaged.append(name)
                continue
            for i, record in enumerate(records):
                index.add(record, (name, i))
        return index

    def read(self, places: Iterable[Place]) -> Iterator[Record]:
        """Yield the records at some places.

        Raises:
            ReadingError: A file cannot be read.
            ValueError: A record is no longer there.
        """
        for name, i in places:
            lines = self._load_lines(name)
            yield Record.parse(lines[i] if i < len(lines) else b"")

    def remove(self, names: Iterable[str]) -> None:
        """Remove files."""
        for name in names:
            self._storage.remove(name)

    def add(self, record: Record) -> None:
        """Add a record to the current batch, and write the batch if it is due."""
        self._batch.append(record.format())
        self._size += len(self._batch[-1])
        self.flush_if_due()

    def flush_if_due(self) -> None:
        """Write the batch if its time is up, or if it is large."""
        now = time.monotonic()
        pause = max(_MIN_PAUSE, _TIME_SHARE * (now - self._began), _WRITING * self._took)
        if now - self._written >= min(pause, _MAX_PAUSE) or self._size >= _MAX_BATCH:
            self.flush()

    def flush(self) -> None:
        """Write the batch; on an `OutputError` it is kept in memory."""
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
