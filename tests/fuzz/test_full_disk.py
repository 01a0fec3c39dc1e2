"""On a full disk, existing files stay, nothing is half written, and the error has a remedy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from barthes.models.embedded import DEFAULT_MODEL
from tests.fuzz.test_cli import GROUP
from tests.fuzz.test_http import LIMITS, STORY
from tests.web.running import InProcessServer

LONG_STORY = b"".join(b"The wolf came for the %dth time%s.\n" % (i, b" again" * 60) for i in range(45))


@pytest.fixture
def disk(tmp_path):
    """A disk of one megabyte, in memory."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if not sys.platform.startswith("linux") or mount is None or os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no disk may be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk, *, spare=0):
    """Leave so many bytes."""
    with (disk / "filling").open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass
        file.truncate(max(0, file.tell() - spare))


def call(*arguments, cache):
    result = CliRunner().invoke(GROUP, [*map(str, arguments)], env={"BARTHES_CACHE": str(cache)})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


@pytest.fixture
def story(tmp_path):
    path = tmp_path / "tale.txt"
    path.write_bytes(STORY)
    return path


@pytest.mark.parametrize("option", ["--out", "--html"])
def test_failed_writes_keep_the_old_file(disk, story, tmp_path, option):
    (disk / "old").write_text("what was there")
    fill(disk)
    done = call("score", story, "--method", "position", option, disk / "old", cache=tmp_path)
    assert done.exit_code == 2, done.stderr
    assert "old: cannot be written (No space left on device). Choose an existing folder" in done.stderr
    assert (disk / "old").read_text() == "what was there"
    assert {path.name for path in disk.iterdir()} == {"old", "filling"}


def test_a_run_continues_when_there_is_space_again(disk, story, tmp_path):
    fill(disk)
    arguments = ["run", story, "--method", "position", "--sentences", "--out", disk / "run"]
    done = call(*arguments, cache=tmp_path)
    assert done.exit_code == 2, done.stderr
    assert "No space left on device" in done.stderr
    (disk / "filling").unlink()
    assert call(*arguments, cache=tmp_path).exit_code == 0
    shown = call("export", disk / "run", "--format", "csv", "--out", tmp_path / "x.csv", cache=tmp_path)
    assert shown.exit_code == 0, shown.stderr
    assert (tmp_path / "x.csv").read_text().count("\n") == 4


def test_a_model_is_not_fetched_onto_a_full_disk(disk, story):
    fill(disk)
    done = call("models", "fetch", DEFAULT_MODEL, "--from", story, cache=disk)
    assert done.exit_code == 2
    assert "Make room, or set BARTHES_CACHE" in done.stderr


@pytest.fixture
def server(disk):
    made = InProcessServer(disk / "results", **LIMITS)
    yield made
    made.close()


def test_the_server_keeps_running(disk, server):
    def score(story):
        return server.wait(server.post(story, method="position", lines="true"))["id"]

    first = score(STORY)
    before = server.ask("GET", f"/api/jobs/{first}/result.json")
    fill(disk)
    status, _, content = server.send(STORY, method="position")
    assert status == 507
    assert b"No space left on device" in content
    assert {path.name for path in (disk / "results").iterdir() if path.name != ".lock"} == {first}
    fill(disk, spare=40_000)  # enough for the story, not for its result
    second = score(LONG_STORY)
    job = server.ask("GET", f"/api/jobs/{second}")[2].decode()
    assert '"failed"' in job
    assert "cannot be written (No space left on device)" in job
    assert {path.name for path in (disk / "results" / second).iterdir()} <= {"job.json", "story.txt"}
    (disk / "filling").unlink()
    assert server.ask("GET", f"/api/jobs/{first}/result.json")[2] == before[2]
    assert server.ask("POST", f"/api/jobs/{second}/restart")[0] == 200
    third = score(STORY)
    assert server.ask("GET", f"/api/jobs/{third}/result.json")[0] == 200
    assert server.ask("GET", f"/api/jobs/{second}/result.json")[0] == 200
