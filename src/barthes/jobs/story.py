"""A story that a client sent or named, and the choice among several in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from barthes.errors import ReadingError
from barthes.jobs.offer import Limits
from barthes.narrative import Narrative, Part

_NO_RULES = "There are no rules for this language: sentences were split by punctuation only."


class SeveralPartsError(ReadingError):
    """A file has several stories or chapters, and none was chosen.

    They may be a collection of tales, which must not be scored as one story by mistake.
    """

    def __init__(self, parts: Sequence[Part], *, where: str) -> None:
        self.parts: list[Part] = list(parts)
        listed = "; ".join(f"{each.number}. {each.title} ({each.words:,} words)" for each in parts)
        super().__init__(
            f"the file has {len(parts)} stories or chapters: {listed}.",
            where=where,
            remedy="Choose one by its number, or the whole as one story.",
            option="chapter whole",
        )


@dataclass(frozen=True, slots=True)
class StorySource:
    """A story to read in the worker.

    Attributes:
        content: The file, or the text itself.
        where: Its name in errors.
        limits: The limits of the server.
        options: Those of `barthes.read`, and the `name` of the story if the file has no title.
        whole: Whether several stories or chapters are one story.
        file_name: A name whose extension decides between text formats; by default that of the file.
    """

    content: Path | str
    where: str
    limits: Limits
    options: Mapping[str, Any]
    whole: bool = False
    file_name: str = ""

    def read(self) -> Narrative:
        """Read the story.

        Raises:
            SeveralPartsError: It is one of several in the file, and it is not said which.
            BarthesError: It cannot be read, or is too long.
        """
        # Imported here, because the server imports this module too.
        from barthes.reading.formats import parse_document
        from barthes.reading.source import read_bytes
        from barthes.reading.story import narrate

        is_file = isinstance(self.content, Path)
        data = read_bytes(self.content) if is_file else str(self.content).encode("utf-8", "replace")
        options = dict(self.options)
        document = parse_document(
            data,
            where=self.where,
            name=self.file_name or Path(self.content).name,
            encoding=options.pop("encoding", None),
            keep=options.get("keep", ()),
        )
        if len(document.chapters) > 1 and not (self.whole or options.get("chapter")):
            raise SeveralPartsError(document.list_parts(), where=self.where)
        narrative = narrate(document, where=self.where, **options)
        self.limits.check_length(narrative, where=self.where)
        if narrative.language == "xx" and not options.get("sentences"):
            return replace(narrative, notes=(*narrative.notes, _NO_RULES))
        return narrative
