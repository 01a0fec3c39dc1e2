"""What people see while a model is trained."""

from __future__ import annotations

import io
import sys

import pytest

from barthes.finetuning.reporting import Pace, describe, show_nothing, show_on_stderr

PACE = Pace(step=3, steps=40, loss=3.14159, perplexity=None, tokens_per_second=250.4, seconds_left=61)


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
    reporter.measure("held-out perplexity", 1, 9)
    reporter.step(PACE)
    reporter.evaluate(Pace(4, 40, 3.0, 21.5, 250.4, 59))


def test_a_pipe_gets_a_line_an_evaluation(monkeypatch):
    stream = redirect(monkeypatch, io.StringIO())
    with show_on_stderr() as reporter:
        play(reporter)
    assert stream.getvalue().splitlines() == [
        "training on 3 stories [bold]",
        "step 4 of 40 · loss 3.000 · held-out perplexity 21.50 · 250 tokens/s · 0:59 left",
    ]


def test_a_terminal_has_a_line_that_changes(monkeypatch):
    stream = redirect(monkeypatch, Screen())
    with show_on_stderr() as reporter:
        play(reporter)
        reporter._status._live.refresh()
    assert "training on 3 stories [bold]" in stream.getvalue()
    assert "held-out perplexity 21.50" in stream.getvalue()
    assert "\x1b[2K" in stream.getvalue()  # drawn over


def test_nobody_is_told(capsys):
    with show_nothing() as reporter:
        play(reporter)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("seconds", "left"), [(5, "0:05"), (65.4, "1:05"), (36_000, "10:00:00")])
def test_remaining_time(seconds, left):
    assert describe(Pace(1, 2, 1.0, None, 1.0, seconds)).endswith(f"· {left} left")
