"""Cuts in the terminal and as tables."""

from __future__ import annotations

import io

from barthes.report.cuts import describe_cuts, print_cuts
from barthes.report.page import render_shortened
from tests.report.profiles import NASTY
from tests.report.shortened import TEXT, shorten


def test_the_terminal_gets_numbers_as_in_the_table_of_scores():
    out = io.StringIO()
    print_cuts(shorten(), file=out)
    shown = out.getvalue()
    assert "       1      2  +1.2        5  2, 7  " in shown
    assert describe_cuts(shorten()) in shown
    assert describe_cuts(shorten()).endswith("The rest loses 2.8 nats, 0.138 per token.")
    assert "Note: Read as <Windows-1252>." in shown


def test_no_text_of_a_story_becomes_markup():
    page = render_shortened(shorten())
    assert page == render_shortened(shorten())
    assert "<img" not in page
    assert page.count("<script") == 2
    assert "<wolf>" not in page.lower()
    assert shorten().text == TEXT.replace("It rained. ", "", 1).replace(f"{NASTY} ", "").replace(
        "It was late.\n\n", ""
    )
