"""Kills at random moments: the same as `make soak`, in small."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "soak.py"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("workers", [1, 2])
def test_killed_runs_end_as_undisturbed_ones(workers):
    command = [sys.executable, SCRIPT, "--kills", "15", "--texts", "30", "--workers", str(workers)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    told = re.fullmatch(
        r"(\d+) processes killed \(\d+ of them workers\), (\d+) runs finished, "
        r"0 different from the undisturbed one\n",
        done.stdout,
    )
    assert told is not None, done.stdout
    assert int(told[1]) >= 15
    assert int(told[2]) >= 1
