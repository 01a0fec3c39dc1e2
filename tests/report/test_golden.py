"""Compare whole documents with the files in golden/. To accept changes, run with GOLDEN=write."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from barthes import __version__
from barthes.report.comparison import compare
from barthes.report.cuts import print_cuts, to_cut_rows
from barthes.report.output import choose_writer, write_profiles
from barthes.report.page import render_comparison, render_page, render_shortened
from barthes.report.page.document import describe_profile
from barthes.report.terminal import print_profile
from barthes.salience.stability import Stability
from tests.golden_files import check_golden
from tests.report.profiles import EVENTS, PROFILE, by_hand, wolf
from tests.report.shortened import shorten

GOLDEN = Path(__file__).parent / "golden"
IMPORTANCE = replace(
    PROFILE, scores=(0.5, 2.0, -1.0, 1.5, 0.25), method="readers", influences=None, surprise=None, info=None
)
DRAWN = replace(
    PROFILE,
    importance=IMPORTANCE,
    stability=Stability((-0.5, 0.1, 0.0, 1.5, -1.0), (0.0, 1.0, 0.5, 2.5, 1.0), (0.1, 0.2, 0, 0.7, 0)),
)
DRAFTS = compare(
    by_hand(["A wolf came.", "It rained.", "So it was.", "The end."], [0.1, 0.2, 0.3, 2.25]),
    by_hand(["A grey wolf came.", "The end.", "A <b>", "It rained.", "Really."], [0.081, 0.1, 0.0, 0.4, 3.0]),
)


def write(name, *profiles, **options):
    out = io.StringIO()
    write_profiles(profiles, choose_writer(name, None), out, **options)
    return out.getvalue()


def show(profile, **options):
    out = io.StringIO()
    print_profile(profile, file=out, **options)
    return out.getvalue()


def show_cuts(shortened):
    out = io.StringIO()
    print_cuts(shortened, file=out)
    return out.getvalue()


def without_scripts(page):
    """The markup of a page: scripts and styles are tested in the browser."""
    page = re.sub(r"(<(script|style)\b[^>]*>).*?(</\2>)", r"\1\3", page, flags=re.DOTALL)
    return re.sub(r"sha256-[\w+/=]+", "sha256-…", page)


DOCUMENTS = {
    "sentences.tei.xml": lambda: write("tei", PROFILE),
    "sentences.top.standoff.tei.xml": lambda: write("tei-standoff", PROFILE, top=2),
    "sentences.catma.xml": lambda: write("catma", PROFILE),
    "sentences.webanno.tsv": lambda: write("webanno", PROFILE),
    "sentences.jsonld": lambda: write("web-annotation", PROFILE),
    "events.top.jsonld": lambda: write("web-annotation", EVENTS, top=1),
    "sentences.tsv": lambda: write("tsv", DRAWN),
    "sentences.json": lambda: write("json", PROFILE, influence=True),
    "sentences.txt": lambda: write("table", DRAWN),
    "sentences.html": lambda: without_scripts(render_page(DRAWN)),
    "sentences.page.json": lambda: json.dumps(describe_profile(DRAWN), ensure_ascii=False, indent=1),
    "events.top.tei.xml": lambda: write("tei", EVENTS, top=3),
    "events.standoff.tei.xml": lambda: write("tei-standoff", EVENTS),
    "events.catma.xml": lambda: write("catma", EVENTS, top=4),
    "events.webanno.tsv": lambda: write("webanno", EVENTS),
    "events.csv": lambda: write("csv", EVENTS, top=3),
    "events.json": lambda: write("json", EVENTS, EVENTS, top=2, several=True),
    "events.txt": lambda: show(EVENTS, width=90),
    "events.page.json": lambda: json.dumps(describe_profile(EVENTS), ensure_ascii=False, indent=1),
    "wolf.txt": lambda: write("table", wolf(), top=3),
    "wolf.length.txt": lambda: write("table", replace(wolf(), method="length", model=None, info=None)),
    "wolf.page.json": lambda: json.dumps(describe_profile(wolf()), ensure_ascii=False, indent=1),
    "drafts.html": lambda: without_scripts(render_comparison(DRAFTS)),
    "cuts.html": lambda: without_scripts(render_shortened(shorten())),
    "cuts.txt": lambda: show_cuts(shorten()),
    "cuts.tsv": lambda: to_cut_rows(shorten(), delimiter="\t"),
    "cuts.json": lambda: json.dumps(shorten().to_dict(), ensure_ascii=False, indent=1),
    "drafts.json": lambda: json.dumps(DRAFTS.to_dict(), indent=1),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_as_they_were(name):
    check_golden(GOLDEN / name, DOCUMENTS[name]().replace(__version__, "VERSION"))
