from __future__ import annotations

import json

import pytest

import barthes
from barthes.errors import ReadingError
from barthes.report.saved_results import load_result
from barthes.report.tables import to_json, to_plain
from tests.report.profiles import SCREENPLAY, wolf


def test_both_kinds_of_file_give_the_profile_back(tmp_path):
    profile = wolf()
    profile.save(tmp_path / "saved.json")
    assert load_result(tmp_path / "saved.json") == profile
    plain = to_json([to_plain(profile, influence=True)], several=False)
    (tmp_path / "printed.json").write_text(plain, encoding="utf-8")
    again = load_result(tmp_path / "printed.json")
    assert again.scores == profile.scores
    assert [s.text for s in again.narrative] == [s.text for s in profile.narrative]
    assert again.narrative.spans == profile.narrative.spans
    assert again.influences.to_array() == pytest.approx(profile.influence, nan_ok=True)


def test_printed_scores_of_longer_units_give_the_profile_back(tmp_path):
    profile = barthes.score("It rained. Hard.\n\nA wolf came.", method="length", unit="paragraph")
    (tmp_path / "printed.json").write_text(json.dumps(to_plain(profile)), encoding="utf-8")
    again = load_result(tmp_path / "printed.json")
    assert (again.unit, again.narrative.unit, again.scores) == ("paragraph", "paragraph", (3.0, 3.0))


def test_action_and_dialogue_are_kept(tmp_path):
    profile = barthes.score(SCREENPLAY, method="length")
    profile.save(tmp_path / "saved.json")
    assert load_result(tmp_path / "saved.json") == profile
    (tmp_path / "printed.json").write_text(json.dumps(to_plain(profile)), encoding="utf-8")
    again = load_result(tmp_path / "printed.json")
    assert [(each.kind, each.speaker) for each in again.narrative] == [("action", ""), ("dialogue", "MARY")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not the JSON of one story"),
        ("[{}, {}]", "has several stories"),
        ('{"events": []}', "scores of events"),
        ('{"a": 1}', "has no readable scores"),
        ('"text"', "has several stories"),
    ],
)
def test_bad_files_are_refused(tmp_path, content, message):
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(ReadingError, match=message):
        load_result(path)


def test_scores_that_are_not_complete_are_refused(tmp_path):
    path = tmp_path / "top.json"
    path.write_text(
        json.dumps(to_plain(barthes.score(["A wolf came.", "It rained."], method="position"), top=1))
    )
    with pytest.raises(ReadingError, match="all its sentences"):
        load_result(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ReadingError, match="cannot be read"):
        load_result(tmp_path / "nothing.json")
