"""A command works without a home folder, in the C locale, with ``-O`` and ``-W error``, in any folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import barthes
from tests.tiny_models import save_base

WITHOUT = ("BARTHES_CACHE", "XDG_CACHE_HOME")


def run_barthes(*arguments: object, folder: Path, **settings: object) -> subprocess.CompletedProcess[bytes]:
    """Run a command in the C locale, without assertions, where warnings are errors."""
    settings |= {
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONPATH": Path(barthes.__file__).parents[1],
        "PYTHONUTF8": "0",
    }
    return subprocess.run(
        [sys.executable, "-O", "-W", "error", "-m", "barthes", *map(str, arguments)],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name not in WITHOUT}
        | {name: str(value) for name, value in settings.items()},
        capture_output=True,
    )


@pytest.mark.slow
def test_a_command_needs_neither_a_locale_nor_a_home_nor_assertions(tmp_path):
    folder = tmp_path / "Märchen und 狼"
    folder.mkdir()
    (folder / "il était une fois.txt").write_text("Ein Wölfchen kam. Es regnete.", encoding="utf-8")
    home = tmp_path / "home"
    home.touch()  # nothing can be written below it, not even by the administrator
    output = ("--out", "Größe 1.json", "--html", "Bericht 狼.html")
    command = ("score", "il était une fois.txt", "--method", "length", *output)
    done = run_barthes(*command, folder=folder, HOME=home, LOCALAPPDATA=home)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    result = json.loads((folder / "Größe 1.json").read_text(encoding="utf-8"))
    assert result["story"] == "il était une fois.txt"
    assert [each["salience"] for each in result["sentences"]] == [3, 2]
    assert "Wölfchen" in (folder / "Bericht 狼.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_done_without(tmp_path):
    model = save_base(tmp_path / "model", "gpt2")
    (tmp_path / "tale.txt").write_text("A wolf came. It rained. The wolf slept.", encoding="utf-8")
    (tmp_path / "file").touch()
    command = ("score", "tale.txt", "--model", model, "--format", "json")
    done = run_barthes(*command, folder=tmp_path, BARTHES_CACHE=tmp_path / "file" / "cache")
    assert done.returncode == 0
    assert [line.split(": ", 1)[1].split(" (")[0] for line in done.stderr.decode().splitlines()] == [
        "the score cache cannot be used"
    ]
    assert len(json.loads(done.stdout)["sentences"]) == 3
