"""The cache of computed scores: one SQLite database for `score`, `run`, `evaluate` and `reproduce`.

The key of a value is a hash of everything that affects it. Several processes may read and write at the same
time (write-ahead log). Beyond a size limit, the least recently used entries are evicted. Problems with the
cache cost time, never a result: they are logged, and a damaged file is renamed, not deleted.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from barthes.errors import BarthesError, ModelError, OutputError
from barthes.hashing import hash_content

T = TypeVar("T")

_logger = logging.getLogger("barthes")

_DEFAULT_LIMIT = 10**9
_FILL = 0.9  # share of the limit in use after an eviction
_BUSY = 10.0  # seconds to wait for another process
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)b?\s*", re.IGNORECASE)
_TABLES = (
    "CREATE TABLE IF NOT EXISTS scores (key TEXT PRIMARY KEY, value BLOB NOT NULL, used REAL NOT NULL)",
    "CREATE INDEX IF NOT EXISTS by_use ON scores (used)",
)


@dataclass(frozen=True)
class CacheStatus:
    """The number of entries of a cache, its size and its limit in bytes."""

    path: Path
    entries: int
    size: int
    limit: int


class ScoreCache:
    """A cache of JSON values in an SQLite database.

    Args:
        path: The database; by default `cache_file()`.
        limit: The largest size in bytes; by default `cache_limit()`.

    Attributes:
        found: The number of values that this object has found.
        stored: The number of values that it has stored.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache = ScoreCache(Path(folder, "scores.sqlite3"))
    ...     before = cache.fetch({"text": "a hash"})
    ...     cache.store({"text": "a hash"}, {"scores": [0.5]})
    ...     before, cache.fetch({"text": "a hash"}), cache.status().entries
    ...     cache.close()
    (None, {'scores': [0.5]}, 1)
    """

    _database: sqlite3.Connection | None = None

    def __init__(self, path: Path | None = None, *, limit: int | None = None) -> None:
        self.path: Path = cache_file() if path is None else path
        self.limit: int = cache_limit() if limit is None else limit
        self.found: int = 0
        self.stored: int = 0
        self._warned = False

    def fetch(self, identity: Mapping[str, Any]) -> Any:
        """Return the value stored under an identity, or None."""
        value = self._use(lambda database: _fetch(database, hash_content(identity)), None)
        self.found += value is not None
        return value

    def store(self, identity: Mapping[str, Any], value: Any) -> None:
        """Store a JSON value, and evict the least recently used ones beyond the limit."""
        data = json.dumps(value, allow_nan=False).encode()
        if len(data) > self.limit * _FILL:
            _logger.warning("%s: a score of %d bytes is too large for the cache.", self.path, len(data))
            return
        self.stored += self._use(
            lambda database: _store(database, hash_content(identity), data, self.limit), False
        )

    def remove(self, identity: Mapping[str, Any]) -> None:
        """Remove the value stored under an identity, if there is one."""
        key = hash_content(identity)
        self._use(lambda database: database.execute("DELETE FROM scores WHERE key = ?", (key,)), None)

    def status(self) -> CacheStatus:
        """Return the number of entries and the size."""
        size, entries = 0, 0
        if self.path.exists():
            size, entries = self._use(lambda database: (_used_bytes(database), _count(database)), (0, 0))
        return CacheStatus(self.path, entries, size, self.limit)

    def clear(self) -> int:
        """Delete all entries, and a damaged database that was renamed; return the number of entries.

        Raises:
            OutputError: Another process is using the cache, or it is not writable.
        """
        entries: int | None = self._use(_clear, None) if self.path.exists() else 0
        self._aside.unlink(missing_ok=True)
        if entries is None:
            raise OutputError(
                "cannot be cleared: another process is using it, or it is not writable.",
                where=self.path,
                remedy="Try again when no other command is running.",
            )
        return entries

    def close(self) -> None:
        """Close the database."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def __enter__(self) -> ScoreCache:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(sqlite3.ProgrammingError):  # another thread opened it
            self.close()  # since Python 3.13, one that is left open causes a warning

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the connection; the other process opens its own."""
        return {**vars(self), "_database": None}

    @property
    def _aside(self) -> Path:
        return self.path.with_name(f"{self.path.name}.damaged")

    def _use(self, action: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Run an action on the database; if it cannot be used, log a warning once and return `otherwise`."""
        try:
            return action(self._connect())
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", None)
            if code is None:  # a programming error, not one of the database
                raise
            self.close()  # rolls back
            if code & 0xFF in _DAMAGED:
                self._set_aside()
            else:
                self._warn(str(error))
        except OSError as error:
            self._warn(error.strerror or str(error))
        except BaseException:  # interrupted
            self.close()
            raise
        return otherwise

    def _connect(self) -> sqlite3.Connection:
        if self._database is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.path, timeout=_BUSY, isolation_level=None)
            with contextlib.suppress(sqlite3.OperationalError):  # in use: another process sets it later
                self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")  # a power cut may lose entries only
            for statement in _TABLES:
                self._database.execute(statement)
        return self._database

    def _warn(self, cause: str) -> None:
        if not self._warned:
            _logger.warning("%s: the score cache cannot be used (%s); continuing without.", self.path, cause)
        self._warned = True

    def _set_aside(self) -> None:
        """Rename a damaged database to make room for a new one."""
        try:
            self.path.replace(self._aside)
            for ending in ("-wal", "-shm"):  # SQLite would apply them to the new database
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        except OSError as error:
            self._warn(f"it is damaged and cannot be renamed: {error.strerror}")
            return
        message = "%s: the score cache is damaged; renamed it to %s and started a new one."
        _logger.warning(message, self.path, self._aside.name)


