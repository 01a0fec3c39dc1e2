"""What is published fits together: versions, pins, tested Pythons, and the wheel."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import barthes
import barthes_research

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LAB = tomllib.loads((ROOT / "research" / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_versions_agree():
    assert yaml.safe_load(read("CITATION.cff"))["version"] == barthes.__version__
    assert barthes_research.__version__ == barthes.__version__
    assert re.search(rf"^## .*\b{re.escape(barthes.__version__)}\b", read("CHANGELOG.md"), re.MULTILINE)


def test_the_tested_pythons_are_the_declared_ones():
    declared = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if "Python :: 3." in each]
    matrix = yaml.safe_load(read(".github/workflows/test.yml"))["jobs"]["platforms"]["strategy"]["matrix"]
    assert matrix["python"] == declared
    assert PROJECT["requires-python"] == f">={declared[0]}"
    assert {each.split("-")[0] for each in matrix["os"]} == {"ubuntu", "macos", "windows"}


def test_every_dependency_is_pinned():
    """Except pip: any version that Python came with will do."""
    lines = [*PROJECT["dependencies"], *LAB["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    names = {re.match(r"[\w.-]+", line)[0].replace("_", "-").lower() for line in lines} - {"pip", "barthes"}
    pinned = {line.split("==")[0].replace("_", "-").lower() for line in read("constraints.txt").splitlines()}
    assert names <= pinned


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of the tool, built without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(ROOT)], check=True)
    return next(folder.glob("*.whl"))


@pytest.mark.slow
def test_the_wheel_of_the_tool_holds_nothing_of_the_lab(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "barthes/__init__.py" in names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"barthes"}
    assert not [name for name in names if "research" in name or "folktale" in name]
