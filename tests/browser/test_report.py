"""The report as people use it: in a browser, by mouse and by keyboard."""

from __future__ import annotations

from dataclasses import replace

import pytest

from barthes.report.page import render_cell, render_page
from barthes.salience.stability import Stability
from barthes.units import find_groups
from tests.browser.long_stories import invent, novel
from tests.report.profiles import NASTY, by_hand, ferry, wolf


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


def test_arcs_lead_to_what_loses_more_than_is_usual_at_its_distance(open_page):
    sentences = ["A wolf came.", "It ate.", "It slept.", "The end."]
    columns = [[0.5, 0.2, 0.4], [0.5, 0.1], [0.5], []]
    page = open_page(render_page(by_hand(sentences, [0.4, 0.3, 0.2, 1.0], columns)))
    units(page).nth(0).click()
    assert page.locator(".arcs path").count() == 1
    assert units(page).nth(2).evaluate("unit => unit.classList.contains('strong')")
    assert page.locator(".panel ol").first.locator("li").count() == 3


def test_three_scenes_are_not_ranked(open_page):
    story = by_hand(["A wolf came.", "It ate.", "The end."], [0.4, 0.5, 1.0])
    scenes = replace(story, narrative=replace(story.narrative, unit="scene"), unit="scene", info=None)
    page = open_page(render_page(scenes))
    assert page.locator(".threshold").is_hidden()
    assert page.locator("[data-part=ranking] .rank").count() == 0
    units(page).nth(1).click()
    assert "rank" not in page.locator(".panel").text_content()


def uncertain_profile(share):
    """Twelve sentences, the last not ranked; the second is the most salient in a `share` of the samples."""
    scores = (0.8, 0.9, *(0.05 * k for k in range(9)), 3.0)
    stability = Stability((-0.1,) * 12, (0.25,) * 12, (0.8, share, *[0.0] * 10))
    return by_hand([f"It rained {k} times." for k in range(12)], scores, stability=stability)


def test_the_ranked_list_marks_uncertain_and_unranked_sentences(open_page):
    page = open_page(render_page(uncertain_profile(0.1)))
    ranks = page.locator("[data-part=ranking] .rank")
    legend = page.get_by_text("? rank uncertain")
    assert ranks.all_text_contents() == ["1?", *map(str, range(2, 12)), "–"]
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
    page = open_page(render_page(wolf()), scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    for scheme, colour in (("dark", "rgb(22, 23, 26)"), ("light", "rgb(253, 252, 250)")):
        page.emulate_media(media="screen", color_scheme=scheme)
        assert page.evaluate(ground) == colour
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    assert not page.locator(".panel").is_visible()
    assert page.pdf().startswith(b"%PDF")


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
    scene.select_option(str(inside[1]))
    assert page.evaluate("barthesReport.view.unit") == "sentence"
    first, last = [*scenes.starts, len(profile.scores)][inside[1] : inside[1] + 2]
    assert [units(page).nth(k).is_visible() for k in (first - 1, first)] == [False, True]
    listed = page.locator(".ranking tbody tr:visible")
    numbers = listed.evaluate_all("rows => rows.map(row => Number(row.dataset.unit))")
    assert numbers == [each.index for each in profile.top() if first <= each.index < last][:20]
    best = next(each.index for each in profile.top())
    page.evaluate("k => barthesReport.visit(k)", best)
    assert units(page).nth(best).is_visible()
    assert listed.first.get_attribute("data-unit") == str(best)
    chapter.select_option("")
    assert page.evaluate("[barthesReport.view.unit, barthesReport.view.count]") == [
        "chapter",
        len(chapters.starts),
    ]


def test_in_a_notebook_it_runs_in_its_frame(open_page):
    page = open_page(f"<!DOCTYPE html><title>notebook</title>{render_cell(wolf())}")
    frame = page.frame_locator("iframe")
    frame.locator(".text .unit").nth(1).click()
    assert frame.locator(".panel h2").first.text_content() == "Sentence 2 of 6"


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
