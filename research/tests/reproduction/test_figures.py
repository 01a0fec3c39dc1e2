from __future__ import annotations

import re
from xml.etree import ElementTree

from barthes_research.reproduction.figures import (
    draw_all,
    draw_map_by_method,
    draw_precision_by_tale,
    draw_score_by_position,
)
from research.tests.reproduction.example import example, nothing_run

ROWS = example()["table2"]["rows"]


def marks(drawing, variable):
    """How many marks are drawn in a colour, the legend's own included."""
    tree = ElementTree.fromstring(drawing.svg)
    groups = [group for group in tree.iter("g") if f"var({variable}" in group.get("style", "")]
    return sum(len(group.findall("use")) for group in groups)


def test_every_row_has_the_papers_mark_and_those_run_ours_too():
    drawing = draw_map_by_method(ROWS)
    assert marks(drawing, "--paper") == 22 + 1
    assert marks(drawing, "--ours") == 10 + 1
    assert drawing.svg.count("(not run)") == 12


def test_every_tale_has_a_mark_in_every_panel():
    drawing = draw_precision_by_tale(ROWS)
    worse = 3  # position (desc): worse than random on all three
    assert marks(drawing, "--ours") == 9 * 3 - worse + 1
    assert marks(drawing, "--paper") == worse + 1


def test_tales_without_a_figure_have_no_mark_but_keep_their_line():
    rows = example()["table2"]["rows"]
    for row in rows:
        if row["per_story"]:
            row["per_story"]["The Well"] = None
    drawing = draw_precision_by_tale(rows)
    assert marks(drawing, "--ours") == 9 * 2 - 2 + 1
    assert "The Well" in drawing.svg


def panel_columns(drawing):
    """How many panels stand beside each other: each is cut off at its own edges."""
    return len(set(re.findall(r'<clipPath id="[^"]*"><rect x="([^"]*)"', drawing.svg)))


def test_few_panels_stand_three_in_a_line_and_many_six():
    rows = example()["table2"]["rows"]
    for row in rows:
        row.update(status="run", ours=0.3, interval=[0.2, 0.4], per_story={"The Mill": 0.3, "The Ferry": 0.1})
    few, many = draw_precision_by_tale(ROWS), draw_precision_by_tale(rows)
    assert panel_columns(few) == 3
    assert panel_columns(many) == 6
    assert ">transductive</text>" in many.svg.replace("</tspan>", "")
    assert "transductive" not in few.svg


def test_salient_sentences_differ_in_shape_and_colour():
    drawing = draw_score_by_position(example()["scores"])
    groups = list(ElementTree.fromstring(drawing.svg).iter("g"))
    dots = [use for g in groups if "fill-opacity" in g.get("style", "") for use in g.findall("use")]
    triangles = [use for g in groups if "var(--paper" in g.get("style", "") for use in g.findall("use")]
    assert len(dots) == 2 * 3 * 3 + 1
    assert len(triangles) == 2 * 3 * 3 - 3 + 1, "PAA has no score for one salient sentence of each tale"
    assert {use.get("href") for use in dots}.isdisjoint(use.get("href") for use in triangles)


def test_without_data_there_is_no_figure():
    assert draw_map_by_method([]) is None
    assert draw_precision_by_tale([]) is None
    assert draw_score_by_position({}) is None
    assert draw_score_by_position({"The Mill": {"labels": [True]}}) is None
    assert draw_all(nothing_run()) == ()
