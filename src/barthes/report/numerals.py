"""Numbers as people read them; what is missing is a dash, never a zero."""

from __future__ import annotations

import math
from typing import Any

from barthes.evaluation.significance import describe_p

__all__ = ["MISSING", "as_number", "format_p"]

MISSING = "–"


def as_number(value: Any) -> float | None:
    """The value as a finite number, or None where there is none (null, NaN, infinity, text)."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def format_p(value: Any) -> str:
    """A p-value: three decimals, and below that only that it is smaller; never rounded across 0.05.

    >>> format_p(0.0134), format_p(0.0495), format_p(0.00001), format_p(None)
    ('0.013', '0.0495', '< 0.001', '–')
    """
    number = as_number(value)
    return MISSING if number is None else describe_p(number)
