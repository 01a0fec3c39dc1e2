from __future__ import annotations

import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.colors import to_hex

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
from barthes.report.figures.canvas import GAINS, LOSES, PAGE, SALIENT, ramp
from tests.report.profiles import by_hand, long, with_surprise, wolf


def lengths():
    return barthes.score(wolf().narrative, method="length")


FIGURES = {
    "curve": lambda: draw_curve(wolf()),
    "strip": lambda: draw_strip([wolf(), lengths()]),
    "influence": lambda: draw_influence(wolf()),
    "comparison": lambda: draw_comparison(compare(wolf(), lengths())),
}


@pytest.mark.parametrize("kind", FIGURES)
def test_svg_keeps_its_letters_and_its_bytes(kind, tmp_path):
    paths = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for path in paths:
        save_figure(FIGURES[kind](), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    words = "".join(ElementTree.parse(paths[0]).getroot().itertext())
    assert "wolf" in words.lower()
    assert "sentence" in words


def test_pdf_and_png(tmp_path):
    figure = draw_curve(wolf())
    for ending, start in (("pdf", b"%PDF"), ("png", b"\x89PNG")):
        save_figure(figure, tmp_path / f"curve.{ending}")
        assert (tmp_path / f"curve.{ending}").read_bytes().startswith(start)


def test_a_curve_has_a_bar_for_each_sentence():
    axes = draw_curve(wolf(), top=2).axes[0]
    bars = [patch for patch in axes.patches if patch.get_width() == pytest.approx(0.72)]
    assert len(bars) == 6
    assert len({bar.get_facecolor() for bar in bars}) == 3
    assert {text.get_text() for text in axes.texts} == {"2", "5", "+1.50"}, "the last is cut"
    assert axes.get_ylabel() == "salience (nats per token)"
    assert axes.get_ylim()[0] < min(wolf().scores) < 0, "no bar ends on the frame"


def test_curves_stand_under_each_other():
    profile = with_surprise()
    prepared = barthes.score(profile.narrative, method="pmi", model=barthes.CountingModel(["It rained."]))
    surprise, salience, preparation = draw_curves(profile, against=prepared).axes
    labels = [axes.get_ylabel() for axes in (surprise, salience, preparation)]
    assert labels == ["surprise\nnats per token", "salience\nnats per token", "preparation\nnats"]
    own = draw_curves(replace(profile, preparation=prepared.scores)).axes[2]
    assert [bar.get_height() for bar in own.patches] == [bar.get_height() for bar in preparation.patches]
    assert len(surprise.patches) == 60
    assert [axes.get_xlabel() for axes in (surprise, salience, preparation)] == ["", "", "sentence"]


@pytest.mark.parametrize("count", [1, 3])
def test_curves_of_short_stories(count, tmp_path):
    sentences = [f"A wolf came {k} times." for k in range(count)]
    profile = barthes.score(sentences, model=barthes.CountingModel(sentences))
    save_figure(draw_curves(profile), tmp_path / "x.svg")
    assert ElementTree.parse(tmp_path / "x.svg").getroot().find(".//{*}path") is not None


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


@pytest.mark.parametrize("scores", [[0.0], [0.0, 0.0], [-1.0, -2.0, -3.0], [5.0, 5.0]])
def test_flat_and_negative_stories_can_be_drawn(scores, tmp_path):
    profile = by_hand([f"Sentence {k}." for k in range(len(scores))], scores)
    for figure in (draw_curve(profile), draw_strip(profile), draw_comparison(compare(profile, profile))):
        save_figure(figure, tmp_path / "x.svg")
        assert ElementTree.parse(tmp_path / "x.svg").getroot().find(".//{*}path") is not None


def lightness(colour):
    """L of OKLab, worked out apart from the code under test: the cube root of luminance is close to it."""
    values = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) ** (1 / 3)


@pytest.mark.parametrize("end", [LOSES, GAINS, SALIENT])
def test_shades_grow_darker_in_even_steps(end):
    steps = np.diff([lightness(to_hex(ramp(PAGE, end)(share))) for share in np.linspace(0, 1, 11)])
    assert (steps < 0).all()
    assert steps.min() > 1.6 * steps.max()


def test_without_matplotlib_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(OutputError, match="pip install matplotlib"):
        draw_curve(lengths())


def test_bars_that_are_cut_have_their_figures():
    scores = [0.1, 0.2, -5.0, 0.15, 0.1, 0.2]
    below = draw_curve(by_hand([f"S {k}." for k in range(6)], scores), top=1).axes[0]
    assert "−5.00" in {text.get_text() for text in below.texts}
    above = draw_comparison(compare(wolf(), lengths())).axes[0]
    assert "+1.50" in {text.get_text() for text in above.texts}


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


def test_each_strip_names_its_own_unit():
    words = [axes.get_xlabel() for axes in draw_strip([wolf(), lengths()]).axes]
    assert "shade: salience (nats per token)" in words
    assert "sentence; shade: words" in words
    alike = [axes.get_xlabel() for axes in draw_strip([wolf(), wolf()]).axes]
    assert [word for word in alike if word] == ["sentence; shade: salience (nats per token)"]
