"""The layer of sentences: token ids joined by ``~``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from barthes.annotation.events import Span, Token
from barthes.corpora.problems import Problem
from barthes.corpora.story_workbench import Description, StoryFile

__all__ = ["TokenSentence", "read_sentences"]


@dataclass(frozen=True, slots=True)
class TokenSentence:
    """A sentence as a row of tokens.

    Attributes:
        id: The id of its description.
        span: Where it stands in the narrative's text: from its first token to its last.
        ids: The ids of all its tokens, those that were left out included.
        tokens: Its tokens by id, in text order.
    """

    id: str
    span: Span
    ids: tuple[str, ...]
    tokens: Mapping[str, Token]


def read_sentences(
    file: StoryFile, tokens: Mapping[str, Token], *, shift: int
) -> tuple[list[TokenSentence], list[Problem]]:
    """The sentences of a file in text order.

    A token that was left out, or stands elsewhere, is left out here too. A sentence whose first or last
    token is such a one cannot be placed and is left out as a whole.
    """
    sentences: list[TokenSentence] = []
    problems: list[Problem] = []
    position = 0
    for description in sorted(file.layer("parsing.sentence"), key=lambda each: each.start):
        span = (description.start - shift, description.end - shift)
        ids = tuple(description.text.strip().split("~"))
        own, complaints = _tokens_at(span, ids, tokens)
        problems += [Problem(file.name, description.id, "sentence", what) for what in complaints]
        if what := _misplacement(description, span, [own.get(ids[0]), own.get(ids[-1])], position):
            problems.append(Problem(file.name, description.id, "sentence", what))
            continue
        sentences.append(TokenSentence(description.id, span, ids, own))
        position = span[1]
    return sentences, problems


def _tokens_at(
    span: Span, ids: tuple[str, ...], tokens: Mapping[str, Token]
) -> tuple[dict[str, Token], list[str]]:
    """The tokens that exist and stand, in order, inside the span; and what is wrong with the others."""
    own: dict[str, Token] = {}
    complaints = []
    position = span[0]
    for identity in ids:
        token = tokens.get(identity)
        if token is None:
            complaints.append(f"there is no token {identity!r}, or it was left out")
        elif not position <= token.start < token.end <= span[1]:
            complaints.append(f"token {identity} is out of order or not in the sentence")
        else:
            own[identity] = token
            position = token.end
    return own, complaints


def _misplacement(
    description: Description, span: Span, edges: Sequence[Token | None], position: int
) -> str | None:
    """What is wrong with a sentence's offsets; None where its first and last tokens bear them out."""
    said = f"({description.start}, {description.end})"
    if not position <= span[0] < span[1]:
        return f"{said} is empty, overlaps the sentence before it or stands before the story"
    first, last = edges
    if first is None or last is None or (first.start, last.end) != span:
        return f"{said} does not begin with its first token and end with its last; it is left out"
    return None
