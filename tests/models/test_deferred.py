from __future__ import annotations

import os
import subprocess
import sys

import pytest

from barthes.cache import ScoreCache
from barthes.errors import ModelError
from barthes.models.counting import CountingModel
from barthes.models.deferred import DeferredModel, identify_model
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.salience.removal_method import SentenceDeletion
from tests.tiny_models import tiny_network, tiny_tokenizer

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate."])


@pytest.fixture
def memory(tmp_path):
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        yield cache


@pytest.fixture
def files(tmp_path):
    """A folder that stands for a model's files."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "weights").write_bytes(b"one")
    return folder


class Loader:
    def __init__(self, precision="float64", **options):
        self.calls = 0
        self.model = CountingModel([STORY.text], **options)
        self.model.precision = precision

    def __call__(self):
        self.calls += 1
        return self.model


def deferred(files, memory, loader, **options):
    return DeferredModel(str(files), cache=memory, load=loader, **options)


def test_it_is_loaded_once_and_not_before(files, memory):
    loader = Loader()
    model: LanguageModel = deferred(files, memory, loader)
    method = SentenceDeletion(model)
    assert (method.model_name, loader.calls) == (str(files), 0)
    profile = method.score(STORY)
    assert profile.scores == SentenceDeletion(loader.model).score(STORY).scores
    assert model.fingerprint == loader.model.fingerprint
    assert loader.calls == 1
    assert model.is_loaded
    assert (model.start_token, model.end_token, model.context_length) == (0, 0, None)


def test_it_is_known_where_nothing_would_have_to_be_loaded(files, memory):
    loader = Loader()
    model = deferred(files, memory, loader)
    assert (model.is_known, loader.calls) == (False, 0)
    assert identify_model(model)["fingerprint"] == loader.model.fingerprint
    assert model.is_known
    model.release()
    assert model.is_known  # its fingerprint and precision have been given out
    assert deferred(files, memory, Loader()).is_known  # remembered
    assert not deferred(files, None, Loader()).is_known


@pytest.mark.parametrize("value", ["text", {"fingerprint": "f"}, [1]])
def test_something_else_under_its_key_is_no_memory(files, memory, value):
    memory.store(deferred(files, memory, Loader())._key(), value)
    loader = Loader()
    assert deferred(files, memory, loader).precision == "float64"
    assert loader.calls == 1


def test_the_fingerprint_is_remembered(files, memory):
    first = Loader()
    assert deferred(files, memory, first).fingerprint == first.model.fingerprint
    second = Loader()
    model = deferred(files, memory, second)
    assert model.fingerprint == first.model.fingerprint
    assert (first.calls, second.calls) == (1, 0)
    assert not model.is_loaded


def test_so_is_the_precision(files, memory):
    _ = deferred(files, memory, Loader("bfloat16")).fingerprint
    loader = Loader("bfloat16")
    model = deferred(files, memory, loader)
    assert (model.precision, loader.calls) == ("bfloat16", 0)
    assert identify_model(model) == {
        "model": str(files),
        "fingerprint": loader.model.fingerprint,
        "precision": "bfloat16",
    }
    assert loader.calls == 0
    assert deferred(files, None, loader).precision == "bfloat16"
    assert loader.calls == 1


@pytest.mark.parametrize("ask", ["fingerprint", "precision"])
def test_auto_may_stand_for_another_precision_here(files, memory, ask):
    """A folder of results that two machines share."""
    _ = deferred(files, memory, Loader("float32", k=1.0)).fingerprint
    model = deferred(files, memory, Loader("bfloat16", k=2.0))
    _ = getattr(model, ask)
    with pytest.raises(ModelError, match=r"computes in bfloat16 here.*float32.*precision float32"):
        model.load()
    assert deferred(files, memory, Loader()).precision == "bfloat16", "the same again goes on"


def test_it_can_be_released(files, memory):
    loader = Loader()
    model = deferred(files, memory, loader)
    model.load()
    model.release()
    assert not model.is_loaded
    assert (model.fingerprint, model.precision) == (loader.model.fingerprint, "float64")
    assert loader.calls == 1, "the files tell"
    assert model.encode(["A wolf."]) == loader.model.encode(["A wolf."])
    assert loader.calls == 2
    model.release()
    loader.model = CountingModel([], k=7.0)
    with pytest.raises(ModelError, match="have changed since"):
        model.load()


def test_one_folder_is_one_model(files, memory, tmp_path, monkeypatch):
    _ = deferred(files, memory, Loader()).fingerprint
    monkeypatch.chdir(files.parent)
    (tmp_path / "link").symlink_to(files)
    for name in ("model", "./model", "model/", "../" + tmp_path.name + "/model", "link"):
        loader = Loader()
        model = DeferredModel(name, cache=memory, load=loader)
        assert identify_model(model)["model"] == str(files)
        assert (model.name, loader.calls) == (name, 0)


def test_cards_of_one_kind_are_one_device(files, memory):
    _ = deferred(files, memory, Loader(), device="cuda").fingerprint
    loader = Loader()
    _ = deferred(files, memory, loader, device="cuda:1").fingerprint
    assert loader.calls == 0


def test_models_that_are_not_deferred_tell_their_names():
    model = CountingModel([])
    assert identify_model(model) == {
        "model": "counting",
        "fingerprint": model.fingerprint,
        "precision": "float64",
    }


def test_without_a_memory_it_is_loaded(files):
    for _ in range(2):
        loader = Loader()
        assert deferred(files, None, loader).fingerprint == loader.model.fingerprint
        assert loader.calls == 1


@pytest.mark.parametrize("options", [{"device": "cpu"}, {"dtype": "bfloat16"}])
def test_another_precision_or_device_is_another_model(files, memory, options):
    _ = deferred(files, memory, Loader()).fingerprint
    loader = Loader(k=3.0)
    assert deferred(files, memory, loader, **options).fingerprint == loader.model.fingerprint
    assert loader.calls == 1
    plain = Loader()
    _ = deferred(files, memory, plain).fingerprint
    assert plain.calls == 0, "both are remembered"


def change_content(files):
    (files / "weights").write_bytes(b"other")


def change_time(files):
    os.utime(files / "weights", ns=(1, 1))


def add_file(files):
    (files / "adapter").write_bytes(b"")


@pytest.mark.parametrize("change", [change_content, change_time, add_file])
def test_other_files_are_looked_at_again(files, memory, change):
    _ = deferred(files, memory, Loader()).fingerprint
    change(files)
    loader = Loader(k=2.0)
    assert deferred(files, memory, loader).fingerprint == loader.model.fingerprint
    assert loader.calls == 1


def test_files_that_change_behind_our_back(files, memory):
    """The fingerprint has been given out, and what is loaded then is something else."""
    _ = deferred(files, memory, Loader()).fingerprint
    other = Loader(k=2.0)
    model = deferred(files, memory, other)
    _ = model.fingerprint
    with pytest.raises(ModelError, match="have changed since"):
        model.encode(["A wolf."])
    assert deferred(files, memory, Loader()).fingerprint == other.model.fingerprint


def test_a_real_folder_by_name_without_torch_the_second_time(tmp_path):
    folder, memory = tmp_path / "tiny", tmp_path / "memory"
    tiny_network("gpt2").save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    code = (
        "import sys, pathlib; from barthes.cache import ScoreCache; "
        "from barthes.models.deferred import DeferredModel; "
        "model = DeferredModel(sys.argv[1], cache=ScoreCache(pathlib.Path(sys.argv[2]))); "
        "print(model.fingerprint, model.precision, 'torch' in sys.modules)"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", code, folder, memory], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert found[0][:2] == found[1][:2]
    assert [loaded for _, _, loaded in found] == ["True", "False"]
