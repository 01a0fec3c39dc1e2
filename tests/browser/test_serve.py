"""The local web page in a real browser: paste, watch, click, download, cancel, come back."""

from __future__ import annotations

import os
import re

import pytest

from tests.reading.conversion import MAKERS
from tests.web.running import LONG_TALE, PATIENCE, SLOW, TALE, RunningServer, save_tiny_model, serving

if os.environ.get("BARTHES_BROWSER") != "required":
    pytest.importorskip("playwright", reason="playwright is not installed: pip install playwright")
from playwright.sync_api import expect

expect.set_options(timeout=1000 * PATIENCE)

EVIL = """<img src=x onerror="window.top.pwned = 2"> said the wolf.

"><script>window.top.pwned = 1</script> said 'the' girl. </script></iframe></title><b>The king</b> ran.
{{ 7 * 7 }} &lt;b&gt; `${1}` \\u003cb\\u003e javascript:alert(1) was all that "they" found.
It rained --> <!-- twice."""
LINES = "A wolf came.\nIt rained.\nThe girl ran."


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BARTHES_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def server(results, tmp_path_factory, browser, own_cache):
    tiny = save_tiny_model(tmp_path_factory.mktemp("model") / "tiny")
    with serving(results, "--model", str(tiny)) as running:
        yield running


@pytest.fixture
def page(open_tab):
    return open_tab()


def open_home(page, server):
    page.goto(server.address)
    expect(page.locator("#method option")).not_to_have_count(0)


def paste(page, server, story, **choices):
    open_home(page, server)
    page.locator("#story").fill(story)
    for name, value in choices.items():
        page.locator(f"#{name}").select_option(value)
    page.get_by_role("button", name="Score the story").click()
    page.wait_for_url(re.compile(r"/jobs/[0-9a-f]{16}$"))


def upload(page, server, name, data):
    open_home(page, server)
    page.locator("#file").set_input_files({"name": name, "mimeType": "", "buffer": data})
    page.get_by_text("More options").click()


def upload_lines(page, server, story):
    upload(page, server, "long.txt", story.encode())
    page.get_by_label("one sentence per line").check()
    page.locator("#name").fill("A long tale")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile("/jobs/"))


def report(page):
    return page.frame_locator("iframe")


def wait_for_result(page):
    expect(page.locator("[data-part=downloads]")).to_be_visible()


def test_paste_watch_click_download(page, server):
    paste(page, server, TALE)
    expect(page.locator("progress")).to_be_visible()
    expect(report(page).locator("[data-sentence]")).to_have_count(7)
    wait_for_result(page)
    expect(page.locator("progress")).to_be_hidden()
    report(page).locator("[data-sentence='2']").click()
    expect(report(page).locator("[data-sentence='2']")).to_have_class(re.compile("chosen"))
    losses = (
        report(page)
        .locator("[data-part=text] .unit")
        .evaluate_all("units => units.map(unit => unit.style.getPropertyValue('--loss'))")
    )
    assert not any(losses[:3])  # what comes before depends on nothing that comes after
    assert any(losses[3:])
    with page.expect_download() as download:
        page.get_by_role("link", name="TSV").click()
    lines = download.value.path().read_text().splitlines()
    assert download.value.suggested_filename.endswith(".tsv")
    assert len(lines) == 8
    assert "The wolf ate a sheep!" in lines[3]


def test_encoding_and_speakers_can_be_chosen(page, server):
    play = "\n\n".join(f"{who}.\n{said}" for who in ("АННА", "ПЁТР") for said in ("Иди.", "Нет."))
    upload(page, server, "play.txt", play.encode("cp866"))
    page.get_by_label("Encoding of the file").fill("cp866")
    page.get_by_label("score speakers").check()
    page.locator("#method").select_option("length")
    page.get_by_role("button", name="Score the story").click()
    page.wait_for_url(re.compile("/jobs/"))
    wait_for_result(page)
    expect(report(page).locator("[data-part=text] .unit").first).to_have_text("АННА.")


def test_deleted_stories_and_missing_reports_are_shown_as_such(open_tab, server, results):
    page = open_tab(allow_errors=True)  # the browser reports what is not found
    job = server.wait(server.post(LINES, method="length", lines="true"))
    (results / job["id"] / "profile.json").write_text("{}")
    page.goto(f"{server.address}jobs/{job['id']}")
    expect(page.get_by_role("heading", name="The report cannot be shown")).to_be_visible()
    expect(page.locator("iframe")).to_be_hidden()
    server.ask("DELETE", f"/api/jobs/{job['id']}")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_role("heading", name="Deleted")).to_be_visible()
    expect(page.get_by_role("button", name="Start again")).to_be_hidden()


def test_nothing_of_a_story_becomes_markup(page, server):
    """`open_tab` fails a test whose page logs an error, and scripts would set `window.pwned`."""
    paste(page, server, EVIL, method="length")
    wait_for_result(page)
    expect(report(page).locator("[data-part=text]")).to_contain_text("<script>window.top.pwned = 1</script>")
    page.goto(server.address)
    expect(page.locator(".entry").first).to_contain_text("<img src=x")
    for frame in page.frames:
        assert frame.evaluate("window.pwned || window.top.pwned || null") is None
        assert frame.locator("img, script:not([src]):not([type]) + b").count() == 0


