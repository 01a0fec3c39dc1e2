from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from barthes.cli.main import app


@pytest.fixture
def drafts(tmp_path):
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("A wolf came over the hill. It rained. The goats hid.", encoding="utf-8")
    second.write_text(
        "A big bad wolf came over the hill. The goats hid. A bell \u202erang.", encoding="utf-8"
    )
    return first, second


def run(*arguments):
    return CliRunner().invoke(app, ["compare", *map(str, arguments)])


def test_what_gained_and_what_is_new(drafts):
    result = run(*drafts, "--method", "length")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("1 same, 1 changed, 1 removed, 1 added")
    assert "gained most (salience)" in lines
    assert any("+2.000" in line and "A big bad wolf" in line for line in lines)
    assert "removed, most salient first" in lines
    assert "\u202e" not in result.stdout


def test_json_and_a_page(drafts, tmp_path):
    result = run(*drafts, "-m", "length", "--format", "json", "--html", tmp_path / "drafts.html")
    found = json.loads(result.stdout)
    assert [pair["kind"] for pair in found["pairs"]] == ["changed", "removed", "same", "added"]
    assert "Gained most" in (tmp_path / "drafts.html").read_text(encoding="utf-8")


def test_two_methods_on_one_story(drafts):
    result = run(drafts[0], drafts[0], "-m", "length", "--against", "position")
    assert result.exit_code == 0
    assert "standing" in result.stdout
    assert run(*drafts, "--against", "nothing").exit_code == 2


def test_a_draft_is_never_written_over(tmp_path):
    draft = tmp_path / "draft.html"
    draft.write_text("<p>A wolf came. It rained.</p>", encoding="utf-8")
    result = run(draft, draft, "-m", "length", "--against", "position", "--html", draft)
    assert result.exit_code == 2
    assert "Give --html the name of another file" in result.stderr
    assert draft.read_text(encoding="utf-8").startswith("<p>A wolf")
