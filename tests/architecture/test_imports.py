"""Data flows one way: a room imports only from rooms above it. And heavy libraries wait until needed."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from pathlib import Path

import pytest

import barthes

SOURCE = Path(barthes.__file__).parent

# From the top of the house to its door. A room may use those before it, never those after it.
ROOMS = [
    "version",
    "errors",
    "files",
    "narrative",
    "annotation",
    "hashing",
    "reading",
    "corpora",
    "removal",
    "models",
    "salience",
    "baselines",
    "methods",
    "scoring",
    "evaluation",
    "finetuning",
    "report",
    "reproduction",
    "integrations",
    "runs",
    "web",
    "cli",
]
HEAVY = {"torch", "transformers", "peft", "spacy", "pandas", "sklearn", "scipy", "matplotlib"}

# A name that leaves this list breaks somebody's program; one that joins it is a promise.
PUBLIC = [
    "BarthesError",
    "Centroid",
    "Combination",
    "CountingModel",
    "DocumentFrequencies",
    "EventProfile",
    "EventSalience",
    "LanguageModel",
    "Length",
    "Method",
    "Narrative",
    "Position",
    "PredicateArgumentAnonymization",
    "Profile",
    "Random",
    "RankSum",
    "Sentence",
    "SentenceDeletion",
    "Similarity",
    "Stability",
    "TfIdf",
    "VerbAnonymization",
    "Words",
    "__version__",
    "annotate",
    "bench",
    "evaluate",
    "finetune",
    "load_model",
    "load_run",
    "measure_perplexity",
    "read",
    "read_chapters",
    "read_text",
    "score",
]


def room_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "barthes" and len(parts) > 1 else None


def imports(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
    return found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_rooms_import_only_from_rooms_above(path):
    relative = path.relative_to(SOURCE)
    room = relative.parts[0].removesuffix(".py")
    if room in ("__init__", "__main__"):
        return
    assert room in ROOMS, f"{room} has no place in the house: add it to ROOMS"
    for module in imports(ast.parse(path.read_text(encoding="utf-8"))):
        other = room_of(module)
        if other is not None:
            assert ROOMS.index(other) <= ROOMS.index(room), f"{relative} imports {module}"


@pytest.mark.parametrize("arguments", [["-c", "import barthes"], ["-m", "barthes", "--help"]])
def test_heavy_libraries_are_not_loaded(arguments):
    listing = f"import sys, runpy; sys.argv = {arguments[1:]!r}\n"
    run = "import barthes" if arguments[0] == "-c" else "runpy.run_module('barthes', run_name='__main__')"
    script = f"{listing}try:\n    {run}\nexcept SystemExit:\n    pass\nprint('\\n' + ' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "barthes" in loaded
    assert not loaded & HEAVY


@pytest.mark.alone
def test_help_answers_at_once():
    """Half a second; the best of five, because other work on the machine is not ours to answer for."""
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "barthes", "--help"], capture_output=True, check=True)
        seconds.append(time.perf_counter() - began)
    assert b"score" in done.stdout
    assert min(seconds) < 0.5


def test_public_names_are_frozen():
    assert barthes.__all__ == PUBLIC
    assert set(barthes._HOMES) | {"__version__"} == set(PUBLIC)
    for name in barthes.__all__:
        assert getattr(barthes, name) is not None
