"""A narrative: the unchanged text, and its sentences as half-open character spans.

The spans can also be those of paragraphs, scenes or chapters (`barthes.units.regroup`): whatever scores,
shows or exports sentences does the same with longer units.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple, overload

from barthes.errors import EmptyNarrativeError, NarrativeError

SPAN_UNITS = ("sentence", "paragraph", "scene", "chapter")
"""What the spans of a narrative can be, the shortest first."""

BLANK_LINE = re.compile(r"(?>\r\n|\r|\n)[^\S\r\n]*(?:\r\n|\r|\n)")
"""What ends a paragraph."""


class ScriptPassage(NamedTuple):
    """A paragraph of action or a speech in a screenplay: its span, and who speaks."""

    start: int
    end: int
    kind: str
    """``action`` or ``dialogue``."""
    speaker: str = ""


class Omitted(NamedTuple):
    """What the source has but the text of a narrative does not, or has in another form."""

    place: int
    """Where it belongs in the text."""
    text: str
    """It, with the line breaks around it; empty if it only says what the text is from here on."""
    kind: str = ""
    """What it is: ``heading 1`` to ``heading 6``, an element of a screenplay, or a line of another kind."""
    replaced: int = 0
    """How many characters of the text it stands for."""


@dataclass(frozen=True, slots=True)
class Part:
    """A story or chapter of a file: its number, counted from 1, its title, and how many words it has."""

    number: int
    title: str
    words: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence S_k of a narrative.

    Attributes:
        index: k, counted from 0.
        start: Offset of its first character in the narrative's text.
        end: Offset one past its last character.
        text: The characters in between, exactly as in the source.
        left_out: The spans in it that are not scored, such as the speakers in a scene of a play.
        kind: ``action`` or ``dialogue`` in a screenplay, otherwise empty.
        speaker: Who speaks it in a screenplay; empty if unknown.
    """

    index: int
    start: int
    end: int
    text: str
    left_out: tuple[tuple[int, int], ...] = ()
    kind: str = ""
    speaker: str = ""

    def __str__(self) -> str:
        """Return what is scored on one line: runs of white space become one space."""
        if not self.left_out:
            return " ".join(self.text.split())
        edges = [self.start, *(edge for span in self.left_out for edge in span), self.end]
        pieces = zip(edges[::2], edges[1::2], strict=True)
        return " ".join(" ".join(self.text[a - self.start : b - self.start] for a, b in pieces).split())

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True, repr=False)
class Narrative:
    """An immutable story: its source text and the spans of its sentences.

    Spans are half-open, in order, do not overlap, and have no white space at their ends. `gaps` and
    `sentences` interleaved give `text` exactly.

    Attributes:
        text: The whole text, unchanged.
        spans: The (start, end) of each sentence, or of each longer unit.
        title: The title of the story, or the name of its file.
        language: Its ISO code.
        notes: Notes for readers of results: what was left out, a guessed encoding.
        unit: What the spans are: one of `SPAN_UNITS`.
        chapters: Where each chapter begins in the text, with its title; empty if there are none.
        left_out: What is not scored inside units that are longer than sentences: what stands between their
            sentences, such as speakers. Spans in order.
        passages: The action and the speeches of a screenplay, in order; empty for other texts.
        omitted: What the source has but the text does not, such as headings. In order; see `restore`.
        written_as: The format in which it is written when it is cut: ``txt``, ``md`` or ``fountain``.
        heading: The title that the text has itself, where `title` is the name of its file.
        author: Who wrote it, where the file says so.
        skipped: Passages that frame the story and are not ranked; spans in order.
        kept: Passages that stay when the story is cut; spans in order.

    Raises:
        EmptyNarrativeError: There are no spans.
        NarrativeError: A span is empty, overlaps the previous one, or is outside the text.

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
    unit: str = "sentence"
    chapters: tuple[tuple[int, str], ...] = ()
    left_out: tuple[tuple[int, int], ...] = ()
    passages: tuple[ScriptPassage, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    written_as: str = "txt"
    heading: str = ""
    author: str = ""
    skipped: tuple[tuple[int, int], ...] = ()
    kept: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if not self.spans:
            raise EmptyNarrativeError(
                "it has no sentences.",
                where=self.title or None,
                remedy="Provide a text with words.",
            )
        position = 0
        for start, end in self.spans:
            if not position <= start < end <= len(self.text):
                raise NarrativeError(
                    f"the span ({start}, {end}) is empty, overlaps the previous one, or is outside the text.",
                    where=self.title or None,
                )
            position = end

    @classmethod
    def from_sentences(
        cls,
        sentences: Iterable[str | Sentence],
        *,
        title: str = "",
        language: str = "en",
        notes: Sequence[str] = (),
    ) -> Narrative:
        """Build a narrative from sentences, stripped and joined by one space; blank ones are left out."""
        stripped = [text for sentence in sentences if (text := str(sentence).strip())]
        starts = accumulate((len(text) + 1 for text in stripped), initial=0)
        spans = tuple((start, start + len(text)) for start, text in zip(starts, stripped, strict=False))
        return cls(" ".join(stripped), spans, title=title, language=language, notes=tuple(notes))

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences S_1 … S_n in story order."""
        return tuple(self)

    @property
    def gaps(self) -> tuple[str, ...]:
        """The text before, between and after the sentences: n + 1 strings."""
        edges = [0, *(edge for span in self.spans for edge in span), len(self.text)]
        return tuple(self.text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2))

    def restore(self) -> Narrative:
        r"""Return the narrative with what was omitted in its text, between or inside its units.

        `barthes.cutting.write_back` also adds the marks of the format `written_as`.

        >>> story = Narrative("A wolf came.", ((0, 12),), omitted=(Omitted(0, "The Wolf\n\n"),))
        >>> story.restore().text, story.restore().spans
        ('The Wolf\n\nA wolf came.', ((10, 22),))
        """
        omitted = self.omitted
        if not omitted:
            return self
        sizes = [0, *accumulate(len(each.text) - each.replaced for each in omitted)]
        # What stands for some of the text belongs to the unit that begins there.
        starts = [each.place + (each.replaced > 0) / 2 for each in omitted]

        def before(place: int) -> int:
            return place + sizes[bisect_left(starts, place)]

        def after(place: int) -> int:
            return place + sizes[bisect_right(starts, place)]

        return replace(
            self,
            text=write_omitted(self.text, omitted),
            spans=tuple((after(start), before(end)) for start, end in self.spans),
            chapters=tuple((before(start), title) for start, title in self.chapters),
            left_out=tuple((before(start), after(end)) for start, end in self.left_out),
            passages=tuple(
                ScriptPassage(after(start), before(end), *who) for start, end, *who in self.passages
            ),
            omitted=(),
            skipped=tuple((after(start), before(end)) for start, end in self.skipped),
            kept=tuple((after(start), before(end)) for start, end in self.kept),
        )

    def __len__(self) -> int:
        return len(self.spans)

    def __repr__(self) -> str:
        named = f"{self.title!r}: " if self.title else ""
        return f"<Narrative {named}{len(self)} {self.unit}s, {len(self.text):,} characters>"

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Narrative: ...
    def __getitem__(self, index: int | slice) -> Sentence | Narrative:
        """Return a sentence, or the part of the story from one sentence up to another.

        >>> story = Narrative.from_sentences(["The wolf came.", "It rained.", "The wolf left."])
        >>> story[1:].text, story[-1].text
        ('It rained. The wolf left.', 'The wolf left.')
        """
        if isinstance(index, slice):
            return self._take_part(index)
        start, end = self.spans[index]
        inside = self.left_out[bisect_left(self.left_out, (start, 0)) : bisect_left(self.left_out, (end, 0))]
        passage = self._find_passage(start, end)
        return Sentence(
            index % len(self.spans), start, end, self.text[start:end], inside, passage.kind, passage.speaker
        )

    def _take_part(self, part: slice) -> Narrative:
        """Return the narrative of some consecutive sentences; raise a NarrativeError for others."""
        first, stop, step = part.indices(len(self.spans))
        if step != 1 or first >= stop:
            problem = f"[{part.start}:{part.stop}:{part.step}] is not a part of {len(self)} {self.unit}s."
            remedy = "Give the first one and the one after the last, such as story[3:20]."
            raise NarrativeError(problem, where=self.title or None, remedy=remedy)
        a, b = self.spans[first][0], self.spans[stop - 1][1]
        chapter = max(0, bisect_right(self.chapters, a, key=lambda chapter: chapter[0]) - 1)
        return replace(
            self,
            text=self.text[a:b],
            spans=tuple((start - a, end - a) for start, end in self.spans[first:stop]),
            chapters=tuple(
                (max(0, start - a), title) for start, title in self.chapters[chapter:] if start < b
            ),
            left_out=_clip(self.left_out, a, b),
            passages=tuple(
                each._replace(start=max(each.start - a, 0), end=min(each.end, b) - a)
                for each in self.passages
                if a < each.end and each.start < b
            ),
            omitted=tuple(
                each._replace(place=each.place - a) for each in self.omitted if a <= each.place < b
            ),
            skipped=_clip(self.skipped, a, b),
            kept=_clip(self.kept, a, b),
        )

    def _find_passage(self, start: int, end: int) -> ScriptPassage:
        """Return the passage that contains a span; one of no kind if there is none."""
        place = bisect_right(self.passages, start, key=lambda passage: passage.start)
        found = self.passages[place - 1] if place else None
        return found if found is not None and end <= found.end else ScriptPassage(start, end, "")

    def __iter__(self) -> Iterator[Sentence]:
        return (self[index] for index in range(len(self.spans)))


def _clip(spans: Iterable[tuple[int, int]], first: int, last: int) -> tuple[tuple[int, int], ...]:
    """Return the spans in ``text[first:last]``, counted from `first`."""
    return tuple(
        (max(start - first, 0), min(end, last) - first)
        for start, end in spans
        if first < end and start < last
    )


def write_omitted(text: str, omitted: Iterable[Omitted]) -> str:
    """Return a text with what was omitted, which is in order.

    >>> write_omitted("The wolf.", [Omitted(0, "# "), Omitted(4, "king", replaced=4)])
    '# The king.'
    """
    pieces, position = list[str](), 0
    for each in omitted:
        pieces += [text[position : each.place], each.text]
        position = each.place + each.replaced
    return "".join([*pieces, text[position:]])
