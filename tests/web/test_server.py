"""The server as people meet it: a process, its HTTP interface, and the results it keeps."""

from __future__ import annotations

import csv
import http.client
import io
import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import barthes
from tests.web.running import RunningServer, serving


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def server(results, tiny_folder):
    with serving(results, "--model", str(tiny_folder)) as running:
        yield running


@pytest.fixture(scope="module")
def finished(server, tale):
    return server.wait(server.post(tale, name="The wolf.txt"))


@pytest.fixture
def light(tmp_path):
    """A server whose worker loads no model: for what has nothing to do with scores."""
    with serving(tmp_path / "results", "--no-warm") as running:
        yield running


def test_a_story_is_scored_as_the_library_scores_it(server, finished, tale, tiny_folder):
    assert finished["state"] == "finished", finished
    method = barthes.SentenceDeletion(barthes.load_model(str(tiny_folder), device="cpu", dtype="float32"))
    expected = method.score(barthes.read_text(tale))
    found = server.get(f"/api/jobs/{finished['id']}/result.json")
    assert [row["text"] for row in found["sentences"]] == [s.text for s in expected.narrative]
    assert [row["salience"] for row in found["sentences"]] == pytest.approx(expected.scores, abs=1e-4)
    assert found["text"] == tale


def test_scores_come_one_by_one_and_are_the_final_ones(server, tale):
    job = server.post(tale)
    events = list(server.follow(job))
    assert events[-1][0] == "bye"
    jobs = [content for kind, content in events if kind == "job"]
    assert jobs[-1]["state"] == "finished"
    rows = server.get(f"/api/jobs/{job['id']}/result.json")
    final = {row["index"]: row["salience"] for row in rows["sentences"]}
    scored = [each for kind, content in events if kind == "progress" for each in content["scored"]]
    assert all(final[each["index"]] == each["salience"] for each in scored)
    assert [each["index"] for each in scored] == sorted(each["index"] for each in scored)
    assert server.get(f"/api/jobs/{job['id']}/progress") is None


def test_downloads(server, finished):
    assert set(finished["downloads"]) == {"html", "tsv", "csv", "json", "tei"}
    answers = {ending: server.ask("GET", path) for ending, path in finished["downloads"].items()}
    for ending, (status, headers, content) in answers.items():
        assert status == 200
        assert content
        assert headers["content-disposition"].startswith("attachment; filename=the-wolf."), ending
    rows = list(csv.DictReader(io.StringIO(answers["tsv"][2].decode()), delimiter="\t"))
    assert len(rows) == finished["sentences"] == 7
    assert answers["html"][2].lower().startswith(b"<!doctype html>")
    assert b"http://www.tei-c.org/ns/1.0" in answers["tei"][2]
    assert server.ask("GET", f"/api/jobs/{finished['id']}/result.exe")[0] == 404


def test_every_answer_has_its_headers(server, finished):
    for path in ("/", "/static/home.js", f"/jobs/{finished['id']}", "/api/jobs", "/nowhere", "/openapi.json"):
        _, headers, _ = server.ask("GET", path)
        assert "script-src 'self';" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_the_report_may_be_framed_by_us_and_run_its_own_scripts_only(server, finished):
    status, headers, content = server.ask("GET", f"/api/jobs/{finished['id']}/report")
    policy = headers["content-security-policy"]
    assert status == 200
    assert "frame-ancestors 'self'" in policy
    assert "default-src 'none'" in policy
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    assert b"The wolf ate a sheep!" in content


def test_openapi_describes_the_interface(server):
    described = server.get("/openapi.json")
    assert {"/api/jobs", "/api/jobs/{key}", "/api/jobs/{key}/events", "/api/options"} <= set(
        described["paths"]
    )
    body = described["paths"]["/api/jobs"]["post"]["requestBody"]["content"]
    assert set(body) == {"text/plain", "application/octet-stream"}
    assert server.ask("GET", "/docs")[0] == 404


