"""Silence for libraries that print, warn and draw bars of their own; what there is to say, Barthes says."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from typing import Any

__all__ = ["quiet_libraries", "quiet_stderr"]


@contextlib.contextmanager
def quiet_libraries() -> Iterator[None]:
    """Put transformers' notices and bars aside, and give it its own settings back afterwards.

    Its Trainer sets the level of notices for the whole process, so that has to be undone as well.
    """
    from transformers.utils import logging as untyped

    logging: Any = untyped
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=FutureWarning)
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


@contextlib.contextmanager
def quiet_stderr() -> Iterator[None]:
    """For the few seconds of a bar that asks no setting: put stderr as a whole aside."""
    with contextlib.redirect_stderr(io.StringIO()):
        yield
