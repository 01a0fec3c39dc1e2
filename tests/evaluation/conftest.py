"""Fixtures for tests of corpora."""

import json

import pytest


@pytest.fixture
def save(tmp_path):
    """Write a text, or a value as JSON, to a file."""

    def write(content, name):
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write
