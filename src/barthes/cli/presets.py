"""Presets by what they stand for: tables have rows of methods, not of presets."""

from __future__ import annotations

from collections.abc import Iterable

from barthes.cli.complaints import remark
from barthes.methods import PRESETS

__all__ = ["remark_presets"]


def remark_presets(methods: Iterable[str]) -> None:
    """Say under which name each preset that was asked for stands in the result."""
    for name in dict.fromkeys(method.strip().lower() for method in methods):
        if name in PRESETS:
            remark(f"{name} stands for {PRESETS[name]}, and is shown under that name.")
