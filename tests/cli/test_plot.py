from __future__ import annotations

import pytest
from typer.testing import CliRunner

from barthes.cli.main import app
from tests.report.profiles import wolf


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "wolf.json"
    wolf().save(path)
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["plot", *map(str, arguments)])


@pytest.mark.parametrize(
    "options",
    [
        ["--kind", "curve", "--top", "2"],
        ["--kind", "strip", "--against", "length"],
        ["--kind", "influence", "--width", "8"],
        ["--kind", "comparison", "--against", "position", "--title", "Mine"],
    ],
    ids=lambda options: options[1],
)
def test_each_kind(saved, tmp_path, options):
    result = run(saved, *options, "--out", tmp_path / "figure.svg")
    assert result.exit_code == 0, result.output
    assert "</svg>" in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_a_story_is_scored_on_the_spot(tmp_path):
    story = tmp_path / "tale.txt"
    story.write_text("A wolf came. It rained. The goats hid.", encoding="utf-8")
    assert run(story, "--method", "length", "-o", tmp_path / "tale.pdf").exit_code == 0
    ignored = run(story, "--method", "length", "--model", "gpt2", "-o", tmp_path / "tale.pdf")
    assert (ignored.exit_code, "--model is not used" in ignored.stderr) == (0, True)
    assert (tmp_path / "tale.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kind", "comparison"], "a comparison is of two"),
        (["--kind", "curve", "--against", "length"], "is of one file"),
        (["--against", "lenght", "--kind", "strip"], "Did you mean 'length'"),
    ],
)
def test_what_does_not_go_together(saved, tmp_path, options, message):
    result = run(saved, *options, "--out", tmp_path / "x.svg")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "x.svg").exists()


def test_other_endings(saved, tmp_path):
    result = run(saved, "--out", tmp_path / "x.bmp")
    assert result.exit_code == 2
    assert "no figure format .bmp" in result.stderr


def test_a_story_is_never_written_over(tmp_path):
    story = tmp_path / "tale.pdf"
    story.write_text("A wolf came. It rained.", encoding="utf-8")  # what it is named does not matter
    result = run(story, "--method", "length", "--out", story)
    assert result.exit_code == 2
    assert "one of the stories" in result.stderr
    assert story.read_text(encoding="utf-8") == "A wolf came. It rained."
