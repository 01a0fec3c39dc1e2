"""Requests for new jobs: check them, receive the story, add the job to the queue."""

from __future__ import annotations

import asyncio
import os
import re
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import HTTPException, Request
from starlette.requests import ClientDisconnect

from barthes.annotation.languages import choose_language
from barthes.errors import OutputError
from barthes.jobs.offer import Limits, Models
from barthes.reading.encoding import check_encoding
from barthes.reading.formats import ENDINGS
from barthes.web.job_store import Job, JobRequest
from barthes.web.queue import JobQueue, QueueFullError

_EMPTY = "The story is empty. Paste a text with words in it, or choose a file."


async def submit(request: Request, asked: JobRequest, queue: JobQueue, models: Models) -> Job:
    """Receive a story and add its job to the queue.

    Raises:
        BarthesError: The request is invalid, or the queue is full.
        HTTPException: The story is refused; nothing of it is stored.
    """
    model = models.choose(asked.model, method=asked.method, unit=asked.unit)
    if asked.language is not None:
        choose_language(asked.language)
    if asked.encoding is not None:
        check_encoding(asked.encoding)
    queue.check_room()
    length = request.headers.get("content-length", "")
    if length.isdecimal() and float(length) > queue.limits.bytes:
        raise _too_large(queue.limits)
    upload = queue.store.new_upload()
    try:
        await receive(request.stream(), upload, queue.limits)
        job = _make_job(asked, upload, model)
        queue.store.accept(job, upload)
    except OutputError as error:
        raise HTTPException(507, f"The story cannot be stored: {error.problem}") from error
    finally:
        upload.unlink(missing_ok=True)
    try:
        queue.add(job)
    except QueueFullError:  # it filled up during the upload
        queue.store.delete(job)
        raise
    return job


async def receive(chunks: AsyncIterator[bytes], path: Path, limits: Limits) -> None:
    """Write an upload to a new file.

    Raises:
        HTTPException: The upload is too large, too slow or incomplete, or cannot be written. The caller
            deletes the file.
    """
    size = 0
    try:
        with path.open("xb") as file:
            async with asyncio.timeout(limits.upload_seconds):
                async for chunk in chunks:
                    size += len(chunk)
                    if size > limits.bytes:
                        raise _too_large(limits)
                    file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
    except TimeoutError:
        problem = f"The upload took longer than {limits.upload_seconds:.0f} seconds."
        raise HTTPException(408, problem) from None
    except ClientDisconnect:  # not an error of the server
        raise HTTPException(400, "The connection was lost during the upload.") from None
    except OSError as error:
        raise HTTPException(507, f"The story cannot be stored ({error.strerror}).") from error


def _too_large(limits: Limits) -> HTTPException:
    return HTTPException(413, limits.explain_size())


def _make_job(asked: JobRequest, upload: Path, model: str | None) -> Job:
    if _is_blank(upload):
        raise HTTPException(422, _EMPTY)
    suffix = find_suffix(asked.file or asked.name)
    titled = bool(asked.file) or not suffix
    given = clean_title(asked.name) if titled else clean_file_name(asked.name)
    name = given or quote_start(upload) or "A story"
    known = {"name": name, "model": model, "title": name, "titled": titled, "suffix": suffix or ".txt"}
    return Job.model_validate(asked.model_dump() | known)


def _is_blank(path: Path) -> bool:
    with path.open("rb") as file:
        return not any(chunk.strip() for chunk in iter(lambda: file.read(1_000_000), b""))


def find_suffix(name: str) -> str:
    """Return the ending of a file's name if stories have such endings, else an empty string.

    >>> find_suffix("Tale.EPUB"), find_suffix("../../etc/passwd"), find_suffix("Mr. Fox")
    ('.epub', '', '')
    """
    return next((ending for ending in ENDINGS if name.lower().endswith(ending)), "")


def clean_title(name: str) -> str:
    """Return a title on one line of at most 200 characters; slashes stay, as it is not a path.

    >>> clean_title("Either  and/or\\nneither")
    'Either and/or neither'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())[:200]


def clean_file_name(name: str) -> str:
    """Return the name of a file on one line, without its folders.

    >>> clean_file_name("C:\\\\tales\\\\The  old\\nwolf.txt")
    'The old wolf.txt'
    """
    return clean_title(re.split(r"[/\\]", name)[-1] or name)


def quote_start(path: Path) -> str:
    """Return a title for a text without a name: its first words, or an empty string."""
    with path.open("rb") as file:
        start = file.read(2_000).decode("utf-8", "ignore")
    return textwrap.shorten(clean_title(start), 58, placeholder=" …", break_on_hyphens=False)
