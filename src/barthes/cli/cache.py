"""`barthes cache`: the scores that runs keep for each other."""

from __future__ import annotations

import typer

from barthes.cli.streams import echo
from barthes.report.escaping import printable

__all__ = ["cache_app"]

cache_app = typer.Typer(help="Show or clear the scores that runs keep for each other.", rich_markup_mode=None)


@cache_app.callback(invoke_without_command=True)
def _show(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        show_cache()


@cache_app.command("show")
def show_cache() -> None:
    """Show where the cache is, how much is in it and how much may be."""
    from barthes.cache import ScoreCache

    status = ScoreCache().status()
    echo(printable(str(status.path)))
    entries = f"{status.entries:,} {'entry' if status.entries == 1 else 'entries'}"
    echo(f"{entries}, {_tell_size(status.size)} of at most {_tell_size(status.limit)} (BARTHES_CACHE_SIZE)")


@cache_app.command("clear")
def clear_cache() -> None:
    """Forget all cached scores; results of runs stay as they are."""
    from barthes.cache import ScoreCache

    cache = ScoreCache()
    count = cache.clear() if cache.path.exists() else 0
    cache.close()
    echo(f"{count:,} {'entry' if count == 1 else 'entries'} forgotten.")


def _tell_size(size: int) -> str:
    """Bytes, as people read them.

    >>> _tell_size(999), _tell_size(1_500_000)
    ('999 B', '1.5 MB')
    """
    amount, units = float(size), ["B", "kB", "MB", "GB", "TB"]
    while amount >= 1000 and len(units) > 1:
        amount /= 1000
        units.pop(0)
    return f"{amount:.0f} {units[0]}" if units[0] == "B" else f"{amount:.1f} {units[0]}"
