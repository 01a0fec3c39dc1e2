"""A tiny language model on disk, and stories in its words."""

from __future__ import annotations

import pytest

from tests.tiny_models import WORDS
from tests.web.running import save_tiny_model

TALE = """A wolf came. The king slept and the girl ran.

The wolf ate a sheep! The sheep died. Then the king came and the wolf ran.
It rained. The girl married the king."""


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory):
    return save_tiny_model(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="session")
def tale():
    return TALE


@pytest.fixture(scope="session")
def long_tale():
    """So many sentences, one a line, that even a tiny model needs a good while."""
    words = [word for word in WORDS if word.isalpha()]
    lines = [" ".join(words[(3 * i + 7 * j) % len(words)] for j in range(12)) + " ." for i in range(4_000)]
    return "\n".join(lines)
