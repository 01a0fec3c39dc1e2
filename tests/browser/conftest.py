"""A real Chromium without a window. Absent, these tests are skipped or, with BARTHES_BROWSER=required, fail.

BARTHES_CHROMIUM names the program where it is not in the path. `npm install --prefix tests/browser` fetches
axe-core and RecogitoJS.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def give_up(reason):
    if os.environ.get("BARTHES_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


def read_script(name):
    """Return a script of an npm package."""
    path = Path(__file__).parent / "node_modules" / name
    if not path.is_file():
        give_up(f"{name} is missing: npm install --prefix tests/browser")
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="package")
def browser():
    program = os.environ.get("BARTHES_CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        give_up("there is no Chromium here: apt-get install chromium, or set BARTHES_CHROMIUM")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        give_up("playwright is not installed: pip install playwright")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def open_tab(browser):
    """Open a tab in a context of its own; errors in its console fail the test unless they are allowed."""
    contexts, errors = [], []

    def open_one(*, allow_errors=False, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        if not allow_errors:
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def open_page(open_tab, tmp_path):
    """Open HTML as a file, without a network; every error of its scripts and every request fails the test."""
    pages, requests = [], []

    def open_it(html, *, width=1280, scheme="light"):
        path = tmp_path / f"page{len(pages)}.html"
        path.write_text(html, encoding="utf-8")
        page = open_tab(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        pages.append(page)
        return page

    yield open_it
    assert [url for url in requests if not url.startswith("file:")] == []
