"""A real Chromium without a window. Absent, these tests are skipped or, with BARTHES_BROWSER=required, fail.

BARTHES_CHROMIUM names the program where it is not in the path.
"""

from __future__ import annotations

import os
import shutil

import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
]


def find_chromium():
    given = os.environ.get("BARTHES_CHROMIUM")
    return given or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )


def give_up(reason):
    if os.environ.get("BARTHES_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")  # one at a time: playwright allows no second in a process
def browser():
    program = find_chromium()
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
def open_page(browser, tmp_path):
    """Open HTML as a file, without a network; every error of its scripts fails the test."""
    contexts, problems = [], []

    def open_it(html, *, width=1280, height=900, scheme="light"):
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on(
            "request",
            lambda request: None if request.url.startswith("file:") else problems.append(request.url),
        )
        page.goto(path.as_uri())
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert problems == []
