"""`barthes cache`: show and clear the cache of computed scores."""

from __future__ import annotations

import typer
from typer import echo

from barthes.cli.command import Command
from barthes.cli.console import count
from barthes.cli.help_panels import PanelCommand
from barthes.report.escaping import printable

_HELP = "Show or clear the cache of computed scores."
_EXAMPLES = """\b
Examples:
  barthes cache          show where the cache is and how full it is
  barthes cache clear    delete all cached scores
"""

cache_app: typer.Typer = typer.Typer(help=_HELP, epilog=_EXAMPLES, rich_markup_mode=None)


@cache_app.callback(invoke_without_command=True, help=_HELP)
def show_cache(context: typer.Context) -> None:
    """Show where the cache is, how full it is and its size limit."""
    if context.invoked_subcommand is not None:
        return
    from rich.filesize import decimal

    from barthes.cache import ScoreCache

    status = ScoreCache().status()
    echo(printable(str(status.path)))
    entries = count(status.entries, "entry", "entries")
    echo(f"{entries}, {decimal(status.size)} of at most {decimal(status.limit)} (BARTHES_CACHE_SIZE)")


@cache_app.command("clear", cls=PanelCommand, epilog=_EXAMPLES)
def clear_cache() -> None:
    """Delete all cached scores; results of runs are kept."""
    from barthes.cache import ScoreCache

    cache = ScoreCache()
    deleted = cache.clear()
    cache.close()
    echo(f"deleted {count(deleted, 'entry', 'entries')}")


CACHE = Command(cache_app, panel="Models and data")
