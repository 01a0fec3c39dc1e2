from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from barthes.report.escaping import escape_markdown
from barthes.reproduction.page import render_markdown
from tests.reproduction.example import example, nothing_run

READER = MarkdownIt("commonmark").enable("table")


def lines(plain=None):
    return render_markdown(plain or example()).splitlines()


def find_row(start, plain=None):
    """The one row of a table that begins so, as its cells."""
    (line,) = [line for line in lines(plain) if line.startswith(f"| {start} |")]
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_table_1_stands_beside_the_paper():
    assert find_row("words") == ["words", "18,862", "18,860", "−2"]
    assert find_row("average sentences a story")[1:] == ["86.8", "86.8", "0.0"]


def test_table_2_has_every_row_in_order_with_its_marks():
    rows = [line for line in lines() if re.match(r"\| (Random|Sentence|TF-IDF|SD|VA|PAA)", line)]
    rows = [row for row in rows if row.count("|") == 10]
    assert len(rows) == 22
    assert rows[0] == "| Random | – | – | 0.213 | 0.213 | 0.000 | \\[0.173, 0.263\\] | 1.000 | 0.500 |"
    assert rows[4] == "| SD | – | none | 0.261† | **0.271**† | +0.010 | \\[0.231, 0.321\\] | 0.013 | 0.048 |"
    assert rows[6] == "| SD | – | transductive | **0.280**† | *not run* | – | – | – | – |"
    assert (
        rows[7] == "| SD | ✓ | none | 0.294† | ***0.304***† | +0.010 | \\[0.264, 0.354\\] | 0.013 | 0.048 |"
    )
    assert rows[8].startswith("| SD | ✓ | domain | ***0.301***† | *not run* |")
    assert rows[10].startswith("| VA | – | none | 0.245 | 0.255† |")


def test_a_row_that_was_not_run_is_never_filled_in():
    for line in lines():
        if "*not run*" in line and line.count("|") == 10:
            assert line.endswith("| *not run* | – | – | – | – |")


def test_the_other_tables():
    assert find_row("The Ferry", example() | {"ordering": None})[:3] == ["The Ferry", "0.313", "0.377"]
    text = render_markdown(example())
    assert "| none | smollm2-135m | 23.46 | 25,123 |" in text
    assert "| transductive | *not given* | *not run* | – |" in text
    assert "| SD | −1.0 | *not run* |" in text
    assert "| accuracy | 100.0 % | 99.9 % |" in text, "one pair of 1,200 is wrong: not 100 %"
    assert "| accuracy | 94.0 % | 86.2 % |" in text
    assert "| 1 | 100.0 % | 1,000 |" in text
    assert "| S2 | A stranger brings a sack of gold. | ✓ | −0.014 | 0.850 | +0.864 |" in text
    assert "| S3 ✓ | 0.807 | −0.876 | – |" in text
    assert "| first | 0 | 3 | – |" in text, "no salient sentence in the first fifth"
    assert "0123abcd" in text
    assert "- The text was cut into windows of 1024 tokens." in text
    assert "| torch | 2.13.0 |" in text
    assert "0.210 in the paper, 0.400 ours" in text


def test_each_experiment_with_one_model_names_it():
    text = render_markdown(example())
    sections = [part.partition("\n")[0] for part in text.split("## ") if "The language model is " in part]
    assert sections == [
        "Appendix A.1: sentence ordering",
        "Appendix A.3: deletion detection",
        "Appendix C: Cinderella",
    ]
    assert text.count("The language model is smollm2-135m (fine-tuning: none).") == 3


def test_intervals_say_what_was_drawn():
    text = render_markdown(example())
    assert "| 95 % interval over tales | – | \\[99.5 %, 99.9 %\\] |" in text
    assert "| 95 % interval over stories | – | \\[85.2 %, 87.1 %\\] |" in text


def test_the_expectation_of_random_stands_below_the_table():
    line = lines()[lines().index(next(row for row in lines() if row.startswith("| PAA | ✓ | trans"))) + 2]
    assert line.endswith("over all orders it is 0.213.")


def test_a_correlation_that_is_not_defined_is_said_to_be_so():
    plain = example()
    plain["perplexity"]["spearman"]["va"]["status"] = "undefined"
    text = render_markdown(plain)
    assert "| VA | −0.5 | *undefined* |" in text
    assert "| SD | −1.0 | *not run* |" in text


def test_without_models_what_was_not_tested_is_said_to_be_so():
    plain = example()
    plain["table2"]["best_combination_vs_tfidf"]["ours"] = None
    assert "0.210 in the paper, not run by us." in render_markdown(plain)


def test_what_was_not_run_is_said_with_its_note():
    text = render_markdown(nothing_run())
    assert text.count("Not run") == 6
    section = text.partition("## Appendix A.3: deletion detection")[2].partition("## ")[0]
    assert section.strip() == "Not run.\n\n- Deletion detection was not run: no ROCStories were given."
    assert "Not run; see the notes at the end." in text
    assert "0.261" not in text


@pytest.mark.parametrize("left_out", ["table1", "table2", "perplexity", "ordering", "deletion", "cinderella"])
def test_a_note_that_names_an_experiment_stands_in_its_place(left_out):
    note = f"{left_out} was not run: it was not asked for."
    text = render_markdown(example() | {left_out: None, "notes": [note]})
    assert f"Not run.\n\n- {escape_markdown(note)}" in text
    assert text.count("Not run") == 1


def test_every_table_is_a_table_to_a_markdown_reader():
    plain = example()
    plain["table1"]["rows"][0]["name"] = "a | b <script> `c` \\"
    html = READER.render(render_markdown(plain))
    assert html.count("<table>") == 16
    assert "<td>a | b &lt;script&gt; `c` \\</td>" in html
    assert "| ---" not in html


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1))
def test_markdown_shows_any_text_as_it_is(text):
    html = READER.render(escape_markdown(text))
    shown = html.strip().removeprefix("<p>").removesuffix("</p>")
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        shown = shown.replace(entity, character)
    assert shown == text


def test_the_same_dict_gives_the_same_text_and_stays_as_it_is():
    plain = example()
    assert render_markdown(plain) == render_markdown(example())
    assert plain == example()


def test_the_labels_are_named_with_the_mode():
    assert "Labels: “paper”." in render_markdown(example())
    assert "| none | smollm2-135m | bfloat16 | cpu | 0123abcd |" in render_markdown(example())
