"""The figures of the page, drawn by matplotlib where it is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from barthes.reproduction.page.drawings.drawing import Drawing

__all__ = ["Drawing", "draw_all"]


def draw_all(plain: dict[str, Any]) -> tuple[Drawing, ...] | None:
    """Every figure there are data for; None where matplotlib is missing."""
    if find_spec("matplotlib") is None:
        return None
    from barthes.reproduction.page.drawings.map_by_method import draw_map_by_method
    from barthes.reproduction.page.drawings.precision_by_tale import draw_precision_by_tale
    from barthes.reproduction.page.drawings.score_by_position import draw_score_by_position

    results = (plain.get("table2") or {}).get("rows") or []
    drawn = (
        draw_map_by_method(results),
        draw_precision_by_tale(results),
        draw_score_by_position(plain.get("scores") or {}),
    )
    return tuple(drawing for drawing in drawn if drawing is not None)
