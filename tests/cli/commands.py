"""Run commands in this process, or start them as a process where that is the point: signals, pipes, exits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import Any

from typer.testing import CliRunner

from barthes.cli.main import app

__all__ = ["check_refused", "hear_interrupts", "interrupt", "run", "start"]


def run(*arguments: object, text: str | bytes | None = None) -> tuple[int, str, str]:
    """Run `barthes` with these arguments; return the exit code, standard output and standard error."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments], input=text)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def check_refused(arguments: list[object], message: str) -> None:
    """Check that a command ends with exit code 2, a message on stderr, no output and no traceback."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.replace("│", " ").split())
    assert "Traceback" not in err


def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    """Start `barthes` as a process of its own that can be interrupted."""
    command = [sys.executable, "-u", "-m", "barthes", *map(str, arguments)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": _BEFORE_START} | options
    return subprocess.Popen(command, **options)


def interrupt(
    process: subprocess.Popen[bytes], number: int = signal.SIGINT, *, patience: float = 10
) -> tuple[bytes, bytes]:
    """Interrupt a process until it ends; return its output. Python drops a signal that hits a destructor."""
    for _ in range(round(120 / patience)):
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=patience)
    raise AssertionError("the process does not end")


def hear_interrupts() -> None:
    """Let a child process hear Ctrl-C; a shell that runs the tests in the background makes it ignore that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


_BEFORE_START = hear_interrupts if os.name == "posix" else None  # Windows runs nothing there
