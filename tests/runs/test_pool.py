"""Workers in real processes, some of which are killed."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from dataclasses import replace

import psutil
import pytest

import barthes
from barthes.errors import BarthesError, ModelError
from barthes.runs.process_pool import ProcessPool, choose_devices, count_cores
from tests.runs.counting_runs import (
    SETTINGS,
    TALE,
    load,
    load_after_a_death,
    load_and_die,
    load_fatal,
    load_nothing,
    load_paired,
    load_slow,
    make_text,
)


@pytest.fixture
def pools():
    with contextlib.ExitStack() as stack:

        def make(loading=load, workers=2, settings=SETTINGS):
            pool = ProcessPool(settings, workers=workers, load=loading)
            stack.callback(pool.close)
            return pool

        yield make


def find_workers():
    """Return the processes of pools; multiprocessing's resource tracker is not one."""
    children = psutil.Process().children()
    return [child for child in children if any("spawn_main" in word for word in child.cmdline())]


def test_every_text_has_a_result(pools):
    pool = pools()
    environment = pool.start()
    assert environment["fingerprint"] == load(SETTINGS, "cpu").fingerprint
    assert len(find_workers()) == 1  # others are started when there are texts for them
    found = {each.id: each for each in pool.score([make_text(name) for name in "abcdef"])}
    assert sorted(found) == list("abcdef")
    assert {each.outcome for each in found.values()} == {"done"}
    assert len(find_workers()) == 2
    workers = find_workers()
    pool.close()
    assert psutil.wait_procs(workers, timeout=10)[1] == []


def test_a_text_fails_if_it_kills_two_workers_and_no_other_text_does(pools, tmp_path):
    texts = {"a": TALE, "once": TALE + f"Once {tmp_path / 'mark'}\n", "bad": "Kill.\n" + TALE, "b": TALE}
    found = {each.id: each for each in pools(load_fatal).score(make_text(*item) for item in texts.items())}
    outcomes = {name: result.outcome for name, result in found.items()}
    assert outcomes == {"a": "done", "once": "done", "bad": "failed", "b": "done"}
    assert "bad: its worker died twice" in found["bad"].reason


def test_a_worker_that_dies_while_it_starts_is_replaced(pools):
    pool = pools(load_after_a_death)
    assert pool.start()["device"] is not None
    psutil.wait_procs(find_workers(), timeout=0.1)
    [worker] = find_workers()
    worker.kill()
    worker.wait(10)  # while it is idle
    assert [each.outcome for each in pool.score([make_text("a")])] == ["done"]


def test_a_pool_stops_in_the_middle_of_a_text(pools):
    pool = pools(load_slow)
    results = pool.score([make_text("a"), make_text("long", TALE * 200), make_text("b")])
    next(results)
    workers = find_workers()
    pool.close()
    assert psutil.wait_procs(workers, timeout=10)[1] == []


def test_problems_of_all_workers_stop_the_run(pools):
    with pytest.raises(ModelError, match="counting: no model here"):
        pools(load_nothing).start()
    with pytest.raises(ModelError, match="workers keep dying"):
        pools(load_and_die).start()
    texts = [make_text(f"t{i}", "Kill.\n" + TALE) for i in range(20)]
    with pytest.raises(ModelError, match="workers keep dying"):
        list(pools(load_fatal).score(texts))


def test_workers_are_numbered(pools, tmp_path):
    """So that addresses with ``{rank}`` give each its own server."""
    assert len(list(pools(load_paired).score(map(make_text, "ab")))) == 2
    assert sorted(path.name for path in tmp_path.glob("worker-*")) == ["worker-0", "worker-1"]


def test_workers_must_compute_in_the_same_environment(pools):
    pool = pools()
    pool.start()
    pool._environment = {**pool._environment, "torch": "1.0"}
    with pytest.raises(ModelError, match=r"differs from the first: torch: 1\.0 then"):
        list(pool.score([make_text("a")]))


def test_devices_of_workers(monkeypatch):
    no_model = replace(SETTINGS, methods=("length",))
    assert choose_devices(no_model, None, 1) == ["cpu"] * count_cores()
    assert choose_devices(replace(SETTINGS, device="mps"), 2, 1) == ["mps", "mps"]
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    cuda = replace(SETTINGS, device="auto")
    assert choose_devices(cuda, None, 1) == ["cuda:0", "cuda:1"]
    assert choose_devices(cuda, 3, 1) == ["cuda:0", "cuda:1", "cuda:0"]
    assert choose_devices(replace(SETTINGS, device="cuda:1"), None, 1) == ["cuda:1"]


def test_the_memory_limits_the_number_of_workers(monkeypatch):
    monkeypatch.setattr("barthes.runs.process_pool.count_cores", lambda: 64)
    monkeypatch.setattr("barthes.runs.process_pool.count_memory", lambda: 3 * 700_000_000)
    assert choose_devices(SETTINGS, None, 1) == ["cpu"] * 3
    assert choose_devices(SETTINGS, None, 32) == ["cpu"] * 2
    monkeypatch.setattr("barthes.runs.process_pool.count_memory", lambda: 0)
    assert choose_devices(SETTINGS, None, 1) == ["cpu"]
    assert os.cpu_count() is not None


def test_several_stories_are_scored_as_each_by_itself():
    stories = ["A wolf came. It ate the sheep.", ["It rained.", "The girl ran."], barthes.read_text(TALE)]
    profiles = barthes.score_many(stories, n_jobs=2, method="length")
    assert [profile.to_dict() for profile in profiles] == [
        barthes.score(story, method="length").to_dict() for story in stories
    ]
    assert profiles[2].narrative == stories[2]
    assert barthes.score_many(stories, method="length") == profiles
    for jobs in (1, 2):
        with pytest.raises(BarthesError, match=r"story 1: .* no chapters"):
            barthes.score_many(stories, n_jobs=jobs, method="length", unit="chapter")
    with pytest.raises(TypeError):
        barthes.score_many("A wolf came. It rained.", method="length")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_script_without_a_guard_needs_one_for_several_processes_only(tmp_path, jobs):
    script = tmp_path / "script.py"
    stories = '["A wolf came.", "It rained."]'
    script.write_text(
        f"import barthes\nprint(len(barthes.score_many({stories}, n_jobs={jobs}, method='length')))\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    if jobs == 1:
        assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")
    else:
        assert "__main__" in done.stderr.splitlines()[-1]
