"""Stories that were read from a corpus's files, and what of them was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from barthes.corpora.corpus import LabelledNarrative
from barthes.corpora.problems import MalformedError, Problem
from barthes.errors import ReadingError
from barthes.narrative import Narrative

__all__ = ["StoryCollection", "join_sentences"]


class StoryCollection:
    """A corpus whose stories have labels and grades, and no annotation of their own.

    Attributes:
        stories: The labelled narratives in the order of the files.
        problems: What was malformed and left out.
        path: Where they were read from.
        source: The file, where nothing else tells this corpus from others of the same name; else None.

    Raises:
        ReadingError: No story is left.
    """

    name: str
    labelling: str
    annotate = None
    tokenize = None
    source: Path | None = None

    def __init__(
        self,
        stories: Sequence[LabelledNarrative],
        problems: Sequence[Problem],
        *,
        where: str | Path,
        remedy: str,
    ) -> None:
        if not stories:
            first = (
                f"no story in it can be read; the first: {problems[0]}." if problems else "it has no story."
            )
            raise ReadingError(first, where=where, remedy=remedy)
        self.path = Path(where)
        self.stories = tuple(stories)
        self.problems = tuple(problems)

    def __iter__(self) -> Iterator[LabelledNarrative]:
        return iter(self.stories)

    def __len__(self) -> int:
        return len(self.stories)

    def __getitem__(self, index: int) -> LabelledNarrative:
        return self.stories[index]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} stories, {len(self.problems)} problems)"


def join_sentences(sentences: object, *, title: str, notes: Sequence[str] = ()) -> Narrative:
    """The narrative of a list of sentences, every one of them, so that labels keep their places.

    Raises:
        MalformedError: It is no list of strings, or one of them is blank or half a surrogate pair.

    >>> join_sentences(["It rained.", "The wolf came."], title="wolf").text
    'It rained. The wolf came.'
    """
    if not isinstance(sentences, list) or not sentences:
        raise MalformedError("it has no list of sentences")
    for number, sentence in enumerate(sentences, start=1):
        if not isinstance(sentence, str):
            raise MalformedError(f"sentence {number} is no text but {sentence!r:.50}")
        if not sentence.strip():
            raise MalformedError(f"sentence {number} is blank")
        try:
            sentence.encode("utf-8")
        except UnicodeEncodeError as error:
            raise MalformedError(f"sentence {number} has half a surrogate pair in it") from error
    return Narrative.from_sentences(sentences, title=title, notes=notes)
