"""Results as JSON holds them: lists, dicts, and null for what is not a number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

__all__ = ["to_plain"]


def to_plain(value: Any) -> Any:
    """The same value without tuples, without NumPy's numbers, and without NaN.

    >>> to_plain({"interval": (0.25, float("nan")), "stories": 3})
    {'interval': [0.25, None], 'stories': 3}
    """
    if isinstance(value, Mapping):
        return {str(key): to_plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(inner) for inner in value]
    if isinstance(value, float):  # NumPy's float64 among them
        return float(value) if math.isfinite(value) else None
    return value
