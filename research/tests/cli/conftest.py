"""Fixtures for tests of commands."""

from research.tests.corpora.conftest import crane_bytes
from tests.cli.conftest import tiny

__all__ = ["crane_bytes", "tiny"]
