"""`barthes serve` and `barthes mcp`: the local web page, and the server for assistants and editors."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from typer import echo

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import print_note
from barthes.cli.help_panels import option
from barthes.errors import BarthesError
from barthes.jobs.offer import Limits

_LIMITS = Limits()


def serve_cli(
    host: Annotated[
        str,
        option("Server", "Address to listen on; all but this machine's own need a token.", metavar="ADDRESS"),
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        option("Server", "Port; 0 for any free one. [default: 8710, or the next free one]", min=0, max=65535),
    ] = None,
    open_browser: Annotated[bool, option("Other", "Open the page in a browser.", "--open/--no-open")] = True,
    results: Annotated[
        Path | None, option("Output", "Folder for results. [default: in your data folder]", metavar="FOLDER")
    ] = None,
    model: shared.ServedModels = None,
    token: Annotated[bool, option("Server", "Require a token on this machine too.", "--token")] = False,
    allow_host: Annotated[
        list[str] | None,
        option("Server", "Host name of the server, such as stories.example.org; repeatable."),
    ] = None,
    max_sentences: shared.MaxSentences = _LIMITS.sentences,
    max_minutes: shared.MaxMinutes = _LIMITS.seconds / 60,
) -> None:
    """Score stories on a local web page.

    Paste or drop a story, read the interactive report, download the scores. Everything stays on this machine,
    unless the model is on another; results are kept until you delete them. Ctrl-C stops the server.

    \b
    Examples:
      barthes serve                        for this machine only
      barthes serve --model ./my-model     offer a model of your own
      barthes serve --host 0.0.0.0         for your network, with a token
    """
    with _needing("the web page", "serve", ("fastapi", "starlette", "uvicorn")):
        from barthes.web.job_store import results_folder
        from barthes.web.server import ServerSettings, serve

    settings = ServerSettings(
        host=host,
        port=port,
        token=token,
        hosts=allow_host or (),
        results=results or results_folder(),
        models=model or (),
        limits=Limits(sentences=max_sentences, seconds=60 * max_minutes),
    )

    def announce(address: str, secret: str | None) -> None:
        full = f"{address}#token={secret}" if secret else address
        echo(f"Barthes is at {full}")
        echo(f"Results are stored in {settings.results}. Press Ctrl-C to stop the server.")
        sys.stdout.flush()
        if open_browser and _has_screen():
            # In a thread: some browsers return only when they are closed.
            threading.Thread(target=webbrowser.open, args=(full,), daemon=True).start()

    serve(settings, ready=announce)
    print_note("the server has stopped.")


def _has_screen() -> bool:
    """Return whether there is a screen; a browser in text mode would take over the terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def mcp_cli(
    allow: Annotated[
        list[Path] | None,
        option("Server", "Folder whose files may be read; repeatable. [default: none]", metavar="FOLDER"),
    ] = None,
    model: shared.ServedModels = None,
    max_sentences: shared.MaxSentences = _LIMITS.sentences,
    max_minutes: shared.MaxMinutes = _LIMITS.seconds / 60,
) -> None:
    """Let assistants and editors score, explain, compare and cut stories.

    Speaks the Model Context Protocol on standard input and output; a client such as an editor starts it.
    Texts stay on this machine, unless the model is on another. Files are read only below the folders that you
    allow.

    \b
    Examples:
      barthes mcp                        texts only
      barthes mcp --allow ~/stories      files below a folder too
    """
    with _needing("the MCP server", "mcp", ("mcp", "mcp_types", "anyio")):
        from barthes.integrations.mcp_server import StoryTools, make_server

    limits = Limits(sentences=max_sentences, seconds=60 * max_minutes)
    make_server(StoryTools(allow or (), models=model or (), limits=limits)).run("stdio")


@contextmanager
def _needing(what: str, extra: str, libraries: Collection[str]) -> Iterator[None]:
    """Say what to install if one of the libraries is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in libraries:
            raise
        raise BarthesError(
            f"{what} needs {error.name}, which is not installed.",
            remedy=f"Install it with: pip install 'barthes[{extra}]'",
        ) from error


SERVE = Command(serve_cli, panel="Score stories")
MCP = Command(mcp_cli, panel="Score stories")
