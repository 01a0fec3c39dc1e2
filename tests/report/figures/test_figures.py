from __future__ import annotations

import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import barthes
from barthes.errors import NarrativeError, OutputError
from barthes.report.comparison import compare
from barthes.report.figures import (
    draw_comparison,
    draw_curve,
    draw_curves,
    draw_influence,
    draw_strip,
    save_figure,
)
from barthes.report.figures.canvas import PAGE
from tests.report.profiles import by_hand, long, with_surprise, wolf


def lengths():
    return barthes.score(wolf().narrative, method="length")


FIGURES = {
    "curve": lambda: draw_curve(wolf()),
    "curves": lambda: draw_curves(with_surprise(), against=lengths()),
    "strip": lambda: draw_strip([wolf(), lengths()]),
    "influence": lambda: draw_influence(wolf()),
    "comparison": lambda: draw_comparison(compare(wolf(), lengths())),
}

WORDS = {  # titles, units, numbers and the figures of bars that are cut
    "curve": {"wolf", "sentence", "salience (nats per token)", "2", "5", "+1.50"},
    "curves": {"by hand", "surprise", "nats per token", "salience", "length", "words", "sentence"},
    "strip": {"wolf (sd)", "shade: salience (nats per token)", "sentence; shade: words"},
    "influence": {"wolf", "removed sentence", "later sentence", "loss (nats per token)"},
    "comparison": {"sd", "length", "sentence, paired", "+1.50"},
}


@pytest.mark.parametrize("kind", FIGURES)
def test_svg_keeps_its_letters_and_its_bytes(kind, tmp_path):
    paths = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for path in paths:
        save_figure(FIGURES[kind](), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    words = "\n".join(ElementTree.parse(paths[0]).getroot().itertext())
    assert WORDS[kind] <= {word.strip() for word in words.splitlines()}


def test_pdf_and_png(tmp_path):
    figure = draw_curve(wolf())
    for ending, start in (("pdf", b"%PDF"), ("png", b"\x89PNG")):
        save_figure(figure, tmp_path / f"curve.{ending}")
        assert (tmp_path / f"curve.{ending}").read_bytes().startswith(start)


def test_the_matrix_is_a_triangle_or_a_band():
    whole = draw_influence(wolf()).axes[0].images[0].get_array()
    assert whole.shape == (6, 6)
    assert whole[4, 1] == pytest.approx(0.9)
    band = draw_influence(long(300, reach=20)).axes[0]
    assert band.images[0].get_array().shape == (20, 300)
    assert band.get_ylabel() == "sentences ahead"


def test_titles_are_not_formulas(tmp_path):
    profile = by_hand(["A.", "B."], [0.1, 0.2], title="$\\frac{1}{")
    save_figure(draw_curve(profile, title="50 $ & <b>"), tmp_path / "x.svg")
    assert "50 $ & <b>" in "".join(ElementTree.parse(tmp_path / "x.svg").getroot().itertext())


def test_errors_name_what_cannot_be_drawn(tmp_path):
    with pytest.raises(NarrativeError, match="single sentence has no influence matrix"):
        draw_influence(by_hand(["A."], [0.1], [[]]))
    with pytest.raises(NarrativeError, match="does not compute which sentence depends on which"):
        draw_influence(lengths())
    with pytest.raises(NarrativeError, match="'length' does not compute surprise"):
        draw_curves(lengths())
    with pytest.raises(OutputError, match=r"unknown figure format \.gif"):
        save_figure(draw_curve(wolf()), tmp_path / "x.gif")


@pytest.mark.parametrize("scores", [[0.0], [5.0], [0.0, 0.0], [-1.0, -2.0, -3.0], [5.0, 5.0]])
def test_flat_and_negative_stories_can_be_drawn(scores, tmp_path):
    sentences = [f"Sentence {k}." for k in range(len(scores))]
    profile = by_hand(sentences, scores, surprise=(*scores[:-1], None))
    for draw in (draw_curve, draw_curves, draw_strip, lambda each: draw_comparison(compare(each, each))):
        figure = draw(profile)
        save_figure(figure, tmp_path / "x.svg")
        assert ElementTree.parse(tmp_path / "x.svg").getroot().find(".//{*}path") is not None


def test_without_matplotlib_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(OutputError, match="pip install matplotlib"):
        draw_curve(lengths())


def test_long_negative_bars_keep_their_length_unless_they_are_rare():
    """Most bars below 0: they are as long as their scores say. A single one is cut, with a gap."""
    many = [-0.2, -0.5, 0.05, -0.3, -0.4, 0.02, -0.1, -0.35, -0.45, 0.01]
    axes = draw_curve(by_hand([f"S {k}." for k in range(10)], many), top=1).axes[0]
    assert [bar.get_height() for bar in axes.patches] == pytest.approx(many)
    rare = [*np.linspace(0.1, 0.2, 29), -5.0, 0.1]
    axes = draw_curve(by_hand([f"S {k}." for k in range(31)], rare), top=1).axes[0]
    assert min(bar.get_height() for bar in axes.patches) == pytest.approx(-0.12, abs=0.01)
    [gap] = [line for line in axes.lines if line.get_color() == PAGE]
    assert axes.get_ylim()[0] < -0.12 < gap.get_ydata()[0] < -0.09
