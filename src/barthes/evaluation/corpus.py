"""Labelled corpora: kinds of corpora, labelled narratives, and reports of what was malformed and left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from barthes.errors import BarthesError, ReadingError, UnknownNameError
from barthes.narrative import Narrative
from barthes.reading.rows import MalformedError

if TYPE_CHECKING:
    from barthes.annotation.annotator import Annotator
    from barthes.annotation.events import Event

UNITS = ("sentence", "event")
"""What labels and scores can stand for."""

Tokenizer = Callable[[Narrative], Sequence[Sequence[str]]]
"""Return the words of each sentence of a corpus's own narratives, as its authors tokenized them."""


@dataclass(frozen=True, slots=True)
class CorpusProblem:
    """One malformed item of a corpus.

    Attributes:
        file: The name of the file.
        item: The id of the description or story in the file, or its line; empty for the whole file.
        kind: The sort of item: file, layer, text, token, spelling, tag, sentence, tree, role, event,
            function; story, annotator, table, phrase. A file or story is left out as a whole.
        what: What is wrong with it, with the wrong value.
    """

    file: str
    item: str
    kind: str
    what: str

    def __str__(self) -> str:
        place = f"{self.file} {self.item}" if self.item else self.file
        return f"{place}: {self.kind}: {self.what}"

    def to_dict(self) -> dict[str, Any]:
        """Return the row that tables and JSON show."""
        return asdict(self)


class Labelled(Protocol):
    """A narrative with the gold labels that methods are evaluated against."""

    @property
    def name(self) -> str:
        """Its name in tables; unique in its corpus."""

    @property
    def narrative(self) -> Narrative:
        """The story."""

    @property
    def labels(self) -> tuple[bool, ...]:
        """Whether each sentence holds a salient event, or whether each of its events is salient."""

    @property
    def grades(self) -> tuple[float, ...]:
        """How salient each of them is, from 0 to 1; only 0 and 1 if the corpus has no degrees."""


class Corpus(Protocol):
    """A collection of labelled narratives that can be iterated over repeatedly."""

    @property
    def name(self) -> str:
        """The usual name of the corpus."""

    @property
    def labelling(self) -> str:
        """Where its labels come from, in a word or two: ``paper``, ``most votes`` …"""

    @property
    def problems(self) -> tuple[CorpusProblem, ...]:
        """What was malformed and left out."""

    @property
    def annotate(self) -> Annotator | None:
        """Return the gold annotation of a narrative of this corpus; None if the corpus has none."""

    @property
    def tokenize(self) -> Tokenizer | None:
        """Return the gold words of a narrative of this corpus; None if the corpus has none."""

    def __iter__(self) -> Iterator[Labelled]: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class CorpusKind:
    """A kind of corpora, for ``KIND=PATH`` on the command line.

    It is an entry point in the group ``barthes.corpora``, under the name of the kind::

        [project.entry-points."barthes.corpora"]
        fables = "my_package:FABLES"           FABLES = CorpusKind(Fables)

    Attributes:
        open: Returns the corpus at a path; its second argument is the rule of labels, if there are several.
        labels: The rules of labels, the default first; empty if there is only one.
    """

    open: Callable[..., Corpus]
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelledNarrative:
    """A narrative whose sentences, or whose events, are labelled.

    Attributes:
        grades: From 0 to 1; by default 1.0 where the label is true, otherwise 0.0.
        group: What the story shares with other stories, such as the event that they tell. Learned methods
            must keep the stories of a group together in cross-validation. Empty if it stands alone.
        votes: For each sentence, whether each annotator chose it; empty if the corpus does not say.
        events: What is labelled instead of sentences: events in text order, with the indices of their
            sentences.

    >>> story = Narrative.from_sentences(["It rained.", "The wolf came."])
    >>> LabelledNarrative("wolf", story, (False, True)).grades
    (0.0, 1.0)
    """

    name: str
    narrative: Narrative
    labels: tuple[bool, ...]
    grades: tuple[float, ...] = ()
    group: str = ""
    votes: tuple[tuple[bool, ...], ...] = ()
    events: tuple[tuple[int, Event], ...] = ()

    def __post_init__(self) -> None:
        if not self.grades:
            object.__setattr__(self, "grades", tuple(map(float, self.labels)))
        size, unit = (len(self.events), "events") if self.events else (len(self.narrative), "sentences")
        for what, values in (("labels", self.labels), ("grades", self.grades), ("votes", self.votes)):
            if len(values) != size and not (what == "votes" and not values):
                raise ValueError(f"{len(values)} {what} for {size} {unit}")
        if not all(0 <= grade <= 1 for grade in self.grades):
            raise ValueError(f"grades are from 0 to 1, not {self.grades}")


