"""Small corpora, a model that needs no torch, and helpers for tests of runs."""

from __future__ import annotations

import io
import json
import os
import signal
import time

from barthes.models.counting import CountingModel
from barthes.runs.engine import RunJob, WorkerSetup
from barthes.runs.inputs import Input, hash_text
from barthes.runs.run_results import EXPORT_FORMATS, RunResults
from barthes.runs.run_settings import RunSettings

TALE = "A wolf came.\nThe wolf ate a sheep.\nIt rained.\nThe girl ran.\nThe king died.\n"
SETTINGS = RunSettings(("sd", "sd+tfidf"), model="counting", sentences=True, device="cpu")
PARTS = RunSettings(("sd",), model="counting", sentences=True, device="cpu", window=40, part_tokens=200)


def load(device: str) -> CountingModel:
    return CountingModel([TALE])


class SlowReader(CountingModel):
    """Pause before every reading."""

    def read(self, tokens):
        time.sleep(0.01)
        return super().read(tokens)


def load_slow_reader(device: str) -> SlowReader:
    return SlowReader([TALE])


class FatalModel(CountingModel):
    """Kill its process at "Kill", or once at "Once PATH", where PATH is a file to create."""

    def encode(self, pieces):
        for piece in pieces:
            if piece.startswith("Kill"):
                os.kill(os.getpid(), signal.SIGKILL)
            if piece.startswith("Once "):
                mark = piece.removeprefix("Once ")
                if not os.path.exists(mark):  # noqa: PTH110
                    open(mark, "w").close()  # noqa: PTH123
                    os.kill(os.getpid(), signal.SIGKILL)
        return super().encode(pieces)


def load_fatal(device: str) -> FatalModel:
    return FatalModel([TALE])


def load_nothing(device: str) -> CountingModel:
    from barthes.errors import ModelError

    raise ModelError("no model here.", where="counting", remedy="Give one.")


def load_badly(device: str) -> CountingModel:
    raise RuntimeError("unforeseen")


def load_late(device: str) -> CountingModel:
    time.sleep(5)
    return CountingModel([TALE])


def make_setup(settings: RunSettings = SETTINGS, *, loading=load, cache=False) -> WorkerSetup:
    model = load("cpu")
    identity = {"model": "counting", "fingerprint": model.fingerprint, "precision": model.precision}
    return WorkerSetup(settings, loading, identity, cache=cache)


def make_job(name, text=TALE) -> RunJob:
    return RunJob(Input(name, "t.jsonl", hash_text(text), len(text)), text)


def run_jobs(engine, jobs):
    """Return all results by id; submit no more jobs at a time than the capacity."""
    waiting, found, busy = list(jobs), {}, 0
    ends = time.monotonic() + 120
    while (waiting or busy) and time.monotonic() < ends:
        while waiting and busy < engine.capacity:
            engine.submit(waiting.pop(0))
            busy += 1
        result = engine.collect(0.5)
        if result is not None:
            busy -= 1
            found[result.job.input.id] = result
    return found


def export(run):
    """Return the CSV export of a run."""
    stream = io.BytesIO()
    EXPORT_FORMATS["csv"](RunResults(run), stream)
    return stream.getvalue()


def write_table(path, texts):
    rows = texts.items() if isinstance(texts, dict) else ((f"t{i}", text) for i, text in enumerate(texts))
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in rows), encoding="utf-8")
    return path
