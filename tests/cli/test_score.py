"""The command as people run it: a process of its own, real files, real signals."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import barthes

EXAMPLES = Path(__file__).parents[2] / "examples"
TALE = EXAMPLES / "the_ferrymans_daughter.txt"
CINDERELLA = EXAMPLES / "cinderella.txt"


def run(*arguments, text=None, **options):
    command = [sys.executable, "-m", "barthes", *map(str, arguments)]
    data = text.encode() if isinstance(text, str) else text
    done = subprocess.run(command, input=data, capture_output=True, timeout=300, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_json_of_one_story():
    code, out, err = run("score", CINDERELLA, "--sentences", "--format", "json", "--influence")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["method"] == "sd"
    assert found["model"] == "smollm2-135m"
    assert found["unit"] == "sentence"
    assert found["window"] is None
    assert found["notes"] == []
    rows = found["sentences"]
    assert [row["index"] for row in rows] == list(range(6))
    assert rows[4]["rank"] == 1
    text = CINDERELLA.read_text(encoding="utf-8")
    assert all(text[row["start"] : row["end"]] == row["text"] for row in rows)
    assert len(found["influence"]) == 6
    assert found["influence"][5][4] == pytest.approx(0.850, abs=1e-3)


@pytest.mark.parametrize("ending", ["tsv", "csv"])
def test_rows_go_by_the_ending_of_the_file(tmp_path, ending):
    out = tmp_path / f"result.{ending}"
    assert run("score", TALE, "--method", "tfidf+position", "--out", out) == (0, "", "")
    delimiter = "\t" if ending == "tsv" else ","
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8")), delimiter=delimiter))
    assert len(rows) == 80
    assert set(rows[0]) == {"story", "index", "start", "end", "salience", "rank", "text"}
    text = TALE.read_text(encoding="utf-8")
    for row in rows:
        assert " ".join(text[int(row["start"]) : int(row["end"])].split()) == row["text"]


def test_several_stories_are_lines(tmp_path):
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text("A wolf came. It rained.", encoding="utf-8")
    code, out, err = run("score", tmp_path, CINDERELLA, "--method", "length", "--format", "jsonl")
    assert (code, err) == (0, "")
    stories = [json.loads(line)["story"] for line in out.splitlines()]
    assert stories == [str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), str(CINDERELLA)]


def test_a_ranked_table_by_default():
    code, out, _ = run("score", TALE, "--method", "length", "--top", "3")
    assert code == 0
    ranks = [line.split()[0] for line in out.splitlines() if line[:4].strip().isdigit()]
    assert ranks == ["1", "2", "3"]


def test_standard_input():
    code, out, _ = run("score", "-", "--method", "position", "--format", "json", text="One came. Two went.")
    assert code == 0
    assert [row["text"] for row in json.loads(out)["sentences"]] == ["One came.", "Two went."]


def test_python_and_the_command_agree():
    _, out, _ = run("score", TALE, "--method", "tfidf", "--format", "json")
    profile = barthes.score(barthes.read(TALE), method="tfidf")
    assert [row["salience"] for row in json.loads(out)["sentences"]] == list(profile.scores)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b" \n\t ", "white space"),
        (b"\x00\x01\x02" * 100, "text"),
    ],
)
def test_bad_files(tmp_path, content, message):
    story, out = tmp_path / "story.txt", tmp_path / "out.tsv"
    story.write_bytes(content)
    code, shown, err = run("score", story, "--method", "length", "--out", out)
    assert (code, shown) == (2, "")
    assert "story.txt" in err
    assert message in err
    assert "Traceback" not in err
    assert not out.exists()


def test_one_sentence_is_scored_with_a_note():
    code, out, _ = run("score", "-", "--format", "json", text="A wolf came.")
    assert code == 0
    assert "end-of-text" in json.loads(out)["notes"][0]


def test_other_encodings_are_read_and_said(tmp_path):
    story = tmp_path / "cafe.txt"
    story.write_bytes("The café closed. She wept.".encode("cp1252"))
    code, out, _ = run("score", story, "--method", "length", "--format", "json")
    assert code == 0
    found = json.loads(out)
    assert found["sentences"][0]["text"] == "The café closed."
    assert "indows-1252" in found["notes"][0]


def test_a_sentence_longer_than_the_window():
    code, out, err = run(
        "score", "-", "--window", "16", text="The wolf " + "ran and " * 30 + "slept. He woke."
    )
    assert (code, out) == (2, "")
    assert "larger --window" in err


def test_a_missing_file_among_many(tmp_path):
    out = tmp_path / "out.jsonl"
    code, _, err = run("score", tmp_path / "nowhere.txt", CINDERELLA, "--method", "length", "--out", out)
    assert code == 2
    assert "nowhere.txt: there is no such file" in err
    assert len(out.read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "tfdif"], "Did you mean 'tfidf'"),
        (["--method", "sd+"], "there is no method ''"),
        (["--model", "./nowhere"], "no such folder"),
        (["--dtype", "float31"], "Did you mean 'float32'"),
        (["--language", "klingon"], "language"),
        (["--out", "/nowhere/out.tsv"], "folder does not exist"),
        (["--influence"], "json"),
        (["--fromat", "json"], "--format"),
    ],
)
def test_wrong_arguments_are_explained(arguments, message):
    code, out, err = run("score", TALE, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_a_folder_that_cannot_be_written_is_found_out_before_the_work(tmp_path):
    began = time.perf_counter()
    code, _, err = run("score", TALE, "--out", tmp_path / "no" / "out.json")
    assert code == 2
    assert "mkdir -p" in err
    assert time.perf_counter() - began < 20


def _hear_interrupts():
    """A shell that runs the tests in the background has told all its children to ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_interruption_writes_finished_stories_and_nothing_half(tmp_path):
    """SIGINT while the second, long story is being scored: the first is in the file, whole."""
    long = tmp_path / "z.txt"
    long.write_text(" ".join(f"The wolf came to house number {i}." for i in range(300)), encoding="utf-8")
    out = tmp_path / "out.jsonl"
    command = [sys.executable, "-u", "-m", "barthes", "score", CINDERELLA, long, "--out", out]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=_hear_interrupts)
    time.sleep(25)
    assert process.poll() is None, "too fast: it was to be interrupted"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert b"interrupted" in err
    assert b"Traceback" not in err
    if out.exists():
        assert [json.loads(line)["story"] for line in out.read_text().splitlines()] == [str(CINDERELLA)]
    assert {path.name for path in tmp_path.iterdir()} <= {"z.txt", "out.jsonl"}


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m barthes score {TALE} --method length --format tsv | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith("story\tindex")
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr


def test_progress_is_silent_in_pipes_and_alive_in_terminals(tmp_path):
    """A pseudo-terminal for stderr: the bar is there, with the remaining time."""
    import pty

    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "barthes", "score", CINDERELLA, "--sentences", "--format", "json"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=follower, env=environment)
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:
            break
        shown += piece
    out, _ = process.communicate(timeout=120)
    assert json.loads(out)["sentences"][4]["rank"] == 1
    assert b"cinderella" in shown
    assert b"%" in shown


def test_version():
    assert run("--version") == (0, f"barthes {barthes.__version__}\n", "")
