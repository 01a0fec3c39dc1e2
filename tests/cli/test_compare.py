"""`barthes compare`: what gained and what lost salience."""

from __future__ import annotations

import json

import pytest

from tests.cli.commands import check_refused, run


@pytest.fixture
def drafts(tmp_path):
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("A wolf came over the hill. It rained. The goats hid.", encoding="utf-8")
    second.write_text(
        "A big bad wolf came over the hill. The goats hid. A bell \u202erang.", encoding="utf-8"
    )
    return first, second


def test_gains_losses_and_new_sentences(drafts):
    code, out, _ = run("compare", *drafts, "--method", "length")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("1 same, 1 changed, 1 removed, 1 added")
    assert "gained (salience)" in lines
    assert any("+2.000" in line and "A big bad wolf" in line for line in lines)
    removed = lines[lines.index("removed, most salient first") + 1]
    assert removed.split() == "rank 3 → – sentence 2 → – It rained.".split()
    assert "\u202e" not in out


def test_json_and_a_page(drafts, tmp_path):
    page = tmp_path / "drafts.html"
    _, out, _ = run("compare", *drafts, "-m", "length", "--format", "json", "--html", page)
    assert [pair["kind"] for pair in json.loads(out)["pairs"]] == ["changed", "removed", "same", "added"]
    assert "Gained most" in page.read_text(encoding="utf-8")


def test_scenes_that_moved_appeared_and_vanished(tmp_path, tiny):
    scenes = ["The wolf came and ate a sheep. The king slept.", "A girl ran and the girl died."]
    scenes += ["Then the king married the girl. It rained.", "The wolf slept then. The wolf died."]
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("\n\n***\n\n".join(scenes), encoding="utf-8")
    new = "But a sheep came and the sheep ran."
    second.write_text("\n\n***\n\n".join([scenes[2], scenes[0], new, scenes[3]]), encoding="utf-8")
    arguments = ["compare", first, second, "--model", tiny, "--unit", "scene"]
    _, out, _ = run(*arguments)
    assert out.startswith("2 same, 1 moved, 1 removed, 1 added")
    assert "\nmoved\n" in out
    plain = json.loads(run(*arguments, "--format", "json")[1])
    assert sorted(pair["kind"] for pair in plain["pairs"]) == ["added", "moved", "removed", "same", "same"]


def test_two_methods_on_one_story(drafts):
    code, out, _ = run("compare", drafts[0], drafts[0], "-m", "length", "--against", "position")
    assert (code, "standing" in out) == (0, True)
    check_refused(["compare", *drafts, "-m", "length", "--against", "nothing"], "no method 'nothing'")


def test_the_second_method_is_checked_before_anything_is_scored(drafts):
    check_refused(["compare", *drafts, "--method", "sd", "--against", "lenght"], "no method 'lenght'")
    _, _, err = run("compare", *drafts, "-m", "length", "--against", "words", "--model", "folktale")
    assert "--model has no effect with length and words" in err


def test_both_drafts_are_read_before_one_is_scored(drafts):
    check_refused(["compare", drafts[0], "nowhere.txt", "--model", "./nowhere"], "no such file")


def test_a_draft_is_never_overwritten(tmp_path):
    draft = tmp_path / "draft.html"
    draft.write_text("<p>A wolf came. It rained.</p>", encoding="utf-8")
    message = "Choose another file for --html"
    check_refused(["compare", draft, draft, "-m", "length", "--html", draft], message)
    assert draft.read_text(encoding="utf-8").startswith("<p>A wolf")
    scores = tmp_path / "scores.json"
    scores.write_text("{}")
    check_refused(["compare", draft, scores, "-m", "length"], "no readable scores")
