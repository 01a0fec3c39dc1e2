"""Find corpora that may not be redistributed."""

import os
from pathlib import Path

import pytest


def find_shared(name):
    shared = Path(os.environ.get("BARTHES_SHARED", Path(__file__).parents[2] / "shared"))
    path = shared / "data" / name
    if not path.exists():
        pytest.skip(f"{name} was not found: set BARTHES_SHARED to the folder above data/{name}")
    return path
