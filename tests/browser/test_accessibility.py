"""Every page for everybody: axe-core's rules, the keyboard, small screens, zoom and reduced motion."""

from __future__ import annotations

import re
from itertools import islice

import pytest

from barthes.report.comparison import compare
from barthes.report.page import render_comparison, render_page, render_shortened
from tests.browser.conftest import read_script
from tests.browser.long_stories import invent, novel
from tests.report.profiles import EVENTS, by_hand, wolf
from tests.report.shortened import shorten
from tests.web.running import TALE, serving

DRAFTS = (
    by_hand(["A wolf came.", "It rained.", "So it was.", "The end."], [0.1, 0.2, 0.3, 2.25]),
    by_hand(["A grey wolf came.", "The end.", "A king!", "It rained.", "So."], [0.08, 0.1, 0.0, 0.4, 3.0]),
)
FILES = {
    "report": lambda: render_page(wolf()),
    "events": lambda: render_page(EVENTS),
    "novel": lambda: render_page(novel(islice(invent(), 30), words=1_500)),
    "comparison": lambda: render_comparison(compare(*DRAFTS)),
    "cut": lambda: render_shortened(shorten()),
}
SERVED = ("home", "job")
PAGES = (*FILES, *SERVED)

# What a reader may have opened and chosen.
OPEN = """() => {
    document.querySelectorAll("details").forEach(each => { each.open = true; });
    document.querySelector(".text .unit, .gone")?.click();
}"""
AXE = """() => axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    resultTypes: ["violations"],
}).then(found => found.violations.map(
    each => `${each.id}: ${each.nodes.map(node => node.target.join(" ") + node.failureSummary).join("; ")}`
))"""
MOVING = """() => [...document.querySelectorAll("*")].filter(element => ["", "::before"].some(part => {
    const style = getComputedStyle(element, part || null);
    const moves = style.transitionDuration.split(",").some(each => parseFloat(each) > 0.01);
    return moves || style.animationName !== "none" || style.scrollBehavior === "smooth";
})).map(element => element.outerHTML.slice(0, 80))"""
WIDER = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    const wide = [...document.querySelectorAll("body *")].filter(
        each => each.getBoundingClientRect().right > width + 1
    );
    return [`more than ${width}`, ...wide.map(each => each.outerHTML.slice(0, 80))];
}"""
FOCUSED = """() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    element.dataset.tabbed = Number(element.dataset.tabbed ?? 0) + 1;
    return {
        name: element.outerHTML.slice(0, 100),
        times: Number(element.dataset.tabbed),
        seen: box.width > 0 && box.height > 0,
        marked: style.outlineStyle !== "none" || getComputedStyle(element.parentElement).boxShadow !== "none",
        frame: element.tagName === "IFRAME",
    };
}"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The addresses of the pages that are files."""
    folder = tmp_path_factory.mktemp("pages")
    for name, render in FILES.items():
        (folder / f"{name}.html").write_text(render(), encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in FILES}


@pytest.fixture(scope="module")
def served(tmp_path_factory, browser):
    """The addresses of the pages of a server with one finished story."""
    folder = tmp_path_factory.mktemp("served")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BARTHES_CACHE", str(folder / "cache"))
        with serving(folder / "results") as server:
            job = server.wait(server.post(TALE, method="length"))
            yield {"home": server.address, "job": f"{server.address}jobs/{job['id']}"}


@pytest.fixture
def visit(open_tab, request):
    def visit_one(name, *, width=1280, height=900, scheme="light", **options):
        page = open_tab(viewport={"width": width, "height": height}, color_scheme=scheme, **options)
        page.goto(request.getfixturevalue("served" if name in SERVED else "files")[name])
        if name == "home":
            page.wait_for_selector("#method option", state="attached")
        elif name == "job":
            page.frame_locator("iframe").locator(".text .unit").first.wait_for()
        return page

    return visit_one


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_violations(visit, name):
    """In light and dark mode, with everything opened and a sentence chosen."""
    axe = read_script("axe-core/axe.min.js")
    page = visit(name)
    for frame in page.frames:
        frame.evaluate(OPEN)
        frame.evaluate(f"() => {{ {axe}; }}")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for frame in page.frames:
            assert frame.evaluate(AXE) == []


@pytest.mark.parametrize("name", PAGES)
def test_nothing_moves_or_needs_scrolling_sideways(visit, name):
    """On a small telephone (320 pixels), and on 1,280 pixels at 200 %."""
    page = visit(name, reduced_motion="reduce")
    for frame in page.frames:
        frame.evaluate(OPEN)
        assert frame.evaluate(MOVING) == []
    for width in (640, 320):
        page.set_viewport_size({"width": width, "height": 640})
        for frame in page.frames:
            assert frame.evaluate(WIDER) == []


@pytest.mark.parametrize("name", PAGES)
def test_the_keyboard_reaches_everything_visibly_and_leaves_again(visit, name):
    page = visit(name)
    assert page.evaluate("document.documentElement.lang")
    assert re.search(r"\w", page.title())
    steps = []
    for _ in range(200):
        page.keyboard.press("Tab")
        step = page.evaluate(FOCUSED)
        if step is None or (step["times"] > 1 and not step["frame"]):
            break
        steps.append(step)
    else:
        pytest.fail("the focus does not leave the page")
    assert steps
    assert [step["name"] for step in steps if not step["seen"]] == []
    assert [step["name"] for step in steps if not step["marked"] and not step["frame"]] == []


def press_tab_until(page, selector, *, frame=None):
    for _ in range(60):
        page.keyboard.press("Tab")
        if (frame or page).evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"Tab does not reach {selector}")


def test_a_story_is_scored_and_read_without_a_mouse(visit):
    page = visit("home")
    press_tab_until(page, "#story")
    page.keyboard.type(TALE)
    press_tab_until(page, "#method")
    page.keyboard.type("Fast")  # without a model
    press_tab_until(page, "[type=submit]")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/jobs/"))
    page.locator("[data-part=downloads]").wait_for()
    report = page.frames[1]
    press_tab_until(page, ".text .unit", frame=report)
    page.keyboard.press("ArrowRight")
    assert report.evaluate("barthesReport.chosen") == 1
    press_tab_until(page, "[data-part=downloads] a")
