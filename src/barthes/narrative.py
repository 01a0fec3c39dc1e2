"""A narrative: the unchanged text, and its sentences as half-open character spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from barthes.errors import EmptyNarrativeError, NarrativeError


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence S_k of a narrative.

    Attributes:
        index: k, counted from 0.
        start: Offset of its first character in the narrative's text.
        end: Offset one past its last character.
        text: The characters in between, exactly as in the source.
    """

    index: int
    start: int
    end: int
    text: str

    def __str__(self) -> str:
        """Return the sentence on one line: runs of white space become one space."""
        return " ".join(self.text.split())

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Narrative:
    """An immutable story: its source text and the spans of its sentences.

    Spans are half-open, in order, do not overlap, and have no white space at either end. The text between
    them, before the first and after the last is white space or belongs to no sentence. `gaps` and
    `sentences` interleaved give `text` exactly.

    Raises:
        EmptyNarrativeError: There is no span.
        NarrativeError: A span is empty, overlaps the one before it, or leaves the text.

    >>> story = Narrative.from_sentences(["The wolf came.", "It rained."], title="A wolf")
    >>> story.text
    'The wolf came. It rained.'
    >>> [(s.start, s.end) for s in story]
    [(0, 14), (15, 25)]
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    title: str = ""
    language: str = "en"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.spans:
            raise EmptyNarrativeError(
                "there is no sentence in it.",
                where=self.title or None,
                remedy="Give a text with words in it.",
            )
        position = 0
        for start, end in self.spans:
            if not position <= start < end <= len(self.text):
                raise NarrativeError(
                    f"the span ({start}, {end}) is empty, overlaps the one before it, or leaves the text.",
                    where=self.title or None,
                )
            position = end

    @classmethod
    def from_sentences(
        cls, sentences: Sequence[str], *, title: str = "", language: str = "en", notes: Sequence[str] = ()
    ) -> Narrative:
        """Build a narrative from sentences, joined by one space.

        Blank entries are left out, and white space around sentences is removed.
        """
        kept = [stripped for sentence in sentences if (stripped := sentence.strip())]
        spans: list[tuple[int, int]] = []
        position = 0
        for sentence in kept:
            spans.append((position, position + len(sentence)))
            position += len(sentence) + 1
        return cls(" ".join(kept), tuple(spans), title=title, language=language, notes=tuple(notes))

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences S_1 … S_n in story order."""
        return tuple(self)

    @property
    def gaps(self) -> tuple[str, ...]:
        """The text before, between and after the sentences: n + 1 strings."""
        edges = [0, *(edge for span in self.spans for edge in span), len(self.text)]
        return tuple(self.text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2))

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, index: int) -> Sentence:
        start, end = self.spans[index]
        return Sentence(index % len(self.spans), start, end, self.text[start:end])

    def __iter__(self) -> Iterator[Sentence]:
        return (self[index] for index in range(len(self.spans)))
