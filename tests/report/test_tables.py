from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from barthes.narrative import Narrative
from barthes.report.tables import choose, to_json, to_jsonl, to_plain, to_rows
from barthes.report.terminal import explain_doubt, print_profile
from barthes.salience.profile import Profile
from barthes.salience.stability import Stability

STORY = Narrative('"Stop,\tthief!"\nhe cried.  It \x1b[31mrained.', ((0, 24), (26, 40)), title="a,b")
PROFILE = Profile(STORY, (0.1, 0.2), method="sd", model="counting", notes=("A note [bold].",))


def test_rows_can_be_read_back():
    for delimiter in "\t,":
        rows = list(csv.DictReader(io.StringIO(to_rows(PROFILE, delimiter=delimiter)), delimiter=delimiter))
        assert [row["rank"] for row in rows] == ["2", "1"]
        assert rows[0]["story"] == "a,b"
        assert rows[0]["text"] == '"Stop, thief!" he cried.'
        assert float(rows[1]["salience"]) == 0.2


def test_order_and_top():
    assert [s.rank for s in choose(PROFILE, top=None, order="rank")] == [1, 2]
    assert [s.rank for s in choose(PROFILE, top=None, order="story")] == [2, 1]
    assert [s.rank for s in choose(PROFILE, top=1, order="story")] == [1]


def test_one_story_is_an_object_and_several_a_list():
    plain = to_plain(PROFILE)
    assert json.loads(to_json([plain], several=False))["sentences"][0]["text"] == STORY[0].text
    assert json.loads(to_json([plain, plain], several=True)) == [plain, plain]
    assert json.loads(to_json([plain], several=True)) == [plain], "one of several, the others failed"
    assert json.loads(to_jsonl(plain)) == plain
    assert to_jsonl(plain).count("\n") == 1


def test_the_terminal_table_shows_everything_and_obeys_nothing():
    out = io.StringIO()
    story = replace(STORY, title="a\x1b]0;b.txt")
    print_profile(replace(PROFILE, narrative=story, notes=("A note [bold].", "\x9b31m")), file=out)
    shown = out.getvalue()
    assert "A note [bold]." in shown
    assert '"Stop, thief!" he cried.' in shown
    assert "a�]0;b.txt" in shown
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert "+0.200  ██████████" in shown


DRAWN = Stability((0.05, 0.1), (0.15, 0.4), (0.25, 0.75))


def test_uncertainty_comes_last_and_is_empty_where_it_is_not_known():
    for profile in (PROFILE, replace(PROFILE, stability=DRAWN)):
        rows = list(csv.DictReader(io.StringIO(to_rows(profile, delimiter="\t")), delimiter="\t"))
        assert list(rows[0])[-4:] == ["text", "low", "high", "stability"]
        found = [rows[1][name] for name in ("low", "high", "stability")]
        assert found == (["", "", ""] if profile is PROFILE else ["0.1", "0.4", "0.75"])
    known = to_plain(replace(PROFILE, stability=DRAWN))["sentences"][0]
    assert (known["low"], known["high"], known["stability"]) == (0.05, 0.15, 0.25)
    assert to_plain(PROFILE)["sentences"][0]["stability"] is None


def test_the_terminal_table_marks_what_is_doubtful_at_the_top():
    def show(profile, **options):
        out = io.StringIO()
        print_profile(profile, file=out, **options)
        return out.getvalue()

    shown = show(replace(PROFILE, stability=DRAWN))
    doubtful = explain_doubt(PROFILE)
    assert f"? {doubtful}" in shown
    assert [line.split()[0] for line in shown.splitlines()[2:4]] == ["1?", "2"]
    sure = replace(DRAWN, share=(0.2, 0.8))
    assert doubtful not in show(replace(PROFILE, stability=sure))
    assert "1?" not in show(replace(PROFILE, stability=sure))
    assert doubtful not in show(PROFILE)
    assert "80 % of 200" in doubtful
    assert "(the first);" in doubtful
    assert "too little follows" in doubtful
    assert "one of the parts" in explain_doubt(replace(PROFILE, method="sd+tfidf"))
    many = replace(
        PROFILE,
        narrative=Narrative.from_sentences(["x"] * 11),
        scores=tuple(range(11)),
        stability=Stability((0.0,) * 11, (1.0,) * 11, (*[0.1] * 9, 0.1, 0.9)),
    )
    assert [line.split()[0] for line in show(many).splitlines()[2:5]] == ["1", "2?", "3"]
    assert "(the first 2);" in show(many)
    assert "? doubtful" not in show(many, top=1)


def test_an_outlying_last_sentence_leaves_room_for_the_others():
    story = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate.", "The end."])
    out = io.StringIO()
    print_profile(Profile(story, (0.2, 0.0, 0.1, 9.0), method="sd", model="counting"), file=out)
    rows = {line.split()[0]: line for line in out.getvalue().splitlines()[2:]}
    assert rows["1"].count("█") == rows["2"].count("█") == 10
    assert rows["3"].count("█") == 5
