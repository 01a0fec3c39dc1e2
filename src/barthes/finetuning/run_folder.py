"""The folder of a run: its checkpoints, its result, which run it belongs to, and what of it may be deleted.

While a run is unfinished, ``checkpoints/run.json`` says which run it is; afterwards ``barthes.json`` does.
A checkpoint counts once it is marked as complete; two are kept: the newest, to resume from, and the best,
whose weights are the result.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from barthes.errors import OutputError, TrainingError
from barthes.files import write_atomically

_RECORD = "barthes.json"
_KIND = "fine-tuning"
_RUN = "run.json"
_LOCK = ".lock"
_COMPLETE = "complete"
_PREFIX = "checkpoint-"  # as the Trainer names them
_OPTIMIZER = "optimizer.pt"
_TORCH_WRITING = (
    "PytorchStreamWriter",
    "inline_container",
    "unexpected pos",
    "write failed",
    "No space left",
)
_DIFFERENCES = {
    "base": "another base model",
    "stories": "other stories to train on",
    "held_out_stories": "other stories held out",
}


class RunFolder:
    """A folder in which one run is, was or will be."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkpoints = folder / "checkpoints"

    @contextlib.contextmanager
    def claim(self) -> Iterator[None]:
        """Make the folder and lock it against other processes; an empty one is removed afterwards."""
        from filelock import FileLock, Timeout

        lock = FileLock(self.folder / _LOCK)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except Timeout:
            problem = "another fine-tuning is at work in this folder."
            raise self._fail(problem, "Wait, or choose another folder.") from None
        except OSError as error:
            problem = f"cannot be made or written to ({error.strerror})."
            raise self._fail(problem, "Choose a folder that is yours and has room.") from error
        try:
            yield
        finally:
            lock.release()
            (self.folder / _LOCK).unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                self.folder.rmdir()

    # Which run it is.

    def record(self) -> dict[str, Any] | None:
        """Return the record of a finished run, or None."""
        found = _read_json(self.folder / _RECORD)
        return found if found.get("kind") == _KIND else None

    def notes(self) -> dict[str, Any]:
        """Return what has been noted about an unfinished run; nothing where the file is not ours."""
        found = _read_json(self.checkpoints / _RUN)
        return found if isinstance(found.get("identity"), dict) else {}

    def note(self, content: dict[str, Any]) -> None:
        """Add to the notes about an unfinished run, to be known when it is resumed."""
        self.checkpoints.mkdir(exist_ok=True)
        write_atomically(self.checkpoints / _RUN, json.dumps(self.notes() | content, indent=1) + "\n")

    def check(self, *, restart: bool) -> None:
        """Refuse a folder that holds something else, as far as that is known without the run's texts."""
        ours = {self.folder / _LOCK}
        if self.notes() or self.record() is not None:
            if not restart:
                return
            ours |= {self.checkpoints, *self._list_results()}
        elif self.checkpoints.is_dir() and all(
            path.name.startswith(f".{_RUN}.") for path in self.checkpoints.iterdir()
        ):
            shutil.rmtree(self.checkpoints, ignore_errors=True)  # killed before its first note was written
        if others := {path for path in self.folder.iterdir() if path not in ours}:
            problem = f"there is something else in this folder ({min(others).name})."
            raise self._fail(problem, "Choose a folder that is new or empty, or move that elsewhere.")

    def open(self, identity: dict[str, Any], *, restart: bool) -> dict[str, Any] | None:
        """Start or resume a run, or return the record of the run if it is finished; refuse another one."""
        self.check(restart=restart)
        begun, record = self.notes(), self.record()
        if restart and (begun or record is not None):
            self._clear()
            begun, record = {}, None
        if record is not None:
            _compare(record["identity"], identity, self.folder, "is finished")
            self._delete_checkpoints()  # left by a process that was killed while it deleted them
        elif begun:
            _compare(begun["identity"], identity, self.folder, "was begun")
            self._delete_incomplete()
        else:
            self.note({"identity": identity})
        return record

    # Checkpoints.

    def checkpoint(self, step: int) -> Path:
        """Return the folder of the checkpoint at a step."""
        return self.checkpoints / f"{_PREFIX}{step}"

    def newest(self) -> int | None:
        """Return the step of the newest complete checkpoint, or None."""
        steps = self._steps(complete=True)
        return max((each for each in steps if (self.checkpoint(each) / _OPTIMIZER).is_file()), default=None)

    def complete_checkpoint(self, step: int, *, best: int | None) -> None:
        """Mark a checkpoint as complete once it is on the disk, and delete all others but the best.

        The best one's optimizer state, twice as large as the weights, is deleted too.
        """
        _sync(self.checkpoint(step))
        write_atomically(self.checkpoint(step) / _COMPLETE, "")
        for other in self._steps(complete=True):
            if other == best != step:
                (self.checkpoint(other) / _OPTIMIZER).unlink(missing_ok=True)
            elif other < step:
                shutil.rmtree(self.checkpoint(other), ignore_errors=True)

    @contextlib.contextmanager
    def writing(self, what: str) -> Iterator[None]:
        """Explain a full disk, and delete the half-written checkpoint that it left; others are untouched."""
        try:
            yield
        except (OSError, RuntimeError, SafetensorError) as error:  # of the system, torch and safetensors
            if isinstance(error, RuntimeError) and not any(words in str(error) for words in _TORCH_WRITING):
                raise  # about memory, for example
            reason = str(getattr(error, "strerror", None) or str(error).partition("\n")[0])
            self._delete_incomplete()
            newest = self.newest()
            resumed = "starts again" if newest is None else f"is resumed from step {newest}"
            remedy = f"Make room on the disk. The same run, without restarting it, then {resumed}."
            raise self._fail(f"{what} cannot be written ({reason[:200]}).", remedy) from error

    def _fail(self, problem: str, remedy: str) -> OutputError:
        return OutputError(problem, where=self.folder, remedy=remedy)

    def _steps(self, *, complete: bool) -> list[int]:
        """Return the steps of all checkpoints that are complete, or that are not."""
        steps = (path.name.removeprefix(_PREFIX) for path in self.checkpoints.glob(f"{_PREFIX}*"))
        numbers = [int(step) for step in steps if step.isdecimal()]
        return [step for step in numbers if (self.checkpoint(step) / _COMPLETE).is_file() == complete]

    def _delete_incomplete(self) -> None:
        for step in self._steps(complete=False):
            shutil.rmtree(self.checkpoint(step), ignore_errors=True)

    # The result.

    @contextlib.contextmanager
    def write_result(self) -> Iterator[Path]:
        """Yield a folder to write the result in; its files are moved into place once all are written."""
        aside = self.checkpoints / "result"
        shutil.rmtree(aside, ignore_errors=True)
        try:
            with self.writing("the result"):
                aside.mkdir()
                yield aside
                _sync(aside)  # the checkpoints, from which it could be made again, are deleted next
                files = sorted(aside.iterdir())
                self.note({"files": [path.name for path in files]})
                for path in files:
                    path.replace(self.folder / path.name)
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def finish(self, record: dict[str, Any]) -> None:
        """Write the record, by which the run is finished, and delete the checkpoints."""
        listed = {"kind": _KIND} | record | {"files": self.notes().get("files", [])}
        write_atomically(self.folder / _RECORD, json.dumps(listed, indent=1, ensure_ascii=False) + "\n")
        self._delete_checkpoints()

    def _list_results(self) -> set[Path]:
        """Return what a run has left in the folder, beside its checkpoints."""
        listed = {*(self.record() or {}).get("files", ()), *self.notes().get("files", ()), _RECORD}
        half_written = set(self.folder.glob(f".{_RECORD}.*"))
        return {path for path in self.folder.iterdir() if path.name in listed} | half_written

    def _clear(self) -> None:
        """Delete a run; the notes that say what is ours go last."""
        results = self._list_results()
        self.note({"identity": {}, "files": [path.name for path in results]})
        for path in results:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        self._delete_checkpoints()

    def _delete_checkpoints(self) -> None:
        """Delete all checkpoints, and the notes by which they are known as ours last."""
        for path in self.checkpoints.glob("*/"):
            shutil.rmtree(path, ignore_errors=True)
        shutil.rmtree(self.checkpoints, ignore_errors=True)


def _read_json(path: Path) -> dict[str, Any]:
    """Return the object in a file; an empty one if there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _compare(there: dict[str, Any], here: dict[str, Any], folder: Path, state: str) -> None:
    """Refuse to mix two runs, and say how they differ."""
    differences = [
        f"{name} {there.get(name)!r} there and {here.get(name)!r} here"
        if len(f"{there.get(name)}{here.get(name)}") < 60
        else _DIFFERENCES.get(name, name)
        for name in sorted(there.keys() | here.keys())
        if there.get(name) != here.get(name)
    ]
    if differences:
        raise TrainingError(
            f"a run {state} here that is not this one: {'; '.join(differences)}.",
            where=folder,
            remedy="Give the same settings and texts, another folder, or restart, which deletes that run.",
        )


def _sync(folder: Path) -> None:
    """Wait until all files of a folder are on the disk: a crash of the machine must not leave empty ones."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("r+b") as file:  # Windows wants a file that can be written to
                os.fsync(file.fileno())
