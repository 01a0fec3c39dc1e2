"""The report as people use it: in a browser, by mouse and by keyboard."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import barthes
from barthes.reading.tale_books import read_tales
from barthes.report.comparison import compare
from barthes.report.page import render_cell, render_comparison, render_page
from barthes.salience.stability import Stability
from barthes.units import find_groups
from tests.report.profiles import NASTY, SCREENPLAY, by_hand, ferry, invent, long, novel, with_surprise, wolf


def units(page):
    return page.locator(".text .unit")


def losses(page):
    return units(page).evaluate_all("units => units.map(u => u.style.getPropertyValue('--loss'))")


def test_a_click_lights_up_what_depends_on_the_sentence(open_page):
    page = open_page(render_page(wolf()))
    units(page).nth(1).click()
    assert losses(page) == ["", "", "44%", "", "100%", "6%"]
    assert page.locator(".panel h2").first.text_content() == "Sentence 2 of 6"
    listed = page.locator(".panel ol").first.locator(".no").all_text_contents()
    assert [number.strip() for number in listed] == ["5", "3", "6"]
    assert page.locator(".arcs path").count() == 3
    assert page.locator(".curve .arc").count() == 3
    colours = units(page).evaluate_all("units => units.map(u => getComputedStyle(u).backgroundColor)")
    assert len({colours[2], colours[3], colours[4]}) == 3
    units(page).nth(1).click()
    assert losses(page) == [""] * 6


def uncertain_profile(share):
    """Twelve sentences, the last not ranked; the second is the most salient in a `share` of the samples."""
    scores = (0.8, 0.9, *(0.05 * k for k in range(9)), 3.0)
    stability = Stability((-0.1,) * 12, (0.25,) * 12, (0.8, share, *[0.0] * 10))
    return by_hand([f"It rained {k} times." for k in range(12)], scores, stability=stability)


def test_the_ranked_list_marks_uncertain_and_unranked_sentences(open_page):
    page = open_page(render_page(uncertain_profile(0.1)))
    ranks = page.locator("[data-part=ranking] .rank")
    legend = page.get_by_text("? may not belong")
    assert ranks.all_text_contents() == ["1?", *map(str, range(2, 12)), "–"]
    assert legend.text_content().startswith("? may not belong in the top 10 % (in fewer than 80 %")
    assert legend.is_visible()
    assert page.locator(".panel .value").all_text_contents()[:2] == ["+0.90 ?", "+0.80"]
    assert page.get_by_text("– not ranked: nothing follows the last sentence").is_visible()


@pytest.mark.parametrize("share", [0.9, 0.1])
def test_a_chosen_sentence_shows_how_certain_its_score_is(open_page, share):
    page = open_page(render_page(uncertain_profile(share)))
    units(page).nth(1).click()
    shown = page.locator(".panel").text_content()
    assert "90 % interval: −0.10 to +0.25." in shown
    assert f"In the top 10 % in {100 * share:.0f} % of bootstrap samples" in shown
    assert ("it may not belong there" in shown) == (share < 0.8)
    units(page).nth(11).click()
    last = page.locator(".panel").text_content()
    assert "Not ranked: nothing follows the last sentence." in last
    assert "interval" not in last


def test_the_keyboard_goes_from_sentence_to_sentence(open_page):
    page = open_page(render_page(wolf()))
    page.locator("[data-part=fade]").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.unit") == "0"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("[document.activeElement.dataset.unit, barthesReport.chosen]") == ["1", 1]
    assert units(page).nth(1).get_attribute("aria-pressed") == "true"
    assert "depend on it most" in page.locator(".panel + [aria-live]").text_content()
    page.keyboard.press("End")
    assert page.evaluate("barthesReport.chosen") == 5
    page.keyboard.press("Escape")
    assert page.evaluate("barthesReport.chosen") is None
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.panel, canvas') !== null")


def test_surprise_and_preparation_are_lines_on_request(open_page):
    page = open_page(render_page(replace(with_surprise(), preparation=tuple(range(60)))))
    toggle, line = page.get_by_role("checkbox", name="surprise"), page.locator(".curve path.surprise")
    assert line.get_attribute("d") == ""
    toggle.check()
    assert line.get_attribute("d").count("L") == 59
    assert "Surprise is highest in sentence 36." in page.locator(".curve svg").get_attribute("aria-label")
    page.evaluate("barthesReport.choose(35)")
    figures = page.locator(".panel .figure div").all_text_contents()
    assert figures[2:] == ["7.30surprise", "+35.0preparation"]
    toggle.uncheck()
    assert line.get_attribute("d") == ""
    page.get_by_role("checkbox", name="preparation").check()
    assert page.locator(".curve path.preparation").get_attribute("d").count("L") == 59


def test_the_slider_leaves_the_skeleton(open_page):
    page = open_page(render_page(wolf()))
    slider = page.locator("[data-part=threshold]")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    assert page.locator("[data-part=kept]").text_content() == "2 of 5, salience ≥ 0.20"
    assert "2 of 5" in slider.get_attribute("aria-valuetext")
    assert [unit.is_visible() for unit in units(page).all()] == [False, True, False, False, True, False]
    page.locator("[data-part=fade]").check()
    assert all(unit.is_visible() for unit in units(page).all())
    page.keyboard.press("Tab")
    slider.focus()
    page.keyboard.press("End")
    assert page.locator("[data-part=kept]").text_content() == "all 6 sentences"


def test_the_heat_map_tells_its_cells_and_chooses(open_page):
    page = open_page(render_page(wolf()))
    canvas = page.locator(".heatmap canvas")
    box = canvas.bounding_box()
    canvas.hover(position={"x": box["width"] * 1.5 / 6, "y": box["height"] * 4.5 / 6})
    assert "Without 2, sentence 5 loses 0.90." in page.locator(".says").text_content()
    canvas.click(position={"x": box["width"] * 1.5 / 6, "y": box["height"] * 4.5 / 6})
    assert page.evaluate("barthesReport.chosen") == 1
    canvas.focus()
    page.keyboard.press("ArrowUp")
    assert "Without 2, sentence 4 gains 0.10." in page.locator(".says").text_content()


def test_the_curve_and_the_ranking_lead_to_the_sentence(open_page):
    page = open_page(render_page(ferry()))
    page.locator(".ranking tbody tr").nth(2).click()
    chosen = page.evaluate("barthesReport.chosen")
    assert ferry().ranks[chosen] == 3
    assert units(page).nth(chosen).is_visible()
    box = page.locator(".curve svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 8, box["y"] + 30)
    assert page.evaluate("barthesReport.chosen") == len(ferry().scores) - 1
    assert page.locator(".ranking tbody tr:visible").count() == 20
    page.locator("[data-part=more]").click()
    assert page.locator(".ranking tbody tr:visible").count() == len(ferry().scores)


def test_a_story_full_of_scripts_and_quotes(open_page):
    page = open_page(
        render_page(by_hand([NASTY, "It rained."], [0.3, 0.1], [[0.2], []], title=NASTY, notes=(NASTY,)))
    )
    units(page).nth(0).click()
    page.locator(".heatmap canvas").hover()
    assert "stolen" not in page.evaluate("document.title").replace(NASTY, "")
    assert units(page).nth(0).text_content() == NASTY
    assert page.locator("img").count() == 0


def test_dark_and_light_and_print(open_page):
    """In both, a contrast of 4.5 even on the fullest shade, as WCAG asks of text."""
    page = open_page(render_page(wolf()), scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    read = "name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()"
    for scheme, colour in (("dark", "rgb(22, 23, 26)"), ("light", "rgb(253, 252, 250)")):
        page.emulate_media(media="screen", color_scheme=scheme)
        assert page.evaluate(ground) == colour
        for pair in (("--ink", "--salient"), ("--ink", "--loses"), ("--muted", "--page")):
            assert contrast(*(luminance(page.evaluate(read, name)) for name in pair)) > 4.5
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    assert not page.locator(".panel").is_visible()
    assert page.pdf().startswith(b"%PDF")


def luminance(colour):
    values = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first, second):
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)


def test_no_width_makes_it_scroll_sideways(open_page):
    page = open_page(render_page(ferry()))
    units(page).nth(3).click()
    for width in (360, 768, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def measure_costs(page):
    """Return a function that runs a script and returns the processor time of the page's own thread.

    Other work on the machine is not ours to answer for.
    """
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def spent():
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime")

    def cost(script):
        before = spent()
        page.evaluate(script)
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return spent() - before

    return cost, spent


def test_a_long_story_stays_responsive(open_page):
    page = open_page(render_page(long()))
    cost, _ = measure_costs(page)
    assert cost("barthesReport.choose(1000)") < 0.25
    assert cost("barthesReport.keep(200)") < 0.4
    assert cost("barthesReport.visit(1500)") < 0.25
    assert cost("scrollBy(0, 800)") < 0.1
    assert page.locator(".heatmap.band").count() == 1


def read_folktales(shared):
    """Yield the paragraphs of the folktale books; the test is skipped where they are missing."""
    for path in sorted(shared("data/folktales").glob("*.txt")):
        for tale in read_tales(path.read_bytes(), where=path.name, name=path.name)[0]:
            yield from (" ".join(each.split()) for each in tale.text.split("\n\n") if each.strip())


@pytest.mark.parametrize("source", ["invented", "folktales"])
def test_a_novel_stays_responsive(open_page, shared, source):
    profile = novel(invent() if source == "invented" else read_folktales(shared))
    assert len(profile.narrative.text.split()) > 100_000
    page = open_page(render_page(profile))
    cost, spent = measure_costs(page)
    before = spent()
    page.reload()
    assert spent() - before < 6
    assert page.evaluate("barthesReport.view.unit") == "chapter"
    for script in (
        "barthesReport.enter(20)",  # a chapter
        "barthesReport.enter(1)",  # a scene of it
        "barthesReport.choose(barthesReport.view.from + 5)",
        "barthesReport.visit(100)",  # in another chapter
        "barthesReport.visit(4000)",
        "barthesReport.keep(500)",
        "barthesReport.keep(100000)",
        "scrollBy(0, 800)",
    ):
        assert cost(script) < 1.5, script


def test_zooming_from_chapters_to_scenes_to_sentences(open_page):
    profile = novel(invent(), words=9500)
    chapters, scenes = find_groups(profile.narrative)
    page = open_page(render_page(profile))
    chapter, scene, by = (page.get_by_label(name) for name in ("Part: chapter", "Part: scene", "Shown by"))
    assert "Salience of each chapter" in page.locator(".curve svg").get_attribute("aria-label")
    assert by.locator("option").all_text_contents() == ["chapters", "scenes", "sentences"]
    assert page.locator("#influence-heading").text_content() == "Dependencies between chapters"
    canvas = page.locator(".heatmap canvas")
    side = canvas.bounding_box()["width"] / len(chapters.starts)
    canvas.hover(position={"x": side / 2, "y": 1.5 * side})
    loss = profile.influences.average(chapters.starts).columns[0][0]
    assert f"Without a sentence of 1, each sentence of chapter 2 loses {loss:.3f} on average" in (
        page.locator(".says").text_content()
    )

    box = page.locator(".curve svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2 - 60, box["y"] + 60)
    assert chapter.input_value() == "1"
    assert by.locator("option").all_text_contents() == ["scenes", "sentences"]
    start, stop = chapters.starts[1:3]
    assert page.evaluate("[barthesReport.view.from, barthesReport.view.to]") == [start, stop]
    assert [units(page).nth(k).is_visible() for k in (start - 1, start, stop - 1, stop)] == [0, 1, 1, 0]
    assert page.locator(".text p:visible").first.text_content() == "2. The hill of 2 winds"

    inside = [k for k, first in enumerate(scenes.starts) if start <= first < stop]
    assert scene.locator("option").all_text_contents() == ["All scenes", *(f"Scene {k + 1}" for k in inside)]
    scene.select_option(str(inside[1]))
    assert page.evaluate("barthesReport.view.unit") == "sentence"
    first = scenes.starts[inside[1]]
    assert [units(page).nth(k).is_visible() for k in (first - 1, first)] == [False, True]
    last = [*scenes.starts, len(profile.scores)][inside[1] + 1]
    listed = page.locator(".ranking tbody tr:visible")
    numbers = listed.evaluate_all("rows => rows.map(row => Number(row.dataset.unit))")
    assert numbers == [each.index for each in profile.top() if first <= each.index < last][:20]
    part = f"Ranked by salience: {last - first} of {len(profile.scores):,} sentences"
    assert page.locator("#ranking-heading").text_content() == part
    units(page).nth(first).click()
    assert page.locator(".panel h2").first.text_content() == f"Sentence {first + 1} of {len(profile.scores)}"
    best = next(each.index for each in profile.top())
    page.evaluate("k => barthesReport.visit(k)", best)
    assert units(page).nth(best).is_visible()
    assert listed.count() == 20
    assert listed.first.get_attribute("data-unit") == str(best)
    assert page.locator("#ranking-heading").text_content() == "Ranked by salience"
    chapter.select_option("")
    assert page.evaluate("[barthesReport.view.unit, barthesReport.view.count]") == [
        "chapter",
        len(chapters.starts),
    ]


def test_the_panel_says_who_speaks(open_page):
    page = open_page(render_page(barthes.score(SCREENPLAY, method="length")))
    for place, said in enumerate(["Action", "Dialogue: MARY"]):
        units(page).nth(place).click()
        assert page.locator(".panel .hint").first.text_content() == said


def test_a_short_story_has_nothing_to_zoom_to_and_no_lines_without_surprise(open_page):
    page = open_page(render_page(wolf()))
    assert page.locator("[data-part=zoom]").is_hidden()
    assert page.locator("[data-part=surprise]").is_hidden()


def test_in_a_notebook_it_runs_in_its_frame(open_page):
    page = open_page(f"<!DOCTYPE html><title>notebook</title>{render_cell(wolf())}")
    frame = page.frame_locator("iframe")
    frame.locator(".text .unit").nth(1).click()
    assert frame.locator(".panel h2").first.text_content() == "Sentence 2 of 6"


def test_a_comparison_leads_to_its_rows(open_page):
    page = open_page(render_comparison(compare(wolf(), ferry())), width=900)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page = open_page(render_comparison(compare(wolf(), by_hand(["A wolf came.", NASTY], [0.1, 0.2]))))
    page.locator(".best a").first.click()
    assert re.search(r"#row-\d+$", page.url)


@pytest.mark.parametrize("scores", [[5.0, 20.0, 10.0, 8.0], [-3.0, -2.9, -2.95, -2.92], [0.0, 0.0, 0.0, 0.0]])
def test_bars_stand_on_zero_wherever_the_scores_lie(open_page, scores):
    sentences = ["A wolf came.", "It rained.", "It ran.", "The end."]
    page = open_page(render_page(by_hand(sentences, scores, method="tfidf", model=None)))
    ends = page.locator(".curve .bars.kept").get_attribute("d").removeprefix("M").split("M")
    ground = float(page.locator(".curve .axis").get_attribute("y1"))
    heights = [ground - float(end.split("V")[1].split("m")[0]) for end in ends]
    most = max(map(abs, scores)) or 1
    shares = [height / max(map(abs, heights), default=1) if any(heights) else 0 for height in heights]
    assert shares == pytest.approx([score / most for score in scores], abs=0.12)


def test_long_negative_bars_are_drawn_like_long_positive_ones(open_page):
    """As long as their scores say or, if they are rare, cut with a gap."""

    def draw(scores):
        page = open_page(render_page(by_hand([f"S {k}." for k in range(len(scores))], scores)))
        paths = [page.locator(f".curve .bars{kind}").get_attribute("d") for kind in (".kept", ":not(.kept)")]
        ground = float(page.locator(".curve .axis").get_attribute("y1"))
        bars = [bar for path in paths for bar in path.removeprefix("M").split("M") if bar]
        return [float(bar.split("V")[-1]) - ground for bar in bars], [bar for bar in bars if "m" in bar]

    many = [-0.2, -0.5, 0.05, -0.3, -0.4, 0.02, -0.1, -0.35, -0.45, 0.01]
    depths, cut = draw(many)
    assert sorted(depth / max(depths) for depth in depths) == pytest.approx(
        sorted(-score / 0.5 for score in many), abs=0.02
    )
    assert cut == []
    depths, [cut] = draw([*[0.1, 0.15, 0.2] * 9, -5.0, 0.1])
    assert max(depths) == pytest.approx(0.6 * -min(depths), rel=0.05)
    assert re.search(r"V[\d.]+m0 3V[\d.]+$", cut)


def test_bars_of_ranked_lists_are_in_proportion(open_page):
    scores = [0.9, 0.3, *[0.1] * 17, -0.2, -0.3, -0.4, 0.0]
    report = render_page(by_hand([f"S {k}." for k in range(len(scores))], scores))
    for html in (report, re.sub("<script>.*?</script>", "", report, flags=re.DOTALL)):
        page = open_page(html)
        bars = page.locator(".ranking td.bar span").all()
        widths = [bar.bounding_box()["width"] for bar in (*bars[:3], bars[19])]
        assert [width / widths[0] for width in widths] == pytest.approx([1, 1 / 3, 1 / 9, 0], abs=0.02)
    meters = open_page(report).locator(".panel .meter").all()
    shares = [meter.evaluate("each => each.style.getPropertyValue('--share')") for meter in meters[:3]]
    assert shares == ["100%", "33%", "11%"]


def test_keys_choose_and_leave_the_browsers_own_alone(open_page):
    page = open_page(render_page(wolf()))
    units(page).nth(0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.evaluate("barthesReport.chosen") is None
    page.keyboard.press("Space")
    assert page.evaluate("[barthesReport.chosen, scrollY]") == [1, 0]
    page.evaluate("addEventListener('keydown', event => { window.taken = event.defaultPrevented })")
    page.keyboard.press("Control+ArrowRight")
    assert page.evaluate("[window.taken, barthesReport.chosen]") == [False, 1]
