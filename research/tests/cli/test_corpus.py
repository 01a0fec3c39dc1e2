import json
import zipfile

import pytest
from typer.testing import CliRunner

from barthes.errors import ReadingError
from barthes_research.cli.corpus import corpus_app
from research.tests.corpora.conftest import DATA


def run(*arguments):
    result = CliRunner().invoke(corpus_app, ["propplearner", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_table():
    printed = run(DATA)
    rows = [line.strip("│ ").split("│") for line in printed.splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row] for row in rows[:4]] == [
        ["stories", "15", "1"],
        ["sentences", "1302", "4"],
        ["words", "18862", "31"],
        ["functions", "170", "3"],
    ]
    assert "2 of 4 sentences contain a salient event." in printed
    assert "No items are malformed." in printed


def test_json_of_a_folder_and_of_an_archive(tmp_path):
    printed = run(DATA, "--format", "json", "--labels", "corrected")
    plain = json.loads(printed)
    assert (plain["rule"], plain["paper"]["functions"], plain["ours"]["functions"]) == ("corrected", 170, 4)
    assert (plain["salient_sentences"], plain["malformed"]) == (3, 0)
    assert plain["problems"] == []
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as target:
        target.write(DATA / "crane1.sty", "Corpus/crane1.sty")
    assert run(tmp_path / "corpus.zip", "--format", "json", "--labels", "corrected") == printed


def test_problems_are_counted_and_listed(tmp_path, crane_bytes):
    (tmp_path / "crane1.sty").write_bytes(crane_bytes.replace(b"H1|ACTUAL:21|", b"H1|ACTUAL:777|"))
    assert "1 item is malformed; --format json lists them." in run(tmp_path)
    plain = json.loads(run(tmp_path, "--format", "json"))
    assert plain["problems"][0]["item"] == "59"


def test_what_is_refused(tmp_path):
    with pytest.raises(ReadingError, match=r"no \.sty file"):
        run(tmp_path)
