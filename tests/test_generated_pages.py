"""Pages that scripts write are up to date."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import typer.main

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.mark.parametrize("name", ["write_api_reference", "write_cli_reference"])
def test_page_is_current(monkeypatch, name):
    monkeypatch.syspath_prepend(SCRIPTS)
    script = importlib.import_module(name)
    assert script.PAGE.read_text(encoding="utf-8") == script.render(), f"run: scripts/{name}.py"


def test_the_page_of_commands_writes_options_as_the_help_does(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    script = importlib.import_module("write_cli_reference")
    for name, command in script.find_commands(typer.main.get_command(script.app), "barthes"):
        text = command.get_help(command.context_class(command))
        for option in command.params:
            written, meaning = script.describe(option, command)
            if not meaning.startswith("`"):  # the page lists choices with their meaning
                assert written.strip("`") in text, name
