"""A short version of `make soak`: runs are killed at random moments."""

from __future__ import annotations

import importlib.util
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "soak.py"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_runs_give_the_results_of_undisturbed_ones():
    command = [sys.executable, SCRIPT, "--kills", "12", "--texts", "30", "--workers", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    report = re.fullmatch(
        r"(\d+) processes killed \(\d+ of them workers\), (\d+) runs finished, "
        r"0 different from the undisturbed one\n",
        done.stdout,
    )
    assert report is not None, done.stdout
    assert int(report[1]) >= 12
    assert int(report[2]) >= 1


def test_a_run_that_crashes_is_counted_and_ends_the_soak(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("soak", SCRIPT)
    soak = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "soak", soak)
    spec.loader.exec_module(soak)
    report = soak.SoakReport()
    missing, run = tmp_path / "missing.jsonl", tmp_path / "run"
    assert not soak._disturb(missing, run, 1, 9.0, random.Random(0), report, undisturbed=True)
    assert (report.crashed, report.kills) == ([1], 0)
    monkeypatch.setattr(soak, "_disturb", lambda *args, **options: args[5].crashed.append(1))
    monkeypatch.setattr(soak.SlowModel, "pause", 0.0)
    assert soak.soak(tmp_path, kills=5, texts=2, workers=1).crashed == [1, 1, 1]
