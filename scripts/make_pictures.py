"""Make the pictures in docs/pictures: the report, the comparison, the cuts, the figures and the web page.

    python scripts/make_pictures.py --sentences 24                   score the opening of the example tale
    python scripts/make_pictures.py --sentences 24 --profile F.json  use a profile that `Profile.save` wrote

Needs Chromium and the development tools.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import barthes
from barthes.report.comparison import compare
from barthes.report.figures import draw_comparison, draw_curve, draw_influence, draw_strip, save_figure
from barthes.report.page import render_comparison, render_page, render_shortened
from barthes.salience.profile import Profile

ROOT = Path(__file__).parents[1]
TALE = ROOT / "examples" / "the_ferrymans_daughter.txt"
CINDERELLA = ROOT / "examples" / "cinderella.txt"
TITLE = "The Ferryman’s Daughter"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]
SCREEN = {"width": 1280, "height": 860}


def read_opening(count: int | None) -> barthes.Narrative:
    """Return the tale, or its first sentences."""
    story = barthes.read(TALE, title=TITLE)
    if count is None or count >= len(story):
        return story
    end = story.spans[count - 1][1]
    return barthes.Narrative(story.text[:end], story.spans[:count], title=story.title)


def find_strongest(profile: Profile) -> int:
    """Return the sentence in the first half, except the first, that later ones depend on most."""
    if profile.influences is None:
        return 0
    columns = profile.influences.columns
    return max(range(1, len(columns) // 2), key=lambda k: float(columns[k][1:].clip(min=0).sum()))


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start Chromium."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("BARTHES_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


def picture_report(browser: Any, pages: dict[str, str], chosen: int, kept: int, folder: Path) -> None:
    """Take screenshots of the report, the comparison and the cuts."""
    choose = f"barthesReport.visit({chosen})"
    views = [
        ("report-light", "report", {}, ""),
        ("report-dark", "report", {"color_scheme": "dark"}, choose),
        ("report-chosen", "report", {}, choose),
        ("report-wide", "report", {"viewport": {"width": 1280, "height": 640}}, choose),
        ("report-skeleton", "report", {}, f"barthesReport.keep({kept})"),
        ("report-matrix", "report", {}, "document.querySelector('[data-part=influence]').scrollIntoView()"),
        ("comparison", "comparison", {}, ""),
        ("cut", "cut", {}, "document.querySelectorAll('.gone')[1].click()"),
    ]
    for name, page, options, script in views:
        tab = browser.new_page(**{"viewport": SCREEN, **options})
        tab.set_content(pages[page])
        if script:
            tab.evaluate(script)
            tab.wait_for_timeout(300)
        save_picture(tab.screenshot(), folder / f"{name}.png")


@contextmanager
def start_server() -> Iterator[str]:
    """Run `barthes serve` with empty folders for results and scores, and return its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "barthes", "serve", "--no-open", "--port", "0", "--results", folder]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            yield next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
        finally:
            server.terminate()
            server.wait()


def picture_server(browser: Any, address: str, story: str, chosen: int, folder: Path) -> None:
    """Take screenshots of the web page: a story being scored, its report, and the start page."""

    def score(text: str, title: str, **options: Any) -> Any:
        tab = browser.new_page(viewport=SCREEN, **options)
        tab.goto(address)
        tab.locator("summary").click()
        tab.locator("#name").fill(title)
        tab.locator("#story").fill(text)
        tab.locator("[data-part=submit]").click()
        tab.wait_for_url(re.compile(r"/jobs/[0-9a-f]{16}$"))
        return tab

    first = score(CINDERELLA.read_text(encoding="utf-8"), "Cinderella")
    first.wait_for_selector("[data-part=downloads]", timeout=600_000)
    tab = score(story, TITLE, color_scheme="dark")
    tab.get_by_text(re.compile(r"Scoring 1\d of")).wait_for(timeout=600_000)
    save_picture(tab.screenshot(), folder / "serve-running.png")
    tab.wait_for_selector("[data-part=downloads]", timeout=600_000)
    tab.emulate_media(color_scheme="light")
    tab.frames[-1].evaluate(f"barthesReport.visit({chosen})")
    tab.wait_for_timeout(500)
    save_picture(tab.screenshot(), folder / "serve-report.png")
    tab.goto(address)
    tab.wait_for_selector("text=Cinderella")
    save_picture(tab.screenshot(), folder / "serve-home.png")


def save_picture(picture: bytes, path: Path) -> None:
    """Save a screenshot as an optimized PNG."""
    from PIL import Image

    Image.open(io.BytesIO(picture)).convert("RGB").save(path, optimize=True)


def main() -> None:
    """Make all pictures."""
    parser = argparse.ArgumentParser(description="Make the pictures of the documentation.")
    parser.add_argument("--profile", type=Path, help="A saved profile, to score nothing.")
    parser.add_argument("--sentences", type=int, help="Score only so many sentences of the tale.")
    parser.add_argument("--save", type=Path, help="Keep the profile here.")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures")
    parser.add_argument("--no-server", action="store_true", help="Leave out the web page.")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    story = read_opening(options.sentences)
    profile = Profile.load(options.profile) if options.profile else barthes.score(story)
    if options.save:
        profile.save(options.save)
    words = barthes.score(profile.narrative, method="tfidf")
    both = compare(profile, words)
    pages = {
        "report": render_page(profile, title=TITLE),
        "comparison": render_comparison(both),
        "cut": render_shortened(barthes.cut(replace(profile.narrative, heading=TITLE), to=0.8)),
    }
    chosen = find_strongest(profile)
    with open_browser() as browser:
        picture_report(browser, pages, chosen, max(3, len(profile.scores) // 4), options.out)
        if not options.no_server:
            with start_server() as address:
                picture_server(browser, address, story.text, chosen, options.out)
    save_figure(draw_curve(profile, title=TITLE), options.out / "figure-curve.svg")
    save_figure(draw_strip([profile, words], title=TITLE), options.out / "figure-strip.svg")
    save_figure(draw_influence(profile, title=TITLE, width=11), options.out / "figure-influence.svg")
    save_figure(draw_comparison(both, title=TITLE), options.out / "figure-comparison.svg")


if __name__ == "__main__":
    main()
