"""Format the numbers of the reproduction for people; missing values are a dash."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from barthes.report.evaluation_tables import MISSING

_MINUS = "\u2212"


def as_number(value: Any) -> float | None:
    """Return the value as a finite number, or None where there is none (null, NaN, infinity, text)."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def format_number(value: Any, digits: int = 3) -> str:
    """Format a number with a typographic minus.

    >>> format_number(0.2774), format_number(-0.0141), format_number(-0.0001), format_number(None)
    ('0.277', '−0.014', '0.000', '–')
    """
    number = as_number(value)
    if number is None:
        return MISSING
    shown = f"{number:.{digits}f}"
    return shown.lstrip("-") if float(shown) == 0 else shown.replace("-", _MINUS)


def format_difference(ours: Any, paper: Any, digits: int = 3) -> str:
    """Format ours minus the paper's, both rounded first, so that the row adds up.

    >>> format_difference(0.2786, 0.279), format_difference(0.2495, 0.261)
    ('0.000', '−0.012')
    """
    if (left := as_number(ours)) is None or (right := as_number(paper)) is None:
        return MISSING
    shown = format_number(round(left, digits) - round(right, digits), digits)
    return shown if shown[0] == _MINUS or float(shown) == 0 else f"+{shown}"


def format_count(value: Any) -> str:
    """Format a whole number with thousands separators, or a mean with one decimal.

    >>> format_count(18862), format_count(86.8), format_count(None)
    ('18,862', '86.8', '–')
    """
    number = as_number(value)
    if number is None:
        return MISSING
    return f"{number:,.0f}" if number == int(number) and isinstance(value, int) else f"{number:,.1f}"


def format_share(value: Any) -> str:
    """Format a share in [0, 1] as a percentage; only exact shares give 0 % and 100 %.

    >>> format_share(0.94), format_share(1.0), format_share(0.9999), format_share(0.0001)
    ('94.0 %', '100.0 %', '99.9 %', '0.1 %')
    """
    number = as_number(value)
    if number is None:
        return MISSING
    percent = round(number * 100, 1)
    if number not in (0.0, 1.0):
        percent = min(max(percent, 0.1), 99.9)
    return f"{percent:.1f} %"


def format_interval(interval: Sequence[Any] | None, *, share: bool = False) -> str:
    """Format both ends of an interval.

    >>> format_interval([0.25, 0.331]), format_interval([0.9, 1.0], share=True), format_interval(None)
    ('[0.250, 0.331]', '[90.0 %, 100.0 %]', '–')
    """
    if interval is None or len(interval) != 2 or any(as_number(end) is None for end in interval):
        return MISSING
    low, high = (format_share(end) if share else format_number(end) for end in interval)
    return f"[{low}, {high}]"
