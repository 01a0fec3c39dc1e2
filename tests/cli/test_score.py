"""`barthes score` as people run it: real files, real models, real signals."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

import barthes
from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.surface_cues import Length
from barthes.cli.console import ErrorCounter
from barthes.cli.output import Output
from barthes.cli.score import score_cli, score_stories
from barthes.narrative import Narrative
from tests.cli.commands import run
from tests.cli.interrupts import hear_interrupts
from tests.tiny_models import tiny_network, tiny_tokenizer

EXAMPLES = Path(__file__).parents[2] / "examples"
TALE = EXAMPLES / "the_ferrymans_daughter.txt"
CINDERELLA = EXAMPLES / "cinderella.txt"


def test_json_of_one_story():
    code, out, err = run(
        "score", CINDERELLA, "--sentences", "--format", "json", "--influence", "--dtype", "float32"
    )
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["method"] == "sd"
    assert found["model"] == "smollm2-135m"
    assert found["precision"] == "float32"
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
    columns = ["story", "index", "start", "end", "salience", "rank", "text", "low", "high", "stability"]
    assert list(rows[0]) == columns
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


def test_a_preview_of_a_short_story_is_exact():
    more = ("--sentences", "--format", "json", "--dtype", "float32")
    found = json.loads(run("score", CINDERELLA, "--preview", *more)[1])
    assert found["method"] == "preview"
    assert found["sentences"][4]["salience"] == pytest.approx(0.850, abs=1e-3)


def test_the_best_preset():
    code, out, err = run("score", CINDERELLA, "--sentences", "--method", "best", "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["method"], found["window"]) == ("placed:centroid+similarity+embedding", None)
    assert found["model"] == "smollm2-135m"
    assert [row["rank"] for row in found["sentences"]][-1] == 1, "the end counts most in a story of six"
    assert all(row["low"] <= row["salience"] <= row["high"] for row in found["sentences"])
    for words, message in (
        (("--method", "best+sd"), "stands alone"),
        (("--method", "best", "--influence", "--format", "json"), "known of sd, va, paa, preview"),
        (("--unit", "event", "--preview"), "--preview is one of sentences"),
    ):
        code, out, err = run("score", CINDERELLA, *words)
        assert (code, out) == (2, "")
        assert message in " ".join(err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("method", "option", "value"), [("length", "--model", "gpt2"), ("position", "--window", "64")]
)
def test_an_option_without_effect_is_said(method, option, value):
    code, out, err = run("score", CINDERELLA, "--method", method, option, value, "--format", "json")
    assert (code, json.loads(out)["model"], json.loads(out)["window"]) == (0, None, None)
    assert f"note: {option} is not used: {method} " in err


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
    code, out, err = run("score", story, "--method", "length", "--format", "tsv")
    assert "indows-1252" not in out
    assert err == f"barthes: note: {story}: {found['notes'][0]}\n"


def test_a_story_that_is_named_twice_is_scored_once(tmp_path):
    (tmp_path / "a.txt").write_text("It rained. The wolf came.")
    (tmp_path / "b.txt").write_text("It snowed. The bear came.")
    names = [tmp_path / "b.txt", tmp_path, tmp_path / "." / "a.txt"]
    code, out, _ = run("score", *names, "--method", "length", "--format", "jsonl")
    assert code == 0
    assert [json.loads(line)["story"] for line in out.splitlines()] == [
        str(tmp_path / "b.txt"),
        str(tmp_path / "a.txt"),
    ]


def test_other_languages_than_the_model_was_made_for_are_remarked(tmp_path):
    story = tmp_path / "wolf.txt"
    story.write_text("Es regnete. Der Wolf kam.")
    code, _, err = run("score", story, "--language", "de", "--top", "1")
    assert code == 0
    assert "note: smollm2-135m was made for English; for 'de' choose another model with --model." in err
    assert run("score", story, "--language", "de", "--method", "length")[2] == ""


def test_a_sentence_longer_than_the_window():
    code, out, err = run(
        "score", "-", "--window", "16", text="The wolf " + "ran and " * 30 + "slept. He woke."
    )
    assert (code, out) == (2, "")
    assert "larger window" in err


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
        (["--preview", "--method", "va"], "'va' has no preview"),
        (["--preview", "--unit", "event"], "--preview is one of sentences"),
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


def test_interruption_between_stories(tmp_path):
    """SIGINT while the second, long story is being scored: the first has been written, whole."""
    long = tmp_path / "z.txt"
    long.write_text(" ".join(f"The wolf came to house number {i}." for i in range(300)), encoding="utf-8")
    command = [sys.executable, "-u", "-m", "barthes", "score", CINDERELLA, long, "--format", "jsonl"]
    command.append("--no-cache")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=hear_interrupts
    ) as process:
        first = process.stdout.readline()  # there once the first story is finished
        time.sleep(0.5)  # the line is out a moment before the story is counted
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert json.loads(first)["story"] == str(CINDERELLA)
    assert rest == b""
    assert b"barthes: interrupted; 1 of 2 stories were finished and written." in err
    assert b"Traceback" not in err


def test_interruption_before_the_first_story(tmp_path):
    """SIGINT while a story is awaited from a pipe."""
    story = tmp_path / "story.txt"
    os.mkfifo(story)
    command = [sys.executable, "-m", "barthes", "score", story, "--method", "length"]
    with (
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=hear_interrupts
        ) as process,
        story.open("wb"),
    ):  # opens once the command reads
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert (out, err) == (b"", b"barthes: interrupted; nothing was written.\n")


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (KeyboardInterrupt(), typer.Exit),
        (ZeroDivisionError(), ZeroDivisionError),
        (SystemExit(1), SystemExit),
    ],
)
def test_finished_stories_are_kept_whatever_happens(tmp_path, error, raised):
    out = tmp_path / "out.jsonl"
    stories = [Narrative.from_sentences(["One came.", "Two went."], title=title) for title in ("a", "b")]
    output = Output(None, out, order=None, top=None, influence=False)

    def score(narrative):
        if narrative is stories[1]:
            raise error
        return Length().score(narrative)

    with pytest.raises(raised):
        score_stories(stories, score, output, ErrorCounter())
    assert [json.loads(line)["story"] for line in out.read_text(encoding="utf-8").splitlines()] == ["a"]
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(("method", "count"), [("length", 0), ("tfidf", 1), ("length + TFIDF", 1)])
def test_document_frequencies_are_counted_for_tfidf_only(tmp_path, monkeypatch, method, count):
    counted = []
    real = DocumentFrequencies.from_narratives
    monkeypatch.setattr(
        DocumentFrequencies, "from_narratives", lambda stories: counted.append(stories) or real(stories)
    )
    out = tmp_path / "out.json"
    score_cli([str(CINDERELLA), str(TALE)], method=method, out=out, sentences=True)
    assert len(counted) == count
    assert len(json.loads(out.read_text(encoding="utf-8"))) == 2


@pytest.mark.parametrize("chosen", ["tsv", "table", "json"])
def test_a_closed_pipe_is_no_error(tmp_path, chosen):
    """The reader goes before anything is written; the story is too long for the pipe's buffer."""
    story = tmp_path / "long.txt"
    story.write_text("The wolf came to the house of the goat and knocked.\n" * 3000, encoding="utf-8")
    options = ["--sentences", "--method", "length", "--format", chosen]
    command = [sys.executable, "-m", "barthes", "score", story, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        err = process.stderr.read()
    assert (process.returncode, err) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["score", CINDERELLA, "--method", "length", "--format", "json"],
        ["score", CINDERELLA, "--method", "length", "--format", "tsv"],
        ["score", CINDERELLA, "--method", "length"],
        ["--help"],
        ["--version"],
        ["models", "list"],
        ["score", "--help"],
        ["models", "fetch", "--help"],
    ],
)
def test_a_full_disk_behind_standard_output(arguments):
    command = [sys.executable, "-m", "barthes", *arguments]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == 2
    assert done.stderr == (
        "barthes: standard output: cannot be written (No space left on device). "
        "Send it to a disk that has room.\n"
    )