def test_a_file_is_dropped(page, server):
    open_home(page, server)
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped tale.txt", { type: "text/plain" }));
          window.dispatchEvent(new DragEvent("dragenter", { dataTransfer: data }));
          window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
        }""",
        TALE,
    )
    expect(page.locator("[data-part=file-name]")).to_have_text("dropped tale.txt")
    expect(page.locator("[data-part=drop]")).to_be_hidden()
    page.locator("#method").select_option("length")
    page.get_by_role("button", name="Score the story").click()
    wait_for_result(page)
    expect(page.locator("[data-part=title]")).to_have_text("dropped tale")


def test_one_of_several_chapters_is_chosen_and_then_another(page, server):
    made = MAKERS["epub"]()
    upload(page, server, made.name, made.data)
    page.locator("#method").select_option("length")
    page.get_by_role("button", name="Score the story").click()
    expect(page.get_by_role("heading", name="Which story or chapter?")).to_be_visible()
    page.get_by_role("button", name="The Bell").click()
    wait_for_result(page)
    expect(page.locator("[data-part=title]")).to_have_text(f"{made.title}: The Bell")
    page.get_by_role("button", name="Other chapters").click()
    page.get_by_role("button", name="All of them as one story").click()
    expect(report(page).locator("[data-part=text] .unit")).to_have_count(80)
    expect(page.locator("[data-part=title]")).to_have_text(made.title)


def test_a_click_leaves_a_sentence_out_of_the_ranking_and_takes_it_back(page, server):
    paste(page, server, TALE, method="length")
    wait_for_result(page)
    for words, unranked in (("Do not rank sentence 2", 1), ("Rank sentence 2", 0)):
        report(page).locator("[data-sentence='1']").click()
        page.get_by_role("button", name=words).click()
        expect(report(page).locator("[data-part=ranking] .rank", has_text="–")).to_have_count(unranked)


def test_problems_are_shown_in_the_form(page, server):
    open_home(page, server)
    page.get_by_role("button", name="Score the story").click()
    expect(page.get_by_role("alert")).to_contain_text("Paste a story or choose a file")
    page.locator("#story").fill("A wolf came.")
    expect(page.locator("[data-part=problem]")).to_be_hidden()
    upload(page, server, "noise.bin", b"\x00\x01\xff" * 99)
    page.get_by_role("button", name="Score the story").click()
    expect(page.get_by_role("heading", name="Scoring failed")).to_be_visible()
    expect(page.locator("[data-part=words]")).to_contain_text("noise.bin")


def test_a_server_that_is_lost_half_way_and_comes_back_with_its_results(open_tab, tmp_path):
    page = open_tab(allow_errors=True)  # the browser reports that the server is gone
    first = RunningServer(tmp_path)
    first.wait(first.post(LINES, method="length", lines="true", name="Done"))
    upload(page, first, "slow.txt", SLOW.encode())
    page.locator("#method").select_option("length")
    page.get_by_role("button", name="Score the story").click()
    expect(page.locator("[data-part=phase]")).to_have_text(re.compile("Reading"))
    first.process.kill()
    expect(page.get_by_text("Connection to the server lost")).to_be_visible()
    with serving(tmp_path, port=first.port) as second:
        expect(page.get_by_role("heading", name="Interrupted")).to_be_visible()
        expect(page.get_by_text("Connection to the server lost")).to_be_hidden()
        expect(page.get_by_role("button", name="Start again")).to_be_visible()
        page.goto(second.address)
        expect(page.locator(".entry")).to_have_count(2)
        page.locator(".entry .name", has_text="Done").click()
        expect(report(page).locator("[data-sentence]")).to_have_count(3)
        page.goto(second.address)
        for left in (1, 0):
            page.get_by_role("button", name=re.compile("^Delete")).first.click()
            page.locator(".entry button.danger").click()
            expect(page.locator(".entry")).to_have_count(left)
        expect(page.get_by_text("are kept here until you delete them")).to_be_visible()
    first.kill()  # its pipes are closed when its worker has ended too
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_the_token_is_in_the_address_once_or_asked_for(open_tab, tmp_path):
    with serving(tmp_path, "--token") as server:
        page = open_tab()
        page.goto(f"{server.address}#token={server.token}")
        expect(page.locator("#method option")).not_to_have_count(0)
        assert "token" not in page.url
        open_home(page, server)  # the token is in a cookie now
        stranger = open_tab(allow_errors=True)  # 401 is logged by the browser
        stranger.goto(server.address)
        field = stranger.get_by_label("The server printed it")
        field.fill("wrong")
        field.press("Enter")
        expect(stranger.get_by_text("Wrong token.")).to_be_visible()
        field.fill(server.token)
        field.press("Enter")
        expect(stranger.locator("#method option")).not_to_have_count(0)


def test_a_running_story_shows_its_progress_and_cancel_stops_it(page, server):
    upload_lines(page, server, LONG_TALE)
    expect(page.locator("[data-part=phase]")).to_have_text(re.compile("Scoring"))
    expect(page.locator("iframe")).to_be_hidden()
    expect(page.locator("progress")).to_have_attribute("value", re.compile("[1-9]"))
    assert page.locator("progress").evaluate("bar => bar.value") < 1
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", name="Cancelled")).to_be_visible(timeout=10_000)
    expect(page.locator("iframe")).to_be_hidden()
    page.get_by_role("button", name="Start again").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Really delete").click()
    page.wait_for_url(server.address)
