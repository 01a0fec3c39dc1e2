"""Make the pictures of the report, the comparison and the figures that the documentation shows.

    python scripts/make_pictures.py                    scores the example tale with the embedded model first
    python scripts/make_pictures.py --profile F.json   shows a profile that `Profile.save` wrote

Needs Chromium, playwright and matplotlib (the development tools). The pictures are written to docs/pictures.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
from pathlib import Path

import barthes
from barthes.report.comparison import compare
from barthes.report.figures import draw_comparison, draw_curve, draw_influence, draw_strip, save_figure
from barthes.report.page import render_comparison, render_page
from barthes.salience.profile import Profile

ROOT = Path(__file__).parents[1]
TALE = ROOT / "examples" / "the_ferrymans_daughter.txt"
TITLE = "The Ferryman’s Daughter"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]


def score(count: int | None) -> Profile:
    """Score the tale, or its first sentences, by sentence deletion with the embedded model."""
    story = barthes.read(TALE)
    if count is not None and count < len(story):
        end = story.spans[count - 1][1]
        story = barthes.Narrative(story.text[:end], story.spans[:count], title=story.title)
    return barthes.score(story)


def strongest(profile: Profile) -> int:
    """Return the sentence in the first half, except the first, that later ones depend on most."""
    if profile.influences is None:
        return 0
    columns = profile.influences.columns
    return max(range(1, len(columns) // 2), key=lambda k: float(columns[k][1:].clip(min=0).sum()))


def photograph(pages: dict[str, str], chosen: int, kept: int, folder: Path) -> None:
    """Take screenshots of the pages."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("BARTHES_CHROMIUM") or shutil.which("chromium")
    choose = f"barthesReport.visit({chosen})"
    views = [
        ("report-light", "report", {}, ""),
        ("report-dark", "report", {"color_scheme": "dark"}, choose),
        ("report-chosen", "report", {}, choose),
        ("report-skeleton", "report", {}, f"barthesReport.keep({kept})"),
        ("report-matrix", "report", {}, "document.querySelector('[data-part=influence]').scrollIntoView()"),
        ("comparison", "comparison", {}, ""),
    ]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=ARGUMENTS)
        for name, page, options, script in views:
            tab = browser.new_page(viewport={"width": 1280, "height": 860}, **options)
            tab.set_content(pages[page])
            if script:
                tab.evaluate(script)
                tab.wait_for_timeout(300)
            save(tab.screenshot(), folder / f"{name}.png")
        browser.close()


def save(picture: bytes, path: Path) -> None:
    """Save a picture as an optimized PNG."""
    from PIL import Image

    Image.open(io.BytesIO(picture)).convert("RGB").save(path, optimize=True)


def main() -> None:
    """Make all pictures."""
    parser = argparse.ArgumentParser(description="Make the pictures of the documentation.")
    parser.add_argument("--profile", type=Path, help="A saved profile, to score nothing.")
    parser.add_argument("--sentences", type=int, help="Score only so many sentences of the tale.")
    parser.add_argument("--save", type=Path, help="Keep the profile here.")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    profile = Profile.load(options.profile) if options.profile else score(options.sentences)
    if options.save:
        profile.save(options.save)
    words = barthes.score(profile.narrative, method="tfidf")
    both = compare(profile, words)
    pages = {"report": render_page(profile, title=TITLE), "comparison": render_comparison(both)}
    photograph(pages, strongest(profile), max(3, len(profile.scores) // 4), options.out)
    save_figure(draw_curve(profile, title=TITLE), options.out / "figure-curve.svg")
    save_figure(draw_strip([profile, words], title=TITLE), options.out / "figure-strip.svg")
    save_figure(draw_influence(profile, title=TITLE, width=11), options.out / "figure-influence.svg")
    save_figure(draw_comparison(both, title=TITLE), options.out / "figure-comparison.svg")


if __name__ == "__main__":
    main()
