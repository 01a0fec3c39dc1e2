"""Ctrl-C for commands under test."""

from __future__ import annotations

import signal

__all__ = ["hear_interrupts"]


def hear_interrupts() -> None:
    """A shell that runs the tests in the background has told all its children to ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
