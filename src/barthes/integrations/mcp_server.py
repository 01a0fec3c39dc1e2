"""A Model Context Protocol server: assistants and editors score, explain, compare and cut stories.

::

    assistant ──stdio──▶ StoryTools ──▶ ToolRunner ──pipe──▶ ToolWorker (reads, loads models, scores)
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

from anyio import from_thread, to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from barthes.annotation.languages import choose_language
from barthes.errors import BarthesError
from barthes.integrations import mcp_worker
from barthes.integrations.allowed_folders import AllowedFolders
from barthes.integrations.mcp_results import (
    ComparisonResult,
    CutResult,
    Explanation,
    MethodList,
    ModelList,
    ScoreResult,
)
from barthes.integrations.mcp_worker import StorySource, ToolCall, ToolRunner
from barthes.methods import check_method
from barthes.version import __version__
from barthes.web.score_options import Choices, Unit
from barthes.web.server import Limits

T = TypeVar("T")

_MOST = 5_000  # units in a result

Text = Annotated[str | None, Field(description="The story itself; or give a path.")]
PathName = Annotated[
    str | None,
    Field(
        description="A file below an allowed folder, relative to it or absolute: text, EPUB, DOCX, PDF …",
        max_length=4_000,
    ),
]
MethodName = Annotated[str, Field(description="A name from list_methods, or a sum.", max_length=100)]
ModelName = Annotated[
    str | None, Field(description="A name from list_models; default: the first.", max_length=500)
]
LanguageName = Annotated[
    str | None, Field(description="ISO code; default: as the file says, else en.", max_length=20)
]
Chapter = Annotated[int | None, Field(description="Only this chapter, counted from 1.", ge=1)]
Top = Annotated[int, Field(description="Length of lists in the result.", ge=1, le=_MOST)]
UnitName = Annotated[Unit, Field(description="What to score.")]
Number = Annotated[int, Field(description="The sentence, counted from 1 as score_story does.", ge=1)]


class StoryTools:
    """The tools of the server.

    Args:
        folders: Folders whose files may be read.
        models: Language models besides the embedded ones; the first is the default.
        limits: The limits on stories and calls.

    Raises:
        ReadingError: One of the folders cannot be used.
    """

    def __init__(
        self,
        folders: Sequence[str | Path] = (),
        *,
        models: Sequence[str] = (),
        limits: Limits | None = None,
    ) -> None:
        self.folders: AllowedFolders = AllowedFolders(folders)
        self.choices: Choices = Choices(models)
        self.limits: Limits = limits or Limits()
        self.runner: ToolRunner = ToolRunner(self.limits)

    async def score_story(
        self,
        ctx: Context,
        text: Text = None,
        path: PathName = None,
        method: MethodName = "sd",
        unit: UnitName = "sentence",
        model: ModelName = None,
        language: LanguageName = None,
        chapter: Chapter = None,
        top: Top = 10,
    ) -> ScoreResult:
        """Find the sentences, events or scenes that a story can least do without.

        The default method, sentence deletion (sd), scores how much less likely the rest of the story becomes
        to a language model without each sentence, in nats per token; higher is more salient.
        """
        options = {"story": self._locate(text, path, chapter, language), "unit": unit, "top": top}
        options |= self._choose(method, unit, model)
        return await self._run(ctx, mcp_worker.score_story, options)

    async def explain_sentence(
        self,
        ctx: Context,
        number: Number,
        text: Text = None,
        path: PathName = None,
        method: MethodName = "sd",
        model: ModelName = None,
        language: LanguageName = None,
        chapter: Chapter = None,
        top: Top = 5,
    ) -> Explanation:
        """Show what later sentences lose without a sentence, and on which earlier ones it depends itself."""
        options = {"story": self._locate(text, path, chapter, language), "number": number, "top": top}
        options |= self._choose(method, "sentence", model)
        return await self._run(ctx, mcp_worker.explain_sentence, options)

    async def compare_drafts(
        self,
        ctx: Context,
        before: Text = None,
        after: Text = None,
        before_path: PathName = None,
        after_path: PathName = None,
        method: MethodName = "sd",
        unit: UnitName = "sentence",
        model: ModelName = None,
        language: LanguageName = None,
        top: Top = 5,
    ) -> ComparisonResult:
        """Compare two drafts of a story: what gained and lost salience, what was added and removed."""
        options = {
            "before": self._locate(before, before_path, None, language, names=("before", "before_path")),
            "after": self._locate(after, after_path, None, language, names=("after", "after_path")),
            "unit": unit,
            "top": top,
        }
        options |= self._choose(method, unit, model)
        return await self._run(ctx, mcp_worker.compare_drafts, options)

    async def suggest_cuts(
        self,
        ctx: Context,
        text: Text = None,
        path: PathName = None,
        percent: Annotated[
            float | None, Field(description="Share of the words to keep; or give words.", gt=0, lt=100)
        ] = None,
        words: Annotated[int | None, Field(description="Number of words to keep.", ge=1)] = None,
        keep: Annotated[
            list[int], Field(description="Numbers of units not to cut, from 1.", max_length=_MOST)
        ] = [],  # noqa: B006 - never changed; pydantic copies it
        unit: Annotated[Unit, Field(description="What to cut; not event.")] = "sentence",
        model: ModelName = None,
        language: LanguageName = None,
        chapter: Chapter = None,
        with_text: Annotated[bool, Field(description="Whether to return the shortened story.")] = True,
    ) -> CutResult:
        """Shorten a story by the sentences, or longer units, that the rest misses least."""
        if (percent is None) == (words is None):
            raise ToolError("Give either percent or words.")
        options = {
            "story": self._locate(text, path, chapter, language),
            "to": None if percent is None else percent / 100,
            "words": words,
            "keep": tuple(keep),
            "unit": unit,
            "with_text": with_text,
            "model": self._choose("sd", unit, model)["model"],
        }
        return await self._run(ctx, mcp_worker.suggest_cuts, options)

    async def list_methods(self) -> MethodList:
        """List the methods that score stories."""
        return MethodList(methods=self.choices.describe(self.limits).methods)

    async def list_models(self) -> ModelList:
        """List the language models on offer, and the limits on stories and calls."""
        options = self.choices.describe(self.limits)
        return ModelList(models=options.models, limits=options.limits)

    def _locate(
        self,
        text: str | None,
        path: str | None,
        chapter: int | None,
        language: str | None,
        *,
        names: tuple[str, str] = ("text", "path"),
    ) -> StorySource:
        """Return the story that a call names, or raise ToolError."""
        if (text is None) == (path is None):
            raise ToolError(f"Give either {names[0]} or {names[1]}.")
        if text is not None and len(text.encode("utf-8", "replace")) > self.limits.size:
            raise ToolError(self.limits.explain_size())
        try:
            if language is not None:
                choose_language(language)
            found = None if path is None else self.folders.find(path)
        except BarthesError as error:
            raise ToolError(str(error)) from error
        return StorySource(text or "", found, chapter, language)

    def _choose(self, method: str, unit: str, model: str | None) -> dict[str, Any]:
        """Return the method and its model (None if it needs none), or raise ToolError."""
        try:
            chosen = self.choices.choose_model(model, method)
            check_method(method, unit=unit, model=chosen)
        except BarthesError as error:
            raise ToolError(str(error)) from error
        return {"method": method, "model": chosen}

    async def _run(self, ctx: Context, function: Callable[..., T], options: dict[str, Any]) -> T:
        """Run a function in the worker, with progress; it stops if the call is cancelled."""

        def report(progress: float, phase: str) -> None:
            from_thread.run(ctx.report_progress, progress, 1.0, phase)

        try:
            call = ToolCall(function, options, self.limits)
            result: T = await to_thread.run_sync(self.runner.run, call, report)
        except BarthesError as error:
            raise ToolError(str(error)) from error
        return result


def make_server(tools: StoryTools) -> MCPServer:
    """Return the server with its tools; its worker ends with it."""

    @asynccontextmanager
    async def lifespan(server: MCPServer) -> AsyncIterator[None]:
        try:
            yield
        finally:
            tools.runner.close()

    folders = ", ".join(map(str, tools.folders.folders))
    server = MCPServer(
        "barthes",
        title="Barthes",
        version=__version__,
        instructions="Finds the sentences and events that a story cannot do without. Sentences are counted "
        f"from 1. {f'Files below these folders can be read: {folders}.' if folders else 'Send texts.'}",
        lifespan=lifespan,
        log_level="WARNING",
    )
    functions = (
        tools.score_story,
        tools.explain_sentence,
        tools.compare_drafts,
        tools.suggest_cuts,
        tools.list_methods,
        tools.list_models,
    )
    for function in functions:
        server.add_tool(function, annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))
    return server
