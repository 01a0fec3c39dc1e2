"""Find the sentences that are headings, which stay when a story is cut."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from barthes.narrative import BLANK_LINE, Narrative
from barthes.reading.scene_breaks import is_scene_heading


def find_headings(narrative: Narrative) -> frozenset[int]:
    r"""Return the sentences that are headings of chapters or scenes.

    >>> text = "Chapter 1. The Well\n\nA wolf came."
    >>> spans, chapters = ((0, 10), (11, 19), (21, 33)), ((0, "Chapter 1. The Well"),)
    >>> sorted(find_headings(Narrative(text, spans, chapters=chapters)))
    [0, 1]
    """
    found = {sentence.index for sentence in narrative if is_scene_heading(str(sentence))}
    for start, title in narrative.chapters:
        blank = BLANK_LINE.search(narrative.text, start)
        first = bisect_left(narrative.spans, (start, 0))
        last = (
            bisect_right(narrative.spans, blank.start(), key=lambda span: span[1])
            if blank
            else len(narrative)
        )
        inside = (narrative[k] for k in range(first, last))
        found |= {each.index for each in inside if str(each).strip(" .:").casefold() in title.casefold()}
    return frozenset(found)
