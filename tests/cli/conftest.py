"""Fixtures for tests of commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiny_models import save_base


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a language model with a few thousand random weights."""
    return save_base(tmp_path_factory.mktemp("models") / "tiny", "gpt2")
