from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from barthes.errors import OutputError
from barthes.files import decode_name, write_atomically


def test_a_file_is_replaced_atomically(tmp_path):
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


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    link, target = tmp_path / "link.txt", tmp_path / "folder" / "target.txt"
    link.symlink_to(target)
    for content in ("into a file that was not there", "into one that was"):
        write_atomically(link, content)
        assert link.is_symlink()
        assert target.read_text() == content
    assert list(target.parent.iterdir()) == [target]


def test_a_named_pipe_stays_and_gets_the_content(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(path.read_bytes)
        write_atomically(path, "neu ü")
        assert found.result(timeout=10).decode("utf-8") == "neu ü"
    assert path.is_fifo()
    assert list(tmp_path.iterdir()) == [path]


def test_errors_name_the_file_and_the_cause(tmp_path):
    with pytest.raises(OutputError, match=r"result\.txt: cannot be written \(No such file"):
        write_atomically(tmp_path / "nowhere" / "result.txt", "x")
    if Path("/dev/full").is_char_device():
        with pytest.raises(OutputError, match=r"/dev/full: cannot be written \(No space left"):
            write_atomically(Path("/dev/full"), "x")
        assert Path("/dev/full").is_char_device()


def test_names_become_text():
    assert decode_name(Path("tales") / "café.txt") == str(Path("tales") / "café.txt")
    assert decode_name(os.fsdecode(b"caf\xe9.txt")) == "caf�.txt"
