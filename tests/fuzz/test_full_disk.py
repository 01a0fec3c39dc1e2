"""On a full disk, existing files stay, nothing is half written, and the error has a remedy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.fuzz.test_cli import GROUP
from tests.fuzz.test_http import STORY


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


def fill(disk):
    """Leave no byte."""
    with (disk / "filling").open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass


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
