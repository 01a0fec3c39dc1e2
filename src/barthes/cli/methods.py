"""`barthes methods`: list the methods, those of Barthes and those of other packages."""

from __future__ import annotations

import sys

from barthes.cli.command import Command
from barthes.cli.console import echo, guarded_stdout

_COLUMNS = ("method", "unit of its scores", "cost", "from", "what it finds")


def list_methods() -> None:
    """List all methods: the unit of their scores, what they cost, and the package they come from.

    Prints a table on a terminal and tab-separated lines to a pipe.

    \b
    Examples:
      barthes methods
      barthes methods | cut -f 1     only their names
    """
    from barthes.methods import describe_method
    from barthes.plugins import METHODS, find_plugins

    origins = {name: plugin.origin for name, plugin in find_plugins(METHODS).items()}
    infos = [describe_method(name) for name in origins]
    rows = [(info.name, info.unit or "none", info.cost, origins[info.name], info.summary) for info in infos]
    if not sys.stdout.isatty():
        echo("\n".join("\t".join(row) for row in [_COLUMNS, *rows]))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(*_COLUMNS, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    with guarded_stdout():
        Console().print(table)


METHODS_COMMAND = Command(list_methods, panel="Models and data")
