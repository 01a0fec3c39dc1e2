"""Profiles to show and export: a story with everything that can go wrong in a file, and any text at all."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

import barthes
from barthes.annotation.events import Argument, Event, Token
from barthes.narrative import Narrative, ScriptPassage
from barthes.salience.influence import Influence
from barthes.salience.profile import Profile

EXAMPLES = Path(__file__).parents[2] / "examples"
NASTY = (
    "</script><script>document.title='stolen'</script> & "
    "<img src=x onerror=alert(1)> \"quoted\" 'so' {{ 7*7 }}"
)

TEXT = (
    '\ufeff  THE WOLF\r\n\r\n"Stop!" cried the girl <b>& ran\r\noff</b>.\tIt rained_here; [once] | -> *.\n\n'
    "The 🐺 came—and\\went, didn't it?\x0c She sle\u0301pt.\n\n\n[Plate 3]\n"
)


def span_of(part: str) -> tuple[int, int]:
    start = TEXT.index(part)
    return start, start + len(part)


STORY = Narrative(
    TEXT,
    tuple(
        map(
            span_of,
            [
                "THE WOLF",
                '"Stop!" cried the girl <b>& ran\r\noff</b>.',
                "It rained_here; [once] | -> *.",
                "The 🐺 came—and\\went, didn't it?",
                "She sle\u0301pt.",
            ],
        )
    ),
    title="tales/the <wolf> & co.txt",
    author="Ann <A.> & Co.",
)
SCREENPLAY = Narrative(
    "A door creaks.\n\nWho is there?",
    ((0, 14), (16, 29)),
    passages=(ScriptPassage(0, 14, "action"), ScriptPassage(16, 29, "dialogue", "MARY")),
)
PROFILE = Profile(
    STORY,
    (-0.25, 0.4123456789012345, 1e-05, 2.0, 0.0),
    method="sd",
    model="counting",
    precision="float32",
    notes=("Read as <Windows-1252>.",),
)


def _event(word: str) -> Event:
    start, end = span_of(word)
    return Event(Token(start, end, word, "VBD"), (Argument("ARG0", (span_of("girl"),)),), frame=word)


EVENTS = Profile(
    STORY,
    (0.5, -0.125, 0.75, 0.25, 0.0),
    method="va",
    model="counting",
    precision="float32",
    unit="event",
    events=tuple(zip((1, 1, 3, 3, 3), map(_event, ("cried", "ran", "came", "came", "did")), strict=True)),
)

_LETTERS = st.characters(exclude_categories=("Cs",)) | st.sampled_from(" \n\r\t\\_|[];*->.🐺<&\x0c\x0b")


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """Any text, cut into sentences anywhere, with gaps that may hold more than white space."""
    text = draw(st.text(_LETTERS, min_size=1, max_size=60))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), min_size=2, max_size=8)) | {0, len(text)})
    spans = []
    for start, end in pairwise(cuts):
        piece = text[start:end]
        if piece.strip() and draw(st.booleans()):
            spans.append((start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))
    if not spans:
        text, spans = f"{text} End.", [(len(text) + 1, len(text) + 5)]
    floats = st.floats(allow_nan=False, allow_infinity=False)
    scores = draw(st.lists(floats, min_size=len(spans), max_size=len(spans)))
    return Profile(Narrative(text, tuple(spans), title="any"), tuple(scores), method="sd", model="counting")


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


def with_surprise(count=60, at=35):
    """A story in which surprise and salience are highest in one sentence."""
    near = [max(0.0, 4.0 - abs(k - at)) for k in range(count)]
    scores = [0.01 * (k % 5) + each for k, each in enumerate(near)]
    surprise = tuple(3.0 + 0.1 * (k * 7 % 11) + each for k, each in enumerate(near))
    return by_hand([f"It rained {k} times." for k in range(count)], scores, surprise=surprise)


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
