"""Formats that scores are written in, each described by one object behind an entry point.

A package adds a format with an entry point of the group ``barthes.formats`` whose object is a `FileFormat`::

    def render(profile):
        return "".join(f"{unit.rank}\\t{unit.sentence}\\n" for unit in profile.top())

    RANKS = FileFormat(name="ranks", purpose="ranks", suffixes=(".ranks",), write=write_each(render))

    [project.entry-points."barthes.formats"]
    ranks = "my_package:RANKS"

Then `barthes score --format ranks` and `--out tale.ranks` use it. Modules with a format are imported to list
formats, so they import heavy libraries inside their functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from barthes.narrative import Narrative

WRITE_OPTIONS = ("top", "rank_by", "influence", "several")
"""The keyword arguments that a `FileFormat.write` may take."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileFormat:
    """A format of files of scores.

    Attributes:
        name: As in ``--format``; the name of the entry point.
        purpose: What it is for, in a few words.
        write: Write scores: ``write(profiles, stream, **options)`` takes an iterable of profiles, which are
            scored while it iterates, and an open text stream.
        suffixes: The extensions of files that stand for it, in lower case with their dots.
        options: Which of `WRITE_OPTIONS` `write` takes: `top` (write only the n most salient units; int or
            None), `rank_by` (``cost`` or ``readers``: which rank decides), `influence` (whether to add the
            influence matrix), `several` (whether several stories were asked for).
        is_binary: Whether `write` needs a binary stream; such formats are not written to a terminal.
        one_story: Whether a document holds one story; several stories become a zip of documents.
        extension: Of documents in a zip; by default the first of `suffixes`.
        with_notes: Whether documents contain the notes on a story; otherwise they go to standard error.
        to_text: Return the text that positions in a document count in, for formats that lack it; a zip
            contains it too.
        check_installed: Raise OutputError if a package that `write` needs is not installed; called first.
    """

    name: str
    purpose: str
    write: Callable[..., None]
    suffixes: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    is_binary: bool = False
    one_story: bool = False
    extension: str = ""
    with_notes: bool = False
    to_text: Callable[[Narrative], str] | None = None
    check_installed: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        if unknown := self.options - set(WRITE_OPTIONS):
            raise ValueError(f"the format {self.name!r} has unknown options: {', '.join(sorted(unknown))}")
        if wrong := [each for each in self.suffixes if each != each.lower() or not each.startswith(".")]:
            raise ValueError(f"the format {self.name!r} has wrong suffixes: {', '.join(wrong)}")
        if self.suffixes and not self.extension:
            object.__setattr__(self, "extension", self.suffixes[0])


def write_each(render: Callable[..., str]) -> Callable[..., None]:
    """Return a `FileFormat.write` that writes what `render(profile, **options)` returns, one by one."""

    def write(profiles: Iterable[Any], stream: TextIO, **options: Any) -> None:
        for profile in profiles:
            stream.write(render(profile, **options))

    return write
