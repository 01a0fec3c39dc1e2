"""Scores that any run has computed, kept for the next one: the same text, model, removal and window → read.

An SQLite database in write-ahead mode, in Barthes' cache folder: several processes may read and write it at
the same time. It takes about so many bytes of disk at most; what was not used for longest goes first.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from barthes.errors import BarthesError, OutputError
from barthes.hashing import hash_content
from barthes.models.store import models_folder

__all__ = ["CacheStatus", "ScoreCache", "cache_file", "cache_limit", "parse_size"]

T = TypeVar("T")

_DEFAULT_LIMIT = 10**9
_ROOM = 0.9  # of the limit is what an eviction leaves
_LOG = 0.1  # of the limit is what the log of the last writes may take
_PAGE = 4096  # bytes of a page of the database, of which an overflowing row takes whole ones
_INSIDE = 1002  # bytes of a row that stay in its page if it fits, and
_BEGINNING = 489  # that stay at least if it does not (https://www.sqlite.org/fileformat2.html#b_tree_pages)
_FIELDS = 36  # bytes of a row beside its key and its value
_SLACK = 1.5  # what rows take, pages being two thirds full
_INDEX = 120  # bytes of a row's place in the order of use
_BUSY = 10.0  # seconds that another process may take
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)b?\s*", re.IGNORECASE)
_TABLES = """
CREATE TABLE IF NOT EXISTS scores (
  key TEXT PRIMARY KEY, value BLOB NOT NULL, checksum BLOB NOT NULL, size INTEGER NOT NULL, used REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON scores (used);
CREATE TABLE IF NOT EXISTS total (bytes INTEGER NOT NULL, entries INTEGER NOT NULL);
INSERT INTO total SELECT 0, 0 WHERE NOT EXISTS (SELECT 1 FROM total);
CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON scores BEGIN
  UPDATE total SET bytes = bytes + NEW.size, entries = entries + 1;
END;
CREATE TRIGGER IF NOT EXISTS gone AFTER DELETE ON scores BEGIN
  UPDATE total SET bytes = bytes - OLD.size, entries = entries - 1;
END;
"""


@dataclass(frozen=True)
class CacheStatus:
    """How full a cache is.

    Attributes:
        path: The database.
        entries: Texts by methods.
        size: Bytes on disk, about.
        limit: Bytes that it may take.
    """

    path: Path
    entries: int
    size: int
    limit: int


class ScoreCache:
    """Scores by all that they depend on.

    A cache that is damaged, full or locked is no reason to stop: it is then as good as empty, and a damaged
    one is started anew.

    Args:
        path: The database; by default `cache_file()`.
        limit: Bytes that it may take; by default `cache_limit()`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache = ScoreCache(Path(folder, "scores.sqlite3"), limit=1000)
    ...     before = cache.fetch({"text": "a hash"})
    ...     cache.keep({"text": "a hash"}, {"scores": [0.5]})
    ...     before, cache.fetch({"text": "a hash"}), cache.status().entries
    ...     cache.close()
    (None, {'scores': [0.5]}, 1)
    """

    def __init__(self, path: Path | None = None, *, limit: int | None = None) -> None:
        self.path = cache_file() if path is None else path
        self.limit = cache_limit() if limit is None else limit
        self._database: sqlite3.Connection | None = None

    def fetch(self, identity: Mapping[str, Any]) -> Any:
        """What was kept under an identity; None where there is nothing that can be used."""
        key = hash_content(identity)
        return self._try(lambda database: _look_up(database, key), None)

    def keep(self, identity: Mapping[str, Any], value: Any) -> None:
        """Keep a value, and let go of what was not used for longest if there is no room."""
        key = hash_content(identity)
        data = json.dumps(value, allow_nan=False).encode()
        if _weigh(key, data) <= self.limit * _ROOM:
            self._try(lambda database: _put(database, key, data, self.limit), None)

    def status(self) -> CacheStatus:
        """How full it is."""
        size, entries = self._try(_measure, (0, 0)) if self.path.exists() else (0, 0)
        return CacheStatus(self.path, entries, size, self.limit)

    def clear(self) -> int:
        """Forget everything; how many entries there were.

        Raises:
            OutputError: Another process keeps it, or it may not be written.
        """
        entries: int | None = self._try(_empty, None) if self.path.exists() else 0
        if entries is None and self.path.exists():  # one that was damaged is gone
            raise OutputError(
                "cannot be cleared: another process is at work on it, or it may not be written.",
                where=self.path,
                remedy="Try again when no run is going on.",
            )
        return entries or 0

    def close(self) -> None:
        """Let go of the database."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _try(self, action: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Do something with the database; whatever is wrong with it is no reason to stop."""
        try:
            return action(self._connect())
        except sqlite3.OperationalError:  # locked, read-only, a full disk
            self._roll_back()
        except (sqlite3.DatabaseError, ValueError):
            self._start_anew()
        except OSError:  # no folder to put it in
            pass
        return otherwise

    def _connect(self) -> sqlite3.Connection:
        if self._database is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(self.path, timeout=_BUSY, isolation_level=None)
            try:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost entries, not the cache
                log = min(int(self.limit * _LOG), 1000 * _PAGE)
                database.execute(f"PRAGMA wal_autocheckpoint = {max(1, log // _PAGE)}")
                database.execute(f"PRAGMA journal_size_limit = {log}")
                database.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
            except sqlite3.Error:
                database.close()
                raise
            self._database = database
        return self._database

    def _roll_back(self) -> None:
        if self._database is not None and self._database.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")

    def _start_anew(self) -> None:
        self.close()
        for ending in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)


