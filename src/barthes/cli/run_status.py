"""`barthes run --status`: how far a run is."""

from __future__ import annotations

from collections.abc import Sequence

from barthes.cli.streams import echo
from barthes.report.escaping import printable

__all__ = ["show_status", "tell_notes"]

_SHOWN = 10  # shards that are named
_LISTED = 3  # texts with notes that are named


def show_status(run: str) -> None:
    """Print how far a run is, and which texts failed."""
    from barthes.runs.status import look_at

    found = look_at(run)
    course = found.course
    left = course.total - course.done - course.failed
    echo(f"{course.done:,} of {course.total:,} texts are done, {course.failed:,} failed, {left:,} are left.")
    for shard, texts in list(found.left.items())[:_SHOWN]:
        echo(f"--shard {shard.index}/{shard.count}: {texts:,} of its texts {_be(texts)} left.")
    if len(found.left) > _SHOWN:
        echo(f"… and {len(found.left) - _SHOWN:,} more shards have texts left.")
    if found.begun:
        echo(f"{found.begun:,} long {'text is' if found.begun == 1 else 'texts are'} done in part.")
    if found.damaged:
        echo(f"{found.damaged:,} {'record is' if found.damaged == 1 else 'records are'} damaged: done again.")
    settings = found.settings
    about = [f"method {', '.join(settings['methods'])}"]
    about += [f"model {settings['model']}, {settings['precision']}"] if settings["model"] else []
    echo(printable("; ".join(about)))
    if found.noted:
        echo(printable(tell_notes(found.noted, run)))
    for reason in found.failures.values():
        echo(printable(f"failed: {' '.join(reason.split())}"))


def tell_notes(noted: Sequence[str], run: str) -> str:
    """Which results have remarks that rows have no room for.

    >>> tell_notes(["wolf.txt"], "run/")
    '1 text has notes (wolf.txt): barthes export run/ --format jsonl shows them.'
    """
    texts = "1 text has" if len(noted) == 1 else f"{len(noted):,} texts have"
    more = " …" if len(noted) > _LISTED else ""
    return (
        f"{texts} notes ({', '.join(noted[:_LISTED])}{more}): barthes export {run} --format jsonl shows them."
    )


def _be(count: int) -> str:
    return "is" if count == 1 else "are"
