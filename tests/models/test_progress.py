from __future__ import annotations

from barthes.models.progress import show_nothing, show_on_stderr


def fetch_something(progress):
    with progress() as reporter:
        reporter.announce("Fetching [this] …")
        reporter.step("Downloading", 31_000_000, 93_000_000)
        reporter.step("Downloading", 93_000_000, 93_000_000)
        reporter.step("Converting", 0, 0)


def test_a_pipe_sees_one_line(capsys):
    fetch_something(show_on_stderr)
    assert capsys.readouterr() == ("", "Fetching [this] …\n")


def test_a_terminal_sees_how_far_it_is(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # Rich's way to be told that it writes to a terminal
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with show_on_stderr() as reporter:
        reporter.announce("Fetching [this] …")
        reporter.step("Downloading", 31_000_000, 93_000_000)
        reporter._bar.refresh()
        reporter.step("Converting", 0, 0)
        reporter._bar.refresh()
    out, err = capsys.readouterr()
    assert out == ""
    assert "Fetching [this] …" in err
    assert "31 of 93 MB" in err
    assert "Converting" in err
    assert "0 of 0" not in err


def test_silence(capsys):
    fetch_something(show_nothing)
    assert capsys.readouterr() == ("", "")
