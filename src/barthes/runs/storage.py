"""Where a run keeps its files: a local folder, or any address that fsspec knows (``s3://…``).

Every file is written whole: under a temporary name and renamed into place on disks, with one request on
object stores. So at any moment the folder holds complete files only.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from barthes.errors import BarthesError, OutputError
from barthes.files import describe_cause, reading

REQUESTS = 16
"""Files that are read or written at once: each takes milliseconds, on object stores a tenth of a second."""

# File systems that put a file atomically. On others, a file is written under a hidden name and moved.
_ATOMIC = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "oci", "hf", "memory"})


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
            f"cannot be reached ({describe_cause(error)}).",
            where=address,
            remedy="Install the package for its kind of address (s3fs for s3://, gcsfs for gs://).",
        ) from error
    return Storage(system, str(path), where=address)


class Storage:
    """A folder of an fsspec file system, called `where` in errors; names of files are relative to it."""

    def __init__(self, system: Any, path: str, *, where: str) -> None:
        self._system = system
        self._path = path
        self.where = where
        protocols = {system.protocol} if isinstance(system.protocol, str) else set(system.protocol)
        self.is_local: bool = "file" in protocols
        self._is_atomic = bool(protocols & _ATOMIC)

    def list_files(self, folder: str) -> list[str]:
        """Return the names of the files in a folder and below, without the folders that they are in."""
        with reading(f"{self.where}/{folder}"):
            self._system.invalidate_cache()
            found = self._system.find(f"{self._path}/{folder}")
        return [str(path).rpartition("/")[2] for path in found]

    def exists(self, name: str) -> bool:
        """Return whether a file exists."""
        with reading(f"{self.where}/{name}"):
            self._system.invalidate_cache()
            return bool(self._system.exists(f"{self._path}/{name}"))

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with reading(f"{self.where}/{name}"):
            return cast(bytes, self._system.cat_file(f"{self._path}/{name}"))

    def read_each(self, names: Sequence[str]) -> Iterator[bytes]:
        """Yield the contents of files; several are requested at once."""
        with ThreadPoolExecutor(REQUESTS) as pool:
            for start in range(0, len(names), REQUESTS):
                yield from pool.map(self.read, names[start : start + REQUESTS])

    def write(self, name: str, data: bytes) -> None:
        """Write a file, replacing any file of that name; raise an `OutputError` if that fails."""
        path = f"{self._path}/{name}"
        folder, _, base = path.rpartition("/")
        with _writing(f"{self.where}/{name}"):
            if self._is_atomic:
                self._system.pipe_file(path, data)
                return
            self._system.makedirs(folder, exist_ok=True)
            temporary = f"{folder}/.{base}.{secrets.token_hex(4)}"
            try:
                with self._system.open(temporary, "wb") as file:
                    file.write(data)
                    if self.is_local:  # otherwise a power cut may leave an empty file
                        file.flush()
                        os.fsync(file.fileno())
                self._system.mv(temporary, path)
            except BaseException:
                with contextlib.suppress(Exception):
                    self._system.rm_file(temporary)
                raise


@contextlib.contextmanager
def _writing(where: str) -> Iterator[None]:
    """Turn any error of a file system into an `OutputError`."""
    try:
        yield
    except BarthesError:
        raise
    except Exception as error:
        raise OutputError(
            f"cannot be written ({describe_cause(error)}).",
            where=where,
            remedy="Check the disk or the address, and your permissions; then run the same command again.",
        ) from error
