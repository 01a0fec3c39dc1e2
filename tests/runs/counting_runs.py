"""Small corpora, models that need no torch, and a pool in this process, for tests of runs."""

from __future__ import annotations

import io
import json
import os
import signal
import time
from concurrent.futures import Future
from pathlib import Path

from barthes.errors import ModelError
from barthes.hashing import hash_bytes
from barthes.models.counting import CountingModel
from barthes.runs.inputs import Input, Text
from barthes.runs.manifest import RunSettings
from barthes.runs.pool import Pool
from barthes.runs.results import EXPORT_FORMATS, RunResults
from barthes.runs.worker import RunWorker

TALE = "A wolf came.\nThe wolf ate a sheep.\nIt rained.\nThe girl ran.\nThe king died.\n"
TEXTS = [TALE * (1 + i % 4) for i in range(12)]
SETTINGS = RunSettings(("sd", "sd+tfidf"), model="counting", sentences=True, device="cpu")


def load(settings, device):
    return CountingModel([TALE])


class SlowModel(CountingModel):
    """Pause before every reading."""

    def read(self, tokens):
        time.sleep(0.01)
        return super().read(tokens)


def load_slow(settings, device):
    return SlowModel([TALE])


class PairedModel(CountingModel):
    """Leave a file named after its worker, and wait for that of another worker."""

    def read(self, tokens):
        folder = Path(os.environ["BARTHES_CACHE"]).parent
        (folder / f"worker-{os.environ['BARTHES_RANK']}").touch()
        while len(list(folder.glob("worker-*"))) < 2:
            time.sleep(0.01)
        return super().read(tokens)


def load_paired(settings, device):
    return PairedModel([TALE])


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


def load_fatal(settings, device):
    return FatalModel([TALE])


def load_nothing(settings, device):
    raise ModelError("no model here.", where="counting", remedy="Give one.")


def load_and_die(settings, device):
    os.kill(os.getpid(), signal.SIGKILL)


def load_after_a_death(settings, device):
    mark = Path(os.environ["BARTHES_CACHE"]).parent / "died"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return CountingModel([TALE])


class InlinePool(Pool):
    """A worker in this process."""

    size = 1

    def __init__(self, settings=SETTINGS, load=load):
        super().__init__()
        self._worker = RunWorker(settings, load)

    def _start_worker(self, rank):
        return self

    def answer(self, text):
        future = Future()
        future.set_result(self._worker.answer(text))
        return future

    def stop(self):
        pass

    def _explain_death(self, error):
        return None


def make_text(name, content=TALE):
    data = content if isinstance(content, bytes) else content.encode()
    modified = 1 if isinstance(content, bytes) else None
    return Text(Input(name, name, hash_bytes(data), len(data), modified), content)


def export(run, format="csv"):  # noqa: A002
    """Return an export of a run."""
    stream = io.BytesIO()
    EXPORT_FORMATS[format](RunResults(run), stream)
    return stream.getvalue()


def write_table(path, texts):
    rows = texts.items() if isinstance(texts, dict) else ((f"t{i}", text) for i, text in enumerate(texts))
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in rows), encoding="utf-8")
    return path
