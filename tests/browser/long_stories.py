"""Long stories to show: paragraphs without end, and a novel of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

import barthes
from barthes.salience.influence import Influence
from barthes.salience.profile import Profile
from tests.report.profiles import EXAMPLES

SENTENCE = re.compile(r"\S.*?(?:[.!?]['\"”’]?(?=\s|$)|$)", re.DOTALL)


def novel(paragraphs: Iterable[str], *, words=100_000, reach=45):
    """Paragraphs as a novel read in windows: chapters of 3,000 words, scenes of 750, drawn losses."""
    pieces, spans, chapters = [], [], []
    at = before = count = 0

    def add(text):
        nonlocal at
        pieces.append(text)
        at += len(text)

    for paragraph in paragraphs:
        if count >= 3000 * len(chapters):
            chapters.append((at, f"The hill of {len(chapters) + 1} winds"))
            add(f"{len(chapters)}. {chapters[-1][1]}\n\n")
        elif count // 750 > before // 750:
            add("* * *\n\n")
        spans += [(at + found.start(), at + found.end()) for found in SENTENCE.finditer(paragraph)]
        add(f"{paragraph}\n\n")
        before, count = count, count + len(paragraph.split())
        if count >= words:
            break
    narrative = barthes.Narrative("".join(pieces), tuple(spans), title="novel", chapters=tuple(chapters))
    draw = np.random.default_rng(0)
    columns = tuple(draw.normal(0.02, 0.05, min(reach, len(spans) - 1 - k)) for k in range(len(spans)))
    scores = tuple(float(column.mean()) if len(column) else 0.0 for column in columns)
    surprise = tuple(3 + abs(draw.normal(0, 1, len(spans))))
    return Profile(
        narrative,
        scores,
        method="sd",
        model="drawn",
        window=1024,
        influences=Influence(columns),
        surprise=surprise,
    )


def invent():
    """Yield paragraphs of our own without end: the example tale with other numbers and places."""
    text = (EXAMPLES / "the_ferrymans_daughter.txt").read_text(encoding="utf-8")
    paragraphs = [" ".join(each.split()) for each in text.split("\n\n")[1:]]
    while True:
        for place, paragraph in enumerate(paragraphs):
            yield f"{paragraph} That was on day {place}."
