"""Corpora of a few words and a model that needs no torch: what tests of runs are made of."""

from __future__ import annotations

import json
import os
import signal
import time

from barthes.models.counting import CountingModel
from barthes.runs.engine import Workplace
from barthes.runs.settings import RunSettings

TALE = "A wolf came.\nThe wolf ate a sheep.\nIt rained.\nThe girl ran.\nThe king died.\n"
SETTINGS = RunSettings(("sd", "sd+tfidf"), model="counting", sentences=True, device="cpu")
PARTS = RunSettings(("sd",), model="counting", sentences=True, device="cpu", window=40, part_tokens=200)


def load(device: str) -> CountingModel:
    return CountingModel([TALE])


def load_slowly(device: str) -> CountingModel:
    time.sleep(0.2)
    return CountingModel([TALE])


class SlowReader(CountingModel):
    """Takes its time for every reading."""

    def read(self, tokens):
        time.sleep(0.01)
        return super().read(tokens)


def load_slow_reader(device: str) -> SlowReader:
    return SlowReader([TALE])


class FatalModel(CountingModel):
    """Ends its process where the text says so; once, if it says where to write that down."""

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

    raise ModelError("there is no model here.", where="counting", remedy="Give one.")


def load_badly(device: str) -> CountingModel:
    raise RuntimeError("nobody has thought of this")


def load_late(device: str) -> CountingModel:
    time.sleep(5)
    return CountingModel([TALE])


def workplace(settings: RunSettings = SETTINGS, *, loading=load, cache=None) -> Workplace:
    model = load("cpu")
    identity = {"model": "counting", "fingerprint": model.fingerprint, "precision": model.precision}
    return Workplace(settings, loading, identity, cache=cache, limit=None if cache is None else 10**6)


def write_table(path, texts):
    rows = texts.items() if isinstance(texts, dict) else ((f"t{i}", text) for i, text in enumerate(texts))
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in rows), encoding="utf-8")
    return path
