"""What is published fits together: metadata, pins, workflows, container and citation."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

import barthes

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_versions_agree():
    assert yaml.safe_load(read("CITATION.cff"))["version"] == barthes.__version__
    assert re.search(rf"^## .*\b{re.escape(barthes.__version__)}\b", read("CHANGELOG.md"), re.MULTILINE)


def test_the_tested_pythons_are_the_declared_ones():
    declared = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if "Python :: 3." in each]
    matrix = yaml.safe_load(read(".github/workflows/test.yml"))["jobs"]["platforms"]["strategy"]["matrix"]
    assert matrix["python"] == declared
    assert PROJECT["requires-python"] == f">={declared[0]}"
    assert {each.split("-")[0] for each in matrix["os"]} == {"ubuntu", "macos", "windows"}


def test_every_dependency_is_pinned():
    """Except pip: any version that Python came with will do."""
    lines = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    names = {re.match(r"[\w.-]+", line)[0].replace("_", "-").lower() for line in lines} - {"pip"}
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
