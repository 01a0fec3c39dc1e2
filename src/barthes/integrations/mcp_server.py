"""A Model Context Protocol server: assistants and editors score, explain, compare and cut stories.

::

    assistant ──stdio──▶ StoryTools ──▶ jobs.Runner ──▶ worker process, which runs the tasks of `mcp_tasks`
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from anyio import from_thread, to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from barthes.annotation.languages import choose_language
from barthes.errors import BarthesError
from barthes.integrations import mcp_tasks
from barthes.integrations.allowed_folders import AllowedFolders
from barthes.integrations.mcp_tasks import Answer
from barthes.jobs.offer import Limits, Models, Unit, describe_methods
from barthes.jobs.runner import Runner
from barthes.jobs.story import StorySource
from barthes.jobs.worker import TaskProgress
from barthes.version import __version__

_MOST = 5_000  # units in a result
_PHASES = {"reading": (0.0, 0.02), "fetching": (0.02, 0.06), "loading": (0.06, 0.1), "scoring": (0.1, 1.0)}
"""The share of the progress at which each phase begins and ends."""

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
Whole = Annotated[bool, Field(description="Take several stories or chapters of a file as one story.")]
Top = Annotated[int, Field(description="Length of lists in the result.", ge=1, le=_MOST)]
UnitName = Annotated[Unit, Field(description="What to score.")]
Number = Annotated[int, Field(description="The sentence, counted from 1 as score_story does.", ge=1)]
Percent = Annotated[
    float | None, Field(description="Share of the words to keep; or give words.", gt=0, lt=100)
]
WordCount = Annotated[int | None, Field(description="Number of words to keep.", ge=1)]
Kept = Annotated[list[int], Field(description="Numbers of units not to cut, from 1.", max_length=_MOST)]


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
        self.models: Models = Models(models)
        self.limits: Limits = limits or Limits()
        self.runner: Runner = Runner(self.limits)

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
        whole: Whole = False,
        top: Top = 10,
    ) -> Answer:
        """Find the sentences, events or scenes that a story can least do without.

        The default method, sentence deletion (sd), scores how much less likely the rest of the story becomes
        to a language model without each sentence, in nats per token; higher is more salient. Where it may be
        trusted, importance_rank is its rank by how important readers are likely to find it.
        """
        whole = whole or unit == "chapter"
        options = {"story": self._locate(text, path, chapter, language, whole), "top": top}
        options |= self._choose(method, unit, model)
        return await self._run(ctx, mcp_tasks.score_story, options)

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
        whole: Whole = False,
        top: Top = 5,
    ) -> Answer:
        """Show what later sentences lose without a sentence, and on which earlier ones it depends itself."""
        options = {"story": self._locate(text, path, chapter, language, whole), "number": number, "top": top}
        options |= self._choose(method, "sentence", model)
        return await self._run(ctx, mcp_tasks.explain_sentence, options)

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
    ) -> Answer:
        """Compare two drafts of a story: what gained and lost salience, what was added and removed."""
        drafts = [(before, before_path, "before"), (after, after_path, "after")]
        options: dict[str, Any] = {
            "drafts": [self._locate(*each[:2], None, language, whole=True, name=each[2]) for each in drafts],
            "top": top,
        }
        options |= self._choose(method, unit, model)
        return await self._run(ctx, mcp_tasks.compare_drafts, options)

    async def suggest_cuts(
        self,
        ctx: Context,
        text: Text = None,
        path: PathName = None,
        percent: Percent = None,
        words: WordCount = None,
        keep: Kept = [],  # noqa: B006 - never changed; pydantic copies it
        unit: Annotated[Unit, Field(description="What to cut; not event.")] = "sentence",
        model: ModelName = None,
        language: LanguageName = None,
        chapter: Chapter = None,
        whole: Whole = False,
        with_text: Annotated[bool, Field(description="Whether to return the shortened story.")] = True,
    ) -> Answer:
        """Shorten a story by the sentences, or longer units, that the rest misses least. Costs are nats."""
        if (percent is None) == (words is None):
            raise ToolError("Give either percent or words.")
        options = {
            "story": self._locate(text, path, chapter, language, whole or unit == "chapter"),
            "to": None if percent is None else percent / 100,
            "words": words,
            "keep": keep,
            "unit": unit,
            "with_text": with_text,
            "model": self._choose("sd", unit, model)["model"],
        }
        return await self._run(ctx, mcp_tasks.suggest_cuts, options)

    async def list_methods(self) -> Answer:
        """List the methods that score stories."""
        return {"methods": list(map(asdict, describe_methods()))}

    async def list_models(self) -> Answer:
        """List the language models on offer, and the limits on stories and calls."""
        return {"models": list(map(asdict, self.models.describe())), "limits": asdict(self.limits)}

    def _locate(
        self,
        text: str | None,
        path: str | None,
        chapter: int | None,
        language: str | None,
        whole: bool,
        *,
        name: str = "",
    ) -> StorySource:
        """Return the story that a call names, or raise ToolError."""
        if (text is None) == (path is None):
            raise ToolError(f"Give either {name or 'text'} or {f'{name}_path' if name else 'path'}.")
        if text is not None and len(text.encode("utf-8", "replace")) > self.limits.bytes:
            raise ToolError(self.limits.explain_size())
        options = {"chapter": chapter, "language": language}
        with _explaining():
            if language is not None:
                choose_language(language)
            if path is None:
                return StorySource(text or "", "the text", self.limits, options, whole, file_name="story.txt")
            found = self.folders.find(path)
        return StorySource(found, str(found), self.limits, options | {"name": found.name}, whole)

    def _choose(self, method: str, unit: str, model: str | None) -> dict[str, Any]:
        """Return the method, the unit and the model (None if the method needs none), or raise ToolError."""
        with _explaining():
            chosen = self.models.choose(model, method=method, unit=unit)
        return {"method": method, "unit": unit, "model": chosen}

    async def _run(self, ctx: Context, function: Callable[..., Answer], options: dict[str, Any]) -> Answer:
        """Run a task in the worker, with progress; it stops if the call is cancelled."""
        report = ProgressReport(lambda share, phase: from_thread.run(ctx.report_progress, share, 1.0, phase))
        run = partial(self.runner.run, listen=report.listen, check=from_thread.check_cancelled)
        with _explaining():
            result: Answer = await to_thread.run_sync(run, partial(function, **options))
        return result


class ProgressReport:
    """Turns the phases of a task and their progress into one number that only increases."""

    def __init__(self, report: Callable[[float, str], None]) -> None:
        self._report = report
        self._last = -1.0

    def listen(self, progress: Any) -> None:
        """Handle a message of the worker."""
        if not isinstance(progress, TaskProgress):
            return
        low, high = _PHASES[progress.phase]
        share = min(1.0, progress.done / progress.total) if progress.total else 0.0
        if (value := low + (high - low) * share) > self._last:
            self._last = value
            self._report(value, progress.phase)


@contextmanager
def _explaining() -> Iterator[None]:
    """Turn errors into those of tools, with the argument to change."""
    try:
        yield
    except BarthesError as error:
        argument = f" (argument: {error.option})" if error.option else ""
        raise ToolError(f"{error}{argument}") from error


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
