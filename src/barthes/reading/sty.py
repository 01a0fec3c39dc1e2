"""Parse Story Workbench files (`.sty`): the text and its marked sentences.

`barthes.corpora` reads the other annotation in them.
"""

from __future__ import annotations

import re
from typing import Any

from barthes.errors import EmptyNarrativeError, ReadingError
from barthes.reading.document import Block, Draft
from barthes.reading.xml_parsing import parse_xml

_TEXT = "edu.mit.story.char"
_SENTENCES = "edu.mit.parsing.sentence"
_COMMENT = re.compile(r"\s*/\*\*(?P<fields>.*?)\*/\s*", re.DOTALL)
_FIELD = re.compile(r"^[ \t]*\*[ \t]*(\w[\w #\t]*+):(.*)$", re.MULTILINE)


def parse(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of a `.sty` file."""
    root = parse_xml(data, where=where)
    texts = {each.text or "" for each in _find_layer(root, _TEXT)}
    if len(texts) != 1:
        remedy = "Give a file that Story Workbench made."
        raise ReadingError(f"it has {len(texts)} texts ({_TEXT}), not one.", where=where, remedy=remedy)
    text = trim_text(texts.pop())
    length, fields = read_comment(text)
    story = text[length:].rstrip()
    if not story:
        remedy = "Give a file with words in it."
        raise EmptyNarrativeError("there is nothing in its text.", where=where, remedy=remedy)
    spans, notes = _find_sentences(root, story, length)
    draft = Draft(title=(fields or {}).get("title", ""), notes=list(notes), written_as="txt")
    if fields is not None:
        draft.add(text[:length], mark="header")
    draft.blocks.append(Block(story, spans=spans))
    return draft


def trim_text(text: str) -> str:
    """Remove the line break that Story Workbench adds at each end of a text."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == "\n" else text


def read_comment(text: str) -> tuple[int, dict[str, str] | None]:
    r"""Return the length of the comment before a story, with white space, and its fields; None without one.

    >>> read_comment("/**\n * Title      : The Crane\n * Published  : 1873\n */\n\nA crane flew.")
    (56, {'title': 'The Crane', 'published': '1873'})
    """
    comment = _COMMENT.match(text)
    if comment is None:
        return len(text) - len(text.lstrip()), None
    fields = _FIELD.findall(comment["fields"])
    return comment.end(), {key.strip().lower(): value.strip(" \t") for key, value in fields}


def _find_layer(root: Any, name: str) -> list[Any]:
    layers = [layer for layer in root.iter("rep") if layer.get("id") == name]
    return [description for layer in layers for description in layer.iter("desc")]


def _find_sentences(root: Any, story: str, shift: int) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """Return the marked sentences; none, and a note, if one of them is not in the text."""
    spans: set[tuple[int, int]] = set()
    try:
        for description in _find_layer(root, _SENTENCES):
            start = int(description.get("off", "")) - shift
            spans.add((start, start + int(description.get("len", ""))))
    except ValueError:
        spans.add((-1, -1))
    ordered = sorted(spans)
    edges = [0, *(edge for span in ordered for edge in span), len(story)]
    sound = edges == sorted(edges) and all(start < end for start, end in ordered)
    if sound and all(story[start:end] == story[start:end].strip() for start, end in ordered):
        return tuple(ordered), ()
    return (), ("The sentences marked in the file do not match its text; the text was split again.",)
