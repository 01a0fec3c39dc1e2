"""Profiles to show: scored by the counting model, or put together by hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import barthes
from barthes.salience.influence import Influence
from barthes.salience.profile import Profile

EXAMPLES = Path(__file__).parents[3] / "examples"
NASTY = (
    "</script><script>document.title='stolen'</script> & "
    "<img src=x onerror=alert(1)> \"quoted\" 'so' {{ 7*7 }}"
)


@cache
def ferry():
    """The example tale by sentence deletion, as a counting model sees it."""
    story = barthes.read(EXAMPLES / "the_ferrymans_daughter.txt")
    return barthes.SentenceDeletion(barthes.CountingModel([story.text])).score(story)


def by_hand(sentences, scores, columns=None, **options):
    """A profile with given scores and losses."""
    narrative = barthes.Narrative.from_sentences(sentences, title=options.pop("title", "by hand"))
    influences = None if columns is None else Influence(tuple(np.array(c, dtype=float) for c in columns))
    options = {"method": "sd", "model": "counting", "precision": "float64"} | options
    return Profile(narrative, tuple(scores), influences=influences, **options)


def wolf():
    """Six sentences; without the second, the fifth loses most and then the third."""
    sentences = [
        "It rained.",
        "A wolf came.",
        "The goats hid.",
        "It rained on.",
        "The wolf ate one.",
        "The end.",
    ]
    columns = [[0.0, 0.01, 0.02, 0.0, 0.0], [0.4, -0.1, 0.9, 0.05], [0.0, 0.2, 0.0], [0.1, 0.0], [0.3], []]
    return by_hand(sentences, [0.01, 0.5, 0.1, -0.05, 0.2, 1.5], columns, title="wolf")


def long(count=2000, reach=50):
    """A story of many sentences, read in windows, with losses as of a language model."""
    draw = np.random.default_rng(0)
    texts = [f"In the year {k} somebody walked over hill number {k % 7} and came back." for k in range(count)]
    spans, at, pieces = [], 0, []
    for k, text in enumerate(texts):
        spans.append((at, at + len(text)))
        gap = "\n\n" if k % 12 == 11 else " "
        pieces.append(text + gap)
        at += len(text) + len(gap)
    narrative = barthes.Narrative("".join(pieces), tuple(spans), title="long")
    columns = tuple(np.abs(draw.normal(0, 0.05, min(reach, count - 1 - k))) for k in range(count))
    scores = tuple(float(column.mean()) if len(column) else 0.0 for column in columns)
    return Profile(narrative, scores, method="sd", model="drawn", window=1024, influences=Influence(columns))
