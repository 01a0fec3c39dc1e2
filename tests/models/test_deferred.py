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
from tests.models.adapters import save_base

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


def remember(files, memory, *arguments, **options):
    """Load a model, so that its fingerprint and precision are remembered."""
    loader = Loader(*arguments)
    assert deferred(files, memory, loader, **options).fingerprint == loader.model.fingerprint
    assert loader.calls == 1
    return loader.model.fingerprint


def test_it_is_loaded_once_and_not_before(files, memory):
    loader = Loader()
    model: LanguageModel = deferred(files, memory, loader)
    method = SentenceDeletion(model)
    assert (method.model_name, loader.calls, model.is_loaded) == (str(files), 0, False)
    profile = method.score(STORY)
    assert profile.scores == SentenceDeletion(loader.model).score(STORY).scores
    assert model.fingerprint == loader.model.fingerprint
    assert (loader.calls, model.is_loaded) == (1, True)
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


def test_fingerprint_and_precision_are_remembered(files, memory):
    fingerprint = remember(files, memory, "bfloat16")
    loader = Loader("bfloat16")
    model = deferred(files, memory, loader)
    identity = {"model": str(files), "fingerprint": fingerprint, "precision": "bfloat16"}
    assert identify_model(model) == identity
    assert (loader.calls, model.is_loaded) == (0, False)
    assert identify_model(deferred(files, None, loader, known=identity)) == identity
    assert loader.calls == 0, "what is known need not be remembered"
    assert identify_model(deferred(files, None, loader)) == identity
    assert loader.calls == 1, "without a memory it is loaded"
    assert identify_model(loader.model) == identity | {"model": "counting"}


@pytest.mark.parametrize("ask", ["fingerprint", "precision"])
def test_auto_may_stand_for_another_precision_here(files, memory, ask):
    """A folder of results that two machines share."""
    remember(files, memory, "float32")
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
    assert loader.calls == 1
    assert model.encode(["A wolf."]) == loader.model.encode(["A wolf."])
    assert loader.calls == 2
    model.release()
    loader.model = CountingModel([], k=7.0)
    with pytest.raises(ModelError, match="have changed since"):
        model.load()


def test_one_folder_is_one_model(files, memory, tmp_path, monkeypatch):
    remember(files, memory)
    monkeypatch.chdir(files.parent)
    (tmp_path / "link").symlink_to(files)
    for name in ("model", "./model", "model/", "../" + tmp_path.name + "/model", "link"):
        loader = Loader()
        model = DeferredModel(name, cache=memory, load=loader)
        assert identify_model(model)["model"] == str(files)
        assert (model.name, loader.calls) == (name, 0)


def test_devices_of_one_kind_are_one_device(files, memory):
    remember(files, memory, device="cuda")
    assert deferred(files, memory, Loader(), device="cuda:1").is_known


@pytest.mark.parametrize("options", [{"device": "cpu"}, {"dtype": "bfloat16"}])
def test_another_precision_or_device_is_another_model(files, memory, options):
    remember(files, memory)
    assert not deferred(files, memory, Loader(), **options).is_known
    remember(files, memory, **options)
    assert deferred(files, memory, Loader()).is_known, "both are remembered"


@pytest.mark.parametrize(
    "change",
    [
        lambda files: (files / "weights").write_bytes(b"other"),
        lambda files: os.utime(files / "weights", ns=(1, 1)),
        lambda files: (files / "adapter").write_bytes(b""),
    ],
    ids=["content", "time", "another file"],
)
def test_other_files_are_looked_at_again(files, memory, change):
    remember(files, memory)
    change(files)
    remember(files, memory)


def test_files_that_change_behind_our_back(files, memory):
    """The fingerprint has been given out, and what is loaded then is something else."""
    remember(files, memory)
    other = Loader(k=2.0)
    model = deferred(files, memory, other)
    _ = model.fingerprint
    with pytest.raises(ModelError, match="have changed since"):
        model.encode(["A wolf."])
    assert deferred(files, memory, Loader()).fingerprint == other.model.fingerprint


def test_a_real_folder_by_name_without_torch_the_second_time(tmp_path, memory):
    model = DeferredModel(str(save_base(tmp_path / "tiny")), cache=memory)
    expected = [model.fingerprint, model.precision, "False"]
    code = (
        "import sys, pathlib; from barthes.cache import ScoreCache; "
        "from barthes.models.deferred import DeferredModel; "
        "model = DeferredModel(sys.argv[1], cache=ScoreCache(pathlib.Path(sys.argv[2]))); "
        "print(model.fingerprint, model.precision, 'torch' in sys.modules)"
    )
    command = [sys.executable, "-c", code, model.name, tmp_path / "scores.sqlite3"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == expected
