"""The package of `docs/how-to/write-a-method.md` is built, installed and used everywhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.running import serving

PAGE = Path(__file__).parent.parent / "docs" / "how-to" / "write-a-method.md"
TALE = "One day Tom met Anna.\nIt rained.\nThen Tom and Anna and Lucy ran.\n"
SCORES = [2.0, 0.0, 3.0]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder that the package is installed in; all its files are those of the page."""
    source = tmp_path_factory.mktemp("source")
    method, with_model, test = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    [project] = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    files = {
        "barthes_capitals.py": method,
        "barthes_capitals_model.py": with_model,
        "test_methods.py": test,
        "pyproject.toml": project,
    }
    for name, content in files.items():
        (source / name).write_text(content, encoding="utf-8")
    target = tmp_path_factory.mktemp("installed")
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--quiet", "--target", str(target)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(source)], check=True)
    return target


@pytest.fixture
def run(installed, tmp_path, monkeypatch):
    """Return a function that runs Python with the package and returns what it prints."""
    monkeypatch.setenv("PYTHONPATH", str(installed))
    monkeypatch.chdir(tmp_path)
    Path("tale.txt").write_text(TALE)

    def start(*arguments):
        return subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, check=True, env=os.environ
        ).stdout

    return start


def test_its_own_tests_pass(run, installed):
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", str(installed / "test_methods.py"))


def test_it_is_listed(run):
    lines = run("-m", "barthes", "methods").splitlines()
    [line] = [line for line in lines if line.startswith("capitals\t")]
    assert "barthes-capitals 0.1.0" in line


def test_score_and_python(run):
    printed = run(
        "-m", "barthes", "score", "tale.txt", "--method", "capitals", "--format", "json", "--sentences"
    )
    [story] = [json.loads(printed)] if printed.startswith("{") else json.loads(printed)
    assert [row["salience"] for row in story["sentences"]] == SCORES
    code = "import barthes; print(barthes.score(open('tale.txt').read(), method='capitals').scores)"
    assert run("-c", code) == f"{tuple(SCORES)}\n"


def test_run(run):
    run("-m", "barthes", "run", "tale.txt", "--out", "results", "--method", "capitals", "--workers", "1")
    found = run("-m", "barthes", "export", "results", "--format", "jsonl")
    assert '"capitals"' in found


def test_evaluate(run):
    Path("labels.tsv").write_text(
        "story\tsentence\tlabel\n"
        + "".join(
            f"tale\t{sentence}\t{label}\n" for sentence, label in zip(TALE.splitlines(), "001", strict=True)
        )
    )
    assert "capitals" in run("-m", "barthes", "evaluate", "capitals", "-c", "labelled=labels.tsv")


def test_serve(run, tmp_path):
    with serving(tmp_path / "results") as server:
        job = server.wait(server.post(TALE, name="tale.txt", method="capitals"))
        assert job["state"] == "finished"
