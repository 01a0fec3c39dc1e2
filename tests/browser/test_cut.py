"""The page of cuts as an editor uses it: cut, undo, see the sum change, download text and list."""

from __future__ import annotations

from pathlib import Path

from barthes.cutting.shortened import Cut, Shortened, remove_sentences
from barthes.reading import narrate
from barthes.reading.formats import parse_document
from barthes.report.cuts import to_cut_rows
from barthes.report.page import render_shortened
from tests.report.shortened import shorten


def read_sum(page):
    return page.locator("[data-part=sum]").text_content()


def download(page, part):
    with page.expect_download() as found:
        page.locator(f"[data-part={part}]").click()
    return found.value.suggested_filename, Path(found.value.path()).read_text(encoding="utf-8")


def shown(page):
    return [text.strip() for text in page.locator("[data-copy]:visible").all_text_contents()]


def make_units(story, gone):
    return tuple(Cut(each, 2, 1.0, None, (), (), 1 if each.index in gone else None) for each in story)


def test_a_click_undoes_a_cut_or_makes_one_and_the_sum_changes(open_page):
    page = open_page(render_shortened(shorten()))
    total = shorten().words_before
    left = f"{total - 22} of {total} words ({100 * (total - 22) // total} %), 3 cuts, cost about +3 nats"
    assert read_sum(page) == f"{left}. Check 6: they may refer to what is cut."
    cut = page.locator("[data-sentence='4']")
    cut.click()
    assert "2 cuts, cost about +1 nats" in read_sum(page)
    assert page.locator("[data-part=summary]").is_hidden(), "it counts all cuts"
    assert cut.get_attribute("aria-pressed") == "false"
    assert "It was late." in shown(page)
    page.locator("[data-sentence='3']").click()
    assert "3 cuts" in read_sum(page)
    assert "It rained again." not in shown(page)
    page.locator("[data-part=again]").click()
    assert "3 cuts, cost about +3 nats" in read_sum(page)
    assert "It was late." not in shown(page)
    for fixed in (1, 6):  # kept on request, and the last
        assert page.locator(f"[data-sentence='{fixed}']").get_attribute("role") is None


def test_the_keyboard_undoes_and_explains(open_page):
    page = open_page(render_shortened(shorten()))
    page.locator("[data-part=list]").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.sentence") == "0"
    reason = page.locator("[data-part=reason]").text_content()
    assert "Sentence 1, 2 words: cutting it costs about +1.3 nats. Rank 5 of 7 for readers." in reason
    assert "Missed most by 2 (+0.8), 7 (+0.3)" in reason
    assert page.locator(".affected").count() == 2
    page.keyboard.press("Enter")
    assert "2 cuts" in read_sum(page)
    page.keyboard.press(" ")
    assert "3 cuts" in read_sum(page)


def test_text_and_list_are_downloaded_as_they_stand(open_page):
    page = open_page(render_shortened(shorten()))
    assert download(page, "text") == ("the_wolf_co-short.txt", shorten().text)
    assert download(page, "list") == ("the_wolf_co-cuts.tsv", to_cut_rows(shorten(), delimiter="\t"))
    page.locator(".gone[data-sentence='2']").click()
    assert download(page, "text")[1] == remove_sentences(shorten().narrative, {0, 4})
    listed = download(page, "list")[1].splitlines()
    assert [line.split("\t")[1] for line in listed[1:]] == ["1", "5"]
    assert page.title() == "The <wolf> & co: cuts"


def test_a_screenplay_is_downloaded_as_fountain(open_page):
    """Speakers that are not measured are on the page and in the text, and go with their speeches."""
    script = b"Title:\n    _The Mill_\nAuthor: A. Miller\n\nINT. MILL - NIGHT\n\nA wolf comes.\n\n"
    script += b"ANNA\n(softly)\nWho is it?\n\nIt eats. It sleeps."
    story = narrate(parse_document(script, where="mill", name="mill.fountain"), title="mill")
    shortened = Shortened(story, make_units(story, {1, 2}), 5)
    page = open_page(render_shortened(shortened))
    assert download(page, "text") == ("mill-short.fountain", shortened.text)
    assert "ANNA" not in shortened.text
    page.locator(".gone[data-sentence='1']").click()
    assert download(page, "text")[1] == script.decode().replace("It eats. ", "")
    marks = [" ".join(mark.split()) for mark in page.locator("[data-mark]:visible").all_text_contents()]
    assert marks == ["Title: _The Mill_ Author: A. Miller", "INT. MILL - NIGHT", "ANNA (softly)"]
