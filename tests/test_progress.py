from __future__ import annotations

import io
import sys

from barthes.progress import show_nothing, show_on_stderr


class Screen(io.StringIO):
    def isatty(self):
        return True


def redirect(monkeypatch, stream):
    """Replace stderr by a stream, with the settings of a colour terminal."""
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    return stream


def report(reporter, refresh=lambda: None):
    reporter.announce("training on 3 stories [bold]")
    reporter.update("step 3 of 40 [bold]")
    refresh()
    reporter.update("downloading, 31 of 93 MB", 31, 93)
    refresh()
    reporter.announce("step 4 of 40")


def test_a_pipe_gets_only_the_lines_that_stay(monkeypatch):
    stream = redirect(monkeypatch, io.StringIO())
    with show_on_stderr() as reporter:
        report(reporter)
    assert stream.getvalue().splitlines() == ["training on 3 stories [bold]", "step 4 of 40"]


def test_a_terminal_gets_a_line_that_changes(monkeypatch):
    stream = redirect(monkeypatch, Screen())
    with show_on_stderr() as reporter:
        report(reporter, refresh=lambda: reporter._bars.refresh())
    shown = {line for line in stream.getvalue().splitlines() if " of " in line}
    assert "training on 3 stories [bold]" in stream.getvalue()
    assert any("step 3 of 40 [bold]" in line for line in shown)
    assert {"━" in line for line in shown if "step 3" in line} == {False}
    assert {"━" in line for line in shown if "31 of 93 MB" in line} == {True}
    assert "\x1b[2K" in stream.getvalue(), "each line replaces the one before"


def test_progress_can_be_ignored(capsys):
    with show_nothing() as reporter:
        report(reporter)
    assert capsys.readouterr() == ("", "")
