from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from barthes.narrative import Narrative
from barthes.report.tables import choose, to_json, to_jsonl, to_plain, to_rows
from barthes.report.terminal import print_profile
from barthes.salience.profile import Profile

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


def test_an_outlying_last_sentence_leaves_room_for_the_others():
    story = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate.", "The end."])
    out = io.StringIO()
    print_profile(Profile(story, (0.2, 0.0, 0.1, 9.0), method="sd", model="counting"), file=out)
    rows = {line.split()[0]: line for line in out.getvalue().splitlines()[2:]}
    assert rows["1"].count("█") == rows["2"].count("█") == 10
    assert rows["3"].count("█") == 5