class StoryCollection:
    """A corpus whose stories have labels and grades, but no annotation.

    Attributes:
        stories: The labelled narratives in the order of the files.
        problems: What was malformed and left out.
        path: Where they were read from.

    Raises:
        ReadingError: No story is left.
    """

    name: str
    labelling: str
    annotate = None
    tokenize = None

    def __init__(
        self,
        stories: Sequence[LabelledNarrative],
        problems: Sequence[CorpusProblem],
        *,
        where: str | Path,
        remedy: str,
    ) -> None:
        check_not_empty(stories, problems, where=where, remedy=remedy)
        self.path: Path = Path(where)
        self.stories: tuple[LabelledNarrative, ...] = tuple(stories)
        self.problems: tuple[CorpusProblem, ...] = tuple(problems)

    def __iter__(self) -> Iterator[LabelledNarrative]:
        return iter(self.stories)

    def __len__(self) -> int:
        return len(self.stories)

    def __getitem__(self, index: int) -> LabelledNarrative:
        return self.stories[index]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} stories, {len(self.problems)} problems)"


def check_not_empty(
    stories: Sequence[object], problems: Sequence[CorpusProblem], *, where: str | Path, remedy: str
) -> None:
    """Raise ReadingError with the first problem if no story could be read."""
    if not stories:
        first = f"no story in it can be read; the first: {problems[0]}." if problems else "it has no story."
        raise ReadingError(first, where=where, remedy=remedy)


def join_sentences(sentences: object, *, title: str, notes: Sequence[str] = ()) -> Narrative:
    """Build a narrative from a list of sentences and keep every one of them, so that labels stay aligned.

    Raises:
        MalformedError: It is not a list of strings, or a string is blank or has a lone surrogate.

    >>> join_sentences(["It rained.", "The wolf came."], title="wolf").text
    'It rained. The wolf came.'
    """
    if not isinstance(sentences, list) or not sentences:
        raise MalformedError("it has no list of sentences")
    for number, sentence in enumerate(sentences, start=1):
        try:
            check_sentence(sentence)
        except MalformedError as error:
            raise MalformedError(f"sentence {number} {error}") from error
    return Narrative.from_sentences(sentences, title=title, notes=notes)


def check_sentence(sentence: object) -> str:
    """Return a sentence; raise MalformedError unless it is text that is not blank and can be written."""
    if not isinstance(sentence, str):
        raise MalformedError(f"is not text but {sentence!r:.50}")
    if not sentence.strip():
        raise MalformedError("is blank")
    try:
        sentence.encode("utf-8")
    except UnicodeEncodeError as error:
        raise MalformedError("has an invalid character in it") from error
    return sentence


def get_unit(corpus: Corpus) -> str:
    """Return the unit of a corpus's labels."""
    unit: str = getattr(corpus, "unit", "sentence")
    return unit


def get_events(story: Labelled) -> tuple[tuple[int, Event], ...]:
    """Return the labelled events of a story; none if its sentences are labelled."""
    events: tuple[tuple[int, Event], ...] = getattr(story, "events", ())
    return events


def choose_unit(corpus: Corpus, unit: str) -> Corpus:
    """Return the corpus with labels for a unit; finding the events of a corpus for the first time is slow.

    Raises:
        UnknownNameError: There is no such unit.
        BarthesError: The corpus has no labels for it.
    """
    if unit not in UNITS:
        raise UnknownNameError("unit", unit, UNITS)
    if get_unit(corpus) == unit:
        return corpus
    events: Corpus | None = getattr(corpus, "events", None) if unit == "event" else None
    if events is not None:
        return events
    raise BarthesError(
        f"the corpus has no labels for {unit}s.",
        where=corpus.name,
        remedy=f"Evaluate {get_unit(corpus)}s.",
    )


def to_units(scores: Sequence[float], unit: str, story: Labelled) -> Sequence[float]:
    """Return one score for each label of a story, from scores of its sentences or of its events.

    An event has the score of its sentence where only sentences are scored.

    Raises:
        BarthesError: Events are scored but sentences labelled, or other events than those that are labelled.
    """
    events = get_events(story)
    if events and unit == "sentence":
        return [scores[k] for k, _ in events]
    if unit == "event" and not events:
        raise BarthesError(
            "a method scored events, but the labels are for sentences.",
            where=story.name,
            remedy="Evaluate the unit 'event', or choose a method that scores sentences.",
        )
    if len(scores) != len(story.labels):
        raise BarthesError(
            f"{len(scores)} {unit}s were scored, but {len(story.labels)} are labelled.",
            where=story.name,
            remedy="Score with the annotation that the labels are made with.",
        )
    return scores
