"""The seam between results and the place where they are kept: list, open, write whole, remove.

A local folder is one such place, an address (`barthes.runs.address`) another. Nothing else of the store knows
about disks; none of the verbs appends or changes what is there.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol

from barthes.errors import OutputError, ReadingError
from barthes.evaluation.store import make_folder
from barthes.files import write_atomically

__all__ = ["Folder", "LocalFolder"]


class Folder(Protocol):
    """A flat place for files, each of which is there whole or not at all."""

    @property
    def where(self) -> str:
        """What to call it in errors."""
        ...

    @property
    def has_locks(self) -> bool:
        """Whether `hold` keeps others out."""
        ...

    def prepare(self) -> None:
        """Have it there, or say at once that nothing can be written to it."""
        ...

    def inside(self, name: str) -> Folder:
        """A folder in it."""
        ...

    def hold(self, name: str, *, wait: bool) -> AbstractContextManager[None]:
        """Keep other processes out that hold the same name, where that is possible; refuse if one is in."""
        ...

    def sweep(self, prefix: str) -> None:
        """Take away what a killed process left unfinished of files whose names start so."""
        ...

    def names(self) -> list[str]:
        """The files, sorted by name."""
        ...

    def open(self, name: str) -> BinaryIO:
        """A file, to be read from any offset."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Put a file there, in place of one of that name; it survives a power cut once this returns."""
        ...

    def remove(self, name: str) -> None:
        """Take a file away; nothing happens where there is none."""
        ...


class LocalFolder:
    """A folder of this machine, or of a disk that several machines share.

    Args:
        path: It is made when something is first written.
    """

    has_locks = True

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def where(self) -> str:
        """Its path."""
        return str(self.path)

    def prepare(self) -> None:
        """Make it."""
        make_folder(self.path)

    def inside(self, name: str) -> LocalFolder:
        """A folder in it."""
        return LocalFolder(self.path / name)

    @contextlib.contextmanager
    def hold(self, name: str, *, wait: bool) -> Iterator[None]:
        """Lock a hidden file of that name; a process that dies lets go of it."""
        from filelock import FileLock, Timeout

        lock = FileLock(self.path / f".{name}.lock")
        try:
            lock.acquire(timeout=-1 if wait else 0)
        except Timeout:
            raise OutputError(
                "another process is at work on it.",
                where=self.path,
                remedy="Wait for it, or take another --shard i/n.",
            ) from None
        except OSError as error:  # no room for the lock's file, or a disk without locks
            raise _unwritable(self.path, error, "cannot be locked") from error
        try:
            yield
        finally:
            lock.release()

    def names(self) -> list[str]:
        """The files, sorted by name; hidden ones are somebody's unfinished work."""
        try:
            return sorted(name for name in os.listdir(self.path) if not name.startswith("."))  # noqa: PTH208
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unreadable(self.path, error) from error

    def open(self, name: str) -> BinaryIO:
        """A file, to be read from any offset."""
        try:
            return (self.path / name).open("rb")
        except OSError as error:
            raise _unreadable(self.path / name, error) from error

    def write(self, name: str, data: bytes) -> None:
        """Put a file there, and its name on the disk."""
        make_folder(self.path)
        write_atomically(self.path / name, data)
        _flush_names(self.path)

    def remove(self, name: str) -> None:
        """Take a file away."""
        with _written(self.path / name, "cannot be removed"):
            (self.path / name).unlink(missing_ok=True)

    def sweep(self, prefix: str) -> None:
        """Take away what a killed process left unfinished of files whose names start so."""
        with _written(self.path, "cannot be tidied up"):
            if self.path.is_dir():
                for abandoned in self.path.glob(f".{prefix}*"):
                    abandoned.unlink(missing_ok=True)


def _flush_names(folder: Path) -> None:
    """Have the names in a folder written to the disk itself; Windows opens no folders."""
    if os.name == "nt":
        return
    with _written(folder, "cannot be written"):
        handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems cannot; they do it by themselves
        pass
    finally:
        os.close(handle)


@contextlib.contextmanager
def _written(path: Path, problem: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _unwritable(path, error, problem) from error


def _unwritable(path: Path, error: OSError, problem: str) -> OutputError:
    return OutputError(
        f"{problem} ({error.strerror or error}).",
        where=path,
        remedy="Check the disk, and who may write to it; the same command goes on.",
    )


def _unreadable(path: Path, error: OSError) -> ReadingError:
    return ReadingError(
        f"cannot be read ({error.strerror}).", where=path, remedy="Check the disk, and who may read it."
    )