def test_options(server, tiny_folder):
    options = server.get("/api/options")
    assert options["models"][0] == {
        "name": str(tiny_folder),
        "description": "",
        "state": "here",
        "megabytes": None,
    }
    assert options["languages"][0] == "en"
    assert {"sd", "va", "paa", "tfidf"} <= {method["name"] for method in options["methods"]}


def test_events_can_be_scored(server, tale):
    job = server.wait(server.post(tale, method="va", unit="event"))
    assert job["state"] == "finished", job
    assert "trigger" in server.ask("GET", job["downloads"]["tsv"])[2].decode().splitlines()[0]


def test_a_language_without_a_parser_is_split_by_rules_and_says_so(server):
    job = server.wait(server.post("Een wolf kwam. Hij at een schaap.", language="xx", method="length"))
    assert job["state"] == "finished"
    assert job["sentences"] == 2
    assert any("split by punctuation alone" in note for note in job["notes"])


def test_cancelling_stops_the_work_within_moments(server, tale, long_tale):
    job = server.post(long_tale, lines="true")
    waiting = server.post(tale, method="length")
    for kind, content in server.follow(job):
        if kind == "progress" and content["scored"]:
            break
    assert server.get(f"/api/jobs/{waiting['id']}")["before"] == 1
    began = time.monotonic()
    assert server.ask("POST", f"/api/jobs/{job['id']}/cancel")[0] == 200
    assert server.get(f"/api/jobs/{job['id']}")["state"] == "cancelled"
    while server.get(f"/api/jobs/{job['id']}/progress") is not None:
        time.sleep(0.05)
    assert time.monotonic() - began < 10  # one second of grace, on an idle machine
    assert server.wait(waiting)["state"] == "finished"
    assert server.ask("GET", f"/api/jobs/{job['id']}/result.tsv")[0] == 409


def test_a_waiting_job_can_be_cancelled_and_started_again(server, tale, long_tale):
    job = server.post(long_tale, lines="true")
    waiting = server.post(tale, method="length")
    server.ask("POST", f"/api/jobs/{waiting['id']}/cancel")
    server.ask("DELETE", f"/api/jobs/{job['id']}")
    assert server.get(f"/api/jobs/{waiting['id']}")["state"] == "cancelled"
    server.ask("POST", f"/api/jobs/{waiting['id']}/restart")
    assert server.wait(waiting)["state"] == "finished"


def test_a_deleted_job_is_gone_from_the_disk_too(server, results, tale):
    job = server.wait(server.post(tale, method="length"))
    assert (results / job["id"] / "profile.json").exists()
    assert server.ask("DELETE", f"/api/jobs/{job['id']}")[0] == 204
    assert not list(results.glob(f"*{job['id']}*"))
    assert server.ask("GET", f"/api/jobs/{job['id']}")[0] == 404
    assert server.ask("DELETE", f"/api/jobs/{job['id']}")[0] == 404


# What is refused


def said(answer):
    return answer[0], json.loads(answer[2])["detail"]


def test_empty_stories_and_unknown_names_are_refused_with_words(light):
    assert said(light.send("")) == (
        422,
        "The story is empty. Paste a text with words in it, or choose a file.",
    )
    assert said(light.send(" \n\t ")) == (
        422,
        "The story is empty. Paste a text with words in it, or choose a file.",
    )
    status, words = said(light.send("A wolf.", method="sdd"))
    assert status == 422
    assert "Did you mean 'sd'?" in words
    assert said(light.send("A wolf.", model="/etc/passwd"))[0] == 422
    assert "language" in said(light.send("A wolf.", language="klingon"))[1]
    assert "Events can be scored by va or paa" in said(light.send("A wolf.", unit="event"))[1]
    assert said(light.send("A wolf.", unit="word"))[0] == 422
    assert light.get("/api/jobs") == []


