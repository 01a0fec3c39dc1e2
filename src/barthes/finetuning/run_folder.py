"""The folder of a run: whose it is, whether it is finished, and what of it may be deleted."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from barthes.errors import OutputError, TrainingError
from barthes.files import write_atomically
from barthes.finetuning.checkpoints import WRITING_ERRORS, Checkpoints, check_writing, give_reason, sync

__all__ = ["RECORD", "RunFolder"]

RECORD = "barthes.json"
_KIND = "fine-tuning"
_RUN = "run.json"
_LOCK = ".lock"
_OURS = (
    "config.json",
    "generation_config.json",
    "model*.safetensors",
    "model.safetensors.index.json",
    "adapter_model.safetensors",
    "adapter_config.json",
    "tokenizer*",
    "special_tokens_map.json",
    "chat_template.jinja",
    "vocab.*",
    "merges.txt",
    "README.md",
    "loss.png",
    "loss.svg",
    RECORD,
    f".{RECORD}.*",  # half of it, after a kill
)
"""What a finished run usually consists of; its record lists what it does consist of."""


class RunFolder:
    """A folder in which one run is, was or will be.

    While it is unfinished, ``checkpoints/run.json`` says which run it is; afterwards ``barthes.json`` does.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkpoints = Checkpoints(folder / "checkpoints")
        self._placed: list[str] = []

    @contextlib.contextmanager
    def claim(self) -> Iterator[None]:
        """Make the folder, and see to it that no other process trains in it.

        Raises:
            OutputError: It cannot be made, or someone else is at work in it.
        """
        from filelock import FileLock, Timeout

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.folder / _LOCK)
            lock.acquire(timeout=0)
        except Timeout:
            raise OutputError(
                "another fine-tuning is at work in this folder.",
                where=self.folder,
                remedy="Wait, or give another --out.",
            ) from None
        except OSError as error:
            raise OutputError(
                f"cannot be made or written to ({error.strerror}).",
                where=self.folder,
                remedy="Give --out a folder that is yours and has room.",
            ) from error
        try:
            yield
        finally:
            lock.release()
            (self.folder / _LOCK).unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # an error before anything was written leaves nothing behind
                self.folder.rmdir()

    def record(self) -> dict[str, Any] | None:
        """What is recorded of a finished run; None where none is finished here."""
        found = _read(self.folder / RECORD)
        return found if found is not None and found.get("kind") == _KIND else None

    def open(self, identity: dict[str, Any], *, restart: bool) -> dict[str, Any] | None:
        """Begin, go on, or find that all is done: then the record of the run is given.

        Raises:
            TrainingError: The folder holds another run, finished or not.
            OutputError: The folder holds something else.
        """
        self.check(restart=restart)
        begun, record = self.noted(), self.record()
        if restart and (begun or record is not None):
            self._clear()
            begun, record = {}, None
        if record is not None:
            _compare(record["identity"], identity, self.folder, "is finished")
            if begun:  # killed while it was tidying up
                self._discard_checkpoints()
            return record
        if begun:
            _compare(begun["identity"], identity, self.folder, "was begun")
            return None
        self.note({"identity": identity})
        return None

    def check(self, *, restart: bool) -> None:
        """See whether a run may begin or begin anew here, as far as its texts are not needed to tell.

        Raises:
            OutputError: The folder holds something else.
        """
        if not self.noted() and self.record() is None:
            self._check_empty()
        elif restart:
            self._refuse(self._list_others())

    def noted(self) -> dict[str, Any]:
        """What has been noted of an unfinished run; nothing where the file is not ours."""
        found = _read(self.checkpoints.folder / _RUN) or {}
        return found if isinstance(found.get("identity"), dict) else {}

    def note(self, content: dict[str, Any]) -> None:
        """Note something of an unfinished run, to be known when it goes on."""
        self.checkpoints.folder.mkdir(exist_ok=True)
        text = json.dumps(self.noted() | content, indent=1)
        write_atomically(self.checkpoints.folder / _RUN, text + "\n")

    @contextlib.contextmanager
    def place(self) -> Iterator[Path]:
        """A folder to write the result in; its files go to their places once all are written.

        Raises:
            OutputError: They cannot be written; the checkpoints are untouched.
        """
        aside = self.checkpoints.folder / "result"
        try:
            shutil.rmtree(aside, ignore_errors=True)
            aside.mkdir()
            yield aside
            sync(aside)  # the checkpoints, from which it could be made again, are deleted next
            for path in sorted(aside.iterdir()):
                path.replace(self.folder / path.name)
                self._placed.append(path.name)
        except WRITING_ERRORS as error:
            check_writing(error)
            raise OutputError(
                f"the result cannot be written ({give_reason(error)}).",
                where=self.folder,
                remedy="Make room on the disk. The same command, without --restart, measures and writes it.",
            ) from error
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def finish(self, record: dict[str, Any]) -> None:
        """Record that the run is finished, and give the room of its checkpoints back."""
        listed = {"kind": _KIND} | record | {"files": self._placed}
        text = json.dumps(listed, indent=1, ensure_ascii=False)
        write_atomically(self.folder / RECORD, text + "\n")
        self._discard_checkpoints()

    def _clear(self) -> None:
        self.note({"identity": {}})  # so that what a kill leaves is still known to be ours
        for path in sorted(self._list_ours(), key=lambda path: path.name == RECORD):  # which lists the others
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        self._discard_checkpoints()

    def _discard_checkpoints(self) -> None:
        """Delete all checkpoints, and last the note by which what a kill leaves of them is known as ours."""
        folder = self.checkpoints.folder
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)

    def _check_empty(self) -> None:
        begun = self.checkpoints.folder
        if begun.is_dir() and all(path.name.startswith(f".{_RUN}.") for path in begun.iterdir()):
            shutil.rmtree(begun, ignore_errors=True)  # killed before its first note was written
        self._refuse(path.name for path in self.folder.iterdir() if path.name != _LOCK)

    def _list_others(self) -> Iterator[str]:
        """What is in the folder and is none of ours."""
        ours = {self.folder / _LOCK, self.checkpoints.folder, *self._list_ours()}
        return (path.name for path in self.folder.iterdir() if path not in ours)

    def _list_ours(self) -> set[Path]:
        """What a run has left in the folder: what its record lists, or else what such runs usually leave."""
        listed = (self.record() or {}).get("files")
        patterns = _OURS if listed is None else (RECORD, f".{RECORD}.*")
        found = {path for pattern in patterns for path in self.folder.glob(pattern)}
        return found | {path for path in self.folder.iterdir() if path.name in (listed or ())}

    def _refuse(self, others: Iterable[str]) -> None:
        """Stop before anything is written or deleted where somebody keeps other things."""
        for name in sorted(others)[:1]:
            raise OutputError(
                f"there is something else in this folder ({name}).",
                where=self.folder,
                remedy="Give --out a folder that is new or empty, or move that elsewhere.",
            )


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _compare(there: dict[str, Any], here: dict[str, Any], folder: Path, state: str) -> None:
    """Refuse to mix two runs, and say in what they differ."""
    if there == here:
        return
    differences = [
        f"{name} {there.get(name)!r} there and {here.get(name)!r} here"
        if len(f"{there.get(name)}{here.get(name)}") < 60
        else _WORDS.get(name, name)
        for name in sorted(there.keys() | here.keys())
        if there.get(name) != here.get(name)
    ]
    raise TrainingError(
        f"a run {state} here that is not this one: {'; '.join(differences)}.",
        where=folder,
        remedy="Give the same settings and texts, another --out, or --restart to delete that run.",
    )


_WORDS = {
    "base": "another base model",
    "stories": "other stories to train on",
    "held_out_stories": "other stories held out",
}
