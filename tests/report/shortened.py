"""Shortened stories to show: by hand, so that no model is needed."""

from __future__ import annotations

from barthes.cutting.shortened import Cut, Shortened
from barthes.narrative import Narrative
from tests.report.profiles import NASTY

TEXT = (
    f"THE <WOLF>\n\nIt rained. A wolf came. {NASTY} It rained again.\n\n"
    "It was late.\n\nThe wolf ate. It slept.\n"
)
_SENTENCES = (
    "It rained.",
    "A wolf came.",
    NASTY,
    "It rained again.",
    "It was late.",
    "The wolf ate.",
    "It slept.",
)


def shorten() -> Shortened:
    """Return a story without its sentences 1, 3 and 5; 6 misses 5."""
    spans = tuple((TEXT.index(each), TEXT.index(each) + len(each)) for each in _SENTENCES)
    story = Narrative(TEXT, spans, title="tales/the <wolf> & co.txt")
    units = (
        Cut(story[0], 2, 1.25, 5, ((1, 0.75), (6, 0.25)), (), 2),
        Cut(story[1], 3, 3.0, 1, (), (5,), None),
        Cut(story[2], 17, -0.5, None, (), (), 1),
        Cut(story[3], 3, 0.25, 6, (), (), None),
        Cut(story[4], 3, 2.0, 4, ((5, 1.5),), (5,), 3),
        Cut(story[5], 3, 2.0, 2, (), (6,), None),
        Cut(story[6], 2, 0.0, 3, (), (), None),
    )
    return Shortened(story, units, 15, (1,), "counting", "float64", notes=("Read as <Windows-1252>.",))
