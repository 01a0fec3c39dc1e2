"""Fixtures for tests of adapters."""

from tests.models.conftest import cache, tiny, tiny_gguf, tiny_wheel

__all__ = ["cache", "tiny", "tiny_gguf", "tiny_wheel"]
