from __future__ import annotations

import io
from dataclasses import replace

import pytest

from barthes.narrative import Narrative
from barthes.report.terminal import print_profile
from barthes.salience.profile import Profile
from barthes.salience.stability import Stability

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
    ("shares", "options", "ranks", "explained"),
    [
        ((0.1,) * 9 + (0.1, 0.9, 0.0), {}, ["1", "2?", "3"], True),
        ((0.1,) * 9 + (0.1, 0.9, 0.0), {"top": 1}, ["1"], False),
        ((0.1,) * 9 + (0.8, 0.9, 0.0), {}, ["1", "2", "3"], False),
        (None, {}, ["1", "2", "3"], False),
    ],
)
def test_uncertain_ranks_at_the_top_are_marked(shares, options, ranks, explained):
    drawn = shares and Stability((0.0,) * 12, (1.0,) * 12, shares)
    story = Narrative.from_sentences(["x"] * 12)
    shown = show(Profile(story, tuple(range(12)), method="sd", model="m", stability=drawn), **options)
    assert [line.split()[0] for line in shown.splitlines()[2 : 2 + len(ranks)]] == ranks
    assert ("? rank uncertain" in shown) == explained


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
