"""`barthes mcp` in a process of its own, used by the SDK's client and by hostile ones."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys

import psutil
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import barthes
from barthes.reading import read
from barthes.report.comparison import Kind, compare
from barthes.units import regroup
from tests.cli.commands import check_refused
from tests.web.running import LONG_TALE, TALE, save_tiny_model

LONG = "\n".join(LONG_TALE.splitlines()[:1_500])
SECOND_TALE = TALE.replace("It rained. ", "").replace("The sheep died.", "The sheep died and it rained.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with an allowed one in it, a model, a cache and a file that may not be read."""
    folder = tmp_path_factory.mktemp("mcp")
    save_tiny_model(folder / "model")
    (folder / "tales").mkdir()
    (folder / "tales" / "tale.txt").write_text(TALE, encoding="utf-8")
    (folder / "tales" / "second.txt").write_text(SECOND_TALE, encoding="utf-8")
    (folder / "secret.txt").write_text("A secret wolf came.", encoding="utf-8")
    (folder / "tales" / "link.txt").symlink_to(folder / "secret.txt")
    return folder


def describe_server(folder, *options):
    arguments = ["-m", "barthes", "mcp", "--allow", str(folder / "tales"), "--model", str(folder / "model")]
    environment = {**os.environ, "BARTHES_CACHE": str(folder / "cache")}
    return StdioServerParameters(command=sys.executable, args=[*arguments, *options], env=environment)


def connect(folder, *options):
    return Client(stdio_client(describe_server(folder, *options)))


async def ask(client, tool, **arguments):
    """Return the structured result of a call that succeeds."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


async def fail(client, tool, **arguments):
    """Return the message of a call that fails."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return result.content[0].text


def test_every_tool_answers_what_the_library_computes(folder):
    async def talk():
        async with connect(folder) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert all(tool.annotations.read_only_hint and tool.output_schema for tool in tools.values())
            seen = []

            async def note(progress, total, phase):
                seen.append((progress, total, phase))

            scored = await client.call_tool("score_story", {"path": "tale.txt"}, progress_callback=note)
            values = [progress for progress, _, _ in seen]
            assert values == sorted(set(values))
            assert {total for _, total, _ in seen} == {1.0}
            assert [phase for _, _, phase in seen][:1] == ["reading"]
            assert values[-1] == 1.0
            return (
                set(tools),
                scored.structured_content,
                await ask(client, "explain_sentence", text=TALE, number=2),
                await ask(client, "compare_drafts", before=TALE, after_path="second.txt"),
                await ask(client, "suggest_cuts", path="tale.txt", percent=80, keep=[2]),
                await ask(client, "score_story", text=TALE, method="length", unit="paragraph", top=1),
                await ask(client, "list_methods"),
                await ask(client, "list_models"),
            )

    tools, scored, explained, compared, cut, paragraphs, methods, models = asyncio.run(talk())
    assert tools == {
        "score_story", "explain_sentence", "compare_drafts", "suggest_cuts", "list_methods", "list_models"
    }  # fmt: skip
    model = barthes.load_model(str(folder / "model"))
    profile = barthes.score(read(folder / "tales" / "tale.txt"), model=model)
    assert scored["score_unit"] == "nats per token"
    assert scored["total"] == len(profile.units)
    assert [(each["number"], each["rank"]) for each in scored["top"]] == [
        (unit.index + 1, unit.rank) for unit in profile.top()
    ]
    assert [each["salience"] for each in scored["top"]] == pytest.approx(
        [unit.salience for unit in profile.top()], abs=1e-6
    )
    assert [each["number"] for each in scored["unranked"]] == [len(profile.units)]

    column = profile.influences.columns[1]
    assert explained["later_total"] == len(column)
    assert explained["later"][0]["loss"] == pytest.approx(max(column), abs=1e-6)
    assert explained["later"][0]["number"] == int(column.argmax()) + 3
    assert explained["earlier"][0]["loss"] == pytest.approx(profile.influence[1, 0], abs=1e-6)

    drafts = [read(folder / "tales" / name) for name in ("tale.txt", "second.txt")]
    comparison = compare(*(barthes.score(draft, model=model) for draft in drafts))
    assert compared["change_unit"] == "nats per token"
    assert compared["counts"] == {kind: comparison.count(Kind(kind)) for kind in compared["counts"]}
    assert [each["change"] for each in compared["gained"]] == pytest.approx(
        [pair.change for pair in comparison.gained(5)], abs=1e-6
    )

    short = barthes.cut(drafts[0], to=0.8, keep=[1], model=model)
    assert cut["text"] == short.text
    assert [each["number"] for each in cut["cuts"]] == [each.sentence.index + 1 for each in short.cuts]
    assert (cut["words"], cut["cost_unit"]) == (short.words, "nats")

    assert (paragraphs["unit"], len(paragraphs["top"])) == ("paragraph", 1)
    assert paragraphs["total"] == len(regroup(drafts[0], "paragraph"))
    assert methods["methods"][0]["name"] == "sd"
    assert models["models"][0]["name"] == str(folder / "model")
    assert models["limits"]["bytes"] == 50_000_000


