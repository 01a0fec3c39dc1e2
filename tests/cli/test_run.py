"""The command as people run it: processes and signals where they matter, else in this process."""

from __future__ import annotations

import signal
import time

import pandas as pd
import psutil
import pytest

from barthes.runs.results import load_run
from tests.cli.commands import check_refused, interrupt, run, start

TALE = "A wolf came. The wolf ate the sheep. The girl ran. It rained and then the king died."


def barthes(*arguments):
    code, out, err = run(*arguments)
    return code, out, " ".join(err.split())


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "cache"))
    (tmp_path / "tales").mkdir()
    for i in range(4):
        (tmp_path / "tales" / f"t{i}.txt").write_text(" ".join([TALE] * (i + 1)), encoding="utf-8")
    return tmp_path


def export(folder):
    code, out, _ = barthes("export", folder, "--format", "jsonl")
    assert code == 0
    return out


def test_a_run_with_a_model(tiny):
    command = ["run", "tales", "--model", tiny, "--workers", 1, "--out", "run"]
    code, out, err = barthes(*command)
    assert (code, out) == (0, "")
    assert "4 of 4 texts are done (4 scored now)" in err
    assert export("run").count(f'"model": "{tiny}"') == 4
    code, _, err = barthes(*command, "--window", 64)
    assert code == 2
    assert "window: none then, 64 now" in err
    assert "another folder" in err
    assert "(--out)" in err


def test_failures_and_status(place):
    (place / "tales" / "empty.txt").write_text("")
    command = ["run", "tales", "-m", "length", "-m", "length+position", "--out", "run", "--workers", 1]
    code, _, err = barthes(*command)
    assert code == 2
    assert "failed: tales/empty.txt: " in err
    assert "--retry-failed" in err
    code, out, _ = barthes("status", "run")
    assert code == 0
    assert out.splitlines()[0] == "4 of 5 texts are done, 1 failed, 0 are left."
    assert "method length, length+position" in out
    assert "failed: tales/empty.txt" in out
    (place / "tales" / "empty.txt").write_bytes("Ein Märchen.".encode("cp1252"))
    code, _, err = barthes(*command)
    assert code == 0
    assert "5 of 5 texts are done (1 scored now)" in err
    message = "1 text has notes (tales/empty.txt); `barthes export run --format jsonl` shows them."
    assert message in err
    assert message in barthes("status", "run")[1].splitlines()


def test_shards_join(place):
    command = ["run", "tales/*.txt", "-m", "length", "--workers", 1]
    barthes(*command, "--out", "whole")
    for shard, left in (("2/2", 2), ("1/2", 0)):
        assert barthes(*command, "--out", "shards", "--shard", shard)[0] == 0
        assert f"{left} are left." in barthes("status", "shards")[1]
    assert export("shards") == export("whole")


def test_an_address_of_a_folder(place):
    address = f"file://{place}/run"
    words = f"run tales -m length --sentences --workers 1 --out {address}"
    assert barthes(*words.split())[0] == 0
    assert barthes("status", address)[1].startswith("4 of 4 texts are done")
    assert export(address) == export("run")


@pytest.mark.parametrize(
    ("number", "patience"),
    [(signal.SIGINT, 60), (signal.SIGINT, 0.02), (signal.SIGTERM, 60)],
    ids=["Ctrl-C", "Ctrl-C again and again", "SIGTERM"],
)
def test_an_interrupted_run_prints_how_to_continue(place, number, patience):
    table = place / "t.csv"
    rows = "".join(f"t{i},{TALE}\n" for i in range(4000))
    table.write_text("id,text\n" + rows, encoding="utf-8")
    words = "run t.csv --sentences -m length --workers 1 --out run"
    process = start(*words.split())
    ends = time.monotonic() + 60
    while not list(place.glob("run/results/*/*.json")) and time.monotonic() < ends:
        time.sleep(0.01)
    family = psutil.Process(process.pid).children(recursive=True)
    _, err = interrupt(process, number, patience=patience)
    if process.returncode == 0:
        pytest.skip("it was faster than we")
    assert process.returncode == 130
    assert b"interrupted; finished work is saved in run. Run the same command again to continue." in err
    assert psutil.wait_procs(family, timeout=30)[1] == []
    code, _, err = barthes(*words.split())
    assert code == 0
    assert "4,000 of 4,000 texts are done" in err
    assert "(4,000 scored now)" not in err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["run"], "Missing argument 'TEXT"),
        (["run", "tales"], "Missing option '--out'"),
        (["run", "tales", "--out", "r", "-m", "tfdif"], "Did you mean 'tfidf'"),
        (["run", "tales", "--out", "r", "-m", "sd", "-m", "SD"], "each of them once"),
        (["run", "tales", "--out", "r", "-m", "length", "--unit", "event"], "events are scored by"),
        (["run", "tales", "--out", "r", "-m", "length", "--shard", "5/4"], "invalid shard"),
        (["run", "nowhere.txt", "--out", "r", "-m", "length"], "nowhere.txt"),
        (["status", "tales"], "there is no run in this folder"),
        (["export", "tales"], "there is no run in this folder"),
        (["run", "tales", "--out", "r", "--columns", "id"], "--columns takes two names"),
        (["run", "tales", "--out", "nonsense://x", "-m", "length"], "nonsense://x: cannot be reached"),
        (["export", "nonsense://x"], "nonsense://x: cannot be reached"),
        (["export", "run", "--format", "parquet"], "Parquet needs a file"),
        (["export", "run", "--out", "x.xlsx"], "unknown file extension .xlsx"),
    ],
)
def test_wrong_arguments_are_explained(arguments, problem):
    check_refused(arguments, problem)


@pytest.fixture
def finished(place):
    """Return the folder of a run with a text that failed and one that has a note."""
    (place / "texts").mkdir()
    for name, text in (("a", b"A wolf came."), ("b", "Ein Märchen.".encode("cp1252")), ("bad", b"")):
        (place / "texts" / f"{name}.txt").write_bytes(text)
    assert barthes("run", "texts", "-m", "length", "-m", "position", "-o", "run", "--workers", 1)[0] == 2
    return place / "run"


def test_export_to_standard_output(finished):
    code, out, err = barthes("export", finished)
    assert code == 0
    assert out.splitlines()[:2] == [
        "story,number,start,end,salience,rank,text,method,model,precision,window,low,high,stability",
        "texts/a.txt,1,0,12,3.0,1,A wolf came.,length,,,,,,",
    ]
    assert f"note: 1 text failed; `barthes status {finished}` shows why." in err
    assert "note: 1 text has notes, which only --format jsonl shows." in err
    code, out, err = barthes("export", finished, "--format", "jsonl")
    assert "Read as Windows-1252" in out
    assert "has notes" not in err


def test_export_of_a_run_that_is_not_finished(place):
    (place / "tales" / "t0.txt").write_text("")
    barthes("run", "tales", "-m", "length", "-o", "run", "--workers", 1, "--shard", "1/2")
    err = barthes("export", "run")[2]
    assert "1 text failed; `barthes status run` shows why." in err
    assert "2 texts are not done yet; run the same `barthes run` command again" in err


@pytest.mark.parametrize("name", ["x.parquet", "x.csv", "x.jsonl"])
def test_the_format_of_an_export_goes_by_the_ending(finished, place, name):
    assert barthes("export", finished, "--out", place / name)[0] == 0
    assert (place / name).stat().st_size
    if name == "x.parquet":
        assert pd.read_parquet(place / name)["salience"].tolist() == load_run(finished)["salience"].tolist()
