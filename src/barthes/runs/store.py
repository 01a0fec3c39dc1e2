"""Results on disk: files of records, each written whole, none ever changed.

::

    results/
      1-of-1.000001.records        one line a record: checksum, kind, id, …
      1-of-1.000002.records        what came next, of the first shard of one
      2-of-4.000001.records        another shard's; it may be written at the same time

A slow model gets a file a text, as soon as the text is done. A fast one gets a file for all that was done in
the last fraction of a second: a hundred thousand texts must not wait for a hundred thousand disk flushes.
What is lost by a kill is never more than that fraction of a second's work: a quarter, or fifty times what the
disk took for the last file, and five seconds at most. Small files are joined when a run starts and ends.
Nothing is appended to, so there are no torn ends.

Where there are no locks, a name has a sign of the process in it (``1-of-1.000001-5f3a9c01.records``): two
that have been started for the same shard by mistake cannot write over each other's results.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from barthes.errors import ReadingError
from barthes.files import reading
from barthes.runs.folder import Folder
from barthes.runs.index import Index, Place
from barthes.runs.records import Record, parse_record

__all__ = ["ResultStore"]

_ENDING = ".records"
_NAME = re.compile(r"\d+-of-\d+\.(\d+)(-[0-9a-f]+)?\.records")
_PAUSE = 0.25  # seconds between two files, at least: what a kill can cost
_SHARE = 50  # and this many times what the last file took, so that writing stays under 2 % of the time
_LONGEST = 5.0  # seconds between two files, at most, however slow the disk is
_FULL = 8 << 20  # bytes that wait at most
_MANY = 16  # files from which on joining them pays
_JOINED = 64 << 20  # bytes of a joined file, about
_PATIENCE = 5  # how often a reader starts anew because another process has joined files meanwhile


@dataclass
class _Group:
    """Files that become one."""

    names: list[str] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    size: int = 0
    damaged: int = 0

    def take(self, index: Index, place: Place, line: bytes) -> None:
        """Keep a line that says something."""
        record = parse_record(line)
        if record is None:
            self.damaged += 1
        elif index.needs(record, place):
            self.lines.append(line)
            self.size += len(line)


class ResultStore:
    """The results of a run.

    Args:
        folder: Where they are.
        writer: Whose files this object writes: one writer, one process at a time.
    """

    def __init__(self, folder: Folder, *, writer: str = "1-of-1") -> None:
        self._folder = folder
        self._writer = writer
        self._sign = "" if folder.has_locks else f"-{secrets.token_hex(4)}"
        self._waiting: list[bytes] = []
        self._size = 0
        self._written = 0.0
        self._took = 0.0
        self._last: int | None = None

    def scan(self) -> Index:
        """Read and check everything that is there, one record at a time."""
        for _ in range(_PATIENCE):
            names = self._names()
            try:
                return self._scan(names)
            except ReadingError:
                if set(names) <= set(self._names()):
                    raise
        raise ReadingError(
            "its files change faster than they can be read.", where=self._folder.where, remedy="Try again."
        )

    def shards(self) -> int:
        """How many shares a run was divided into, by the names of its files; 1 if it was not, or unevenly."""
        counts = {int(name.partition(".")[0].rpartition("-")[2]) for name in self._names()} - {1}
        return counts.pop() if len(counts) == 1 else 1

    def read(self, places: Iterable[Place]) -> Iterator[Record]:
        """The records at some places, in their order.

        Those that were damaged since they were looked at are left out. The last file stays open: neighbours
        in the order of the run are mostly neighbours on disk.

        Raises:
            ReadingError: A file cannot be read, or is not there any more.
        """
        name, file = "", None
        try:
            for place in places:
                if place.name != name or file is None:
                    if file is not None:
                        file.close()
                    name, file = place.name, self._folder.open(place.name)
                with reading(f"{self._folder.where}/{name}"):
                    file.seek(place.offset)
                    line = file.read(place.length)
                if (record := parse_record(line)) is not None:
                    yield record
        finally:
            if file is not None:
                file.close()

    def add(self, line: bytes) -> None:
        """Keep the line of a record: at once, or with those that come in the next fraction of a second.

        Raises:
            OutputError: It cannot be written.
        """
        self._waiting.append(line)
        self._size += len(line)
        self.flush_if_due()

    def flush_if_due(self) -> None:
        """Write what is waiting, unless the last file was written a moment ago."""
        pause = min(max(_PAUSE, _SHARE * self._took), _LONGEST)
        if time.monotonic() - self._written >= pause or self._size >= _FULL:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting.

        Raises:
            OutputError: It cannot be written; it waits on.
        """
        if not self._waiting:
            return
        began = time.monotonic()
        self._write(b"".join(self._waiting))
        self._waiting.clear()
        self._size = 0
        self._written = time.monotonic()
        self._took = self._written - began

    def compact(self) -> int:
        """Join this writer's small files, if there are many, without what nobody needs.

        How many damaged records went with that: nobody finds them any more.

        Interrupted at any moment, it leaves some records twice, and loses none. Places that were found before
        hold no more.
        """
        names = self._own_names()
        if len(names) < _MANY:
            return 0
        index = self.scan()
        dropped, group = 0, _Group()
        for name in names:
            group.names.append(name)
            for place, line in self._lines(name):
                group.take(index, place, line)
            if group.size >= _JOINED:
                dropped += self._join(group)
                group = _Group()
        return dropped + self._join(group)

    def _join(self, group: _Group) -> int:
        """Write the files of a group as one; how many damaged records that leaves out."""
        if len(group.names) < 2:
            return 0
        if group.lines:
            self._write(b"".join(group.lines))
        for name in group.names:
            self._folder.remove(name)
        return group.damaged

    def _write(self, data: bytes) -> None:
        if self._last is None:
            self._last = max(map(_number, self._own_names()), default=0)
        self._folder.write(f"{self._writer}.{self._last + 1:06}{self._sign}{_ENDING}", data)
        self._last += 1

    def _scan(self, names: list[str]) -> Index:
        index = Index()
        for name in names:
            for place, line in self._lines(name):
                if (record := parse_record(line)) is None:
                    index.damaged += 1
                else:
                    index.add(record, place)
        return index

    def _names(self) -> list[str]:
        return [name for name in self._folder.names() if _NAME.fullmatch(name)]

    def _own_names(self) -> list[str]:
        return [name for name in self._names() if name.startswith(f"{self._writer}.")]

    def _lines(self, name: str) -> Iterator[tuple[Place, bytes]]:
        offset = 0
        with reading(f"{self._folder.where}/{name}"), self._folder.open(name) as file:
            for line in file:  # what is wrong with whoever gets the line does not come back here
                yield Place(name, offset, len(line)), line
                offset += len(line)


def _number(name: str) -> int:
    """Of a file among those of its writer.

    >>> _number("2-of-4.000017.records"), _number("2-of-4.000017-5f3a9c01.records")
    (17, 17)
    """
    match = _NAME.fullmatch(name)
    return 0 if match is None else int(match[1])
