"""Descriptions of file formats."""

from __future__ import annotations

import pytest

from barthes.formats import FileFormat


def test_a_format_is_read_or_written():
    assert FileFormat(name="text", purpose="stories", suffixes=(".txt",), read=bytes.decode).write is None
    with pytest.raises(ValueError, match="neither"):
        FileFormat(name="text", purpose="stories")


@pytest.mark.parametrize("wrong", [{"options": frozenset({"colour"})}, {"suffixes": ("TXT",)}])
def test_wrong_descriptions_are_refused(wrong):
    with pytest.raises(ValueError, match="text"):
        FileFormat(name="text", purpose="stories", write=print, **wrong)
