"""One tale of ProppLearner, with all that its annotators said about it that Barthes uses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property

from barthes.annotation.events import Annotation, SentenceAnnotation
from barthes.corpora.functions import Function, read_functions
from barthes.corpora.header import read_header
from barthes.corpora.labels import choose_functions, label_events, label_sentences, label_tokens
from barthes.corpora.problems import Problem
from barthes.corpora.roles import read_roles
from barthes.corpora.sentences import read_sentences
from barthes.corpora.story_workbench import StoryFile, parse_story
from barthes.corpora.timeml import TimeEvent, read_time_events
from barthes.corpora.tokens import read_tokens
from barthes.corpora.trees import Tree, read_trees
from barthes.errors import ReadingError
from barthes.hashing import hash_content
from barthes.narrative import Narrative

__all__ = ["Tale", "read_tale"]

_LAYERS = (
    "parsing.token",
    "parsing.pos",
    "parsing.sentence",
    "parsing.parse",
    "semantics.semroles",
    "semantics.rep.event",
    "semantics.rep.function",
)


@dataclass(frozen=True)
class Tale:
    """A tale. Every offset in it counts characters of `narrative.text`.

    Attributes:
        name: The file's name without its suffix: ``story1``.
        narrative: The story without the comment header, cut into its annotated sentences.
        annotation: Tokens, tags, predicates and roles, sentence by sentence.
        words: The tokens as the annotators' tokenizer spells them, for counting words as the paper did:
            other signs for quotation marks, ``-LRB-`` for a bracket.
        trees: The constituency tree of each sentence; None where it is missing or broken.
        time_events: The TimeML-like events, in the file's order.
        functions: Propp's functions, the initial situation included, in the file's order.
        rule: How labels follow from functions: ``paper`` or ``corrected``.
        shift: Offset of the narrative's text in the file's text, in characters.
        problems: What was malformed and left out.
    """

    name: str
    narrative: Narrative
    annotation: Annotation = field(repr=False)
    words: tuple[tuple[str, ...], ...] = field(repr=False)
    trees: tuple[Tree | None, ...] = field(repr=False)
    time_events: tuple[TimeEvent, ...] = field(repr=False)
    functions: tuple[Function, ...] = field(repr=False)
    title: str = ""
    collector: str = ""
    translator: str = ""
    year: int | None = None
    rule: str = "paper"
    shift: int = 0
    problems: tuple[Problem, ...] = field(default=(), repr=False)

    @property
    def number(self) -> int | None:
        """The number in its name."""
        found = re.search(r"\d{1,9}", self.name)
        return int(found[0]) if found else None

    @property
    def salient_functions(self) -> tuple[Function, ...]:
        """The functions that count as salient events."""
        return choose_functions(self.functions, rule=self.rule)

    @cached_property
    def annotation_hash(self) -> str:
        """What the annotation is known by; it takes a tenth of a second, once."""
        return hash_content(self.annotation.to_dict())

    @cached_property
    def token_narrative(self) -> Narrative:
        """The tale as the paper's authors gave it to their model: `words`, joined by spaces.

        ::

            narrative          "Come home," said the fox.
            token_narrative    `` Come home , '' said the fox .
        """
        joined = Narrative.from_sentences([" ".join(words) for words in self.words])
        return replace(joined, title=self.narrative.title, language=self.narrative.language)

    @cached_property
    def labels(self) -> tuple[bool, ...]:
        """Whether each sentence holds a salient event."""
        return label_sentences(self.annotation, self.functions, rule=self.rule)

    @cached_property
    def grades(self) -> tuple[float, ...]:
        """1.0 for each sentence that holds a salient event, 0.0 for each other one."""
        return tuple(map(float, self.labels))

    @cached_property
    def event_labels(self) -> tuple[tuple[bool, ...], ...]:
        """Whether each event of the annotation is salient, sentence by sentence."""
        return label_events(self.annotation, self.functions, rule=self.rule)

    @cached_property
    def token_labels(self) -> tuple[tuple[bool, ...], ...]:
        """Whether each token tells of a salient event, sentence by sentence."""
        return label_tokens(self.annotation, self.functions, rule=self.rule)


def read_tale(content: bytes, *, name: str, rule: str = "paper") -> Tale:
    """Read a tale from the bytes of its `.sty` file.

    Args:
        content: The bytes.
        name: The file's name, for reports.
        rule: The rule of its labels.

    Raises:
        ReadingError: There is no story in it. What is malformed inside a story is in `Tale.problems`.
        UnknownNameError: There is no such rule.
    """
    choose_functions((), rule=rule)
    file = parse_story(content, name=name)
    header = read_header(file.text)
    shift = header.length
    tokens, token_problems = read_tokens(file, shift=shift)
    sentences, sentence_problems = read_sentences(file, tokens, shift=shift)
    if not sentences:
        raise ReadingError("there is no sentence in it that stands where it says.", where=name)
    trees, tree_problems = read_trees(file, sentences, shift=shift)
    events, role_problems = read_roles(file, sentences, trees, shift=shift)
    time_events, event_problems = read_time_events(file, tokens)
    functions, function_problems = read_functions(file, tokens)
    spans = tuple(sentence.span for sentence in sentences)
    forms = {description.id: description.text.strip() for description in file.layer("parsing.token")}
    rows = zip(sentences, events, strict=True)
    return Tale(
        name=re.sub(r"\.sty$", "", name, flags=re.IGNORECASE),
        narrative=Narrative(file.text[shift:].rstrip(), spans, title=header.title),
        annotation=Annotation(tuple(SentenceAnnotation(tuple(s.tokens.values()), tuple(e)) for s, e in rows)),
        words=tuple(tuple(forms[identity] for identity in sentence.tokens) for sentence in sentences),
        trees=tuple(trees),
        time_events=tuple(time_events),
        functions=tuple(functions),
        title=header.title,
        collector=header.collector,
        translator=header.translator,
        year=header.year,
        rule=rule,
        shift=shift,
        problems=(
            *file.problems,
            *_missing_layers(file),
            *token_problems,
            *sentence_problems,
            *tree_problems,
            *role_problems,
            *event_problems,
            *function_problems,
        ),
    )


def _missing_layers(file: StoryFile) -> list[Problem]:
    missing = [layer for layer in _LAYERS if not file.layer(layer)]
    return [Problem(file.name, "", "layer", f"edu.mit.{layer} is missing or empty") for layer in missing]
