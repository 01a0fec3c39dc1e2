"""`barthes cache`: show and clear the cache of computed scores."""

from __future__ import annotations

import typer

from barthes.cli.console import count, echo
from barthes.report.escaping import printable

cache_app = typer.Typer(help="Show or clear the cache of computed scores.", rich_markup_mode=None)


@cache_app.callback(invoke_without_command=True)
def _show(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        show_cache()


@cache_app.command("show")
def show_cache() -> None:
    """Show where the cache is, how full it is and how large it may grow."""
    from rich.filesize import decimal

    from barthes.cache import ScoreCache

    status = ScoreCache().status()
    echo(printable(str(status.path)))
    entries = count(status.entries, "entry", "entries")
    echo(f"{entries}, {decimal(status.size)} of at most {decimal(status.limit)} (BARTHES_CACHE_SIZE)")


@cache_app.command("clear")
def clear_cache() -> None:
    """Delete all cached scores; results of runs stay as they are."""
    from barthes.cache import ScoreCache

    cache = ScoreCache()
    deleted = cache.clear() if cache.path.exists() else 0
    cache.close()
    echo(f"{count(deleted, 'entry', 'entries')} forgotten.")
