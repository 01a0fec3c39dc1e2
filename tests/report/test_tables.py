from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

import barthes
from barthes.annotation.events import Event, Token
from barthes.report.exports import to_booknlp, to_catma, to_parquet, to_tei, to_webanno
from barthes.report.output import write_profiles
from barthes.report.tables import CSV, choose, to_plain, to_rows
from barthes.salience.profile import Profile
from tests.report.profiles import PROFILE, SCREENPLAY, STORY


def test_action_and_dialogue_of_screenplays():
    profile = barthes.score(SCREENPLAY, method="length")
    rows = list(csv.DictReader(io.StringIO(to_rows(profile, delimiter="\t")), delimiter="\t"))
    assert [(row["kind"], row["speaker"]) for row in rows] == [("action", ""), ("dialogue", "MARY")]
    plain = to_plain(profile)["sentences"]
    assert [(row["kind"], row["speaker"]) for row in plain] == [("action", None), ("dialogue", "MARY")]
    assert "kind" not in to_plain(PROFILE)["sentences"][0]
    is_there = Event(Token(20, 22, "is", "VBZ"), (), frame="be")
    events = Profile(SCREENPLAY, (0.5,), "va", unit="event", events=((1, is_there),))
    assert to_plain(events)["events"][0]["speaker"] == "MARY"


def test_all_stories_of_a_table_have_the_same_columns():
    known = replace(PROFILE, importance=replace(PROFILE, method="readers", influences=None))
    out = io.StringIO()
    write_profiles([known, PROFILE], CSV, out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert [row["text"] for row in rows] == 2 * [str(sentence) for sentence in STORY]
    assert [bool(row["importance"]) for row in rows] == [True] * len(STORY) + [False] * len(STORY)


def test_order_and_top():
    assert [s.rank for s in choose(PROFILE)] == [1, 2, 3, 4, None]
    assert [s.rank for s in choose(PROFILE, in_story_order=True)] == [4, 2, 3, 1, None]
    assert [s.rank for s in choose(PROFILE, top=2, in_story_order=True)] == [2, 1]
    assert [s.rank for s in choose(PROFILE, top=9)] == [1, 2, 3, 4]


@pytest.mark.parametrize("write", [to_tei, to_catma, to_webanno, to_booknlp])
def test_longer_units_are_written_like_sentences(write):
    whole = replace(STORY, spans=((STORY.spans[0][0], STORY.spans[-1][1]),), unit="scene")
    scenes = Profile(whole, (0.25,), "m", unit="scene")
    assert "0.25" in (write(scenes) if write is not to_catma else str(write(scenes)))
    header, row = to_rows(scenes, delimiter="\t").splitlines()
    assert header.split("\t")[:5] == ["story", "number", "start", "end", "salience"]
    assert row.split("\t")[4] == "0.25"
    assert to_parquet([scenes])
