"""Help: panels, examples, and lines that fit 80 columns."""

from __future__ import annotations

import typing

import pytest
import typer.main

from barthes.cli.help_panels import Panel
from barthes.cli.main import app
from tests.cli.commands import run

GROUP = typer.main.get_command(app)
COMMANDS = {(word,): command for word, command in GROUP.commands.items()}
for word, group in GROUP.commands.items():
    COMMANDS |= {(word, inner): leaf for inner, leaf in getattr(group, "commands", {}).items()}


@pytest.mark.parametrize("words", [(), *COMMANDS], ids=" ".join)
def test_help_fits_80_columns_and_has_examples(words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run(*words, "-h")
    assert (code, err, out.startswith("Usage: ")) == (0, "", True)
    assert max(map(len, out.splitlines())) <= 80
    assert "\n    barthes " in out, "no examples, or without their line breaks"
    assert "\x1b" not in out


def test_options_are_in_panels():
    out = run("score", "--help")[1]
    panels = [line[:-1] for line in out.splitlines() if line[:1].isupper() and line.endswith(":")]
    assert panels == ["Input", "Method", "Model", "Output", "Other"]
    for words, command in COMMANDS.items():
        if not hasattr(command, "commands"):
            for option in command.params:
                assert option.rich_help_panel in typing.get_args(Panel), (words, option.name)


def test_an_option_has_the_same_words_in_every_command():
    texts = {}
    shared = (
        "device",
        "dtype",
        "language",
        "sentences",
        "chapter",
        "window",
        "unit",
        "labels",
        "results",
    )
    for words, command in COMMANDS.items():
        for option in command.params:
            if option.name in shared and words != ("serve",):
                texts.setdefault(option.name, set()).add(option.help)
    assert {name: len(found) for name, found in texts.items()} == dict.fromkeys(texts, 1)
    assert len(texts) == len(shared)
