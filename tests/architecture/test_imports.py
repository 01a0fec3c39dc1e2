"""Data flows one way: a package imports only from packages above it. Heavy libraries are imported late."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import barthes
from barthes import lab

SOURCE = Path(barthes.__file__).parent

# A package imports only from its own layer and from those above it.
LAYERS = [
    ["version"],
    ["errors"],
    ["files", "hashing", "progress"],
    ["narrative", "cache", "plugins", "lab"],
    ["formats"],
    ["annotation"],
    ["marks"],
    ["reading"],
    ["scenes"],
    ["units"],
    ["removal"],
    ["models"],
    ["salience", "baselines", "learned", "methods"],
    ["scorer"],
    ["testing"],
    ["cutting"],
    ["evaluation"],
    ["corpora"],
    ["report"],
    ["runs"],
    ["jobs"],
    ["web"],
    ["integrations"],
    ["cli"],
]
LAYER_OF = {package: place for place, packages in enumerate(LAYERS) for package in packages}
RENDERED_BY_NAME = {("salience", "report")}  # Profile.to_html looks the renderer up when it is called
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
    "MethodInfo",
    "Narrative",
    "Position",
    "PredicateArgumentAnonymization",
    "Profile",
    "Random",
    "RankSum",
    "Scorer",
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
    "cut",
    "evaluate",
    "finetune",
    "load_model",
    "load_run",
    "measure_perplexity",
    "read",
    "read_chapters",
    "read_text",
    "score",
    "score_many",
]


def find_imports(tree: ast.AST) -> set[str]:
    """Return the packages of Barthes that a module imports, by statement or as a string."""
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            modules |= {node.value} if re.fullmatch(r"barthes(\.[a-z_]+)+", node.value) else set()
    return {module.split(".")[1] for module in modules if module.startswith("barthes.")}


def test_packages_import_only_from_those_above():
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        package = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if package in ("__init__", "__main__", "plugins"):  # which names groups of entry points
            continue
        for other in find_imports(ast.parse(path.read_text(encoding="utf-8"))) & LAYER_OF.keys():
            if LAYER_OF[other] > LAYER_OF[package] and (package, other) not in RENDERED_BY_NAME:
                wrong.append(f"{path.relative_to(SOURCE)} imports barthes.{other}")
    assert not wrong


def test_the_tool_never_imports_the_lab():
    """Only `barthes.lab` names its modules, and imports them when they are asked for."""
    named = [
        path.name for path in SOURCE.rglob("*.py") if "barthes_research" in path.read_text(encoding="utf-8")
    ]
    assert named == ["lab.py"]


WITHOUT_LAB = """
import sys, importlib.metadata
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "barthes_research":
            raise ModuleNotFoundError(f"No module named {name!r}", name="barthes_research")
sys.meta_path.insert(0, Hidden())
find = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **options: [
    each for each in find(**options) if not each.value.startswith("barthes_research")
]
"""


def run_without_lab(script: str) -> str:
    """Run a script in a process that has no `barthes-research`; return what it prints."""
    command = [sys.executable, "-c", WITHOUT_LAB + script]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


ASK_NAMES = """
import barthes
from barthes import lab
for name in lab.HOMES:
    try:
        getattr(barthes, name)
    except barthes.BarthesError as error:
        print(error)
print(barthes.corpora.LabelledFile)
"""
RUN_COMMANDS = """
from barthes import lab
from barthes.cli.main import app
for words in [[name, "--help"] for name in lab.COMMANDS] + [["--help"]]:
    try:
        app(words)
    except SystemExit as end:
        print("exit code", end.code)
"""


def test_the_tool_says_what_to_install_for_names_of_the_lab():
    printed = run_without_lab(ASK_NAMES)
    assert printed.count("pip install barthes-research") == len(lab.HOMES)
    assert "LabelledFile" in printed


def test_the_command_says_what_to_install_for_commands_of_the_lab():
    printed = run_without_lab(RUN_COMMANDS)
    assert printed.count("exit code 2") == len(lab.COMMANDS)
    assert "evaluate" in printed
    assert not any(f"  {name} " in printed for name in lab.COMMANDS)


def test_public_classes_have_names_of_their_own():
    homes: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_every_package_has_a_layer():
    packages = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix in ("", ".py")}
    assert packages - {"__init__", "__main__", "__pycache__"} == LAYER_OF.keys()


@pytest.mark.parametrize("arguments", [["-c", "import barthes"], ["-m", "barthes", "--help"]])
def test_heavy_libraries_are_not_loaded(arguments):
    listing = f"import sys, runpy; sys.argv = {arguments[1:]!r}\n"
    run = "import barthes" if arguments[0] == "-c" else "runpy.run_module('barthes', run_name='__main__')"
    script = f"{listing}try:\n    {run}\nexcept SystemExit:\n    pass\nprint('\\n' + ' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "barthes" in loaded
    assert not loaded & HEAVY


def test_public_names_are_frozen():
    assert barthes.__all__ == PUBLIC
    assert {*barthes._HOMES, *lab.HOMES, "__version__"} == set(PUBLIC)
    for name in barthes.__all__:
        assert getattr(barthes, name) is not None
