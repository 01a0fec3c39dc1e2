"""Errors of the library name causes; the command line adds its options."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import typer.main

import barthes
from barthes.cli.main import app
from barthes.cli.option_hints import HINTS, add_options, use_options
from barthes.errors import BarthesError

SOURCE = Path(barthes.__file__).parent
COMMANDS = typer.main.get_command(app).commands
OPTIONS = {option for command in COMMANDS.values() for each in command.params for option in each.opts}


def list_strings():
    for path in SOURCE.rglob("*.py"):
        if path.parent.name != "cli":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def test_every_phrase_is_one_that_the_library_uses():
    strings = "\n".join(list_strings())
    assert [phrase for phrase in HINTS if phrase not in strings] == []


def test_every_option_is_one_that_a_command_has():
    named = {word.rstrip(",") for hint in HINTS.values() for word in hint.split() if word.startswith("--")}
    assert named <= OPTIONS


@pytest.mark.parametrize(
    ("options", "remedy", "expected"),
    [
        (["--window"], "Choose a larger window.", "Choose a larger window (--window)."),
        ([], "Choose a larger window.", "Choose a larger window."),
        (["--window", "--dtype"], "It is full.", "It is full."),
    ],
)
def test_options_are_added_to_remedies_of_commands_that_have_them(options, remedy, expected):
    use_options(options)
    error = BarthesError("a larger window is not the problem.", where="larger window.txt", remedy=remedy)
    assert add_options(error) == f"larger window.txt: a larger window is not the problem. {expected}"
    assert add_options(BarthesError("it is full.")) == "it is full."
