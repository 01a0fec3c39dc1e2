"""Real processes: some end well, some are killed."""

from __future__ import annotations

import os
import signal
import time

import pytest

from barthes.errors import ModelError
from barthes.runs.engine import Item
from barthes.runs.inputs import Input, hash_text
from barthes.runs.local import InlineEngine, ProcessEngine
from tests.runs.counting import TALE, load_fatal, load_nothing, load_slowly, workplace


def item(name, text=TALE):
    return Item(Input(name, "t.jsonl", hash_text(text), len(text)), text)


def do(engine, items):
    """All outcomes by id, and whatever is under way never exceeds the capacity."""
    waiting, found, busy = list(items), {}, 0
    ends = time.monotonic() + 120
    while (waiting or busy) and time.monotonic() < ends:
        while waiting and busy < engine.capacity:
            engine.submit(waiting.pop(0))
            busy += 1
        outcome = engine.collect(0.5)
        if outcome is not None:
            busy -= 1
            found[outcome.item.input.id] = outcome
    return found


@pytest.fixture
def engines():
    made = []
    yield lambda *args: made.append(ProcessEngine(*args)) or made[-1]
    for engine in made:
        engine.close()
        assert engine.pids == []


def test_two_workers_give_what_one_gives(engines):
    items = [item(f"t{i}", TALE * (1 + i % 3)) for i in range(12)]
    alone = do(InlineEngine(workplace()), items)
    together = engines(workplace(), ["cpu", "cpu"])
    assert {name: each.content for name, each in do(together, items).items()} == {
        name: each.content for name, each in alone.items()
    }
    assert together.tokens > 0


def test_only_as_many_workers_as_items_are_started(engines):
    engine = engines(workplace(), ["cpu"] * 8)
    do(engine, [item("a")])
    assert len(engine.pids) == 1


def test_a_killed_worker_is_replaced_and_its_text_done_again(engines, tmp_path):
    engine = engines(workplace(loading=load_fatal), ["cpu", "cpu"])
    once = TALE + f"Once {tmp_path / 'mark'}\n"
    found = do(engine, [item("a"), item("once", once), item("b")])
    assert {name: each.kind for name, each in found.items()} == {"a": "done", "b": "done", "once": "done"}


def test_a_text_that_kills_twice_has_failed(engines):
    engine = engines(workplace(loading=load_fatal), ["cpu"])
    found = do(
        engine, [item("bad", TALE + "Kill me.\n"), item("b"), item("worse", "Kill.\n" + TALE), item("c")]
    )
    assert {name: each.kind for name, each in found.items()} == {
        "bad": "failed",
        "b": "done",
        "worse": "failed",
        "c": "done",
    }
    assert "ended twice (killed by SIGKILL)" in found["bad"].content["reason"]


def test_a_worker_killed_while_idle_is_replaced(engines):
    engine = engines(workplace(), ["cpu"])
    do(engine, [item("a")])
    os.kill(engine.pids[0], signal.SIGKILL)
    assert do(engine, [item("b")])["b"].kind == "done"


def test_a_model_that_cannot_be_had_stops_everything(engines):
    engine = engines(workplace(loading=load_nothing), ["cpu", "cpu"])
    with pytest.raises(ModelError, match="there is no model here"):
        do(engine, [item("a"), item("b")])


def test_workers_that_only_die_stop_everything(engines):
    engine = engines(workplace(loading=load_fatal), ["cpu"])
    with pytest.raises(ModelError, match="one after another"):
        do(engine, [item(f"t{i}", f"Kill {i}.\n" + TALE) for i in range(20)])


def test_collect_waits_no_longer_than_it_may(engines):
    engine = engines(workplace(loading=load_slowly), ["cpu"])
    engine.submit(item("a"))
    began = time.monotonic()
    assert engine.collect(0.01) is None
    assert time.monotonic() - began < 1
