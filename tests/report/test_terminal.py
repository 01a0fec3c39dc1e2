from __future__ import annotations

import io
from dataclasses import replace

import pytest

from barthes.narrative import Narrative
from barthes.report.terminal import print_profile
from barthes.salience.profile import Profile

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate.", "The end."], title="a,b")
PROFILE = Profile(STORY, (0.2, 0.0, 0.1, 9.0), method="sd", model="counting")


def show(profile, **options):
    out = io.StringIO()
    print_profile(profile, file=out, **options)
    return out.getvalue()


def test_the_terminal_obeys_nothing():
    story = replace(STORY, title="a\x1b]0;b.txt", text=STORY.text.replace("rained", "\x1b[31m!"))
    shown = show(replace(PROFILE, narrative=story, notes=("A note [bold].", "\x9b31m")))
    assert "A note [bold]." in shown
    assert "a�]0;b.txt" in shown
    assert "It �[31m!." in shown
    assert not {"\x1b", "\x9b"} & set(shown)


@pytest.mark.parametrize(
    ("scores", "bars"),
    [
        ((1.0, 0.5, -0.25, 9.0), ["█" * 10, "█" * 5, ""]),
        ((-0.5, -1.0, -2.0, 9.0), ["", "", ""]),
        ((0.0, 0.0, 0.0, 9.0), ["", "", ""]),
    ],
)
def test_bars_begin_at_zero_and_the_last_sentence_does_not_count(scores, bars):
    rows = show(replace(PROFILE, scores=scores)).splitlines()[2:5]
    assert ["".join(sign for sign in row if sign in "▏▎▍▌▋▊▉█") for row in rows] == bars
