"""Rows as a pandas table; pandas is optional."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from barthes.errors import BarthesError

if TYPE_CHECKING:
    import pandas as pd


def make_frame(
    rows: Sequence[Any], types: Mapping[str, Any], *, columns: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return rows as a table whose columns have these types, as far as it has them.

    Raises:
        BarthesError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        problem = "tables need pandas, which is not installed."
        raise BarthesError(problem, remedy="Install it with: pip install pandas") from error
    frame = pd.DataFrame(rows, columns=None if columns is None else list(columns))
    return frame.astype({name: kind for name, kind in types.items() if name in frame})
