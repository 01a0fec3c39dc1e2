"""The tokens and sentences of a Story Workbench file.

Tokens come with the tags of another layer. Sentences are token ids joined by ``~``; other layers join ids
within a span by ``~`` and spans by ``,``. Every offset is checked: a token must be where it claims to be.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from barthes.annotation.events import PENN_SIGNS, Span, Token
from barthes.evaluation.corpus import CorpusProblem
from barthes.reading.rows import MalformedError
from barthes_research.corpora.workbench_file import Description, StoryFile

_AUXILIARY = "(aux)"
_LONGEST_WORD = 100  # characters
_SAME_WORD = 0.8
"""Minimum similarity (difflib's ratio) of a token and the whole word at its offsets: *centre*, *center*."""
_REFERENCES = re.compile(r"\d+(?:~\d+)*(?:,\d+(?:~\d+)*)*")


@dataclass(frozen=True, slots=True)
class TokenSentence:
    """A sentence as a sequence of tokens.

    Attributes:
        id: The id of its description.
        span: Its span in the narrative's text: from its first token to its last.
        ids: The ids of all its tokens, including those that were left out.
        tokens: Its tokens by id, in text order.
    """

    id: str
    span: Span
    ids: tuple[str, ...]
    tokens: Mapping[str, Token]


def read_tokens(file: StoryFile, problems: list[CorpusProblem]) -> dict[str, Token]:
    """Return the tokens of a file by id; add what is malformed to `problems`.

    A token in another spelling than the text is kept as the text has it. A token at the wrong place is
    left out.
    """
    tags = _read_tags(file, problems)
    tokens: dict[str, Token] = {}

    def add(description: Description) -> None:
        start, end = description.start, description.end
        if not file.header.length <= start < end <= len(file.text):
            raise MalformedError(f"({start}, {end}) is empty or not in the story")
        found = file.text[start:end]
        if found not in (description.text, PENN_SIGNS.get(description.text)):
            if not _is_respelt(description, file.text):
                raise MalformedError(
                    f"{description.text!r} does not stand at ({start}, {end}): {found!r} does"
                )
            what = f"the token reads {description.text!r}, the text {found!r}; the text is kept"
            problems.append(file.problem(description, "spelling", what))
        if tags and description.id not in tags:
            problems.append(file.problem(description, "tag", f"the token {found!r} has no tag"))
        tag = tags.get(description.id, "")
        auxiliary = tag.endswith(_AUXILIARY)
        span = file.locate(description)
        tokens[description.id] = Token(*span, found, tag.removesuffix(_AUXILIARY), auxiliary)

    file.parse_layer("parsing.token", "token", add, problems)
    return tokens


def read_sentences(
    file: StoryFile, tokens: Mapping[str, Token], problems: list[CorpusProblem]
) -> list[TokenSentence]:
    """Return the sentences of a file in text order; add what is malformed to `problems`.

    Tokens that do not exist or are in another place are left out. A sentence whose first or last token is
    such a token is left out as a whole, because its place is not certain.
    """
    sentences: list[TokenSentence] = []
    position = 0
    for description in sorted(file.layer("parsing.sentence"), key=lambda each: each.start):
        span = file.locate(description)
        ids = tuple(description.text.strip().split("~"))
        own, complaints = _tokens_in(span, ids, tokens)
        first, last = own.get(ids[0]), own.get(ids[-1])
        misplaced = ""
        if not position <= span[0] < span[1]:
            misplaced = "is empty, overlaps the sentence before it or stands before the story"
        elif first is None or last is None or (first.start, last.end) != span:
            misplaced = "does not begin with its first token and end with its last; it is left out"
        if misplaced:
            complaints.append(f"({description.start}, {description.end}) {misplaced}")
        else:
            sentences.append(TokenSentence(description.id, span, ids, own))
            position = span[1]
        problems += [file.problem(description, "sentence", what) for what in complaints]
    return sentences


def parse_references(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the token ids that a description refers to, span by span; raise MalformedError for others.

    >>> parse_references("47~48,50")
    (('47', '48'), ('50',))
    """
    if not _REFERENCES.fullmatch(text):
        raise MalformedError(f"{text!r} does not read like token ids")
    return tuple(tuple(span.split("~")) for span in text.split(","))


def find_tokens(spans: tuple[tuple[str, ...], ...], tokens: Mapping[str, Token]) -> tuple[Token, ...]:
    """Return the tokens with these ids, in their order; raise MalformedError if one does not exist."""
    ids = [identity for span in spans for identity in span]
    for identity in ids:
        if identity not in tokens:
            raise MalformedError(f"there is no token {identity}, or it was left out")
    return tuple(tokens[identity] for identity in ids)


def _read_tags(file: StoryFile, problems: list[CorpusProblem]) -> dict[str, str]:
    """Return the tags by token id; a token with two different tags gets none."""
    tags: dict[str, str] = {}

    def add(description: Description) -> None:
        match description.text.split():
            case [token, tag] if tags.get(token, tag) == tag:
                tags[token] = tag
            case [token, tag]:
                before, tags[token] = tags[token], ""
                raise MalformedError(f"token {token} is tagged {tag} and {before or 'more'}; neither is kept")
            case _:
                raise MalformedError(f"{description.text!r} is not a token's id and its tag")

    file.parse_layer("parsing.pos", "tag", add, problems)
    return tags


def _is_respelt(description: Description, text: str) -> bool:
    """Return whether exactly one whole word is there, and it is the token in another spelling.

    Some sources were corrected after tokenization. Wrong offsets do not pass: they cut words.
    """
    start, end = description.start, description.end
    before, found, after = text[max(start - 1, 0) : start], text[start:end], text[end : end + 1]
    if before.isalnum() or after.isalnum() or not found.isalnum():
        return False
    written = description.text.strip()
    if max(len(found), len(written)) > _LONGEST_WORD:  # comparing takes quadratic time
        return False
    return difflib.SequenceMatcher(None, found, written, autojunk=False).ratio() >= _SAME_WORD


def _tokens_in(
    span: Span, ids: tuple[str, ...], tokens: Mapping[str, Token]
) -> tuple[dict[str, Token], list[str]]:
    """Return the tokens that exist and are, in order, inside the span; and what is wrong with the others."""
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