def _look_up(database: sqlite3.Connection, key: str) -> Any:
    row = database.execute("SELECT value, checksum FROM scores WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    if row[1] != _checksum(key, row[0]):
        database.execute("DELETE FROM scores WHERE key = ?", (key,))
        return None
    database.execute("UPDATE scores SET used = ? WHERE key = ?", (time.time(), key))
    return json.loads(row[0])


def _put(database: sqlite3.Connection, key: str, data: bytes, limit: int) -> None:
    database.execute("BEGIN IMMEDIATE")
    database.execute("DELETE FROM scores WHERE key = ?", (key,))
    row = (key, data, _checksum(key, data), _weigh(key, data), time.time())
    database.execute("INSERT INTO scores VALUES (?, ?, ?, ?, ?)", row)
    _make_room(database, limit)
    database.execute("COMMIT")


def _make_room(database: sqlite3.Connection, limit: int) -> None:
    total, _ = _measure(database)
    if total <= limit:
        return
    doomed = []
    for key, size in database.execute("SELECT key, size FROM scores ORDER BY used"):
        if total <= limit * _ROOM:
            break
        doomed.append((key,))
        total -= size
    database.executemany("DELETE FROM scores WHERE key = ?", doomed)


def _measure(database: sqlite3.Connection) -> tuple[int, int]:
    """Bytes and entries."""
    size, entries = database.execute("SELECT bytes, entries FROM total").fetchone()
    return size, entries


def _weigh(key: str, data: bytes) -> int:
    """Bytes that an entry takes on disk, about.

    >>> _weigh("k" * 64, bytes(100)), _weigh("k" * 64, bytes(2000))
    (420, 4949)
    """
    row, page = len(key) + len(data) + _FIELDS, _PAGE - 4
    rest = _BEGINNING + (row - _BEGINNING) % page
    inside = row if row <= _INSIDE else rest if rest <= _INSIDE else _BEGINNING
    return int(inside * _SLACK) + -(-(row - inside) // page) * _PAGE + _INDEX


def _empty(database: sqlite3.Connection) -> int:
    """Delete everything; how many entries there were."""
    database.execute("BEGIN IMMEDIATE")
    _, entries = _measure(database)
    database.execute("DELETE FROM scores")
    database.execute("COMMIT")
    with contextlib.suppress(sqlite3.OperationalError):  # they are forgotten, if not yet given back
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return entries


def cache_file() -> Path:
    """Where scores are cached: ``scores.sqlite3``, beside the models in Barthes' cache folder."""
    return models_folder().with_name("scores.sqlite3")


def cache_limit() -> int:
    """Bytes that the cache may take: `BARTHES_CACHE_SIZE`, such as ``500MB``, or else 1 GB."""
    given = os.environ.get("BARTHES_CACHE_SIZE")
    return parse_size(given) if given else _DEFAULT_LIMIT


def parse_size(text: str, *, where: str = "BARTHES_CACHE_SIZE") -> int:
    """A number of bytes, as people write it.

    Raises:
        BarthesError: It is none.

    >>> parse_size("500 MB"), parse_size("2g"), parse_size("4096")
    (500000000, 2000000000, 4096)
    """
    if (match := _SIZE.fullmatch(text)) is None:
        raise BarthesError(
            f"{text!r} is no size.", where=where, remedy="Give a number of bytes, kB, MB or GB."
        )
    size = float(match[1]) * _UNITS[match[2].lower()]
    if not size < 2**63:
        raise BarthesError(f"{text[:40]!r} is too large.", where=where, remedy="Give fewer bytes.")
    return int(size)


def _checksum(key: str, value: bytes) -> bytes:
    return hashlib.blake2b(key.encode() + value, digest_size=16).digest()
