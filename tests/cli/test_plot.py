"""`barthes plot`: each kind of figure, and what is refused."""

from __future__ import annotations

import pytest

from tests.cli.commands import check_refused, run
from tests.report.profiles import with_surprise, wolf


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "wolf.json"
    wolf().save(path)
    return path


@pytest.mark.parametrize(
    "options",
    [
        ["--kind", "curve"],
        ["--kind", "curves", "--against", "position"],
        ["--kind", "strip", "--against", "length"],
        ["--kind", "influence", "--width", "8"],
        ["--kind", "comparison", "--against", "position"],
    ],
    ids=lambda options: options[1],
)
def test_each_kind(saved, tmp_path, options):
    if "curves" in options:
        with_surprise().save(saved)
    assert run("plot", saved, *options, "--out", tmp_path / "figure.svg")[0] == 0
    assert "</svg>" in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_a_story_is_scored_but_never_overwritten(tmp_path):
    story, out = tmp_path / "tale.txt", tmp_path / "tale.pdf"
    story.write_text("A wolf came. It rained. The goats hid.", encoding="utf-8")
    assert run("plot", story, "--method", "length", "-o", out)[0] == 0
    assert out.read_bytes().startswith(b"%PDF")
    out.write_text("A wolf came. It rained.", encoding="utf-8")  # the ending does not matter
    check_refused(["plot", out, "--method", "length", "--out", out], "one of the stories")
    assert out.read_text(encoding="utf-8") == "A wolf came. It rained."


@pytest.mark.parametrize(
    ("options", "titles"),
    [
        ([], ["Either/Or"]),
        (["--kind", "strip", "--against", "position"], ["Either/Or (length)", "Either/Or (position)"]),
        (["--kind", "comparison", "--against", "position"], ["Either/Or: length and position"]),
    ],
)
def test_the_title_in_a_story_is_that_of_its_figure(tmp_path, options, titles):
    story, out = tmp_path / "tale.md", tmp_path / "figure.svg"
    story.write_text("# Either/Or\n\nA wolf came. It rained. The goats hid.", encoding="utf-8")
    assert run("plot", story, "--method", "length", "-o", out, *options)[0] == 0
    figure = out.read_text(encoding="utf-8")
    assert all(f">{title}" in figure for title in titles)
    assert "Tale" not in figure


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kind", "comparison"], "--kind comparison needs two files"),
        (["--kind", "curve", "--against", "length"], "shows one file"),
        (["--kind", "curves", "other.json"], "shows one file"),
        (["--against", "lenght", "--kind", "strip"], "Did you mean 'length'"),
        (["--out", "x.bmp"], "unknown figure format .bmp"),
    ],
)
def test_wrong_arguments_are_explained(saved, tmp_path, options, message):
    check_refused(["plot", saved, "--out", tmp_path / "x.svg", *options], message)
    assert not (tmp_path / "x.svg").exists()
