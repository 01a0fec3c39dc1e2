"""A short version of `make soak`: runs are killed at random moments."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "soak.py"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_runs_give_the_results_of_undisturbed_ones():
    command = [sys.executable, SCRIPT, "--kills", "8", "--texts", "20"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts["run"] + counts["worker"] >= 8
    assert counts["finished"] >= 1
    assert counts["different"] == counts["crashed"] == 0
