"""The command as people run it: processes, signals, a tiny transformer on disk."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from barthes.cli.run import _tell_time
from tests.cli.interrupts import hear_interrupts
from tests.tiny_models import tiny_network, tiny_tokenizer

TALE = "A wolf came. The wolf ate the sheep. The girl ran. It rained and then the king died."


def barthes(*arguments, cwd, **options):
    command = [sys.executable, "-m", "barthes", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=300, cwd=cwd, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "cache"))
    (tmp_path / "tales").mkdir()
    for i in range(4):
        (tmp_path / "tales" / f"t{i}.txt").write_text(" ".join([TALE] * (i + 1)), encoding="utf-8")
    return tmp_path


def export(place, run):
    code, out, _ = barthes("export", run, "--format", "jsonl", cwd=place)
    assert code == 0
    return out


def test_a_transformer_on_one_and_on_two_workers(place):
    tiny_network().save_pretrained(place / "tiny")
    tiny_tokenizer().save_pretrained(place / "tiny")
    options = ["tales", "--model", "tiny", "--no-cache", "--dtype", "float32"]
    code, out, err = barthes("run", *options, "--out", "two", "--workers", 2, cwd=place)
    assert (code, out) == (0, "")
    assert "4 of 4 texts are done (4 now)" in err
    code, _, err = barthes("run", *options, "--out", "one", "--workers", 1, cwd=place)
    assert code == 0
    assert export(place, "one") == export(place, "two")
    code, _, err = barthes("run", *options, "--out", "one", "--window", 64, cwd=place)
    assert code == 2
    assert "the window: none then, 64 now" in err


def test_failures_and_status(place):
    (place / "tales" / "empty.txt").write_text("")
    command = ["run", "tales", "-m", "length", "-m", "length+position", "--out", "run", "--workers", 1]
    code, _, err = barthes(*command, cwd=place)
    assert code == 2
    assert "failed: empty.txt: it is empty." in err
    assert "--retry-failed" in err
    code, out, _ = barthes("run", "--status", "run", cwd=place)
    assert code == 0
    assert out.splitlines()[0] == "4 of 5 texts are done, 1 failed, 0 are left."
    assert "method length, length+position" in out
    assert "failed: empty.txt" in out
    (place / "tales" / "empty.txt").write_bytes("Ein Märchen.".encode("cp1252"))
    code, _, err = barthes(*command, "--retry-failed", cwd=place)
    assert code == 0
    assert "5 of 5 texts are done (1 now)" in err
    told = "1 text has notes (empty.txt): barthes export run --format jsonl shows them."
    assert told in err
    assert told in barthes("run", "--status", "run", cwd=place)[1].splitlines()


def test_shards_join(place):
    command = ["run", "tales/*.txt", "-m", "length", "--workers", 1]
    barthes(*command, "--out", "whole", cwd=place)
    for shard, left in (("2/2", ["--shard 1/2: 2 of its texts are left."]), ("1/2", [])):
        assert barthes(*command, "--out", "shards", "--shard", shard, cwd=place)[0] == 0
        status = barthes("run", "--status", "shards", cwd=place)[1].splitlines()
        assert [line for line in status if line.startswith("--shard")] == left
    assert export(place, "shards") == export(place, "whole")


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the extra `ray` is not installed")
def test_a_ray_of_its_own_is_quiet_keeps_to_this_machine_and_leaves_nothing(place, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(place))
    (place / "texts").symlink_to(place / "tales")  # a short way
    words = "run texts/ -m length -m position --sentences --out ray --engine ray --workers 2"
    command = [sys.executable, "-m", "barthes", *words.split()]
    heard, family = set(), set()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=place, **pipes) as process:
        while process.poll() is None:
            with contextlib.suppress(psutil.Error):
                family |= set(psutil.Process(process.pid).children(recursive=True))
            for each in family:
                with contextlib.suppress(psutil.Error):
                    found = each.net_connections("inet")
                    heard |= {each.laddr.ip for each in found if each.status == psutil.CONN_LISTEN}
            time.sleep(0.1)
        out, err = process.communicate()
    assert (process.returncode, out) == (0, "")
    started, done = err.splitlines()
    assert started.startswith("barthes: note: starting Ray")
    assert done == "barthes: 4 of 4 texts are done (4 now); results are in ray."
    assert {address.removeprefix("::ffff:") for address in heard} == {"127.0.0.1"}
    _, alive = psutil.wait_procs(family, timeout=30)
    assert alive == []
    assert not list(place.glob("barthes-*"))
    assert not list(Path("/tmp").glob(f"barthes-*/session_*_{process.pid}"))
    words = "run texts/ -m length -m position --sentences --out local --workers 1"
    assert barthes(*words.split(), cwd=place)[0] == 0
    assert export(place, "ray") == export(place, "local")


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the extra `ray` is not installed")
@pytest.mark.parametrize(
    ("number", "wait"), [(signal.SIGINT, 1.0), (signal.SIGTERM, 1.0), (signal.SIGTERM, 0.0)]
)
def test_an_interrupted_start_of_ray_leaves_nothing(place, number, wait):
    (place / "texts").symlink_to(place / "tales")
    words = "run texts/ -m length --sentences --out ray --engine ray --workers 1"
    with tempfile.TemporaryDirectory(dir="/tmp") as short:  # Ray's sockets need a short path
        process = subprocess.Popen(
            [sys.executable, "-m", "barthes", *words.split()],
            cwd=place,
            env=os.environ | {"TMPDIR": short},
            stderr=subprocess.PIPE,
            preexec_fn=hear_interrupts,
        )
        ends = time.monotonic() + 120
        while not list(Path(short).glob("barthes-*/session_*")) and time.monotonic() < ends:
            time.sleep(0.01)
        time.sleep(wait)
        family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
        if process.returncode == 0:
            pytest.skip("it was faster than we")
        assert process.returncode == 130, err.decode()
        assert err.count(b"\n") == 2
        assert err.startswith(b"barthes: note: starting Ray")
        assert b"\nbarthes: interrupted; what is finished is kept in ray: the same command goes on" in err
        _, alive = psutil.wait_procs(family, timeout=30)
        assert alive == []
        assert list(Path(short).glob("barthes-*")) == []


def test_an_address_of_a_folder(place):
    address = f"file://{place}/run"
    words = f"run tales -m length --sentences --workers 1 --out {address}"
    assert barthes(*words.split(), cwd=place)[0] == 0
    assert barthes("run", "--status", address, cwd=place)[1].startswith("4 of 4 texts are done")
    assert export(place, address) == export(place, "run")


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_go_on(place, number):
    table = place / "t.csv"
    rows = "".join(f"t{i},{TALE}\n" for i in range(4000))
    table.write_text("id,text\n" + rows, encoding="utf-8")
    command = ["run", "t.csv", "--sentences", "-m", "length", "--workers", 1, "--out", "run"]
    process = subprocess.Popen(
        [sys.executable, "-m", "barthes", *map(str, command)],
        cwd=place,
        stderr=subprocess.PIPE,
        preexec_fn=hear_interrupts,
    )
    ends = time.monotonic() + 60
    while not list(place.glob("run/results/*.records")) and time.monotonic() < ends:
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    if process.returncode == 0:
        pytest.skip("it was faster than we")
    assert process.returncode == 130
    assert b"interrupted; what is finished is kept in run: the same command goes on from there." in err
    code, _, err = barthes(*command, cwd=place)
    assert code == 0
    assert "4,000 of 4,000 texts are done" in err
    assert "(4,000 now)" not in err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["run"], "give texts, and a folder"),
        (["run", "tales"], "give texts, and a folder"),
        (["run", "tales", "--out", "r", "-m", "tfdif"], "Did you mean 'tfidf'"),
        (["run", "tales", "--out", "r", "-m", "sd", "-m", "SD"], "each of them once"),
        (["run", "tales", "--out", "r", "-m", "length", "--unit", "event"], "events are scored by va or paa"),
        (["run", "tales", "--out", "r", "-m", "length", "--shard", "5/4"], "no shard"),
        (["run", "nowhere.txt", "--out", "r", "-m", "length"], "nowhere.txt"),
        (["run", "--status", "tales"], "there is no run in this folder"),
        (["run", "tales", "--status", "tales"], "--status goes with nothing else"),
        (["export", "tales"], "there is no run in this folder"),
        (["run", "tales", "--out", "r", "--address", "auto"], "go with --engine ray"),
        (["run", "tales", "--out", "r", "--gpus-per-worker", "1"], "go with --engine ray"),
        (["run", "tales", "--out", "nonsense://x", "-m", "length"], "nonsense://x: cannot be reached"),
        (["export", "nonsense://x"], "nonsense://x: cannot be reached"),
    ],
)
def test_what_is_wrong_is_told(place, arguments, problem):
    code, out, err = barthes(*arguments, cwd=place)
    assert (code, out) == (2, "")
    assert problem in " ".join(err.replace("│", " ").split())


def test_times():
    assert [_tell_time(seconds) for seconds in (5.9, 61, 7300)] == ["5 s", "1 min", "2 h 1 min"]
