from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from barthes.errors import OutputError
from barthes.files import write_atomically


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "result.txt"
    path.write_text("old")
    write_atomically(path, "neu ü")
    assert path.read_text(encoding="utf-8") == "neu ü"
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_follow_the_umask(tmp_path):
    path = tmp_path / "result.txt"
    mask = os.umask(0o027)
    try:
        write_atomically(path, "x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(OutputError, match=r"result\.txt: cannot be written \(No such file"):
        write_atomically(tmp_path / "nowhere" / "result.txt", "x")


def test_a_full_disk_leaves_the_old_file(tmp_path):
    """A real limit on file size stands in for the disk: the kernel refuses the write half-way."""
    path = tmp_path / "result.txt"
    path.write_text("old")
    script = f"""
import resource, signal
from pathlib import Path
from barthes.errors import OutputError
from barthes.files import write_atomically
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_atomically(Path({str(path)!r}), "x" * 5000)
except OutputError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "cannot be written (File too large)" in done.stdout
    assert path.read_text() == "old"
    assert [p.name for p in Path(tmp_path).iterdir()] == ["result.txt"]
