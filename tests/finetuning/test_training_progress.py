"""What people see while a model is trained."""

from __future__ import annotations

import io
import sys

from barthes.finetuning.training_progress import show_nothing, show_on_stderr


class Screen(io.StringIO):
    def isatty(self):
        return True


def redirect(monkeypatch, stream):
    """Be this stream stderr, of a terminal that knows colours if it is one."""
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    return stream


def play(reporter):
    reporter.announce("training on 3 stories [bold]")
    reporter.update("step 3 of 40 [bold]")
    reporter.announce("step 4 of 40")


def test_a_pipe_gets_the_lines_that_stay(monkeypatch):
    stream = redirect(monkeypatch, io.StringIO())
    with show_on_stderr() as reporter:
        play(reporter)
    assert stream.getvalue().splitlines() == ["training on 3 stories [bold]", "step 4 of 40"]


def test_a_terminal_has_a_line_that_changes(monkeypatch):
    stream = redirect(monkeypatch, Screen())
    with show_on_stderr() as reporter:
        play(reporter)
        reporter._status._live.refresh()
    assert "training on 3 stories [bold]" in stream.getvalue()
    assert "step 3 of 40 [bold]" in stream.getvalue()
    assert "\x1b[2K" in stream.getvalue()  # drawn over


def test_progress_can_be_ignored(capsys):
    with show_nothing() as reporter:
        play(reporter)
    assert capsys.readouterr() == ("", "")
