"""The pages of a reproduction. To accept changes of golden files, run with GOLDEN=write."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from barthes.report.escaping import escape_markdown
from barthes_research.reproduction.page import FIGURES_REMEDY, render_html, render_markdown
from research.tests.reproduction.example import example, nothing_run
from tests.golden_files import check_golden

ROOT = Path(__file__).parents[3]
GOLDEN = Path(__file__).parent / "golden"
READER = MarkdownIt("commonmark").enable("table")
NASTY = "</title><script>alert('x')</script> & \x1b[31m \"quoted\" $\\frac{a}$"


@pytest.fixture(scope="module")
def page():
    return render_html(example())


def parse(page):
    """The page is also well-formed XML, so that a forgotten or unescaped tag cannot hide."""
    return ElementTree.fromstring(page)


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


def test_html_is_whole_without_a_network_and_without_scripts(page):
    tree = parse(page)
    tags = ("script", "link", "img", "iframe", "object")
    assert not {tag for tag in tags if list(tree.iter(tag))}
    attributes = [item for element in tree.iter() for item in element.items()]
    addresses = [value for name, value in attributes if name in ("href", "src")]
    assert addresses
    assert all(address.startswith("#") for address in addresses)
    assert not re.search("https?://|@import", page)
    assert all(found.startswith("#") for found in re.findall(r"url\(([^)]*)\)", page))
    ids = [value for name, value in attributes if name == "id"]
    assert len(ids) == len(set(ids))
    wanted = {address[1:] for address in addresses} | set(re.findall(r"url\(#([^)]*)\)", page))
    labels = [value.split() for name, value in attributes if name == "aria-labelledby"]
    assert wanted.union(*labels) <= set(ids)


def test_html_tables_have_captions_and_headings_for_rows_and_columns(page):
    tables = list(parse(page).iter("table"))
    assert len(tables) == 16
    for table in tables:
        assert table.find("caption").text
        assert {heading.get("scope") for heading in table.findall("thead/tr/th")} == {"col"}
        assert len({len(row) for row in table.iter("tr")}) == 1
        assert all(row[0].get("scope") == "row" for row in table.findall("tbody/tr"))


def test_html_says_what_the_markdown_says(page):
    """Daggers, bold and what was not run; paragraphs and remarks."""
    tree = parse(page)
    table = next(t for t in tree.iter("table") if t.find("caption").text.startswith("Table 2"))
    rows = table.findall("tbody/tr")
    assert len(rows) == 22
    assert rows[4].find("td[2]/b").text == "0.271"
    assert rows[4].find("td[2]/sup").text == "†"
    assert rows[7].find("td[2]/b/i").text == "0.304"
    assert rows[8].find("td[1]/b/i").text == "0.301"
    assert rows[8].find("td[2]/span").text == "not run"
    words = {re.sub(r"\W", "", " ".join(each.itertext())) for each in tree.iter() if each.tag in ("p", "li")}
    paragraphs = [
        each
        for each in render_markdown(example()).split("\n\n")
        if not each.startswith(("#", "|", "**", "- "))
    ]
    assert {re.sub(r"\W", "", paragraph) for paragraph in paragraphs} <= words


def test_figures_have_titles_descriptions_captions_and_the_colours_of_the_page(page):
    figures = list(parse(page).iter("figure"))
    assert len(figures) == 3
    for figure in figures:
        drawing = figure.find("div/svg")
        assert drawing.get("role") == "img"
        assert [(child.tag, bool(child.text)) for child in drawing[:2]] == [("title", True), ("desc", True)]
        assert figure.find("figcaption").text
    assert "SD + TF-IDF 0.304" in figures[0].find("div/svg/desc").text
    assert "position (asc) 3 of 3" in figures[1].find("div/svg/desc").text
    drawings = "".join(re.findall(r"<svg.*?</svg>", page, re.DOTALL))
    assert set(re.findall(r"(?<!, )#[0-9a-f]{6}\b", drawings)) == set(), "dark mode cannot change it"
    declared = set(re.findall(r"^\s*(--\w+):", page, re.MULTILINE))
    assert set(re.findall(r"var\((--\w+)", page)) <= declared


def test_hostile_names_are_shown_and_not_obeyed():
    plain = example()
    plain["notes"] = [NASTY]
    plain["models"]["none"]["name"] = NASTY
    plain["mode"] = NASTY
    plain["settings"][NASTY] = {NASTY: [NASTY]}
    plain["cinderella"]["sentences"][0]["text"] = NASTY
    plain["scores"] = {NASTY: plain["scores"]["The Mill"]}
    for row in plain["table2"]["rows"]:
        if row["per_story"]:
            row["per_story"] = {NASTY: 0.5, "龍の話": 0.25}
    page = render_html(plain)
    tree = parse(page)
    assert not list(tree.iter("script"))
    assert "\x1b" not in page
    assert "龍の話" in page
    assert NASTY.replace("\x1b", "�") in [item.text for item in tree.iter("li")]
    assert any((text.text or "").startswith("</title><script>") for text in tree.iter("text"))


def test_without_matplotlib_the_page_says_how_to_get_the_figures(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = render_html(example())
    assert not list(parse(page).iter("svg"))
    assert [p.text for p in parse(page).iter("p")].count(FIGURES_REMEDY) == 1
    assert len(list(parse(page).iter("table"))) == 16


def test_the_same_dict_gives_the_same_bytes_in_another_process_with_other_settings(page, tmp_path):
    (tmp_path / "matplotlibrc").write_text("font.size: 20\naxes.facecolor: red\nsvg.hashsalt: other\n")
    script = (
        "import sys; from barthes_research.reproduction.page import render_html\n"
        "assert not {'matplotlib', 'jinja2'} & set(sys.modules), 'loaded before it is needed'\n"
        "from research.tests.reproduction.example import example\n"
        "sys.stdout.buffer.write(render_html(example()).encode())"
    )
    settings = {
        "PYTHONHASHSEED": "7",
        "MATPLOTLIBRC": str(tmp_path),
        "SOURCE_DATE_EPOCH": "0",
        "TZ": "Asia/Tokyo",
    }
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, cwd=ROOT, env=os.environ | settings
    )
    assert done.stdout.decode() == page
