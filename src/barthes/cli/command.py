"""A command of `barthes`, of this package or of another one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import typer

from barthes.cli.help_panels import CommandPanel, PanelCommand


@dataclass(frozen=True)
class Command:
    """A command, offered as an entry point in the group ``barthes.commands`` under its name.

    ::

        [project.entry-points."barthes.commands"]
        count = "my_package.cli:COUNT"         COUNT = Command(count_words, panel="Score stories")

    Attributes:
        run: A function with typer's annotations, or a typer app of several commands.
        panel: Where `barthes --help` lists it.
    """

    run: Callable[..., Any] | typer.Typer
    panel: CommandPanel = "Other"

    def add_to(self, app: typer.Typer, name: str) -> None:
        """Add the command to an app."""
        if isinstance(self.run, typer.Typer):
            app.add_typer(self.run, name=name, rich_help_panel=self.panel)
        else:
            app.command(name, cls=PanelCommand, rich_help_panel=self.panel)(self.run)
