"""Write a narrative in the format of its source: as Markdown or Fountain that is read as the same text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from barthes.narrative import Narrative, Omitted, write_omitted
from barthes.reading.scene_breaks import is_transition
from barthes.reading.screenplay_lines import (
    HIDDEN,
    TITLE_FIELD,
    Element,
    find_heading,
    is_cue,
    read_mark,
    remove_emphasis,
)

_PARAGRAPH = re.compile(r"[^\n]+(?:\n[^\n]+)*")
_INLINE = re.compile(
    r"(?<!\s)\*|\*(?!\s)|(?<!\w)_++|_++(?!\w)|`|~(?=~)|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\[(?=\^)|\^(?=\[)"
    r"|\](?=[(\[:])|\\(?=[!-/:-@\[-`{-~\n]|\Z)|(?<!\S)#(?=#*\Z)"
)
# What would be a heading, a list, a quotation or a rule at the beginning of a line, where a cut may leave any
# sentence.
_START = re.compile(
    r"(?:\A|\n|(?<=[.!?:…\"”’»)\]])\s+)"
    r"(?:(?=#{1,6}(?:\s|\Z)|>|[-+*](?:\s|\Z)|[-=]+[^\S\n]*(?:\n|\Z))|\d{1,9}(?=[.)](?:\s|\Z)))"
)
_RULE = re.compile(r"([*_-])(?:\s*\1){2,}\s*")
_ESCAPED = re.compile(r"[*_\\]|(?<=\[)\[(?!/?keep\]\])")
_UNSPOKEN = re.compile(  # a song or a parenthetical, at the beginning of a line or where a cut may leave one
    r"(?:^|(?<=[.!?:…\"”’»)])\s+)(?:~|\((?=.*(?:[.!?…]\)|\)$)))", re.MULTILINE
)
_HEADING_START = 40  # characters that tell a heading, also “INT. MILL”, which is more than one part
_SENTENCE_END = re.compile(r"(?<=[.!?:…])\s+|\n")


def write_back(narrative: Narrative) -> Narrative:
    r"""Return a narrative with what was omitted in its text, as text in the format `written_as`.

    >>> heading = Omitted(0, "A_\n\n", "heading 2")
    >>> story = Narrative("1984. It rained.", ((0, 16),), written_as="md", omitted=(heading,))
    >>> write_back(story).text
    '## A\\_\n\n1984\\. It rained.'
    """
    if narrative.written_as == "md":
        write, marks = _write_markdown, _mark_markdown(narrative)
    elif narrative.written_as == "fountain":
        write, marks = _write_fountain, _mark_fountain(narrative)
    else:
        return narrative.restore()
    lines = (each._replace(text=_write_inside(each, write)) for each in narrative.omitted)
    ordered = sorted([*lines, *marks], key=lambda each: (each.place, each.replaced > 0))
    return replace(narrative, omitted=tuple(ordered)).restore()


def _write_inside(omitted: Omitted, write: Callable[[str, str], str]) -> str:
    """Return the lines of what was omitted, written, with the line breaks around them."""
    inside = omitted.text.strip("\n")
    before, after = omitted.text.split(inside, 1) if inside else ("", omitted.text)
    return f"{before}{write(omitted.kind, inside)}{after}"


def _write_heading(kind: str) -> str:
    return f"{'#' * int(kind[-1])} " if kind.startswith("heading ") else ""


def _write_markdown(kind: str, text: str) -> str:
    return _write_heading(kind) + escape_markdown(text, is_heading=kind.startswith("heading "))


def escape_markdown(text: str, *, is_heading: bool = False) -> str:
    """Return a paragraph or the text of a heading as Markdown."""
    return write_omitted(text, _find_markdown(text, is_heading=is_heading))


def _mark_markdown(narrative: Narrative) -> Iterator[Omitted]:
    for found in _PARAGRAPH.finditer(narrative.text):
        for mark in _find_markdown(found[0]):
            yield mark._replace(place=found.start() + mark.place)


def _find_markdown(text: str, *, is_heading: bool = False) -> list[Omitted]:
    r"""Return the backslashes that a text needs, and two spaces at the end of lines that are to stay.

    >>> write_omitted("1984. That was *the* year.", _find_markdown("1984. That was *the* year."))
    '1984\\. That was \\*the\\* year.'
    >>> _find_markdown("***"), _find_markdown("2 * 3 is snake_case & more.")
    ([], [])
    """
    if _RULE.fullmatch(text):
        return []
    escaped = {place for found in _INLINE.finditer(text) for place in range(*found.span())}
    if not is_heading:
        escaped |= {found.end() for found in _START.finditer(text)}
    breaks = [Omitted(found.start(), "  ") for found in re.finditer("\n", text)]
    return sorted([*(_escape(text, place) for place in escaped), *breaks])


def _escape(text: str, place: int) -> Omitted:
    """Return the backslash before a character, and that character."""
    return Omitted(place, f"\\{text[place]}", replaced=1)


def _write_fountain(kind: str, text: str) -> str:
    """Return lines that Fountain reads as an element; shots and cast lists, which it lacks, become action.

    >>> [_write_fountain(Element.CUE, name) for name in ("ANNA (V.O.)", "Anna")]
    ['ANNA (V.O.)', '@Anna']
    >>> [_write_fountain(Element.TRANSITION, line) for line in ("CUT TO:", "Later")]
    ['CUT TO:', '> Later']
    >>> [_write_fountain(Element.SCENE, line) for line in ("Int. mill", "1984 #2#")]
    ['Int. mill', '.1984 #2#']
    """
    if kind in ("", Element.BREAK) or kind.startswith("heading "):
        return _write_heading(kind) + text
    if kind == Element.SUNG:
        return f"~{text}"
    if kind == Element.TITLE_PAGE:
        return _write_title_page(text)
    line = " ".join(text.split())
    line = write_omitted(line, _find_emphasis(line))
    if kind == Element.SCENE:
        return line if find_heading(line) else f".{line.lstrip('. ')}"
    if kind in (Element.SHOT, Element.CAST):
        return f"!{line}"
    if kind == Element.CUE:
        return line if is_cue(line) else f"@{line}"
    if kind == Element.PARENTHETICAL and not (line[0] == "(" and line[-1] == ")"):
        return f"({line})"
    if kind == Element.CENTRED and not line.startswith(">"):
        return f"> {line} <"
    if kind == Element.TRANSITION and not (is_transition(line) or line.startswith(">")):
        return f"> {line}"
    return line


def _write_title_page(text: str) -> str:
    """Return a title page with fields; one of Final Draft has none."""
    lines = text.split("\n")
    if any(map(TITLE_FIELD.match, lines)):
        return text
    notes = ["Notes:", *(f"    {line}" for line in lines[1:])] if len(lines) > 1 else []
    return "\n".join([f"Title: {lines[0]}", *notes])


def _mark_fountain(narrative: Narrative) -> Iterator[Omitted]:
    sung = {each.place for each in narrative.omitted if each.kind == Element.SUNG}
    for start, end, kind, _ in narrative.passages:
        text = narrative.text[start:end]
        songs = {place - start for place in sung.intersection(range(start, end))}
        found = _find_action(text, songs) if kind == "action" else _find_emphasis(text, is_speech=True)
        yield from (each._replace(place=start + each.place) for each in found)


def _find_action(text: str, sung: Collection[int] = ()) -> list[Omitted]:
    r"""Return the marks that a paragraph of action needs, so that Fountain reads it as it is.

    If a line, or what is left of it after a cut, could be another element, all begin with ``!`` but those
    that are sung.

    >>> [[mark[:2] for mark in _find_action(text)] for text in ("He runs. CUT TO:", "He runs.", "A *B* C.")]
    [[(0, '!')], [], [(2, '\\*'), (4, '\\*')]]
    """
    starts = [0, *(each.end() for each in re.finditer("\n", text))]
    is_risky = any(
        part[0] in "!~" or read_mark(part) or TITLE_FIELD.match(part) or (len(starts) > 1 and is_cue(part))
        for part in filter(None, [*text.split("\n"), *_SENTENCE_END.split(text)])
    )
    beginnings = [0, *(each.end() for each in _SENTENCE_END.finditer(text))]
    is_risky = is_risky or any(find_heading(text[place : place + _HEADING_START]) for place in beginnings)
    forced = [Omitted(place, "!") for place in starts if is_risky and place not in sung]
    return [*forced, *_find_emphasis(text)]


def _find_emphasis(text: str, *, is_speech: bool = False) -> list[Omitted]:
    """Return where a text needs backslashes, so that Fountain reads no emphasis, notes or comments.

    In a speech, it does not read songs and parentheticals either.
    """
    is_safe = remove_emphasis(text) == text and not HIDDEN.search(text)
    places = set() if is_safe else {found.start() for found in _ESCAPED.finditer(text)}
    if is_speech:
        places |= {found.end() - 1 for found in _UNSPOKEN.finditer(text)}
    return [_escape(text, place) for place in sorted(places)]