def test_a_file_that_is_no_story_fails_with_words_and_without_our_paths(light, tmp_path):
    job = light.wait(light.post(b"\x00\x01\x02\xff" * 50, name="noise.bin", method="length"))
    assert job["state"] == "failed"
    assert "noise.bin" in job["problem"]
    assert str(tmp_path) not in job["problem"]


def test_too_large_a_story_is_refused_before_it_is_read_and_while_it_comes(light, tmp_path):
    status, words = said(light.ask("POST", "/api/jobs", b"", {"Content-Length": "60000000"}))
    assert status == 413
    assert "50 MB" in words
    connection = http.client.HTTPConnection("127.0.0.1", light.port, timeout=60)
    chunk = b"A wolf came. " * 50_000
    try:  # no length is announced; the server hangs up in the middle
        connection.request(
            "POST",
            "/api/jobs",
            body=(chunk for _ in range(95)),
            encode_chunked=True,
            headers={"Transfer-Encoding": "chunked"},
        )
    except (BrokenPipeError, ConnectionResetError):
        pass
    else:
        assert connection.getresponse().status == 413
    connection.close()
    assert not list((tmp_path / "results").glob(".*.arriving"))


def test_the_queue_is_bounded(tmp_path, long_tale):
    with serving(tmp_path, "--no-warm", "--max-waiting", "2") as server:
        for _ in range(3):
            server.post(long_tale)  # spaCy takes its time
            time.sleep(0.3)  # until the first is taken up
        status, words = said(server.send("A wolf came."))
        assert status == 429
        assert "2 stories are waiting already" in words


def test_long_stories_are_refused(tmp_path, tale):
    with serving(tmp_path, "--no-warm", "--max-sentences", "3") as server:
        job = server.wait(server.post(tale, method="length"))
        assert job["state"] == "failed"
        assert "7 sentences, more than the 3" in job["problem"]


