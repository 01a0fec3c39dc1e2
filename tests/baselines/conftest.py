import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def count_script():
    """The script that counts the bundled table, as a module."""
    path = Path(__file__).parents[2] / "research" / "scripts" / "count_document_frequencies.py"
    spec = importlib.util.spec_from_file_location("count_document_frequencies", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
