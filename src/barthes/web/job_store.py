"""Jobs, and the folder with their stories and results; files are written atomically.

::

    results/
      .lock                  held by the server that uses the folder
      3f2a…/                 one job
        job.json             the request and its state
        story.epub           the story as uploaded
        early.json           what readers find important, while the result is computed
        profile.json         the result, as `Profile.save` writes it
      .3f2a….deleted/        being deleted; removed at the next start
      .77c0….arriving        an upload; removed at the next start
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from barthes.errors import BarthesError, OutputError
from barthes.files import write_atomically
from barthes.jobs.offer import Unit
from barthes.narrative import Part

State = Literal["waiting", "running", "finished", "failed", "cancelled", "interrupted", "undecided"]

_ID = re.compile(r"[0-9a-f]{16}")
_DELETED = ".deleted"
_ARRIVING = ".arriving"


class JobChange(BaseModel):
    """What can be changed when a job is run again."""

    chapter: int | None = Field(None, ge=1, description="Only this story or chapter of the file.")
    whole: bool = Field(False, description="Score several stories or chapters as one.")
    skip: str = Field("", max_length=2_000, description="Sentences not to rank, such as 1-3,7.")


class JobRequest(JobChange):
    """What a client asks for: the query parameters of a request for a job. The story is the body."""

    name: str = Field("", max_length=500, description="Name of the file, or a title.")
    file: str = Field("", max_length=500, description="Name of the file, if `name` is a title.")
    method: str = Field("sd", max_length=100, description="Method, such as sd or sd+tfidf.")
    unit: Unit = Field("sentence", description="What to score. Each method lists its units.")
    model: str | None = Field(None, max_length=500, description="A model listed in /api/options.")
    language: str | None = Field(None, max_length=20, description="Default: as the file says, else en.")
    lines: bool = Field(False, description="One sentence per line.")
    encoding: str | None = Field(None, max_length=40, description="Such as cp1251. Default: found out.")
    keep: list[str] = Field(default_factory=list, description="Kinds of marked words to score too.")


class Job(JobRequest):
    """A request to score a story, and its state."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True)

    id: str = Field(default_factory=lambda: secrets.token_hex(8), description="Also the name of its folder.")
    title: str = Field(description="Of the story; of a chapter, with the chapter's.")
    titled: bool = Field(description="Whether `name` replaces the title in the file.")
    suffix: str = Field(description="The extension of the file, such as .epub.")
    created: str = Field(default_factory=lambda: _now(), description="ISO 8601, UTC.")
    state: State = "waiting"
    ended: str | None = None
    seconds: float | None = Field(None, description="Time that the work took.")
    sentences: int | None = None
    parts: list[Part] = Field([], description="The stories or chapters of the file, if there are several.")
    early: bool = Field(False, description="Whether the report shows what readers find important already.")
    problem: str | None = Field(None, description="Why it failed.")
    option: str | None = Field(None, description="The parameter to change, if it failed.")
    notes: list[str] = Field([], description="What readers of the scores should know.")

    @property
    def is_active(self) -> bool:
        """Whether it is waiting or running."""
        return self.state in ("waiting", "running")

    def change(self, **changes: Any) -> Job:
        """Return the job with other values."""
        return self.model_copy(update=changes)

    def end(self, state: State, **changes: Any) -> Job:
        """Return the job in a final state."""
        return self.change(state=state, ended=_now(), **changes)

    def reset(self, **changes: Any) -> Job:
        """Return the job with other values, waiting to be done again."""
        unknown = dict.fromkeys(("ended", "seconds", "sentences", "problem", "option"))
        return self.change(state="waiting", notes=[], early=False, **unknown | changes)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def results_folder() -> Path:
    """Return the default folder: ``results`` in the user's data folder for Barthes."""
    import platformdirs

    return platformdirs.user_data_path("barthes", appauthor=False) / "results"


class JobStore:
    """Jobs on disk.

    Args:
        folder: Created if it does not exist, readable by its owner only.

    Raises:
        OutputError: The folder cannot be created or written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder: Path = folder.expanduser().absolute()
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in self.folder.glob(f".*{_DELETED}"):
                shutil.rmtree(path, ignore_errors=True)
            for path in self.folder.glob(f".*{_ARRIVING}"):
                path.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(
                f"results cannot be stored there ({error.strerror}).",
                where=self.folder,
                remedy="Choose another folder for results.",
            ) from error

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder, or raise BarthesError if another server uses it."""
        from filelock import FileLock, Timeout

        held = FileLock(self.folder / ".lock", timeout=0)
        try:
            held.acquire()
        except Timeout as error:
            raise BarthesError(
                "another server stores its results there.",
                where=self.folder,
                remedy="Use its page, stop it, or choose another folder for results.",
            ) from error
        except OSError as error:
            raise OutputError(f"cannot be used ({error.strerror}).", where=self.folder) from error
        try:
            yield
        finally:
            held.release()

    def load(self) -> list[Job]:
        """Return all jobs, the oldest first; other folders are ignored."""
        jobs = [job for path in self.folder.iterdir() if (job := _read_job(path)) is not None]
        return sorted(jobs, key=lambda job: (job.created, job.id))

    def save(self, job: Job) -> None:
        """Write the state of a job, or raise OutputError if the disk is full or its folder is gone."""
        write_atomically(self.folder / job.id / "job.json", job.model_dump_json(indent=2) + "\n")

    def new_upload(self) -> Path:
        """Return the path of a new file to write an upload to; `accept` makes it the story of a job."""
        return self.folder / f".{secrets.token_hex(8)}{_ARRIVING}"

    def accept(self, job: Job, upload: Path) -> None:
        """Store a job and its story, or raise OutputError and leave nothing behind."""
        try:
            (self.folder / job.id).mkdir(mode=0o700)
            os.replace(upload, self.story(job))  # noqa: PTH105 - atomic
            self.save(job)
        except (OSError, OutputError) as error:
            self.delete(job)
            if isinstance(error, OutputError):
                raise
            raise OutputError(f"cannot be written ({error.strerror}).", where=self.folder) from error

    def story(self, job: Job) -> Path:
        """Return the path of the uploaded story."""
        return self.folder / job.id / f"story{job.suffix}"

    def profile(self, job: Job) -> Path:
        """Return the path of the result."""
        return self.folder / job.id / "profile.json"

    def early(self, job: Job) -> Path:
        """Return the path of what is known before the result."""
        return self.folder / job.id / "early.json"

    def delete(self, job: Job) -> None:
        """Delete a job with its story and its result, or raise OutputError."""
        deleted = self.folder / f".{job.id}{_DELETED}"
        try:
            # Renamed first: an interrupted deletion leaves nothing that looks like a job.
            (self.folder / job.id).rename(deleted)
        except FileNotFoundError:
            return
        except OSError as error:
            raise OutputError(f"cannot be deleted ({error.strerror}).", where=self.folder / job.id) from error
        shutil.rmtree(deleted, ignore_errors=True)


def _read_job(folder: Path) -> Job | None:
    if not _ID.fullmatch(folder.name):
        return None
    try:
        job = Job.model_validate_json((folder / "job.json").read_bytes())
    except (OSError, ValueError):
        return None
    return job if job.id == folder.name else None