def test_scoring_has_a_time_limit(tmp_path, tale):
    with serving(tmp_path, "--no-warm", "--max-minutes", "0.01") as server:
        job = server.wait(server.post(tale))
        assert job["state"] == "failed"
        assert "--max-minutes" in job["problem"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", ""])
def test_other_host_names_are_not_answered(light, host):
    for path in ("/", "/api/jobs"):
        assert light.ask("GET", path, headers={"Host": host})[0] == 421


def test_other_origins_change_nothing(light):
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://127.0.0.1:{light.port + 1}"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        assert light.ask("POST", "/api/jobs?method=length", b"A wolf.", headers)[0] == 403
    own = {"Origin": f"http://127.0.0.1:{light.port}", "Sec-Fetch-Site": "same-origin"}
    assert light.ask("POST", "/api/jobs?method=length", b"A wolf.", own)[0] == 201


def test_another_address_asks_for_the_token(tmp_path):
    with serving(tmp_path, "--no-warm", "--host", "0.0.0.0") as server:
        assert len(server.token) >= 32
        assert server.ask("GET", "/")[0] == 200  # the page itself holds nothing
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": f"barthes_token_{server.port}=é"}):
            assert server.ask("GET", "/api/jobs", headers=headers)[0] == 401
            assert server.ask("POST", "/api/session", headers=headers)[0] == 401
        bearer = {"Authorization": f"Bearer {server.token}"}
        assert server.ask("GET", "/api/jobs", headers=bearer)[0] == 200
        status, headers, _ = server.ask("POST", "/api/session", headers=bearer)
        assert status == 204
        assert "HttpOnly" in headers["set-cookie"]
        assert "samesite=strict" in headers["set-cookie"].lower()
        cookie = headers["set-cookie"].partition(";")[0]
        assert server.ask("GET", "/api/jobs", headers={"Cookie": cookie})[0] == 200
        assert server.ask("GET", "/api/jobs", headers={**bearer, "Host": "evil.example"})[0] == 421


# Beginnings and ends


def test_the_server_process_loads_no_torch_and_stops_cleanly(tmp_path):
    server = RunningServer(tmp_path, "--no-warm")
    assert server.ask("GET", "/")[0] == 200
    assert server.get("/api/options")["version"]
    maps = Path(f"/proc/{server.process.pid}/maps")
    assert not maps.exists() or "libtorch" not in maps.read_text()
    code, errors = server.close()
    assert code == 0
    assert "Traceback" not in errors


def test_results_outlive_the_server_and_what_was_under_way_can_be_started_again(tmp_path, tale, long_tale):
    first = RunningServer(tmp_path, "--no-warm")
    done = first.wait(first.post(tale, method="length", name="Done"))
    running = first.post(long_tale, method="length", name="Running")
    waiting = first.post(tale, method="length", name="Waiting")
    first.wait(running, "running")
    began = time.monotonic()
    assert first.close(signal.SIGTERM)[0] in (0, -signal.SIGTERM)
    assert time.monotonic() - began < 20
    with serving(tmp_path, "--no-warm") as second:
        assert [job["title"] for job in second.get("/api/jobs")] == ["Waiting", "Running", "Done"]
        assert second.ask("GET", done["downloads"]["tsv"])[0] == 200
        for job in (running, waiting):
            assert second.get(f"/api/jobs/{job['id']}")["state"] == "interrupted"
        second.ask("POST", f"/api/jobs/{waiting['id']}/restart")
        assert second.wait(waiting)["state"] == "finished"


def test_a_server_that_is_killed_takes_its_worker_along_and_loses_no_finished_result(
    tmp_path, tale, long_tale
):
    first = RunningServer(tmp_path, "--no-warm")
    done = first.wait(first.post(tale, method="length"))
    running = first.post(long_tale, method="length")
    first.wait(running, "running")
    first.kill()
    with serving(tmp_path, "--no-warm") as second:  # the folder's lock is free again
        assert second.get(f"/api/jobs/{done['id']}")["state"] == "finished"
        assert second.get(f"/api/jobs/{running['id']}")["state"] == "interrupted"


def test_two_servers_do_not_share_a_folder_or_a_port(light, tmp_path):
    with pytest.raises(AssertionError, match="another `barthes serve` keeps its results there"):
        RunningServer(tmp_path / "results", "--no-warm")
    with pytest.raises(AssertionError, match="cannot be listened on"):
        RunningServer(tmp_path / "other", "--no-warm", port=light.port)


def test_without_its_libraries_the_command_says_what_to_install():
    script = "import sys; sys.modules['fastapi'] = None; sys.argv = ['barthes', 'serve']\n"
    script += "from barthes.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'barthes[serve]'" in done.stderr


def test_an_unfinished_listener_does_not_keep_the_server_from_stopping(tmp_path, long_tale):
    server = RunningServer(tmp_path, "--no-warm")
    job = server.post(long_tale, method="length")
    with socket.create_connection(("127.0.0.1", server.port)) as listener:
        listener.sendall(f"GET /api/jobs/{job['id']}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert b"200" in listener.recv(200)
        began = time.monotonic()
        assert server.close()[0] == 0
        assert time.monotonic() - began < 20


def test_a_story_that_breaks_off_leaves_nothing_behind_and_alarms_nobody(tmp_path):
    server = RunningServer(tmp_path, "--no-warm")
    with socket.create_connection(("127.0.0.1", server.port)) as sender:
        head = "POST /api/jobs?method=length HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
        sender.sendall(f"{head}A wolf".encode())
        until = time.monotonic() + 20
        while not list(tmp_path.glob(".*.arriving")):
            assert time.monotonic() < until
            time.sleep(0.02)
    while list(tmp_path.glob(".*.arriving")):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert server.get("/api/jobs") == []
    code, errors = server.close()
    assert code == 0
    assert "Traceback" not in errors
