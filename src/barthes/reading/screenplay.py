"""Build stories from the elements of screenplays, and parse Final Draft files (FDX) into such elements.

Action, dialogue and songs are the text. Headings of scenes stay in it as lines of their own that are not
sentences; cues, parentheticals, transitions, notes and the like are marked. What Fountain needs of them is
omitted from the text and can be restored (`Narrative.restore`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from barthes.errors import EmptyNarrativeError, ReadingError
from barthes.narrative import Omitted
from barthes.reading.document import Draft, tidy
from barthes.reading.scene_breaks import SCENE_BREAK, is_scene_heading
from barthes.reading.screenplay_lines import (
    Element,
    find_heading,
    protect_line,
    remove_emphasis,
    remove_line_marks,
)
from barthes.reading.xml_parsing import name_of, parse_xml, text_of

_FINAL_DRAFT = {  # the types of its paragraphs; what users define themselves is action
    "scene heading": Element.SCENE,
    "character": Element.CUE,
    "dialogue": Element.SPEECH,
    "parenthetical": Element.PARENTHETICAL,
    "transition": Element.TRANSITION,
    "shot": Element.SHOT,
    "cast list": Element.CAST,
    "lyrics": Element.SUNG,
    "singing": Element.SUNG,
    "new act": Element.SECTION,
    "act break": Element.SECTION,
    "end of act": Element.CENTRED,
}
_WRITTEN_BACK = frozenset(
    [
        Element.TRANSITION,
        Element.SHOT,
        Element.CAST,
        Element.CENTRED,
        Element.SYNOPSIS,
        Element.PAGE_BREAK,
    ]
)
_KEPT = frozenset([Element.ACTION, Element.SPEECH, Element.BREAK])
_INSIDE_SPEECH = frozenset([Element.NOTE, Element.COMMENT])
_MARKS = {Element.CUE: "speaker", Element.NOTE: "note", Element.COMMENT: "note", Element.TITLE_PAGE: "matter"}


def fill_draft(elements: Iterable[tuple[Element, str]], draft: Draft, *, where: str) -> Draft:
    """Add the elements of a screenplay to a draft, in order.

    The texts of sections begin with ``#``, sung lines with ``~``, and others that begin so with ``!``.

    Raises:
        EmptyNarrativeError: There is no action or dialogue.
    """
    draft.written_as = "fountain"
    counts: Counter[Element] = Counter()
    cue, speech = "", list[tuple[Element, str]]()
    for kind, text in elements:
        counts[kind] += kind is not Element.SPEECH
        if kind in (Element.SPEECH, Element.PARENTHETICAL):
            speech.append((kind, tidy(text)))
        elif kind not in _INSIDE_SPEECH:
            counts[Element.SPEECH] += _add_speech(draft, cue, speech)
            cue, speech = text if kind is Element.CUE else cue, []
        if kind not in _KEPT and kind not in (Element.SECTION, Element.SCENE):
            draft.add(text.strip("/*[]><= "), mark=_MARKS.get(kind, "direction"))
        if kind is Element.ACTION:
            action, sung = remove_line_marks(tidy(text))
            draft.add_passage("action", "", action, _mark_sung(sung))
        elif kind is Element.BREAK:
            draft.add(text)
        elif kind is Element.SECTION:
            title = text.lstrip("#")
            draft.add(title, level=min(max(len(text) - len(title), 1), 6))
        elif kind is Element.SCENE:
            heading = _name_scene(remove_emphasis(text))
            draft.add(heading, omitted=() if heading == text else (Omitted(0, text, kind, len(heading)),))
        elif kind in _WRITTEN_BACK:
            draft.omit(text, kind)
    counts[Element.SPEECH] += _add_speech(draft, cue, speech)
    if not counts[Element.ACTION] + counts[Element.SPEECH]:
        problem = "there is neither action nor dialogue in this screenplay."
        raise EmptyNarrativeError(problem, where=where, remedy="Give a file with words in it.")
    if counts[Element.SPEECH]:
        found = f"{counts[Element.ACTION]} paragraphs of action, {counts[Element.SPEECH]} speeches"
        draft.notes.append(f"Read as a screenplay: {found}.")
    return draft


def _add_speech(draft: Draft, cue: str, parts: Sequence[tuple[Element, str]]) -> bool:
    """Add a speech, if it has words; the parts before and after a parenthetical are one.

    The cue and the parentheticals are omitted lines, also if nothing is said.
    """
    speaker = " ".join(tidy(cue.partition("(")[0]).strip("@^ ").split())
    spoken = [part for kind, part in parts if kind is Element.SPEECH]
    if not spoken:
        if cue and parts:
            draft.pending += [Omitted(0, f"{line}\n", kind) for kind, line in [(Element.CUE, cue), *parts]]
            draft.pending[-1] = draft.pending[-1]._replace(text=f"{parts[-1][1]}\n\n")
        return False
    text, sung = remove_line_marks("\n".join(spoken))
    omitted = [Omitted(0, f"{cue}\n", Element.CUE)] if cue else []
    ends = [0, *(found.end() for found in re.finditer("\n|$", text))]
    line = 0
    for kind, part in parts:
        if kind is Element.SPEECH:
            line += 1 + part.count("\n")
        elif ends[line] < len(text):
            omitted.append(Omitted(ends[line], f"{part}\n", kind))
        else:
            omitted.append(Omitted(len(text), f"\n{part}", kind))
    omitted = sorted([*omitted, *_mark_sung(sung)], key=lambda each: each.place)
    draft.add_passage("dialogue", speaker, text, omitted)
    return True


def _mark_sung(places: Iterable[int]) -> list[Omitted]:
    return [Omitted(place, "", Element.SUNG) for place in places]


def _name_scene(text: str) -> str:
    """Return the heading of a scene as a line that `is_scene_heading` recognizes, or stars in its place.

    >>> [_name_scene(text) for text in ("int. mill - night", ".A dream? #2#", "A dream", "1984")]
    ['INT. MILL - NIGHT', '.A DREAM', '.A DREAM', '***']
    """
    line = (find_heading(text) or find_heading(f".{text.lstrip('. ')}")).upper()
    named = (line, f".{line.strip('.!? ')}", SCENE_BREAK)
    return next(each for each in named if is_scene_heading(each) or each == SCENE_BREAK)


def parse_final_draft(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of an FDX file."""
    root = parse_xml(data, where=where)
    parts = {name_of(child): child for child in reversed(root)}
    if "content" not in parts:
        remedy = "Save it again as a Final Draft file (FDX)."
        raise ReadingError("this Final Draft file has no <Content>.", where=where, remedy=remedy)
    draft = Draft()
    if "titlepage" in parts:
        lines = list(filter(None, (text_of(each) for each in parts["titlepage"].iter("{*}Paragraph"))))
        draft.title = lines[0] if lines else ""
        for line in lines:
            draft.add(line, mark="matter")
        draft.omit("\n".join(lines), Element.TITLE_PAGE)
    return fill_draft(_read_paragraphs(parts["content"]), draft, where=where)


def _read_paragraphs(parent: Any) -> Iterator[tuple[Element, str]]:
    for paragraph in parent:
        if name_of(paragraph) != "paragraph":
            continue
        kind = _FINAL_DRAFT.get(paragraph.get("Type", "").lower(), Element.ACTION)
        for child in paragraph:
            if name_of(child) == "dualdialogue":
                yield from _read_paragraphs(child)
            elif name_of(child) == "scriptnote" and text_of(child):
                yield Element.NOTE, text_of(child)
        text = "".join("".join(map(str, each.itertext())) for each in paragraph if name_of(each) == "text")
        if not text.strip():
            continue
        if kind is Element.SECTION:
            yield kind, f"#{text}"
        elif kind is Element.SUNG:
            yield Element.SPEECH, "\n".join(f"~{line}" for line in text.strip().splitlines())
        elif kind is Element.SCENE and (number := paragraph.get("Number", "")):
            yield kind, f"{text} #{number}#"
        elif kind in (Element.ACTION, Element.SPEECH):
            yield kind, "\n".join(map(protect_line, tidy(text).split("\n")))
        else:
            yield kind, text
