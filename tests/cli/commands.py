"""Commands in this process: much quicker than one of their own, which only signals and exit codes need."""

from __future__ import annotations

from typer.testing import CliRunner

from barthes.cli.main import app


def run(*arguments: object, text: str | bytes | None = None) -> tuple[int, str, str]:
    """Run `barthes` with these arguments; return the exit code, standard output and standard error."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments], input=text)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr
