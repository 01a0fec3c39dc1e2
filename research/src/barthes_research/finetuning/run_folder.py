"""The folder of a run: its identity, its checkpoints, its result, and which files may be deleted.

An unfinished run is described by ``checkpoints/run.json``, a finished one by ``barthes.json``. A checkpoint
counts once it is marked as complete. The newest is kept to resume from, and the best, whose weights are the
result.
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
_STATE = "run.json"
_LOCK = ".lock"
_COMPLETE = "complete"
_PREFIX = "checkpoint-"  # as in the Trainer
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
    """The folder of one run, which may be new, unfinished or finished."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkpoints: Path = folder / "checkpoints"

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Create the folder and lock it against other processes; remove it afterwards if it is empty."""
        from filelock import FileLock, Timeout

        lock = FileLock(self.folder / _LOCK)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
            yield
        except Timeout:
            problem = "another fine-tuning process is using this folder."
            raise self._fail(problem, "Wait until it ends, or choose another folder.") from None
        except OSError as error:
            if lock.is_locked:
                raise
            problem = f"cannot be created or written to ({error.strerror})."
            raise self._fail(problem, "Choose a folder that is yours and has room.") from error
        finally:
            if lock.is_locked:  # also after an interrupt right after the lock was taken
                lock.release()
                (self.folder / _LOCK).unlink(missing_ok=True)
                with contextlib.suppress(OSError):
                    self.folder.rmdir()

    # Identity

    def record(self) -> dict[str, Any] | None:
        """Return the record of a finished run, or None."""
        found = _read_json(self.folder / _RECORD)
        return found if found.get("kind") == _KIND else None

    def state(self) -> dict[str, Any]:
        """Return the saved state of an unfinished run; empty if there is none."""
        found = _read_json(self.checkpoints / _STATE)
        return found if isinstance(found.get("identity"), dict) else {}

    def update_state(self, content: dict[str, Any]) -> None:
        """Add to the saved state of an unfinished run."""
        self.checkpoints.mkdir(exist_ok=True)
        write_atomically(self.checkpoints / _STATE, json.dumps(self.state() | content, indent=1) + "\n")

    def check(self) -> None:
        """Raise OutputError if the folder contains other files than a run."""
        if self.state() or self.record() is not None:
            return
        if self.checkpoints.is_dir() and all(
            path.name.startswith(f".{_STATE}.") for path in self.checkpoints.iterdir()
        ):
            shutil.rmtree(self.checkpoints, ignore_errors=True)  # killed before the state was written
        if others := set(self.folder.iterdir()) - {self.folder / _LOCK}:
            problem = f"this folder contains other files ({min(others).name})."
            raise self._fail(problem, "Choose a new or empty folder, or move these files.")

    def open(self, identity: dict[str, Any]) -> dict[str, Any] | None:
        """Start or resume a run.

        Returns:
            The record if this run is already finished, else None.

        Raises:
            TrainingError: The folder contains a run with another identity.
        """
        self.check()
        state, record = self.state(), self.record()
        if record is not None:
            _compare(record["identity"], identity, self.folder, "finished")
            self._delete_checkpoints()  # left if a process was killed while it deleted them
        elif state:
            _compare(state["identity"], identity, self.folder, "unfinished")
            self._delete_incomplete()
        else:
            self.update_state({"identity": identity})
        return record

    # Checkpoints

    def checkpoint(self, step: int) -> Path:
        """Return the folder of the checkpoint at a step."""
        return self.checkpoints / f"{_PREFIX}{step}"

    def newest(self) -> int | None:
        """Return the step of the newest checkpoint to resume from, or None."""
        steps = self._steps(complete=True)
        return max((each for each in steps if (self.checkpoint(each) / _OPTIMIZER).is_file()), default=None)

    def complete_checkpoint(self, step: int, *, best: int | None) -> None:
        """Mark a checkpoint as complete once it is on the disk, and delete all others but the best.

        The optimizer state of the best one, twice as large as its weights, is deleted too.
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
        """Turn errors of a full disk into OutputError, and delete the incomplete checkpoint."""
        try:
            yield
        except (OSError, RuntimeError, SafetensorError) as error:  # of the system, torch and safetensors
            if isinstance(error, RuntimeError) and not any(words in str(error) for words in _TORCH_WRITING):
                raise  # another cause, such as memory
            reason = str(getattr(error, "strerror", None) or str(error).partition("\n")[0])
            self._delete_incomplete()
            newest = self.newest()
            resumed = "starts again" if newest is None else f"resumes from step {newest}"
            remedy = f"Free some disk space. The same run then {resumed}."
            raise self._fail(f"{what} cannot be written ({reason[:200]}).", remedy) from error

    def _fail(self, problem: str, remedy: str) -> OutputError:
        return OutputError(problem, where=self.folder, remedy=remedy)

    def _steps(self, *, complete: bool) -> list[int]:
        steps = (path.name.removeprefix(_PREFIX) for path in self.checkpoints.glob(f"{_PREFIX}*"))
        numbers = [int(step) for step in steps if step.isdecimal()]
        return [step for step in numbers if (self.checkpoint(step) / _COMPLETE).is_file() == complete]

    def _delete_incomplete(self) -> None:
        for step in self._steps(complete=False):
            shutil.rmtree(self.checkpoint(step), ignore_errors=True)

    # Result

    @contextlib.contextmanager
    def write_result(self) -> Iterator[Path]:
        """Yield a temporary folder; its files are moved into place once all are written."""
        temporary = self.checkpoints / "result"
        shutil.rmtree(temporary, ignore_errors=True)
        try:
            with self.writing("the result"):
                temporary.mkdir()
                yield temporary
                _sync(temporary)  # before the checkpoints, from which it could be made again, are deleted
                for path in sorted(temporary.iterdir()):
                    path.replace(self.folder / path.name)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def finish(self, record: dict[str, Any]) -> None:
        """Write the record, which marks the run as finished, and delete the checkpoints."""
        content = {"kind": _KIND} | record
        write_atomically(self.folder / _RECORD, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        self._delete_checkpoints()

    def _delete_checkpoints(self) -> None:
        """Delete all checkpoints, then the state."""
        for path in self.checkpoints.glob("*/"):
            shutil.rmtree(path, ignore_errors=True)
        shutil.rmtree(self.checkpoints, ignore_errors=True)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _compare(there: dict[str, Any], here: dict[str, Any], folder: Path, state: str) -> None:
    """Raise TrainingError with the differences if two identities are not equal."""
    differences = [
        f"{name} {there.get(name)!r} there and {here.get(name)!r} here"
        if len(f"{there.get(name)}{here.get(name)}") < 60
        else _DIFFERENCES.get(name, name)
        for name in sorted(there.keys() | here.keys())
        if there.get(name) != here.get(name)
    ]
    if differences:
        raise TrainingError(
            f"this folder contains another, {state} run: {'; '.join(differences)}.",
            where=folder,
            remedy="Give the same settings and texts, or another folder.",
            option="out",
        )


def _sync(folder: Path) -> None:
    """Flush all files of a folder to the disk, so that a system crash does not leave empty ones."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("r+b") as file:  # Windows needs write access
                os.fsync(file.fileno())
