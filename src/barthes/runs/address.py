"""Results behind an address: an object store, or whatever else fsspec has a file system for.

There are no locks there. So files get names that no other process can choose (`ResultStore`), and two
processes that do the same work at the same time do it twice, and lose nothing.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from barthes.errors import OutputError, ReadingError
from barthes.runs.folder import Folder, LocalFolder

__all__ = ["AddressFolder", "is_address", "open_folder"]

_LOCAL = ("file", "local")
# Where one request puts a file there, whole or not at all. Elsewhere it is written aside and moved.
_WHOLE = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "oci", "hf", "memory"})
_UNFINISHED = ".part"


def is_address(where: str | os.PathLike[str]) -> bool:
    """Whether it is an address, and not a path.

    >>> is_address("s3://tales/run"), is_address("/tales/run"), is_address("C:/tales")
    (True, False, False)
    """
    return "://" in os.fspath(where)


def open_folder(where: str | os.PathLike[str]) -> Folder:
    """The folder at a path or an address; it need not exist.

    Raises:
        OutputError: There is no way to such an address.
    """
    if not is_address(where):
        return LocalFolder(Path(where))
    kind, _, rest = os.fspath(where).partition("://")
    if kind in _LOCAL:
        return LocalFolder(Path(rest))
    address = f"{kind}://{rest.rstrip('/')}"
    from fsspec.core import url_to_fs

    try:
        system, path = url_to_fs(address)
    except Exception as error:  # a missing package, a missing password, an unknown kind of address
        raise OutputError(
            f"cannot be reached ({_brief(error)}).",
            where=address,
            remedy="Install what its kind of address needs (s3fs for s3://, gcsfs for gs://).",
        ) from error
    return AddressFolder(system, str(path), address)


class AddressFolder:
    """A folder of a file system of fsspec.

    Args:
        system: The file system.
        path: The folder in it.
        where: What to call it.
    """

    has_locks = False

    def __init__(self, system: Any, path: str, where: str) -> None:
        self._system = system
        self._path = path
        self.where = where
        kinds = system.protocol if isinstance(system.protocol, tuple) else (system.protocol,)
        self._is_whole = not _WHOLE.isdisjoint(kinds)

    def prepare(self) -> None:
        """Object stores have no folders to be made; others have."""
        if not self._is_whole:
            with _written(self.where):
                self._system.makedirs(self._path, exist_ok=True)

    def inside(self, name: str) -> AddressFolder:
        """A folder in it."""
        return AddressFolder(self._system, f"{self._path}/{name}", f"{self.where}/{name}")

    @contextlib.contextmanager
    def hold(self, name: str, *, wait: bool) -> Iterator[None]:
        """Nobody can be kept out here."""
        yield

    def sweep(self, prefix: str) -> None:
        """What is unfinished is not among `names`, and does no harm."""

    def names(self) -> list[str]:
        """The files, sorted by name, as they are now and not as they were a minute ago."""
        try:
            self._system.invalidate_cache(self._path)
            found = self._system.ls(self._path, detail=True)
        except FileNotFoundError:
            return []
        except Exception as error:
            raise _unreadable(self.where, error) from error
        names = [str(each["name"]).rpartition("/")[2] for each in found if each["type"] == "file"]
        return sorted(name for name in names if name and not name.endswith(_UNFINISHED))

    def open(self, name: str) -> BinaryIO:
        """A file, to be read from any offset."""
        try:
            return cast(BinaryIO, self._system.open(f"{self._path}/{name}", "rb"))
        except Exception as error:
            raise _unreadable(f"{self.where}/{name}", error) from error

    def write(self, name: str, data: bytes) -> None:
        """Put a file there; whether it survives a power cut is for whoever keeps it to promise."""
        path = f"{self._path}/{name}"
        with _written(f"{self.where}/{name}"):
            if self._is_whole:
                self._system.pipe_file(path, data)
                return
            self._system.makedirs(self._path, exist_ok=True)
            aside = f"{path}.{secrets.token_hex(4)}{_UNFINISHED}"  # a name that no other process writes to
            self._system.pipe_file(aside, data)
            self._system.mv(aside, path)

    def remove(self, name: str) -> None:
        """Take a file away."""
        with _written(f"{self.where}/{name}"), contextlib.suppress(FileNotFoundError):
            self._system.rm_file(f"{self._path}/{name}")


@contextlib.contextmanager
def _written(where: str) -> Iterator[None]:
    """Every file system has errors of its own."""
    try:
        yield
    except Exception as error:
        raise OutputError(
            f"cannot be written ({_brief(error)}).",
            where=where,
            remedy="Check the address, and who may write to it; the same command goes on.",
        ) from error


def _unreadable(where: str, error: Exception) -> ReadingError:
    return ReadingError(
        f"cannot be read ({_brief(error)}).", where=where, remedy="Check the address, and who may read it."
    )


def _brief(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
