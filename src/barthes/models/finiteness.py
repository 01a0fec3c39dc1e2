"""What a language model says must be numbers; in half precision it may not be."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from barthes.errors import ModelError
from barthes.models.language_model import LanguageModel

__all__ = ["check_finite"]


def check_finite(values: npt.ArrayLike, model: LanguageModel) -> None:
    """Refuse log-probabilities, or sums of them, among which one is NaN or infinite.

    Raises:
        ModelError: One is.
    """
    if not np.isfinite(values).all():
        raise ModelError(
            "gives probabilities that are not numbers.",
            where=model.name,
            remedy="Its numbers may be too large for this precision: try --dtype float32.",
        )
