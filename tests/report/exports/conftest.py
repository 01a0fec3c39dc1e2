"""Other people's readers of our exports; tests that need them are skipped without.

`scripts/check_release.py` installs them into a folder and names it in BARTHES_READERS.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest
from lxml import etree


@pytest.fixture(scope="session")
def readers() -> Path:
    folder = os.environ.get("BARTHES_READERS")
    if not folder:
        pytest.skip("BARTHES_READERS is not set: run scripts/check_release.py")
    return Path(folder)


@pytest.fixture(scope="session")
def tei_schema(readers):
    return etree.RelaxNG(etree.parse(readers / "schemas" / "tei_all.rng"))


@pytest.fixture
def library(readers, monkeypatch):
    monkeypatch.syspath_prepend(str(readers))
    return importlib.import_module
