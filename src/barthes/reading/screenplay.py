"""Build stories from the elements of screenplays, and parse Final Draft files (FDX) into such elements.

Action, dialogue and songs are the text. Headings of scenes stay in it as lines of their own that are not
sentences; cues, parentheticals, transitions, notes and the like are left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

from barthes.errors import EmptyNarrativeError, ReadingError
from barthes.reading.chapters import build_document
from barthes.reading.scene_breaks import SCENE_BREAK, is_scene_heading
from barthes.reading.story_document import Document, DocumentDraft, list_counts, tidy
from barthes.reading.xml_parsing import name_of, parse_xml, text_of


class Element(StrEnum):
    """A kind of element of a screenplay; its value is the name under which it is counted if left out."""

    ACTION = "action"
    SPEECH = "speech"
    SCENE = "scene heading"
    CUE = "character cue"
    SECTION = "section"
    BREAK = "scene break"
    PARENTHETICAL = "parenthetical"
    TRANSITION = "transition"
    SHOT = "shot"
    CENTRED = "centred line"
    SYNOPSIS = "synopsis"
    NOTE = "note"
    COMMENT = "comment"
    TITLE_PAGE = "title page"
    CAST = "cast list"


_FINAL_DRAFT = {  # the types of its paragraphs; what users define themselves is action
    "scene heading": Element.SCENE,
    "character": Element.CUE,
    "dialogue": Element.SPEECH,
    "parenthetical": Element.PARENTHETICAL,
    "transition": Element.TRANSITION,
    "shot": Element.SHOT,
    "cast list": Element.CAST,
    "lyrics": Element.SPEECH,
    "singing": Element.SPEECH,
    "new act": Element.SECTION,
    "act break": Element.SECTION,
    "end of act": Element.CENTRED,
}
_KEPT = frozenset([Element.ACTION, Element.SPEECH, Element.BREAK])
_INSIDE_SPEECH = frozenset([Element.PARENTHETICAL, Element.NOTE, Element.COMMENT])
_SPOKEN_BY = frozenset([Element.CUE, Element.PARENTHETICAL, Element.SCENE])  # kept with speakers


def build_screenplay(
    elements: Iterable[tuple[Element, str]],
    draft: DocumentDraft,
    *,
    where: str,
    with_speakers: bool = False,
) -> Document:
    """Build a document from the elements of a screenplay in order; the texts of sections begin with ``#``.

    With `with_speakers`, the name of the speaker and a colon stand before each speech, which keeps its
    parentheticals.

    Raises:
        EmptyNarrativeError: There is no action or dialogue.
    """
    counts: Counter[Element] = Counter()
    speaker = ""
    for kind, text in _join_speeches(elements, with_speakers=with_speakers):
        counts[kind] += 1
        if kind is Element.SPEECH:
            draft.add_passage(
                "dialogue", speaker, f"{speaker}: {text}" if with_speakers and speaker else text
            )
        elif kind is Element.ACTION:
            draft.add_passage("action", "", text)
        elif kind is Element.BREAK:
            draft.add(text)
        elif kind is Element.SECTION:
            title = text.lstrip("#")
            draft.add(title, level=min(max(len(text) - len(title), 1), 6))
        elif kind is Element.SCENE:
            draft.add(_write_heading(text))
        elif kind is Element.CUE:
            speaker = " ".join(tidy(text.partition("(")[0]).strip("@^ ").split())
        if kind not in _KEPT and kind is not Element.SECTION:
            draft.leave_out(kind.value, not (with_speakers and kind in _SPOKEN_BY))
    if not counts[Element.ACTION] + counts[Element.SPEECH]:
        problem = "there is neither action nor dialogue in this screenplay."
        raise EmptyNarrativeError(problem, where=where, remedy="Give a file with words in it.")
    if counts[Element.SPEECH]:
        texts = {"paragraph of action": counts[Element.ACTION], "speech": counts[Element.SPEECH]}
        draft.notes.append(f"Read as a screenplay: {list_counts(texts)}.")
    return build_document(draft, where=where)


def _join_speeches(
    elements: Iterable[tuple[Element, str]], *, with_speakers: bool
) -> Iterator[tuple[Element, str]]:
    """Yield the elements with the parts of a speech before and after a parenthetical as one."""
    parts: list[str] = []
    for kind, text in elements:
        if kind is Element.SPEECH or (with_speakers and kind is Element.PARENTHETICAL):
            parts.append(text)
            continue
        if parts and kind not in _INSIDE_SPEECH:
            yield Element.SPEECH, "\n".join(parts)
            parts = []
        yield kind, text
    if parts:
        yield Element.SPEECH, "\n".join(parts)


def _write_heading(text: str) -> str:
    """Return the heading of a scene as a line that `is_scene_heading` recognizes, or stars in its place.

    >>> [_write_heading(text) for text in ("int. mill - night", "A dream?", "1984")]
    ['INT. MILL - NIGHT', '.A DREAM', '***']
    """
    line = " ".join(text.upper().split())
    written = (line, f".{line.strip('.!? ')}", SCENE_BREAK)
    return next(each for each in written if is_scene_heading(each) or each == SCENE_BREAK)


def parse_final_draft(data: bytes, *, where: str, with_speakers: bool = False) -> Document:
    """Parse the bytes of an FDX file."""
    root = parse_xml(data, where=where)
    parts = {name_of(child): child for child in reversed(root)}
    if "content" not in parts:
        remedy = "Save it again as a Final Draft file (FDX)."
        raise ReadingError("this Final Draft file has no <Content>.", where=where, remedy=remedy)
    draft = DocumentDraft()
    if "titlepage" in parts:
        lines = (text_of(each) for each in parts["titlepage"].iter("{*}Paragraph"))
        draft.title = next(filter(None, lines), "")
        draft.leave_out(Element.TITLE_PAGE.value, bool(draft.title))
    elements = _read_paragraphs(parts["content"])
    return build_screenplay(elements, draft, where=where, with_speakers=with_speakers)


def _read_paragraphs(parent: Any) -> Iterator[tuple[Element, str]]:
    for paragraph in parent:
        if name_of(paragraph) != "paragraph":
            continue
        kind = _FINAL_DRAFT.get(paragraph.get("Type", "").lower(), Element.ACTION)
        for child in paragraph:
            if name_of(child) == "dualdialogue":
                yield from _read_paragraphs(child)
            elif name_of(child) == "scriptnote" and text_of(child):
                yield Element.NOTE, ""
        text = "".join("".join(map(str, each.itertext())) for each in paragraph if name_of(each) == "text")
        if text.strip():
            yield kind, f"#{text}" if kind is Element.SECTION else text
