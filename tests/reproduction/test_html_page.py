from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from barthes.reproduction.page import render_html
from barthes.reproduction.page.html_page import FIGURES_REMEDY
from tests.reproduction.example import example, nothing_run

ROOT = Path(__file__).parents[2]
NASTY = "</title><script>alert('x')</script> & \x1b[31m \"quoted\" $\\frac{a}$"


@pytest.fixture(scope="module")
def page():
    return render_html(example())


def parse(page):
    """The page is also well-formed XML, so that a forgotten or unescaped tag cannot hide."""
    return ElementTree.fromstring(page)


def test_it_is_whole_without_a_network_and_without_scripts(page):
    tree = parse(page)
    assert not list(tree.iter("script"))
    assert not {tag for tag in ("link", "img", "iframe", "object") if list(tree.iter(tag))}
    addresses = [
        value for element in tree.iter() for name, value in element.items() if name in ("href", "src")
    ]
    assert addresses
    assert all(address.startswith("#") for address in addresses)
    assert "http://" not in page
    assert "https://" not in page
    assert "@import" not in page
    assert all(found.startswith("#") for found in re.findall(r"url\(([^)]*)\)", page))


def test_every_reference_has_its_target_and_every_id_is_there_once(page):
    tree = parse(page)
    ids = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    wanted = {value[1:] for element in tree.iter() for name, value in element.items() if name == "href"}
    wanted |= set(re.findall(r"url\(#([^)]*)\)", page))
    for element in tree.iter():
        wanted |= set((element.get("aria-labelledby") or "").split())
    assert wanted <= set(ids)


def test_tables_have_captions_and_headings_for_rows_and_columns(page):
    tables = list(parse(page).iter("table"))
    assert len(tables) == 16
    for table in tables:
        assert table.find("caption").text
        assert {heading.get("scope") for heading in table.findall("thead/tr/th")} == {"col"}
        widths = {len(row) for row in table.iter("tr")}
        assert len(widths) == 1
        assert all(row[0].get("scope") == "row" for row in table.findall("tbody/tr"))


def test_table_2_shows_daggers_bold_and_what_was_not_run(page):
    table = next(t for t in parse(page).iter("table") if t.find("caption").text.startswith("Table 2"))
    rows = table.findall("tbody/tr")
    assert len(rows) == 22
    assert rows[4].find("td[2]/b").text == "0.271"
    assert rows[4].find("td[2]/sup").text == "†"
    assert rows[7].find("td[2]/b/i").text == "0.304"
    assert rows[8].find("td[1]/b/i").text == "0.301"
    assert rows[8].find("td[2]/span").text == "not run"


def test_the_expectation_of_random_and_the_models_are_there(page):
    paragraphs = [paragraph.text for paragraph in parse(page).iter("p")]
    assert [text for text in paragraphs if text.endswith("over all orders it is 0.213.")]
    assert paragraphs.count("The language model is smollm2-135m (fine-tuning: none).") == 3


def test_figures_have_titles_descriptions_and_captions(page):
    figures = list(parse(page).iter("figure"))
    assert len(figures) == 3
    for figure in figures:
        drawing = figure.find("div/svg")
        assert drawing.get("role") == "img"
        assert drawing[0].tag == "title"
        assert drawing[0].text
        assert drawing[1].tag == "desc"
        assert drawing[1].text
        assert figure.find("figcaption").text
    assert "SD + TF-IDF 0.304" in figures[0].find("div/svg/desc").text
    assert "position (asc) 3 of 3" in figures[1].find("div/svg/desc").text


def test_colours_follow_the_page(page):
    drawings = "".join(re.findall(r"<svg.*?</svg>", page, re.DOTALL))
    assert set(re.findall(r"(?<!, )#[0-9a-f]{6}\b", drawings)) == set(), (
        "a colour that dark mode cannot change"
    )
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
    shown = NASTY.replace("\x1b", "�")
    assert shown in [item.text for item in tree.iter("li")]
    assert any((text.text or "").startswith("</title><script>") for text in tree.iter("text"))


def test_without_matplotlib_the_page_says_how_to_get_the_figures(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = render_html(example())
    assert not list(parse(page).iter("svg"))
    assert page.count("pip install &#34;barthes[figures]&#34;") == 1
    assert [p.text for p in parse(page).iter("p")].count(FIGURES_REMEDY) == 1
    assert len(list(parse(page).iter("table"))) == 16


def test_what_was_not_run_has_neither_tables_nor_figures():
    page = render_html(nothing_run())
    tree = parse(page)
    assert not list(tree.iter("svg"))
    assert FIGURES_REMEDY not in page
    assert page.count("Not run") == 6
    assert len(list(tree.iter("table"))) == 3, "models, settings, versions"


def test_the_same_dict_gives_the_same_bytes_in_another_process_with_other_settings(page, tmp_path):
    (tmp_path / "matplotlibrc").write_text("font.size: 20\naxes.facecolor: red\nsvg.hashsalt: other\n")
    script = (
        "import sys; from barthes.reproduction.page import render_html\n"
        "from tests.reproduction.example import example\n"
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
    assert render_html(example()) == page


def test_importing_the_report_does_not_load_matplotlib_or_jinja():
    script = "import sys, barthes.reproduction.page; print({'matplotlib', 'jinja2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "set()"
