"""The HTTP interface, with a worker that really scores."""

from __future__ import annotations

import csv
import io
import json
import threading

import pytest

import barthes
from tests.reading.conversion import MAKERS
from tests.reading.scrivener_projects import make_tale
from tests.web.running import LONG_TALE, TALE


@pytest.fixture(scope="module")
def finished(server):
    return server.wait(server.post(TALE, name="The wolf.txt"))


def test_a_story_is_scored_as_the_library_scores_it(server, finished, tiny_folder):
    assert finished["state"] == "finished", finished
    expected = barthes.score(TALE, model=str(tiny_folder))
    found = server.get(f"/api/jobs/{finished['id']}/result.json")
    assert [row["text"] for row in found["sentences"]] == [s.text for s in expected.narrative]
    assert [row["salience"] for row in found["sentences"]] == pytest.approx(expected.scores, abs=1e-4)
    assert found["text"] == TALE


def test_downloads(server, finished):
    assert set(finished["downloads"]) == {"html", "tsv", "csv", "json", "tei"}
    answers = {ending: server.ask("GET", path) for ending, path in finished["downloads"].items()}
    for ending, (status, headers, content) in answers.items():
        assert status == 200
        assert content
        assert headers["content-disposition"].startswith("attachment; filename=the-wolf."), ending
    rows = list(csv.DictReader(io.StringIO(answers["tsv"][2].decode()), delimiter="\t"))
    assert len(rows) == finished["sentences"] == 7
    assert answers["csv"][2].decode().startswith("\ufeff")
    assert answers["html"][2].lower().startswith(b"<!doctype html>")
    assert b"http://www.tei-c.org/ns/1.0" in answers["tei"][2]
    assert server.ask("GET", f"/api/jobs/{finished['id']}/result.exe")[0] == 404


def test_the_report_may_be_framed_by_us_and_run_its_own_scripts_only(server, finished):
    status, headers, content = server.ask("GET", f"/api/jobs/{finished['id']}/report")
    policy = headers["content-security-policy"]
    assert status == 200
    assert "frame-ancestors 'self'" in policy
    assert "default-src 'none'" in policy
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    assert b"The wolf ate a sheep!" in content


def test_a_title_that_looks_like_a_path_is_not_shortened(server):
    job = server.wait(server.post("A wolf came.", method="length", name="and/or", lines="true"))
    assert b">and/or</h1>" in server.ask("GET", f"/api/jobs/{job['id']}/report")[2]


def test_openapi_describes_the_interface(server):
    described = server.get("/openapi.json")
    routes = {f"{method} {path}" for path, methods in described["paths"].items() for method in methods}
    assert routes == {
        "post /api/session",
        "get /api/options",
        *(f"{method} /api/jobs" for method in ("get", "post")),
        *(f"{method} /api/jobs/{{key}}" for method in ("get", "delete")),
        *(f"post /api/jobs/{{key}}/{verb}" for verb in ("cancel", "restart")),
        *(f"get /api/jobs/{{key}}/{part}" for part in ("report",)),
        "get /api/jobs/{key}/result.{ending}",
    }
    body = described["paths"]["/api/jobs"]["post"]["requestBody"]["content"]
    assert set(body) == {"text/plain", "application/octet-stream"}
    view = described["components"]["schemas"]["JobView"]
    assert set(view["properties"]) == set(server.get("/api/jobs")[0])
    assert server.ask("GET", "/docs")[0] == 404


@pytest.mark.parametrize("make", [MAKERS["epub"], MAKERS["docx"], make_tale])
def test_every_format_is_read(server, make):
    made = make()
    job = server.wait(server.post(made.data, name=made.name, method="length", whole="true"))
    assert (job["state"], job["title"], job["sentences"]) == ("finished", made.title, 80)


@pytest.mark.parametrize(
    ("unit", "count"), [("sentence", 12), ("paragraph", 9), ("scene", 6), ("chapter", 3)]
)
def test_longer_units_can_be_scored(server, unit, count):
    part = "A wolf came. The wolf ate a sheep.\n\nThe king slept.\n\n***\n\nThe girl ran.\n\n"
    book = "# Wolves\n\n" + "".join(f"## {name}\n\n{part}" for name in ("One", "Two", "Three"))
    job = server.wait(server.post(book, name="wolves.md", method="sd", unit=unit, whole="true"))
    assert (job["state"], job["unit"]) == ("finished", unit), job
    result = server.get(f"/api/jobs/{job['id']}/result.json")
    assert len(result[f"{unit}s"]) == count
    for ending, address in job["downloads"].items():
        status, _, content = server.ask("GET", address)
        assert status == 200, ending
        assert ending != "tsv" or len(content.decode().splitlines()) == count + 1