@pytest.mark.parametrize("chosen", ["table", "jsonl"])
def test_pipes_get_utf8_whatever_the_locale(chosen):
    command = [sys.executable, "-m", "barthes", "score", "-", "--method", "length", "--format", chosen]
    environment = os.environ | {"PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(command, input="Žižek came. Ω!".encode(), capture_output=True, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Žižek" in done.stdout.decode()
    assert chosen != "table" or "█" in done.stdout.decode()


def test_file_names_that_are_not_utf8(tmp_path):
    story, out = os.fsencode(tmp_path) + b"/caf\xe9.txt", tmp_path / "out.json"
    try:
        Path(os.fsdecode(story)).write_text("The café closed. She wept.", encoding="utf-8")
    except OSError:
        pytest.skip("this file system has no such names")
    command = [sys.executable, "-m", "barthes", "score", story, "--method", "length"]
    done = subprocess.run([*command, "--out", out], capture_output=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert json.loads(out.read_text(encoding="utf-8"))["story"] == str(tmp_path / "caf�.txt")
    done = subprocess.run([*command, "--format", "table"], capture_output=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, b"")


def test_names_and_stories_do_not_steer_the_terminal(tmp_path):
    good, bad = tmp_path / "a\x1b[31m.txt", tmp_path / "b\x1b]0;x\x07.txt"
    good.write_text("The wolf \x1b[31mcame. " + "Then it rained for a long, long time. " * 20)
    bad.write_bytes(b"")
    code, out, err = run("score", good, bad, "--method", "length")
    assert code == 2
    assert "a�[31m.txt" in out
    assert "b�]0;x�.txt" in err
    assert "\x1b" not in out + err


def test_json_is_a_list_where_several_were_asked_for(tmp_path):
    (tmp_path / "empty.txt").write_bytes(b"")
    code, out, _ = run("score", CINDERELLA, tmp_path, "--method", "length", "--format", "json")
    assert code == 2
    assert [found["story"] for found in json.loads(out)] == [str(CINDERELLA)]
    (tmp_path / "empty.txt").write_text("A wolf came.")
    code, out, _ = run("score", tmp_path, "--method", "length", "--format", "json")
    assert (code, json.loads(out)["story"]) == (0, str(tmp_path / "empty.txt"))


def test_unknown_endings_are_refused_unless_the_format_is_given(tmp_path):
    out = tmp_path / "out.xlsx"
    code, shown, err = run("score", CINDERELLA, "--method", "length", "--out", out)
    assert (code, shown) == (2, "")
    assert "out.xlsx: there is no format for files that end in .xlsx" in err
    assert "--format" in err
    assert not out.exists()
    assert run("score", CINDERELLA, "--method", "length", "--out", out, "--format", "csv") == (0, "", "")
    assert out.read_text().startswith("story,index")


@pytest.mark.parametrize("name", ["out", "out.txt", "out.TXT"])
def test_a_table_in_a_file(tmp_path, name):
    assert run("score", CINDERELLA, "--method", "length", "--out", tmp_path / name) == (0, "", "")
    assert "█" in (tmp_path / name).read_text(encoding="utf-8")


def test_a_named_pipe_gets_the_result_and_stays(tmp_path):
    out = tmp_path / "out.jsonl"
    os.mkfifo(out)
    command = [sys.executable, "-m", "barthes", "score", CINDERELLA, "--method", "length", "--out", out]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        found = json.loads(out.read_text(encoding="utf-8"))
        assert process.communicate(timeout=120)[1] == b""
    assert process.returncode == 0
    assert found["story"] == str(CINDERELLA)
    assert out.is_fifo()


def test_progress_is_silent_in_pipes_and_alive_in_terminals(tmp_path):
    """A pseudo-terminal for stderr: the bar is there, with the remaining time."""
    import pty

    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "barthes", "score", CINDERELLA, "--sentences", "--format", "json"]
    command.append("--no-cache")
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
    assert b"reading" in shown
    assert b"cinderella" in shown
    assert b"%" in shown
    assert re.search(rb"\d:\d\d:\d\d", shown), "no remaining time"


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["models", "-h"]])
def test_help(arguments):
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    assert out.startswith("Usage:")
    assert len(out.splitlines()) > 5


def test_version():
    assert run("--version") == (0, f"barthes {barthes.__version__}\n", "")


def test_a_story_is_not_written_over_by_its_scores(tmp_path):
    story = tmp_path / "story.txt"
    story.write_text("A wolf came. It rained.", encoding="utf-8")
    code, _, err = run("score", tmp_path, "--method", "length", "--out", story)
    assert code == 2
    assert "one of the stories" in err
    assert story.read_text(encoding="utf-8") == "A wolf came. It rained."


def test_a_second_time_the_scores_come_from_the_cache(tmp_path, monkeypatch):
    model = tmp_path / "tiny"
    tiny_network().save_pretrained(model)
    tiny_tokenizer().save_pretrained(model)
    story = tmp_path / "story.txt"
    story.write_text("The wolf came. A girl ran. The king slept and died. It rained!")
    command = ["score", story, "--model", model, "--format", "json", "--influence"]
    first = run(*command)
    assert first[0] == 0
    monkeypatch.setattr("barthes.models.loading.load_model", None)
    assert run(*command) == first
    with pytest.raises(TypeError):  # without the cache it has to load the model
        run(*command, "--no-cache")
