"""Only `barthes.scorer` puts method, model and cache together."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import barthes

SOURCE = Path(barthes.__file__).parent
LAB = Path(__file__).parents[2] / "research" / "src"

ASSEMBLING = {"parse_method", "measurement_key", "Checkpoint", "measure_losses", "prepare_task"}
"""What a second scorer would need: methods by name, keys of the cache, and measuring."""

ALLOWED = {"scorer.py", "methods.py", "salience"}


def find_names(text: str) -> set[str]:
    """Return the names of `ASSEMBLING` that a module imports or looks up."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
    return found & ASSEMBLING


@pytest.mark.parametrize(
    "text",
    [
        "from barthes.methods import parse_method as parse",
        "import barthes.methods\nbarthes.methods.parse_method('sd', model=load)",
        "def score():\n    from barthes.salience.checkpoint import Checkpoint",
    ],
)
def test_a_second_assembly_is_found(text):
    assert find_names(text)


def test_nothing_else_assembles_method_model_and_cache():
    modules = [path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] not in ALLOWED]
    wrong = {
        path.name: names
        for path in [*modules, *LAB.rglob("*.py")]
        if (names := find_names(path.read_text(encoding="utf-8")))
    }
    assert wrong == {}
