"""The folder of jobs and their results, in which everything is written whole or not at all.

::

    results/
      .lock                  held by the server that uses the folder
      3f2a…/                 one job
        job.json             what was asked for, and how it stands
        story.epub           the story as it came
        profile.json         the result, as `Profile.save` writes it
      .3f2a….deleted/        being deleted; swept away at the next start
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from barthes.errors import BarthesError, OutputError
from barthes.files import write_atomically
from barthes.web.job import Job

if TYPE_CHECKING:
    from barthes.report.tables import AnyProfile

__all__ = ["Results", "results_folder"]

_ID = re.compile(r"[0-9a-f]{16}")
_DELETED = ".deleted"
_ARRIVING = ".arriving"


def results_folder() -> Path:
    """Where results are kept by default: the user's data folder for Barthes, `/results`."""
    import platformdirs

    return platformdirs.user_data_path("barthes", appauthor=False) / "results"


class Results:
    """Jobs on disk.

    Args:
        folder: Made where it is not there, for its owner's eyes only.

    Raises:
        OutputError: The folder cannot be made or written to.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.expanduser().absolute()
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._sweep()
        except OSError as error:
            raise OutputError(
                f"results cannot be kept there ({error.strerror}).",
                where=self.folder,
                remedy="Choose another folder with --results.",
            ) from error

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other servers out: they would take our running jobs for interrupted ones.

        Raises:
            BarthesError: Another server is at work here.
        """
        from filelock import FileLock, Timeout

        held = FileLock(self.folder / ".lock", timeout=0)
        try:
            held.acquire()
        except Timeout as error:
            raise BarthesError(
                "another `barthes serve` keeps its results there.",
                where=self.folder,
                remedy="Use its page, stop it, or give this one another folder with --results.",
            ) from error
        except OSError as error:
            raise OutputError(f"cannot be used ({error.strerror}).", where=self.folder) from error
        try:
            yield
        finally:
            held.release()

    def load(self) -> list[Job]:
        """All jobs, the oldest first; folders that hold something else are passed over."""
        jobs = [job for path in self.folder.iterdir() if (job := _read_job(path)) is not None]
        return sorted(jobs, key=lambda job: (job.created, job.id))

    def save(self, job: Job) -> None:
        """Write how a job that was accepted stands.

        Raises:
            OutputError: There is no room, or the job has been deleted.
        """
        plain = json.dumps(job.to_dict(), ensure_ascii=False, indent=2)
        write_atomically(self.folder / job.id / "job.json", plain + "\n")

    def arrival(self) -> Path:
        """A file to write a story to while it comes in; `accept` makes it a job's."""
        return self.folder / f".{secrets.token_hex(8)}{_ARRIVING}"

    def accept(self, job: Job, arrived: Path) -> None:
        """Keep a job and its story.

        Raises:
            OutputError: There is no room for them; nothing is left behind.
        """
        try:
            (self.folder / job.id).mkdir(mode=0o700)
            os.replace(arrived, self.story(job))  # noqa: PTH105 - atomic
            self.save(job)
        except OSError as error:
            self.delete(job)
            raise OutputError(f"cannot be written ({error.strerror}).", where=self.folder) from error
        except OutputError:
            self.delete(job)
            raise

    def story(self, job: Job) -> Path:
        """The story as it came."""
        return self.folder / job.id / f"story{job.suffix}"

    def profile(self, job: Job) -> Path:
        """Where the result is, or will be."""
        return self.folder / job.id / "profile.json"

    def load_profile(self, job: Job) -> AnyProfile:
        """The result of a finished job.

        Raises:
            ReadingError: It is not there, or not what was written.
        """
        from barthes.salience.profile import Profile

        return Profile.load(self.profile(job))

    def delete(self, job: Job) -> None:
        """Delete a job with its story and its result; the disk keeps nothing of it."""
        gone = self.folder / f".{job.id}{_DELETED}"
        try:
            # Renamed first: a deletion that is interrupted leaves nothing that looks like a result.
            (self.folder / job.id).rename(gone)
        except FileNotFoundError:
            return
        except OSError as error:
            raise OutputError(f"cannot be deleted ({error.strerror}).", where=self.folder / job.id) from error
        shutil.rmtree(gone, ignore_errors=True)

    def _sweep(self) -> None:
        for path in self.folder.glob(f".*{_DELETED}"):
            shutil.rmtree(path, ignore_errors=True)
        for path in self.folder.glob(f".*{_ARRIVING}"):
            path.unlink(missing_ok=True)


def _read_job(folder: Path) -> Job | None:
    if not _ID.fullmatch(folder.name):
        return None
    try:
        job = Job.from_dict(json.loads((folder / "job.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return job if job.id == folder.name else None
