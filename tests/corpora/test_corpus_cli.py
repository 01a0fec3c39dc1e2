import json
import shutil
import zipfile

import pytest
from typer.testing import CliRunner

from barthes.cli.corpus import corpus_app
from barthes.errors import ReadingError

from .conftest import DATA


def run(*arguments):
    return CliRunner().invoke(corpus_app, ["propplearner", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def flawed(tmp_path, crane_bytes):
    """A corpus with one malformed function."""
    content = crane_bytes.replace(b"H1|ACTUAL:21|", b"H1|ACTUAL:777|")
    (tmp_path / "crane1.sty").write_bytes(content)
    return tmp_path


def test_table():
    result = run(DATA)
    assert result.exit_code == 0
    rows = [line.strip("│ ").split("│") for line in result.stdout.splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row] for row in rows[:4]] == [
        ["stories", "15", "1"],
        ["sentences", "1302", "4"],
        ["words", "18862", "31"],
        ["functions", "170", "3"],
    ]
    assert "2 of 4 sentences hold a salient event." in result.stdout
    assert "No items are malformed." in result.stdout


def test_json():
    plain = json.loads(run(DATA, "--format", "json", "--rule", "corrected").stdout)
    assert plain["rule"] == "corrected"
    assert plain["paper"]["functions"] == 170
    assert plain["ours"]["functions"] == 4
    assert plain["salient_sentences"] == 3
    assert plain["malformed"] == 0
    assert "problems" not in plain


def test_problems_are_counted(flawed):
    assert "1 item is malformed; --problems lists them." in run(flawed).stdout


def test_problems_are_listed(flawed):
    result = run(flawed, "--problems")
    assert "  crane1.sty 59: function: there is no token 777" in result.stdout
    plain = json.loads(run(flawed, "--problems", "--format", "json").stdout)
    assert plain["malformed_by_file"] == {"crane1.sty": {"function": 1}}
    assert plain["problems"][0]["item"] == "59"


def test_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as target:
        target.write(DATA / "crane1.sty", "Corpus/crane1.sty")
    assert run(tmp_path / "corpus.zip", "--format", "json").stdout == run(DATA, "--format", "json").stdout


def test_not_a_corpus(tmp_path):
    with pytest.raises(ReadingError, match=r"no \.sty file"):
        run(tmp_path)
    shutil.copy(DATA / "crane1.sty", tmp_path / "crane1.txt")
    with pytest.raises(ReadingError, match="zip"):
        run(tmp_path / "crane1.txt")


def test_help_names_everything():
    text = run("--help").stdout
    assert all(option in text for option in ("--format", "--rule", "--problems", "PATH"))
