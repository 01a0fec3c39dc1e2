"""One tale of ProppLearner with the annotation that Barthes uses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property

from barthes.annotation.events import Annotation, SentenceAnnotation, Span
from barthes.errors import ReadingError
from barthes.evaluation.corpus import CorpusProblem
from barthes.hashing import hash_content
from barthes.narrative import Narrative
from barthes_research.corpora.functions import (
    Function,
    choose_functions,
    read_functions,
)
from barthes_research.corpora.trees import Tree, read_roles, read_trees
from barthes_research.corpora.workbench_file import parse_story
from barthes_research.corpora.workbench_tokens import read_sentences, read_tokens

_LAYERS = (
    "parsing.token parsing.pos parsing.sentence parsing.parse semantics.semroles semantics.rep.function"
).split()


@dataclass(frozen=True)
class Tale:
    """A tale. All offsets count characters of `narrative.text`.

    Attributes:
        name: The file's name without its suffix: ``story1``.
        narrative: The story without the comment header, split into its annotated sentences.
        annotation: Tokens, tags, predicates and roles, sentence by sentence.
        words: The tokens as the annotators' tokenizer spells them, for counting words as the paper did:
            other quotation marks, ``-LRB-`` for a bracket.
        trees: The constituency tree of each sentence; None if it is missing or broken.
        functions: Propp's functions including the initial situation, in the file's order.
        rule: How labels follow from functions: ``paper`` or ``corrected``.
        shift: Offset of the narrative's text in the file's text, in characters.
        problems: What was malformed and left out.
    """

    name: str
    narrative: Narrative
    annotation: Annotation = field(repr=False)
    words: tuple[tuple[str, ...], ...] = field(repr=False)
    trees: tuple[Tree | None, ...] = field(repr=False)
    functions: tuple[Function, ...] = field(repr=False)
    rule: str = "paper"
    shift: int = 0
    problems: tuple[CorpusProblem, ...] = field(default=(), repr=False)

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
        """The hash of the annotation; computing it takes a tenth of a second."""
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
        return tuple(map(any, self.token_labels))

    @cached_property
    def grades(self) -> tuple[float, ...]:
        """1.0 for each sentence that holds a salient event, otherwise 0.0."""
        return tuple(map(float, self.labels))

    @cached_property
    def token_labels(self) -> tuple[tuple[bool, ...], ...]:
        """Whether each token tells of a salient event, sentence by sentence."""
        return tuple(
            tuple(token.span in self._salient_spans for token in known.tokens) for known in self.annotation
        )

    @cached_property
    def _salient_spans(self) -> frozenset[Span]:
        """The spans of the tokens in which salient functions happen."""
        return frozenset(token.span for function in self.salient_functions for token in function.actual)


def read_tale(content: bytes, *, name: str, rule: str = "paper") -> Tale:
    """Read a tale from the bytes of its `.sty` file; reports call the file `name`.

    Raises:
        ReadingError: It holds no story. `Tale.problems` has what is malformed inside a story.
        UnknownNameError: There is no such rule.
    """
    choose_functions((), rule=rule)
    file = parse_story(content, name=name)
    header = file.header
    missing = (f"edu.mit.{layer} is missing or empty" for layer in _LAYERS if not file.layer(layer))
    problems = [*file.problems, *(CorpusProblem(name, "", "layer", what) for what in missing)]
    tokens = read_tokens(file, problems)
    sentences = read_sentences(file, tokens, problems)
    if not sentences:
        raise ReadingError("there is no sentence in it that stands where it says.", where=name)
    trees = read_trees(file, sentences, problems)
    events = read_roles(file, sentences, trees, problems)
    functions = read_functions(file, tokens, problems)
    spans = tuple(sentence.span for sentence in sentences)
    forms = {description.id: description.text.strip() for description in file.layer("parsing.token")}
    rows = zip(sentences, events, strict=True)
    return Tale(
        name=re.sub(r"\.sty$", "", name, flags=re.IGNORECASE),
        narrative=Narrative(file.text[header.length :].rstrip(), spans, title=header.title),
        annotation=Annotation(tuple(SentenceAnnotation(tuple(s.tokens.values()), tuple(e)) for s, e in rows)),
        words=tuple(tuple(forms[identity] for identity in sentence.tokens) for sentence in sentences),
        trees=tuple(trees),
        functions=tuple(functions),
        rule=rule,
        shift=header.length,
        problems=tuple(problems),
    )
