"""Pipes, full disks, encodings, terminals, help and exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest

import barthes
from barthes.__main__ import main
from barthes.cli.console import announce_duration
from barthes.cli.main import app
from tests.cli.commands import run, start
from tests.cli.test_score import CINDERELLA, EXAMPLES

FERRYMAN = EXAMPLES / "the_ferrymans_daughter.txt"
FULL = (
    "barthes: standard output: cannot be written (No space left on device). "
    "Free some disk space, or write elsewhere.\n"
)
needs_full_disk = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


@needs_full_disk
@pytest.mark.parametrize(
    "arguments",
    [
        ["score", CINDERELLA, "--method", "length", "--format", "json"],
        ["score", CINDERELLA, "--method", "length", "--format", "tsv"],
        ["score", CINDERELLA, "--method", "length"],
        ["--help"],
        ["--version"],
        ["models"],
        ["models", "fetch", "--help"],
    ],
    ids=str,
)
def test_a_full_disk_behind_standard_output(arguments, monkeypatch, capsys):
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as end:
            app([str(argument) for argument in arguments])
        assert (end.value.code, capsys.readouterr().err) == (2, FULL)


@needs_full_disk
def test_a_full_disk_leaves_nothing_to_complain_about_at_the_end_of_the_process():
    with Path("/dev/full").open("wb") as full, start("--version", stdout=full) as process:
        err = process.communicate(timeout=120)[1]
    assert (process.returncode, err.decode()) == (2, FULL)


@pytest.mark.parametrize("chosen", ["tsv", "table", "json"])
def test_a_closed_pipe_is_not_an_error(tmp_path, chosen):
    """The reader goes before anything is written; the story is too long for the pipe's buffer."""
    story = tmp_path / "long.txt"
    story.write_text("The wolf came to the house of the goat and knocked.\n" * 2000, encoding="utf-8")
    with start("score", story, "--sentences", "--method", "length", "--format", chosen) as process:
        process.stdout.close()
        err = process.stderr.read()
    assert (process.returncode, err) == (0, b"")


def test_pipes_get_utf8_and_file_names_may_be_anything(tmp_path):
    story, out = os.fsencode(tmp_path) + b"/caf\xe9.txt", tmp_path / "out.jsonl"
    Path(os.fsdecode(story)).write_text("Žižek came. Ω!", encoding="utf-8")
    os.mkfifo(out)
    environment = os.environ | {"PYTHONIOENCODING": "cp1252"}
    command = ["score", os.fsdecode(story), "--method", "length"]
    with start(*command, env=environment) as process:
        shown, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, b"")
    assert "Žižek" in shown.decode()
    assert "█" in shown.decode()
    with start(*command, "--out", out, env=environment) as process:  # a named pipe gets the result, and stays
        found = json.loads(out.read_text(encoding="utf-8"))
        assert process.communicate(timeout=120)[1] == b""
    assert process.returncode == 0
    assert found["story"] == str(tmp_path / "caf�.txt")
    assert out.is_fifo()


def test_names_and_stories_do_not_control_the_terminal(tmp_path):
    good, bad = tmp_path / "a\x1b[31m.txt", tmp_path / "b\x1b]0;x\x07.txt"
    good.write_text("The wolf \x1b[31mcame. " + "Then it rained for a long, long time. " * 20)
    bad.write_bytes(b"")
    code, out, err = run("score", good, bad, "--method", "length")
    assert code == 2
    assert "a�[31m.txt" in out
    assert "b�]0;x�.txt" in err
    assert "\x1b" not in out + err + run("show", good)[1]


def test_a_terminal_shows_progress(tmp_path, tiny):
    """A pseudo-terminal for stderr: the bar is there, with the remaining time."""
    import pty

    leader, follower = pty.openpty()
    command = ["score", FERRYMAN, "--model", tiny, "--format", "json", "--no-cache"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    with start(*command, stderr=follower, env=environment) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                shown += os.read(leader, 4096)
            except OSError:
                break
        out, _ = process.communicate(timeout=120)
    assert len(json.loads(out)["sentences"]) == 80
    for word in (b"reading", b"ferryman", b"%"):
        assert word in shown
    assert re.search(rb"\d:\d\d:\d\d", shown), "no remaining time"


def test_version():
    assert run("--version") == (0, f"barthes {barthes.__version__}\n", "")


def test_a_name_that_is_too_long_for_a_file():
    code, _, err = run("score", "x" * 5000, "--method", "length", "--html", "y" * 5000)
    assert code == 2
    assert "the file name is too long. Use a shorter one." in err


@pytest.mark.parametrize(
    ("seconds", "announced"), [(0.01, ""), (1.0, "about 2 minutes."), (90.0, "about 2.5 hours. Faster.")]
)
def test_long_work_is_announced_once_with_advice(seconds, announced, capsys):
    """A hundred steps of equal length; the first call only says how much there is to do."""
    now, calls = 5.0, []
    progress = announce_duration("n", lambda *call: calls.append(call), advice=" Faster.", clock=lambda: now)
    for done in range(100):
        progress(done, 100)
        now += seconds
    assert calls == [(done, 100) for done in range(100)]
    assert capsys.readouterr().err.removeprefix("barthes: note: n: this will take ").strip() == announced


def test_cached_and_resumed_work_does_not_count(capsys):
    now = 0.0
    progress = announce_duration("n", lambda *call: None, clock=lambda: now)
    for done in (90, 91, 92, 93):
        progress(done, 100)
        now += 60.0
    assert "about 10 minutes." in capsys.readouterr().err
    progress = announce_duration("n", lambda *call: None, clock=lambda: now)
    for _ in range(2):
        progress(1, 1)
        now += 1000
    assert capsys.readouterr().err == ""


def test_an_interruption_before_the_command_is_the_last(monkeypatch):
    """Ctrl-C while modules are imported; pressed again, it is ignored."""

    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr("barthes.cli.main.main", interrupt)
    with pytest.raises(SystemExit, match="130"):
        main()
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
