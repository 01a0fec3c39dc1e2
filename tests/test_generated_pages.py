"""Pages that scripts write are up to date."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.mark.parametrize("name", ["write_cli_reference", "write_benchmark_page"])
def test_page_is_current(name, monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    script = importlib.import_module(name)
    assert script.PAGE.read_text(encoding="utf-8") == script.render(), f"run: python scripts/{name}.py"
