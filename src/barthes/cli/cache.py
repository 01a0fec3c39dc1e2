"""`barthes cache`: show and clear the cache of computed scores."""

from __future__ import annotations

import typer

from barthes.cli.console import echo
from barthes.report.escaping import printable

__all__ = ["cache_app"]

cache_app = typer.Typer(help="Show or clear the cache of computed scores.", rich_markup_mode=None)


@cache_app.callback(invoke_without_command=True)
def _show(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        show_cache()


@cache_app.command("show")
def show_cache() -> None:
    """Show where the cache is, how full it is and how large it may grow."""
    from barthes.cache import ScoreCache

    status = ScoreCache().status()
    echo(printable(str(status.path)))
    entries = f"{status.entries:,} {'entry' if status.entries == 1 else 'entries'}"
    echo(f"{entries}, {format_size(status.size)} of at most {format_size(status.limit)} (BARTHES_CACHE_SIZE)")


@cache_app.command("clear")
def clear_cache() -> None:
    """Delete all cached scores; results of runs stay as they are."""
    from barthes.cache import ScoreCache

    cache = ScoreCache()
    count = cache.clear() if cache.path.exists() else 0
    cache.close()
    echo(f"{count:,} {'entry' if count == 1 else 'entries'} forgotten.")


def format_size(size: int) -> str:
    """Return a number of bytes for people.

    >>> format_size(999), format_size(1_500_000)
    ('999 B', '1.5 MB')
    """
    amount, units = float(size), ["B", "kB", "MB", "GB", "TB"]
    while amount >= 1000 and len(units) > 1:
        amount /= 1000
        units.pop(0)
    return f"{amount:.0f} {units[0]}" if units[0] == "B" else f"{amount:.1f} {units[0]}"
