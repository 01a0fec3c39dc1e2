"""A command works without a home folder, in the C locale, with ``-O`` and ``-W error``, in any folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import barthes


@pytest.mark.slow
def test_a_command_needs_neither_a_locale_nor_a_home_nor_assertions(tmp_path):
    folder = tmp_path / "Märchen und 狼"
    folder.mkdir()
    (folder / "il était une fois.txt").write_text("Ein Wölfchen kam. Es regnete.", encoding="utf-8")
    home = tmp_path / "home"
    home.touch()  # nothing can be written below it, not even by the administrator
    sources = Path(barthes.__file__).parents[1]
    settings = {
        "HOME": str(home),
        "LOCALAPPDATA": str(home),
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONPATH": str(sources),
        "PYTHONUTF8": "0",
    }
    without = ("BARTHES_CACHE", "XDG_CACHE_HOME")
    command = [sys.executable, "-O", "-W", "error", "-m", "barthes", "score", "il était une fois.txt"]
    done = subprocess.run(
        [*command, "--method", "length", "--out", "Größe 1.json", "--html", "Bericht 狼.html"],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name not in without} | settings,
        capture_output=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    result = json.loads((folder / "Größe 1.json").read_text(encoding="utf-8"))
    assert result["story"] == "il était une fois.txt"
    assert [each["salience"] for each in result["sentences"]] == [3, 2]
    assert "Wölfchen" in (folder / "Bericht 狼.html").read_text(encoding="utf-8")