def test_hostile_calls_are_refused_and_the_server_lives_on(folder):
    async def talk():
        async with connect(folder, "--max-sentences", "100") as client:
            for name in ("../secret.txt", "link.txt", str(folder / "secret.txt"), "/etc/passwd", "a\0b"):
                problem = await fail(client, "score_story", path=name, method="length")
                assert "only files below the allowed folders" in problem
                assert "secret wolf" not in problem
            assert "larger than 50 MB" in await fail(client, "score_story", text="a wolf " * 9_000_000)
            assert "accepts up to 100" in await fail(client, "score_story", text=LONG, method="length")
            assert "Unknown tool" in await fail(client, "run_shell", command="id")
            for arguments in (
                {},
                {"text": TALE, "path": "tale.txt"},
                {"text": 5},
                {"text": TALE, "method": "magic"},
                {"text": TALE, "model": "/etc"},
                {"text": TALE, "model": "http://127.0.0.1:9/v1"},
                {"text": TALE, "unit": "word"},
                {"text": TALE, "top": 0},
                {"text": TALE, "language": "../.."},
                {"text": "   "},
                {"text": "\ud7ff\x00\x01"},
                {"text": TALE, "chapter": 10**30},
            ):
                assert "Traceback" not in await fail(client, "score_story", **arguments)
            book = "Chapter 1\n\nA wolf came.\n\nChapter 2\n\nIt rained."
            several = await fail(client, "score_story", text=book, method="length")
            assert "2. Chapter 2 (2 words)" in several
            assert "(argument: chapter whole)" in several
            assert "there is no sentence 99" in await fail(client, "explain_sentence", text=TALE, number=99)
            assert "either percent or words" in await fail(client, "suggest_cuts", text=TALE)
            return await ask(client, "score_story", text=TALE, method="length", top=1)

    assert asyncio.run(talk())["total"] == 7


def find_worker():
    """Return the worker process of the server: its only child that computes."""
    family = psutil.Process().children(recursive=True)
    workers = [each for each in family if "spawn_main" in " ".join(each.cmdline())]
    assert len(workers) == 1
    return workers[0]


def test_a_cancelled_call_stops_the_computation_and_keeps_the_model(folder):
    async def talk():
        async with connect(folder) as client:
            started = asyncio.Event()

            async def note(progress, total, phase):
                if progress > 0.1:
                    started.set()

            call = asyncio.create_task(
                client.call_tool("score_story", {"text": LONG}, progress_callback=note)
            )
            waiting = asyncio.create_task(client.call_tool("score_story", {"text": LONG}))
            await asyncio.wait_for(started.wait(), 240)
            worker = find_worker()
            for each in (waiting, call):
                each.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await each
            await ask(client, "score_story", text=TALE, top=1)  # waits for the worker
            assert find_worker().pid == worker.pid  # it was not killed: the model is still loaded
            return worker

    worker = asyncio.run(talk())
    psutil.wait_procs([worker], timeout=10)
    assert not worker.is_running()


def test_malformed_lines_are_answered_or_ignored_and_stdout_has_only_protocol(folder):
    server = describe_server(folder)
    first = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "hostile", "version": "1"},
    }
    call = {"name": "score_story", "arguments": {"text": TALE, "method": "length"}}
    lines = [
        "{not json",
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": first}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "[" * 100_000,
        "\x00\xff",
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": 3}}),
        json.dumps({"jsonrpc": "2.0", "id": 3, "method": "no/such/method"}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}),
        json.dumps({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": call}),
    ]
    process = subprocess.Popen(
        [server.command, *server.args],
        env=server.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    answers = {}
    with process:
        process.stdin.write("".join(f"{line}\n" for line in lines).encode("latin-1"))
        process.stdin.flush()
        while 4 not in answers:
            answer = json.loads(process.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            answers[answer.get("id")] = answer
        process.stdin.close()  # how clients end a server
        assert process.stdout.read() == b""
        assert process.wait(20) == 0
    assert "error" in answers[2]
    assert "error" in answers[3]
    assert answers[4]["result"]["structuredContent"]["total"] == 7


def test_the_command_names_the_missing_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.delitem(sys.modules, "barthes.integrations.mcp_server", raising=False)
    check_refused(["mcp", "--allow", tmp_path], "pip install 'barthes[mcp]'")


def test_the_server_needs_no_web_framework():
    script = "import sys, barthes.integrations.mcp_server; print({'fastapi', 'torch'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
