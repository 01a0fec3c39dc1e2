"""The pages of a reproduction. To accept changes of golden files, run with GOLDEN=write."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from barthes.report.escaping import escape_markdown
from barthes_research.reproduction.page import render_markdown, render_results
from research.tests.reproduction.example import example, nothing_run
from tests.golden_files import check_golden

GOLDEN = Path(__file__).parent / "golden"
READER = MarkdownIt("commonmark").enable("table")
NASTY = "</title><script>alert('x')</script> & \x1b[31m \"quoted\" $\\frac{a}$"


@pytest.mark.parametrize("build", [example, nothing_run], ids=lambda build: build.__name__)
def test_markdown_is_the_golden_one(build):
    plain = build()
    text = render_markdown(plain)
    assert plain == build(), "it stays as it is"
    check_golden(GOLDEN / f"{build.__name__}.md", text)


def test_figures_that_are_missing_or_undefined_are_said_to_be_so():
    plain = example()
    plain["perplexity"]["spearman"]["va"]["status"] = "undefined"
    plain["table2"]["best_combination_vs_tfidf"]["ours"] = None
    plain["table2"]["random_expected"] = None
    text = render_markdown(plain)
    assert "| VA | −0.5 | *undefined* |" in text
    assert "| SD | −1.0 | *not run* |" in text
    assert "0.210 in the paper, not run by us." in text
    assert "over all orders it is" not in text


@pytest.mark.parametrize("left_out", ["table1", "table2", "perplexity", "ordering", "deletion", "cinderella"])
def test_a_note_that_names_an_experiment_stands_in_its_place(left_out):
    note = f"{left_out} was not run: not requested."
    text = render_markdown(example() | {left_out: None, "notes": [note]})
    assert f"Not run.\n\n- {escape_markdown(note)}" in text
    assert text.count("Not run") == 1


def test_every_table_is_a_table_to_a_markdown_reader():
    plain = example()
    plain["table1"]["rows"][0]["name"] = "a | b <script> `c` \\"
    html = READER.render(render_markdown(plain))
    assert html.count("<table>") == 14
    assert "<td>a | b &lt;script&gt; `c` \\</td>" in html
    assert "| ---" not in html


def test_hostile_names_are_shown_and_not_obeyed():
    plain = example()
    plain["notes"] = [NASTY]
    plain["models"]["none"]["name"] = NASTY
    plain["mode"] = NASTY
    plain["settings"][NASTY] = {NASTY: [NASTY]}
    plain["cinderella"]["sentences"][0]["text"] = NASTY
    page = READER.render(render_markdown(plain))
    assert "<script" not in page
    assert "\x1b" not in page
    assert page.count("&lt;/title&gt;&lt;script&gt;") > 3


def test_results_are_part_of_the_page():
    assert render_results(example()) in render_markdown(example())