def _fetch(database: sqlite3.Connection, key: str) -> Any:
    row = database.execute("SELECT value FROM scores WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    with contextlib.suppress(sqlite3.OperationalError):  # locked or read-only: the value is valid anyway
        database.execute("UPDATE scores SET used = ? WHERE key = ?", (time.time(), key))
    try:
        return json.loads(row[0])
    except ValueError:  # damaged: computed again, and stored in its place
        return None


def _store(database: sqlite3.Connection, key: str, data: bytes, limit: int) -> bool:
    database.execute("BEGIN IMMEDIATE")
    database.execute("INSERT OR REPLACE INTO scores VALUES (?, ?, ?)", (key, data, time.time()))
    if _used_bytes(database) > limit:
        while _used_bytes(database) > limit * _FILL and (entries := _count(database)) > 1:
            oldest = "SELECT key FROM scores ORDER BY used LIMIT ?"
            database.execute(f"DELETE FROM scores WHERE key IN ({oldest})", (max(1, entries // 10),))
    database.execute("COMMIT")
    return True


def _used_bytes(database: sqlite3.Connection) -> int:
    names = ("page_count", "freelist_count", "page_size")
    pages, free, size = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
    return int((pages - free) * size)


def _count(database: sqlite3.Connection) -> int:
    return int(database.execute("SELECT COUNT(*) FROM scores").fetchone()[0])


def _clear(database: sqlite3.Connection) -> int:
    entries = _count(database)
    database.execute("DELETE FROM scores")
    with contextlib.suppress(sqlite3.OperationalError):  # in use: the space is freed later
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return entries


def cache_folder() -> Path:
    """Return Barthes' cache folder: `BARTHES_CACHE`, or one in the user's cache folder.

    Raises:
        ModelError: `BARTHES_CACHE` is in the home folder of an unknown user.
    """
    import platformdirs

    given = os.environ.get("BARTHES_CACHE")
    if not given:
        return platformdirs.user_cache_path("barthes", appauthor=False).absolute()
    try:
        return Path(given).expanduser().absolute()
    except RuntimeError as error:
        raise ModelError(
            "there is no such home folder.", where=f"BARTHES_CACHE={given}", remedy="Give another path."
        ) from error


def cache_file() -> Path:
    """Return the database of cached scores: ``scores.sqlite3`` in Barthes' cache folder."""
    return cache_folder() / "scores.sqlite3"


def cache_limit() -> int:
    """Return the largest size of the cache in bytes: `BARTHES_CACHE_SIZE`, such as ``500MB``, or 1 GB."""
    given = os.environ.get("BARTHES_CACHE_SIZE")
    return parse_size(given) if given else _DEFAULT_LIMIT


def parse_size(text: str) -> int:
    """Parse a size in bytes; raise BarthesError for anything else.

    >>> parse_size("500 MB"), parse_size("2g"), parse_size("4096")
    (500000000, 2000000000, 4096)
    """
    if (match := _SIZE.fullmatch(text)) is None:
        raise BarthesError(
            f"{text!r} is not a size.",
            where="BARTHES_CACHE_SIZE",
            remedy="Use a number of bytes, kB, MB or GB.",
        )
    return int(float(match[1]) * _UNITS[match[2].lower()])
