"""`barthes mcp`: a Model Context Protocol server for assistants and editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from barthes.cli import shared_options as shared
from barthes.cli.help_panels import option
from barthes.errors import BarthesError
from barthes.web.server import Limits

_LIMITS = Limits()


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
    Texts stay on this machine. Files are read only below the folders that you allow.

    \b
    Examples:
      barthes mcp                        texts only
      barthes mcp --allow ~/stories      files below a folder too
    """
    try:
        from barthes.integrations.mcp_server import StoryTools, make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio", "pydantic"):
            raise
        raise BarthesError(
            f"the MCP server needs {error.name}, which is not installed.",
            remedy="Install it with: pip install mcp",
        ) from error
    limits = Limits(sentences=max_sentences, seconds=60 * max_minutes)
    make_server(StoryTools(allow or (), models=model or (), limits=limits)).run("stdio")
