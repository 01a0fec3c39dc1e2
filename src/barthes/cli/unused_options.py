"""Options without effect: they may be a mistake, and do no harm."""

from __future__ import annotations

from barthes.cli.complaints import remark
from barthes.methods import LOOKING_AHEAD, needs_model, parse_formula
from barthes.models.embedded import DEFAULT_MODEL

__all__ = ["remark_unused"]


def remark_unused(method: str, *, model: str, window: int | None) -> None:
    """Say which of the options a method does not look at, where they are not the default."""
    if model != DEFAULT_MODEL and not needs_model(method):
        remark(f"--model is not used: {method} asks no language model.")
    if window is not None and LOOKING_AHEAD.isdisjoint(parse_formula(method).parts):
        remark(f"--window is not used: {method} does not look ahead.")
