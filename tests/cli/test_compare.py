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
    assert "gained most (salience)" in lines
    assert any("+2.000" in line and "A big bad wolf" in line for line in lines)
    assert "removed, most salient first" in lines
    assert "\u202e" not in out


def test_json_and_a_page(drafts, tmp_path):
    page = tmp_path / "drafts.html"
    _, out, _ = run("compare", *drafts, "-m", "length", "--format", "json", "--html", page)
    assert [pair["kind"] for pair in json.loads(out)["pairs"]] == ["changed", "removed", "same", "added"]
    assert "Gained most" in page.read_text(encoding="utf-8")


def test_two_methods_on_one_story(drafts):
    code, out, _ = run("compare", drafts[0], drafts[0], "-m", "length", "--against", "position")
    assert (code, "standing" in out) == (0, True)
    check_refused(["compare", *drafts, "-m", "length", "--against", "nothing"], "no method 'nothing'")


def test_the_second_method_is_checked_before_anything_is_scored(drafts):
    check_refused(["compare", *drafts, "--method", "sd", "--against", "lenght"], "no method 'lenght'")
    _, _, err = run("compare", *drafts, "-m", "length", "--against", "words", "--model", "folktale")
    assert "--model has no effect with length and words" in err


def test_a_draft_is_never_overwritten(tmp_path):
    draft = tmp_path / "draft.html"
    draft.write_text("<p>A wolf came. It rained.</p>", encoding="utf-8")
    message = "Choose another file for --html"
    check_refused(["compare", draft, draft, "-m", "length", "--html", draft], message)
    assert draft.read_text(encoding="utf-8").startswith("<p>A wolf")
    scores = tmp_path / "scores.json"
    scores.write_text("{}")
    check_refused(["compare", draft, scores, "-m", "length"], "(barthes score STORY --format json")
