"""Descriptions of file formats."""

from __future__ import annotations

import pytest

from barthes.formats import FileFormat


@pytest.mark.parametrize("wrong", [{"options": frozenset({"colour"})}, {"suffixes": ("TXT",)}])
def test_wrong_descriptions_are_refused(wrong):
    with pytest.raises(ValueError, match="text"):
        FileFormat(name="text", purpose="stories", write=print, **wrong)
