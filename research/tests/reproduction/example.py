"""A reproduction as JSON has it. Our side is invented: it tests how figures are shown, not what they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["example", "nothing_run"]


def example() -> dict[str, Any]:
    """Everything run with one model, a new dict each time."""
    plain: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return plain


def nothing_run() -> dict[str, Any]:
    """A run of which every experiment was left out."""
    left_out = ("table1", "table2", "perplexity", "ordering", "deletion", "cinderella", "scores")
    notes = ["deletion was not run: no ROCStories were given.", "Only the settings were asked for."]
    return example() | dict.fromkeys(left_out) | {"notes": notes}
