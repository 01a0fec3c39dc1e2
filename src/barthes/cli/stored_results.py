"""Work whose results are kept one by one: what is said when it is interrupted, or finds results too old."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from barthes.cli.complaints import complain, remark
from barthes.cli.interruption import termination_interrupts

if TYPE_CHECKING:
    from barthes.evaluation.store import ScoreStore

__all__ = ["results_kept"]


@contextmanager
def results_kept(store: ScoreStore) -> Iterator[None]:
    """A block of work that keeps its results in a store; Ctrl-C or SIGTERM ends it with a word on them."""
    try:
        with termination_interrupts():
            yield
    except KeyboardInterrupt:
        if not (store.kept or store.found):
            raise
        complain(
            f"interrupted; what is finished is kept in {store.folder}: the same command goes on from there."
        )
        raise typer.Exit(130) from None
    finally:
        for sentence in store.stale:
            remark(sentence)
