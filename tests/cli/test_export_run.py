from __future__ import annotations

import pandas as pd
import pytest
from typer.testing import CliRunner

from barthes.cli.main import app
from barthes.runs.results import load_run
from barthes.runs.run import run_corpus
from barthes.runs.settings import RunSettings


@pytest.fixture
def run(tmp_path):
    table = tmp_path / "t.tsv"
    table.write_text("id\ttext\na\tA wolf came.\nb\tIt rained. It rained.\nbad\t\n", encoding="utf-8")
    settings = RunSettings(("length", "position"), sentences=True)
    run_corpus([table], tmp_path / "run", settings, workers=1)
    return tmp_path / "run"


def barthes(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_csv_goes_to_standard_output(run):
    found = barthes("export", run)
    assert found.exit_code == 0
    assert found.stdout.splitlines()[:2] == [
        "story,index,start,end,salience,rank,text,method,model,precision,window",
        "a,0,0,12,3.0,1,A wolf came.,length,,,",
    ]
    assert "1 text has no result" in found.stderr


@pytest.mark.parametrize("name", ["x.parquet", "x.csv", "x.jsonl"])
def test_the_ending_says_the_format(run, tmp_path, name):
    out = tmp_path / name
    assert barthes("export", run, "--out", out).exit_code == 0
    assert out.stat().st_size
    if name == "x.parquet":
        assert pd.read_parquet(out)["salience"].tolist() == load_run(run)["salience"].tolist()


def test_what_does_not_go_together(run, tmp_path):
    assert barthes("export", run, "--format", "parquet").exit_code == 2
    assert barthes("export", run, "--out", tmp_path / "x.xlsx").exit_code == 2
    assert not list(tmp_path.glob("x.*"))
