"""Checkpoints: each is written aside and then named, so that one that can be seen is whole."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from safetensors import SafetensorError

from barthes.errors import OutputError

__all__ = ["WRITING_ERRORS", "Checkpoints", "check_writing", "give_reason", "sync"]

WRITING_ERRORS = (OSError, RuntimeError, SafetensorError)
"""What the system, torch and safetensors raise for a full disk; torch's may be about anything else."""

_OF_TORCH = ("PytorchStreamWriter", "inline_container", "unexpected pos", "write failed", "No space left")

_NAME = re.compile(r"checkpoint-(\d+)")
_ASIDE = "unfinished"
_NEEDED = ("trainer_state.json", "optimizer.pt", "scheduler.pt", "rng_state.pth")
_OPTIMIZER = "optimizer.pt"


class Checkpoints:
    """The checkpoints of one run, by step.

    Two are kept: the newest, to go on from, and the best, whose weights are the result. The best one's
    optimizer state, which is twice as large as the weights, is dropped once there is a newer one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, step: int) -> Path:
        """The folder of the checkpoint at that step."""
        return self.folder / f"checkpoint-{step}"

    def steps(self) -> list[int]:
        """The steps of all checkpoints, the newest last."""
        names = [path.name for path in self.folder.iterdir()] if self.folder.is_dir() else []
        return sorted(int(found[1]) for name in names if (found := _NAME.fullmatch(name)))

    def newest(self) -> int | None:
        """The step of the newest checkpoint that training can go on from."""
        whole = [s for s in self.steps() if all((self.path(s) / name).is_file() for name in _NEEDED)]
        return whole[-1] if whole else None

    @contextlib.contextmanager
    def write(self, step: int) -> Iterator[Path]:
        """A folder to write ``checkpoint-STEP`` in. It gets its place once it is whole and on the disk.

        Raises:
            OutputError: It could not be written; the checkpoint before it is untouched.
        """
        aside = self.folder / _ASIDE
        try:
            shutil.rmtree(aside, ignore_errors=True)
            aside.mkdir(parents=True)
            yield aside
            made = aside / self.path(step).name
            sync(made)
            if self.path(step).exists():
                shutil.rmtree(self.path(step))
            os.replace(made, self.path(step))  # noqa: PTH105 - the one call that is atomic
            _sync_folder(self.folder)
        except WRITING_ERRORS as error:
            check_writing(error)
            raise self._explain(error, step) from error
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def tidy(self, *, best: int | None) -> None:
        """Delete all but the newest and the best."""
        *others, newest = self.steps()
        for step in others:
            if step == best:
                (self.path(step) / _OPTIMIZER).unlink(missing_ok=True)
            elif step < newest:
                shutil.rmtree(self.path(step), ignore_errors=True)

    def _explain(self, error: Exception, step: int) -> OutputError:
        reason = give_reason(error)
        newest = self.newest()
        rest = (
            "The same command then starts anew."
            if newest is None
            else f"The same command, without --restart, then goes on from step {newest}."
        )
        return OutputError(
            f"the checkpoint at step {step} cannot be written ({reason}).",
            where=self.folder,
            remedy=f"Make room on the disk. {rest}",
        )


def check_writing(error: Exception) -> None:
    """Raise an error of torch again that is not about writing, such as one about memory.

    >>> check_writing(RuntimeError("PytorchStreamWriter failed writing file data/0: file write failed"))
    >>> check_writing(RuntimeError("CUDA out of memory"))
    Traceback (most recent call last):
    RuntimeError: CUDA out of memory
    """
    if isinstance(error, RuntimeError) and not any(words in str(error) for words in _OF_TORCH):
        raise error


def give_reason(error: Exception) -> str:
    """Why a file could not be written, in a few words.

    >>> give_reason(OSError(28, "No space left on device"))
    'No space left on device'
    """
    said = getattr(error, "strerror", None) or str(error).partition("\n")[0] or type(error).__name__
    return str(said)[:200]


def sync(folder: Path) -> None:
    """Wait until all files of a folder are on the disk: a crash of the machine must not leave empty ones."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("r+b") as file:  # Windows wants a file that can be written to
                os.fsync(file.fileno())
    _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # some systems cannot open a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
