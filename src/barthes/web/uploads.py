"""Requests for new jobs: check them, receive the story, add the job to the queue."""

from __future__ import annotations

import asyncio
import os
import re
import textwrap
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import HTTPException, Query, Request
from starlette.requests import ClientDisconnect

from barthes.annotation.languages import choose_language
from barthes.errors import OutputError
from barthes.methods import check_method
from barthes.reading.encoding import check_encoding
from barthes.reading.formats import ENDINGS
from barthes.web.job import Job
from barthes.web.jobs import JobQueue, QueueFullError
from barthes.web.score_options import Choices, Unit
from barthes.web.server import Limits

_EMPTY = "The story is empty. Paste a text with words in it, or choose a file."


@dataclass(frozen=True, slots=True)
class JobRequest:
    """The query parameters of a request for a job; the story is the body."""

    name: Annotated[str, Query(max_length=500, description="Name of the file, or a title.")] = ""
    file: Annotated[str, Query(max_length=500, description="Name of the file, if `name` is a title.")] = ""
    method: Annotated[str, Query(max_length=100, description="Method, such as sd or sd+tfidf.")] = "sd"
    unit: Annotated[Unit, Query(description="What to score. Each method lists its units.")] = "sentence"
    model: Annotated[str | None, Query(max_length=500, description="A model listed in /api/options.")] = None
    language: Annotated[
        str | None, Query(max_length=20, description="Default: as the file says, else en.")
    ] = None
    lines: Annotated[bool, Query(description="One sentence per line.")] = False
    encoding: Annotated[
        str | None, Query(max_length=40, description="Of a text, such as cp1251. Default: found out.")
    ] = None
    with_speakers: Annotated[bool, Query(description="Score speakers and stage directions of plays.")] = False
    chapter: Annotated[int | None, Query(ge=1, description="Only this chapter of the file.")] = None


async def submit(request: Request, asked: JobRequest, queue: JobQueue, choices: Choices) -> Job:
    """Receive a story and add its job to the queue.

    Raises:
        BarthesError: The request is invalid, or the queue is full.
        HTTPException: The story is refused; nothing of it is stored.
    """
    model = choices.choose_model(asked.model, asked.method)
    check_method(asked.method, unit=asked.unit, model=model)
    if asked.language is not None:
        choose_language(asked.language)
    if asked.encoding is not None:
        check_encoding(asked.encoding)
    queue.check_room()
    if _announces_more(request.headers.get("content-length", ""), queue.limits.size):
        raise _too_large(queue.limits)
    upload = queue.results.new_upload()
    try:
        await receive(request.stream(), upload, queue.limits)
        job = _make_job(asked, upload, model)
        queue.results.accept(job, upload)
    except OutputError as error:
        raise HTTPException(507, f"The story cannot be stored: {error.problem}") from error
    finally:
        upload.unlink(missing_ok=True)
    try:
        queue.add(job)
    except QueueFullError:  # it filled up during the upload
        queue.results.delete(job)
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
                    if size > limits.size:
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


def _announces_more(length: str, limit: int) -> bool:
    """Return whether a ``Content-Length`` is above a limit; int() refuses thousands of digits.

    >>> _announces_more("12", 20), _announces_more("9" * 5_000, 20), _announces_more("²", 20)
    (False, True, False)
    """
    digits = length.lstrip("0")
    return digits.isdecimal() and (len(digits) > 18 or int(digits) > limit)


def _too_large(limits: Limits) -> HTTPException:
    return HTTPException(413, limits.explain_size())


def _make_job(asked: JobRequest, upload: Path, model: str | None) -> Job:
    if _is_blank(upload):
        raise HTTPException(422, _EMPTY)
    suffix = find_suffix(asked.file or asked.name)
    titled = bool(asked.file) or not suffix
    given = clean_title(asked.name) if titled else clean_file_name(asked.name)
    name = given or quote_start(upload) or "A story"
    return Job.new(
        title=name,
        name=name,
        titled=titled,
        suffix=suffix or ".txt",
        method=asked.method,
        unit=asked.unit,
        model=model,
        language=asked.language,
        lines=asked.lines,
        encoding=asked.encoding,
        with_speakers=asked.with_speakers,
        chapter=asked.chapter,
    )


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
    words = clean_title(start.strip()[:400]).split()
    first = textwrap.shorten(
        " ".join(words[:12]), 57, placeholder="", break_long_words=False, break_on_hyphens=False
    )
    return first if first == " ".join(words) else f"{first} …"
