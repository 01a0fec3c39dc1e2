"""Where a run keeps its files: a local folder, or any address that fsspec knows (``s3://…``).

Every file is written atomically: renamed into place on disks, put with one request on object stores. No file
is appended to or changed afterwards.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

from barthes.errors import BarthesError, OutputError
from barthes.files import reading, write_atomically

# File systems that put a file atomically. On others, a file is written under a hidden name and moved.
_ATOMIC = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "oci", "hf", "memory"})
_REQUESTS = 16  # files that are requested at once


def open_storage(where: str | os.PathLike[str]) -> Storage:
    """Return the storage at a path or an address, which need not exist.

    Raises:
        OutputError: The address has an unknown file system, or its package or credentials are missing.
    """
    from fsspec.core import url_to_fs

    address = os.fspath(where)
    if "://" not in address or address.startswith(("file://", "local://")):
        path = os.path.abspath(address.partition("://")[2] or address)  # noqa: PTH100 - keeps links
        system, path = url_to_fs(f"file://{path}")
        return Storage(system, path, where=path if "://" in address else address)
    address = address.rstrip("/")
    try:
        system, path = url_to_fs(address)
    except Exception as error:  # every file system has errors of its own
        raise OutputError(
            f"cannot be reached ({_first_line(error)}).",
            where=address,
            remedy="Install the package for its kind of address (s3fs for s3://, gcsfs for gs://).",
        ) from error
    return Storage(system, str(path), where=address)


class Storage:
    """A folder of an fsspec file system, called `where` in errors. Hidden files are internal."""

    def __init__(self, system: Any, path: str, *, where: str) -> None:
        self._system = system
        self._path = path
        self.where = where
        protocols = {system.protocol} if isinstance(system.protocol, str) else set(system.protocol)
        self.is_local: bool = "file" in protocols
        self._is_atomic = bool(protocols & _ATOMIC)

    def make(self) -> None:
        """Create the folder, except on object stores, which have none."""
        if not self._is_atomic:
            with _writing(self.where):
                self._system.makedirs(self._path, exist_ok=True)

    def subfolder(self, name: str) -> Storage:
        """Return the storage of a folder in this one."""
        return Storage(self._system, f"{self._path}/{name}", where=f"{self.where}/{name}")

    @contextlib.contextmanager
    def lock(self, name: str, *, wait: bool) -> Iterator[None]:
        """Hold a lock that ends with the process; a no-op for addresses, which have no locks.

        Raises:
            OutputError: Another process holds it, and `wait` is false.
        """
        if not self.is_local:
            yield
            return
        from filelock import FileLock, Timeout

        lock = FileLock(Path(self._path) / f".{name}.lock")
        with _writing(self.where, "cannot be locked"):
            try:
                lock.acquire(timeout=-1 if wait else 0)
            except Timeout:
                remedy = "Wait for it, or run another shard."
                raise OutputError(
                    "another process is working on it.", where=self.where, remedy=remedy
                ) from None
        try:
            yield
        finally:
            lock.release()

    def remove_temporary(self, prefix: str) -> None:
        """Remove unfinished files of a killed process whose names start with `prefix`."""
        if self.is_local:
            with _writing(self.where):
                for path in Path(self._path).glob(f".{prefix}*"):
                    path.unlink(missing_ok=True)

    def names(self) -> list[str]:
        """Return the names of the files, sorted."""
        with reading(self.where):
            try:
                self._system.invalidate_cache(self._path)
                found = self._system.ls(self._path, detail=True)
            except FileNotFoundError:
                return []
        names = [str(each["name"]).rpartition("/")[2] for each in found if each["type"] == "file"]
        return sorted(name for name in names if name and not name.startswith("."))

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with reading(f"{self.where}/{name}"):
            return cast(bytes, self._system.cat_file(f"{self._path}/{name}"))

    def read_each(self, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the names and contents of files; from addresses, several are requested at once."""
        if self.is_local:
            yield from ((name, self.read(name)) for name in names)
            return
        with ThreadPoolExecutor(_REQUESTS) as pool:
            for start in range(0, len(names), _REQUESTS):
                group = names[start : start + _REQUESTS]
                yield from zip(group, pool.map(self.read, group), strict=True)

    def write(self, name: str, data: bytes) -> None:
        """Write a file atomically, replacing any file of that name.

        Raises:
            OutputError: It cannot be written; no partial file is left.
        """
        path = f"{self._path}/{name}"
        if self.is_local:
            self.make()
            write_atomically(Path(path), data)
            _sync_folder(self._path)
            return
        with _writing(f"{self.where}/{name}"):
            if self._is_atomic:
                self._system.pipe_file(path, data)
                return
            self.make()
            temporary = f"{self._path}/.{name}.{secrets.token_hex(4)}"
            self._system.pipe_file(temporary, data)
            self._system.mv(temporary, path)

    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""
        with _writing(f"{self.where}/{name}"), contextlib.suppress(FileNotFoundError):
            self._system.rm_file(f"{self._path}/{name}")


def _sync_folder(path: str) -> None:
    """Flush a folder's entries to disk. Windows cannot open folders, and some network disks cannot flush."""
    if os.name == "nt":
        return
    with _writing(path):
        handle = os.open(path, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _writing(where: str, problem: str = "cannot be written") -> Iterator[None]:
    """Turn any error of a file system into an `OutputError`."""
    try:
        yield
    except BarthesError:
        raise
    except Exception as error:
        raise OutputError(
            f"{problem} ({_first_line(error)}).",
            where=where,
            remedy="Check the disk or the address, and your permissions; then run the same command again.",
        ) from error


def _first_line(error: Exception) -> str:
    lines = (getattr(error, "strerror", None) or str(error)).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
