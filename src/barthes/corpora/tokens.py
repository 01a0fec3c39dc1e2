"""The layer of tokens, with the tags of another layer.

Offsets become offsets into the narrative's text, which begins after the comment header. Each is checked:
a token must stand where it says it stands.
"""

from __future__ import annotations

import difflib

from barthes.annotation.events import PENN_SIGNS, Token
from barthes.corpora.problems import Problem
from barthes.corpora.story_workbench import Description, StoryFile

__all__ = ["read_tokens"]

_AUXILIARY = "(aux)"
_LONGEST_WORD = 100  # characters
_SAME_WORD = 0.8
"""Least similarity (difflib's ratio) of a token and the whole word at its offsets: *centre*, *center*."""


def read_tokens(file: StoryFile, *, shift: int) -> tuple[dict[str, Token], list[Problem]]:
    """The tokens of a file by id.

    Args:
        file: The parsed file.
        shift: Offset of the narrative's text in the file's text, in characters.
    """
    tags, problems = _read_tags(file)
    tokens: dict[str, Token] = {}
    for description in file.layer("parsing.token"):
        if what := _misplacement(description, file.text, shift):
            problems.append(Problem(file.name, description.id, "token", what))
            continue
        found = file.text[description.start : description.end]
        if not _reads(description, found):
            what = f"the token reads {description.text!r}, the text {found!r}; the text is kept"
            problems.append(Problem(file.name, description.id, "spelling", what))
        if tags and description.id not in tags:
            problems.append(Problem(file.name, description.id, "tag", f"the token {found!r} has no tag"))
        tokens[description.id] = _token(description, found, tags.get(description.id, ""), shift)
    return tokens, problems


def _token(description: Description, found: str, tag: str, shift: int) -> Token:
    start, end = description.start - shift, description.end - shift
    return Token(start, end, found, tag.removesuffix(_AUXILIARY), tag.endswith(_AUXILIARY))


def _read_tags(file: StoryFile) -> tuple[dict[str, str], list[Problem]]:
    """The tags by token; a token that is tagged in two ways has none."""
    tags: dict[str, str] = {}
    problems = []
    for description in file.layer("parsing.pos"):
        match description.text.split():
            case [token, tag] if tags.get(token, tag) == tag:
                tags[token] = tag
            case [token, tag]:
                what = f"token {token} is tagged {tag} and {tags[token] or 'more'}; neither is kept"
                problems.append(Problem(file.name, description.id, "tag", what))
                tags[token] = ""
            case _:
                what = f"{description.text!r} is not a token's id and its tag"
                problems.append(Problem(file.name, description.id, "tag", what))
    return tags, problems


def _reads(description: Description, found: str) -> bool:
    """Whether the text reads what the token reads, Penn's spelling of quotes and brackets aside."""
    return found in (description.text, PENN_SIGNS.get(description.text))


def _misplacement(description: Description, text: str, shift: int) -> str | None:
    """What is wrong with a token's offsets; None where it stands where it says."""
    start, end = description.start, description.end
    if not shift <= start < end <= len(text):
        return f"({start}, {end}) is empty or not in the story"
    found = text[start:end]
    if _reads(description, found) or _is_respelt(description, text):
        return None
    return f"{description.text!r} does not stand at ({start}, {end}): {found!r} does"


def _is_respelt(description: Description, text: str) -> bool:
    """Whether exactly one whole word stands there, and it is the token in another spelling.

    Sources were corrected after they had been cut into tokens. Wrong offsets do not pass: they cut words.
    """
    start, end = description.start, description.end
    before, found, after = text[max(start - 1, 0) : start], text[start:end], text[end : end + 1]
    if before.isalnum() or after.isalnum() or not found.isalnum():
        return False
    written = description.text.strip()
    if max(len(found), len(written)) > _LONGEST_WORD:  # comparing takes time with the square of it
        return False
    return difflib.SequenceMatcher(None, found, written, autojunk=False).ratio() >= _SAME_WORD
