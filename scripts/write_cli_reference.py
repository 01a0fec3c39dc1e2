"""Write docs/reference/cli.md from the help texts of the commands.

    python scripts/write_cli_reference.py

Run it after changing a command, an option or a help text; a test fails while the page is out of date.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import typer.main

from barthes.cli.main import app
from barthes.cli.shared_options import METHOD_HELP, MODEL_HELP
from barthes.files import write_atomically

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"

INTRODUCTION = """\
# Commands

`barthes COMMAND --help` explains each command and shows examples. This page lists all commands and options.
It is generated from their help texts by `scripts/write_cli_reference.py`.

Results go to standard output, messages to standard error. The exit code is 0 on success, 2 if an option or an
input is wrong, and 130 after Ctrl-C.
"""

COMMON = 3  # an option that so many commands have with the same words is described once
RANGE = r"[\d.<>=]*x[\d.<>=]+"  # of a number: the page does not repeat it
METAVARS = {"int": "N", "int range": "N", "float": "X", "float range": "X", "path": "FILE"}  # else NAME

NAMES = {  # explained once, below the common options
    METHOD_HELP: ("METHOD", "Name of a [method](#names)."),
    MODEL_HELP: ("MODEL", "[Language model](#names)."),
}
EXPLANATIONS = """\
Explained under [methods](../explanation/methods.md) and [language models](../how-to/models.md).
"""

Row = tuple[str, str]


def render() -> str:
    """Return the page."""
    group = typer.main.get_command(app)
    commands = dict(find_commands(group, "barthes"))
    rows = {
        name: [describe(option, command) for option in command.params] for name, command in commands.items()
    }
    counts = Counter(row for each in rows.values() for row in each)
    common = [row for row, count in counts.items() if count >= COMMON]
    contents = [f"[`{name.removeprefix('barthes ')}`](#{name.replace(' ', '-')})" for name in commands]
    parts = [INTRODUCTION, ", ".join(contents) + ", [common options](#common-options)\n"]
    parts += [render_command(name, command, rows[name], common) for name, command in commands.items()]
    parts += ["## Common options\n", render_table(common)]
    names = [(f"`{name}`", text) for text, (name, _) in NAMES.items()]
    parts += [f"## Names\n\n{EXPLANATIONS}", render_table(names, heading="name")]
    return "\n".join(parts)


def find_commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield the full name and the command of everything that can be called."""
    for word, command in group.commands.items():
        if getattr(command, "invoke_without_command", True):
            yield f"{prefix} {word}", command
        if hasattr(command, "commands"):
            yield from find_commands(command, f"{prefix} {word}")


def describe(option: Any, command: Any) -> Row:
    """Return how an option or an argument is written, and what it means."""
    name, text = option.get_help_record(command.context_class(command)) or (option.name, "")
    choices = re.search(r" <([^<>]*\|[^<>]*)>", name)
    is_option = name.startswith("-")
    name = re.sub(r" <([^<>]*)>", lambda found: f" {METAVARS.get(found[1], 'NAME')}" * is_option, name)
    text = re.sub(rf" ?\[{RANGE}\]|; {RANGE}(?=\])", "", " ".join(text.split()))
    if choices:
        text = f"{', '.join(f'`{choice}`' for choice in choices[1].split('|'))}. {text}"
    text = re.sub(r"(?<![\w`-])(--[a-z-]+)", r"`\1`", text)
    text = re.sub(r" ?\[required\]", " **Required.**", text)
    text = re.sub(r" ?\[default: ([^\[\]]*)\]", r" Default: \1.", text)
    text = re.sub(r"([|\[\]])", r"\\\1", text).replace("<", "&lt;")
    for shared, (_, short) in NAMES.items():
        text = text.replace(shared, short)
    return f"`{name}`", text


def render_command(name: str, command: Any, rows: Iterable[Row], common: Iterable[Row]) -> str:
    """Return the section of a command: its help without the examples, and its options."""
    parts = [part for part in (command.help or "").split("\n\n") if not part.startswith("\b\nExamples")]
    prose = [re.sub(r"\A\x08\n(.*)\Z", render_block, part, flags=re.DOTALL) for part in parts]
    own = [row for row in rows if row not in common]
    shared = [f"`{re.findall(r'--[a-z-]+', row[0])[0]}`" for row in rows if row in common]
    parts = [f"## {name}\n", "\n\n".join(prose) + "\n"]
    if own:
        parts.append(render_table(own))
    if shared:
        parts.append(f"[Common options](#common-options): {', '.join(shared)}.\n")
    return "\n".join(parts)


def render_block(found: re.Match[str]) -> str:
    """Return lines that the help keeps as they are as a block of code."""
    return f"```\n{textwrap.dedent(found[1]).rstrip()}\n```"


def render_table(rows: Iterable[Row], heading: str = "option") -> str:
    """Return a Markdown table of options or names."""
    return "\n".join(
        [f"| {heading} | meaning |", "|---|---|", *(f"| {name} | {text} |" for name, text in rows), ""]
    )


if __name__ == "__main__":
    write_atomically(PAGE, render())
