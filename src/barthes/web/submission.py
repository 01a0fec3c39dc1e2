"""A request for a new job: its story is taken in, and what was chosen is checked before and after."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import HTTPException, Query, Request
from starlette.requests import ClientDisconnect

from barthes.annotation.languages import choose_language
from barthes.errors import BarthesError, OutputError
from barthes.salience.removal_method import EVENT_METHODS
from barthes.web.desk import Desk, explained
from barthes.web.job import Job, now
from barthes.web.limits import Limits
from barthes.web.schemas import Unit
from barthes.web.uploads import (
    TooLargeError,
    clean_file_name,
    clean_title,
    find_suffix,
    is_blank,
    name_text,
    receive,
)

__all__ = ["Wish", "submit"]

_EMPTY = "The story is empty. Paste a text with words in it, or choose a file."


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for, in the query of the request."""

    name: Annotated[str, Query(max_length=500, description="The name of the file, or a title.")] = ""
    file: Annotated[str, Query(max_length=500, description="The file's name, where `name` is a title.")] = ""
    method: Annotated[str, Query(max_length=100, description="Such as sd or sd+tfidf.")] = "sd"
    unit: Annotated[Unit, Query(description="Events go with va and paa.")] = "sentence"
    model: Annotated[str | None, Query(max_length=500, description="One of those in /api/options.")] = None
    language: Annotated[
        str | None, Query(max_length=20, description="By default what the file says, else en.")
    ] = None
    lines: Annotated[bool, Query(description="Each line is one sentence already.")] = False
    chapter: Annotated[int | None, Query(ge=1, description="Only this chapter of the file.")] = None


async def submit(desk: Desk, wish: Wish, request: Request) -> Job:
    """Take in a story and put its job into the queue.

    Raises:
        HTTPException: It is refused; nothing of it is kept.
    """
    model = explained(lambda: _check(desk, wish))
    explained(desk.jobs.check_room)
    arrived = await _take_in(desk, request)
    try:
        job = _make_job(wish, arrived, model)
        desk.jobs.results.accept(job, arrived)
    except OutputError as error:
        raise HTTPException(507, f"The story cannot be kept: {error.problem}") from error
    finally:
        arrived.unlink(missing_ok=True)
    try:
        explained(lambda: desk.jobs.add(job))
    except HTTPException:  # others were faster, and the queue is full
        desk.jobs.results.delete(job)
        raise
    return job


def _check(desk: Desk, wish: Wish) -> str | None:
    """The model for what is asked for; refuses what there is not before anything is sent."""
    model = desk.choices.choose_model(wish.model, wish.method)
    if wish.unit == "event" and wish.method not in EVENT_METHODS:
        raise BarthesError(f"Events can be scored by {' or '.join(EVENT_METHODS)}, not by {wish.method}.")
    if wish.language is not None:
        choose_language(wish.language)  # says what is wrong with it
    return model


async def _take_in(desk: Desk, request: Request) -> Path:
    limits = desk.limits
    if _announces_more(request.headers.get("content-length", ""), limits.size):
        raise HTTPException(413, _too_large(limits))
    arrived = desk.jobs.results.arrival()
    try:
        await receive(request.stream(), arrived, limits=limits)
    except TooLargeError:
        raise HTTPException(413, _too_large(limits)) from None
    except TimeoutError:
        words = f"The story did not come within {limits.upload_seconds:.0f} seconds."
        raise HTTPException(408, words) from None
    except ClientDisconnect:  # nobody hears this; but it is nothing to be alarmed about either
        raise HTTPException(400, "The connection was lost before all of the story had come.") from None
    except OSError as error:
        raise HTTPException(507, f"The story cannot be kept ({error.strerror}).") from error
    return arrived


def _announces_more(length: str, limit: int) -> bool:
    """Whether a ``Content-Length`` is above a limit; it may have more digits than Python makes a number of.

    >>> _announces_more("12", 20), _announces_more("9" * 5_000, 20), _announces_more("²", 20)
    (False, True, False)
    """
    digits = length.lstrip("0")
    return digits.isdecimal() and (len(digits) > 18 or int(digits) > limit)


def _make_job(wish: Wish, arrived: Path, model: str | None) -> Job:
    if is_blank(arrived):
        raise HTTPException(422, _EMPTY)
    suffix = find_suffix(wish.file or wish.name)
    titled = bool(wish.file) or not suffix
    given = clean_title(wish.name) if titled else clean_file_name(wish.name)
    name = given or name_text(arrived) or "A story"
    return Job(
        id=secrets.token_hex(8),
        title=name,
        name=name,
        titled=titled,
        suffix=suffix or ".txt",
        method=wish.method,
        unit=wish.unit,
        model=model,
        language=wish.language,
        lines=wish.lines,
        chapter=wish.chapter,
        created=now(),
    )


def _too_large(limits: Limits) -> str:
    return (
        f"The story is larger than {limits.size / 1e6:g} MB, which is more than any story. Cut it into parts."
    )
