"""The loss curve, with and without matplotlib."""

from __future__ import annotations

import sys

import pytest

from barthes.finetuning.training_result import draw_curve

LOSSES = [[1, 4.0], [2, 3.5], [3, 3.25]]


def test_both_pictures_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    assert draw_curve(LOSSES, [[2, 3.75], [3, 3.5]], tmp_path) is None
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
    drawing = (tmp_path / "loss.svg").read_text(encoding="utf-8")
    assert "loss (nats a token)" in drawing
    assert "stories held out (0: before)" in drawing
    assert ">2</text>" in drawing  # whole steps


def test_the_same_figures_give_the_same_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        draw_curve(LOSSES, [], tmp_path / name)
    for picture in ("loss.png", "loss.svg"):
        assert (tmp_path / "a" / picture).read_bytes() == (tmp_path / "b" / picture).read_bytes()
    assert "held out" not in (tmp_path / "a" / "loss.svg").read_text(encoding="utf-8")


def test_without_matplotlib_a_note_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    note = draw_curve(LOSSES, [], tmp_path)
    assert "barthes[figures]" in note
    assert not list(tmp_path.iterdir())
