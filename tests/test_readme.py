"""The README shows what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.commands import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_first_example_prints_what_the_readme_shows(monkeypatch):
    monkeypatch.chdir(ROOT)
    (example,) = re.findall(r"^\$ barthes (.*)\n((?:.+\n)+)```", README, re.MULTILINE)
    code, out, _ = run(*example[0].split(), "--dtype", "float32", "--no-cache")
    assert code == 0
    printed = [line for line in out.splitlines() if not line.startswith(" " * 20)]  # no continuation lines
    for line, shown in zip(printed, example[1].splitlines(), strict=True):
        assert line.startswith(shown[:-1]) if shown.endswith("…") else line.rstrip() == shown