def test_one_of_several_stories_is_asked_for(server):
    book = "# Tales\n\n## Wolf\n\nA wolf came.\n\n## <b>Rain</b>\n\nIt rained. It poured."
    job = server.wait(server.post(book, name="tales.md", method="length"), "undecided")
    assert [(each["number"], each["words"]) for each in job["parts"]] == [(1, 3), (2, 4)]
    assert server.ask("POST", f"/api/jobs/{job['id']}/restart?chapter=0")[0] == 422
    server.ask("POST", f"/api/jobs/{job['id']}/restart?chapter=2&skip=1")
    job = server.wait(job)
    assert job["title"] == "Tales: Rain"
    result = server.get(job["downloads"]["json"])["sentences"]
    assert [row["rank"] for row in result] == [None, 1]
    server.ask("POST", f"/api/jobs/{job['id']}/restart?whole=true&skip=")
    assert server.wait(job)["sentences"] == 3


def test_a_running_job_shows_its_progress_and_is_cancelled_within_moments(server, finished):
    job = server.post(LONG_TALE, lines="true")
    waiting = server.post(TALE, method="length")
    address = f"/api/jobs/{job['id']}"
    while not (progress := server.get(address)["progress"] or {}).get("done"):
        pass
    assert (progress["phase"], progress["done"] < progress["total"]) == ("scoring", True)
    assert server.ask("GET", f"{address}/report")[0] == 409
    assert server.get(f"/api/jobs/{waiting['id']}")["before"] == 1
    assert server.ask("POST", f"{address}/cancel")[0] == 200
    assert server.get(address)["state"] == "cancelled"
    assert server.ask("GET", f"{address}/result.tsv")[0] == 409
    assert server.wait(waiting)["state"] == "finished"  # so the worker has let go of the other
    assert server.get(address)["progress"] is None


def test_early_scores_are_reported_while_the_job_runs(server, monkeypatch):
    """The worker finds them with `readers`, which needs the embedded model."""
    is_seen = threading.Event()

    def run(task, *, listen, check):
        listen(barthes.score("A wolf came. It rained.", method="length"))
        is_seen.wait(60)
        return []

    with monkeypatch.context() as patch:
        patch.setattr(server.queue.runner, "run", run)
        job = server.post(TALE)
        address = f"/api/jobs/{job['id']}"
        while not server.get(address)["early"]:
            pass
        status, _, page = server.ask("GET", f"{address}/report")
        assert (status, b"A wolf came." in page) == (200, True)
        assert server.ask("GET", f"{address}/result.tsv")[0] == 409
        is_seen.set()
        server.wait(job)


def test_a_waiting_job_can_be_cancelled_and_started_again_and_deleted_from_the_disk(server):
    job = server.post(LONG_TALE, lines="true")
    waiting = server.post(TALE, method="length", lines="true")
    address = f"/api/jobs/{waiting['id']}"
    server.ask("POST", f"{address}/cancel")
    server.ask("DELETE", f"/api/jobs/{job['id']}")
    assert server.get(address)["state"] == "cancelled"
    assert server.ask("POST", f"{address}/restart")[0] == 200
    assert server.wait(waiting)["state"] == "finished"
    results = server.queue.store.folder
    assert (results / waiting["id"] / "profile.json").exists()
    assert server.ask("DELETE", address)[0] == 204
    assert not list(results.glob(f"*{waiting['id']}*"))
    assert server.ask("GET", address)[0] == server.ask("DELETE", address)[0] == 404


EMPTY = "The story is empty. Paste a text with words in it, or choose a file."


@pytest.mark.parametrize(
    ("story", "choices", "words"),
    [
        ("", {}, EMPTY),
        (" \n\t ", {}, EMPTY),
        ("A wolf.", {"method": "sdd"}, "Did you mean 'sd'?"),
        ("A wolf.", {"model": "/etc/passwd"}, "There is no model '/etc/passwd'"),
        ("A wolf.", {"language": "klingon"}, "language"),
        ("A wolf.", {"unit": "event", "method": "va+tfidf"}, "not by va+tfidf"),
        ("A wolf.", {"unit": "word"}, "unit: Input should be 'sentence', 'event'"),
        ("A wolf.", {"chapter": 0}, "chapter: Input should be greater than or equal to 1"),
    ],
)
def test_empty_stories_and_unknown_names_are_refused_with_words(server, story, choices, words):
    before = len(server.get("/api/jobs"))
    status, _, content = server.send(story, **choices)
    assert status == 422
    assert words in json.loads(content)["detail"]
    assert len(server.get("/api/jobs")) == before


def test_a_file_that_is_no_story_fails_with_words_and_without_our_paths(server):
    job = server.wait(server.post(b"\x00\x01\x02\xff" * 50, name="noise.bin", method="length"))
    assert job["state"] == "failed"
    assert "noise.bin" in job["problem"]
    assert str(server.queue.store.folder) not in job["problem"]


def test_a_result_that_is_damaged_is_refused_with_words(server):
    job = server.wait(server.post("A wolf came.", method="length", lines="true"))
    (server.queue.store.folder / job["id"] / "profile.json").write_text("{}")
    for part in ("report", "result.html"):
        status, _, content = server.ask("GET", f"/api/jobs/{job['id']}/{part}")
        assert status == 422
        assert "no readable scores" in json.loads(content)["detail"]
