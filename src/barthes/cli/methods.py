"""`barthes methods`: list the methods, those of Barthes and those of other packages."""

from __future__ import annotations

from barthes.cli.command import Command
from barthes.cli.console import print_rows

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
    print_rows(_COLUMNS, rows)


METHODS_COMMAND = Command(list_methods, panel="Models and data")
