from __future__ import annotations

import pandas as pd
import pytest
from typer.testing import CliRunner

from barthes.cli.main import app
from barthes.runs.results import load_run
from barthes.runs.run import run_corpus
from barthes.runs.settings import RunSettings, Shard


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
        "story,index,start,end,salience,rank,text,method,model,precision,window,low,high,stability",
        "a,0,0,12,3.0,1,A wolf came.,length,,,,,,",
    ]
    assert found.stderr == f"barthes: note: 1 text failed: barthes run --status {run} shows why.\n"


def test_what_is_not_done_yet_is_told_apart_from_failures(tmp_path):
    table = tmp_path / "t.tsv"
    table.write_text("id\ttext\na\t\nb\tIt rained.\nc\tIt rained.\nd\tA.\n", encoding="utf-8")
    run_corpus(
        [table], tmp_path / "run", RunSettings(("length",), sentences=True), workers=1, shard=Shard(1, 2)
    )
    told = " ".join(barthes("export", tmp_path / "run").stderr.split())
    assert "1 text failed: barthes run --status" in told
    assert "2 texts are not done yet: give the `barthes run` command again" in told


def test_notes_are_mentioned_where_rows_have_no_room_for_them(tmp_path):
    (tmp_path / "old.txt").write_bytes("Ein Märchen.".encode("cp1252"))
    run_corpus([tmp_path / "old.txt"], tmp_path / "run", RunSettings(("length",)), workers=1)
    assert "1 text has notes" in barthes("export", tmp_path / "run").stderr
    found = barthes("export", tmp_path / "run", "--format", "jsonl")
    assert found.stderr == ""
    assert "Read as Windows-1252" in found.stdout


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
