"""`barthes serve`: the local web page."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from barthes.cli.console import echo, print_note
from barthes.web.server import Limits, ServerSettings, serve


def serve_cli(
    host: Annotated[
        str, typer.Option(help="The address to listen on; any but this machine's own asks for a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="0 takes any that is free. [default: 8710, or the next free one]"
        ),
    ] = None,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = True,
    results: Annotated[
        Path | None, typer.Option(help="The folder for results. [default: in your data folder]")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A model to choose on the page besides the embedded ones: a folder, a GGUF file, a Hugging "
            "Face name. May be given again; the first is the default."
        ),
    ] = None,
    token: Annotated[
        bool, typer.Option("--token", help="Ask for a token on this machine too (others may use it).")
    ] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name the server answers to, such as stories.example.org.")
    ] = None,
    max_sentences: Annotated[
        int, typer.Option(min=1, help="Longer stories are refused.")
    ] = Limits().sentences,
    max_minutes: Annotated[
        float, typer.Option(min=0.01, help="Longer scorings are ended.")
    ] = Limits().seconds / 60,
    max_waiting: Annotated[
        int, typer.Option(min=1, help="Stories that may wait in the queue.")
    ] = Limits().waiting,
    warm: Annotated[
        bool, typer.Option("--warm/--no-warm", help="Load the model at once, not with the first story.")
    ] = True,
) -> None:
    """Score stories on a page in your browser: paste or drop one, read the report, download it.

    Everything stays on this machine. Results are kept until you delete them. Ctrl-C stops the server.

    \b
    Examples:
      barthes serve                             on this machine only
      barthes serve --model ./my-model          with a model of your own to choose
      barthes serve --host 0.0.0.0              for others in your network, with a token
    """
    from barthes.web.job_store import results_folder

    settings = ServerSettings(
        host=host,
        port=port,
        token=token,
        hosts=allow_host or (),
        results=results or results_folder(),
        models=model or (),
        limits=Limits(sentences=max_sentences, seconds=60 * max_minutes, waiting=max_waiting),
        warm=warm,
    )

    def announce(address: str, secret: str | None) -> None:
        full = f"{address}#token={secret}" if secret else address
        echo(f"Barthes is at {full}")
        echo(f"Results are kept in {settings.results}. Ctrl-C stops the server.")
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
