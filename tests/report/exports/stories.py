"""Profiles to export: a story with all that can go wrong in a file, and any text at all."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

from barthes.annotation.events import Argument, Event, Token
from barthes.narrative import Narrative
from barthes.salience.profile import EventProfile, Profile

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


EVENTS = EventProfile(
    STORY,
    (0.5, -0.125, 0.75, 0.25, 0.0),
    unit="event",
    events=(
        (1, _event("cried")),
        (1, _event("ran")),
        (3, _event("came")),
        (3, _event("came")),
        (3, _event("did")),
    ),
    method="va",
    model="counting",
    precision="float32",
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
