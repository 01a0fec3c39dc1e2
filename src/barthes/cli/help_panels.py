"""Show options and commands in panels, as plain text that stays readable in 80 columns and in pipes."""

from __future__ import annotations

from typing import Any, Literal, get_args

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from barthes.cli.console import use_options

_METAVARS = {"path>": "FILE", "int>": "N", "int range>": "N", "float>": "X", "float range>": "X"}

Panel = Literal["Input", "Method", "Model", "Training", "Cluster", "Server", "Output", "Other"]


def option(panel: Panel, text: str, *names: str, **settings: Any) -> Any:
    """Return an option with its help text and panel; `settings` are those of `typer.Option`."""
    return typer.Option(*names, help=text, rich_help_panel=panel, **settings)


def argument(metavar: str, text: str, **settings: Any) -> Any:
    """Return an argument with its name and help text; `settings` are those of `typer.Argument`."""
    return typer.Argument(metavar=metavar, help=text, rich_help_panel="Input", **settings)


class PanelCommand(TyperCommand):
    """A command whose help shows its arguments and options in panels, and whose errors name its options."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        use_options(name for each in self.get_params(ctx) for name in each.opts)
        return super().invoke(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the panels that have options."""
        panels: dict[str, list[tuple[str, str]]] = {panel: [] for panel in get_args(Panel)}
        for each in self.get_params(ctx):
            if (record := each.get_help_record(ctx)) is not None:
                name, text = record
                words, _, kind = name.partition(" <")  # such as "--top <int range>"
                if isinstance(each, TyperArgument):
                    name = words
                elif kind and ("|" not in kind or len(kind) > 20):
                    name = f"{words} {_METAVARS.get(kind, 'NAME')}"
                    if "|" in kind:
                        text = text.replace(".", f": {kind[:-1].replace('|', ', ')}.", 1)
                panels[getattr(each, "rich_help_panel", None) or "Other"].append((name, text))
        _write(panels, formatter)


class PanelGroup(TyperGroup):
    """A group whose help shows its commands in panels."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the panels in the order of their first commands."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            panel = getattr(command, "rich_help_panel", None) or "Commands"
            panels.setdefault(panel, []).append((name, command.get_short_help_str(limit=66)))
        _write(panels, formatter)


def _write(panels: dict[str, list[tuple[str, str]]], formatter: Any) -> None:
    for panel, rows in panels.items():
        if rows:
            with formatter.section(panel):
                formatter.write_dl(rows)
