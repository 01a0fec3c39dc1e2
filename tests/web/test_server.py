"""`barthes serve` as a process: how it starts, listens, asks for its token, and ends."""

from __future__ import annotations

import json
import signal
import socket
import sys
import time
from pathlib import Path

from typer.testing import CliRunner

from barthes.cli.main import app
from barthes.jobs.offer import Limits
from barthes.web.server import ServerSettings
from tests.cli.commands import check_refused
from tests.web.running import SLOW, TALE, RunningServer, serving


def wait_until(condition):
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def connect(server, head, body=""):
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.sendall(f"{head} HTTP/1.1\r\nHost: localhost\r\n{body}".encode())
    return connection


def test_a_server_loads_no_torch_outlives_rude_clients_and_stops_cleanly(tmp_path):
    server = RunningServer(tmp_path)
    assert server.ask("GET", "/")[0] == 200
    assert server.get("/api/options")["version"]
    maps = Path(f"/proc/{server.process.pid}/maps")
    assert not maps.exists() or "libtorch" not in maps.read_text()
    status, _, content = server.ask("POST", "/api/jobs", b"", {"Content-Length": "60000000"})
    assert (status, "50 MB" in json.loads(content)["detail"]) == (413, True)
    with connect(server, "POST /api/jobs?method=length", "Content-Length: 1000\r\n\r\nA wolf"):
        wait_until(lambda: list(tmp_path.glob(".*.arriving")))
    wait_until(lambda: not list(tmp_path.glob(".*.arriving")))
    assert server.get("/api/jobs") == []
    server.post(SLOW, method="length")
    code, errors = server.close()
    assert code == 0
    assert "Traceback" not in errors


def test_results_outlive_servers_that_are_ended_or_killed_with_their_workers(tmp_path):
    story = {"method": "length", "lines": "true"}
    first = RunningServer(tmp_path)
    done = first.wait(first.post(TALE, name="Done", **story))
    running = first.post(SLOW, method="length", name="Running")
    waiting = first.post(TALE, name="Waiting", **story)
    first.wait(running, "running")
    assert first.close(signal.SIGTERM)[0] in (0, -signal.SIGTERM)
    second = RunningServer(tmp_path)
    assert [job["title"] for job in second.get("/api/jobs")] == ["Waiting", "Running", "Done"]
    assert second.ask("GET", done["downloads"]["tsv"])[0] == 200
    for job in (running, waiting):
        assert second.get(f"/api/jobs/{job['id']}")["state"] == "interrupted"
        second.ask("POST", f"/api/jobs/{job['id']}/restart")
    second.wait(running, "running")
    second.kill()
    with serving(tmp_path) as third:  # the folder's lock is free again
        states = [third.get(f"/api/jobs/{job['id']}")["state"] for job in (done, running, waiting)]
        assert states == ["finished", "interrupted", "interrupted"]
        third.ask("POST", f"/api/jobs/{waiting['id']}/restart")
        assert third.wait(waiting)["state"] == "finished"


def test_another_address_asks_for_the_token(tmp_path):
    with serving(tmp_path, "--host", "0.0.0.0") as server:
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


def test_missing_libraries_are_named_with_the_install_command(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "barthes.web.server", raising=False)
    check_refused(["serve", "--results", tmp_path], "pip install 'barthes[serve]'")


def test_the_command_hands_its_options_on(tmp_path, monkeypatch):
    given = []
    monkeypatch.setattr("barthes.web.server.serve", lambda settings, ready: given.append(settings))
    options = "--max-sentences 3 --max-minutes 0.5 --allow-host a.example --model m"
    done = CliRunner().invoke(app, ["serve", "--results", str(tmp_path), *options.split()])
    assert done.exit_code == 0, done.output
    assert given == [
        ServerSettings(
            results=tmp_path,
            hosts=["a.example"],
            models=["m"],
            limits=Limits(sentences=3, seconds=30),
        )
    ]
