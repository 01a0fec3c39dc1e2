"""What a model is trained on: stories, and an account of what was left out."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

__all__ = ["Texts", "TrainingText", "collapse", "hash_text", "name_apart"]


@dataclass(frozen=True, slots=True)
class TrainingText:
    """One story: a model is trained on it from start to end, and no token is predicted across that border.

    Attributes:
        name: The file's name and, where it is a book of tales, the tale's title.
        text: The story alone. White space carries no meaning: a run of it is read as one space.
        stretch: For a passage of something longer, which part of it that is: all passages of a stretch are
            held out, or none.
    """

    name: str
    text: str
    stretch: str = ""

    @property
    def words(self) -> int:
        """How many words it has, as white space divides them."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Texts:
    """The stories of some sources.

    Attributes:
        stories: In the order of the sources.
        skipped: One sentence for each file that was left out, with the reason.
        notes: What else the reader should know: encodings that were guessed, tales that were dropped.
    """

    stories: tuple[TrainingText, ...]
    skipped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def account(self) -> tuple[str, ...]:
        """All that is to be known of them: the notes, and every file that was left out."""
        return (*self.notes, *(f"Skipped: {sentence}" for sentence in self.skipped))


def collapse(text: str) -> str:
    """A text as models read it: every run of white space is one space.

    >>> collapse("  A wolf \\n\\n came. ")
    'A wolf came.'
    """
    return " ".join(text.split())


def hash_text(text: str) -> str:
    """SHA-256 of a story, whatever its white space; it tells the same story under another name."""
    return hashlib.sha256(collapse(text).encode("utf-8", "surrogatepass")).hexdigest()


def name_apart(stories: Sequence[TrainingText]) -> tuple[TrainingText, ...]:
    """The stories, with a number behind a name that has been there before.

    >>> wolves = [TrainingText("Wolf", "He came."), TrainingText("Wolf", "He ate.")]
    >>> [story.name for story in name_apart(wolves)]
    ['Wolf', 'Wolf (2)']
    """
    names: set[str] = set()
    counts: dict[str, int] = {}
    named = []
    for story in stories:
        name = story.name
        while name in names:
            counts[story.name] = count = counts.get(story.name, 1) + 1
            name = f"{story.name} ({count})"
        names.add(name)
        named.append(replace(story, name=name))
    return tuple(named)
