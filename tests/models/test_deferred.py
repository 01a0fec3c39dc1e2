from __future__ import annotations

import os
import subprocess
import sys

import pytest

from barthes.cache import ScoreCache
from barthes.errors import ModelError
from barthes.models.counting import CountingModel
from barthes.models.deferred import DeferredModel, identify_model
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.salience.removal_method import SentenceDeletion
from tests.tiny_models import save_base

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate."])


@pytest.fixture
def cache(tmp_path):
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        yield cache


@pytest.fixture
def files(tmp_path):
    """A folder with the files of a model."""
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


def deferred(files, cache, loader, **options):
    return DeferredModel(str(files), cache=cache, load=loader, **options)


def store(files, cache, *arguments, **options):
    """Load a model, so that its fingerprint and precision are stored."""
    loader = Loader(*arguments)
    assert deferred(files, cache, loader, **options).fingerprint == loader.model.fingerprint
    assert loader.calls == 1
    return loader.model.fingerprint


def test_it_is_loaded_once_and_only_when_needed(files, cache):
    loader = Loader()
    model: LanguageModel = deferred(files, cache, loader)
    method = SentenceDeletion(model)
    assert (method.model_name, loader.calls, model.is_loaded, model.notes) == (str(files), 0, False, ())
    profile = method.score(STORY)
    assert profile.scores == SentenceDeletion(loader.model).score(STORY).scores
    assert model.fingerprint == loader.model.fingerprint
    assert (loader.calls, model.is_loaded) == (1, True)


def test_everything_else_is_that_of_the_model(files, cache):
    loader = Loader()
    model, own = deferred(files, cache, loader), loader.model
    loader.model.notes = ("slow",)
    tokens = [0, 2, 3]
    assert (model.start_token, model.end_token, model.context_length) == (0, 0, None)
    assert (model.notes, model.hardware) == (("slow",), "cpu")
    assert model.read(tokens).log_probabilities.tolist() == own.read(tokens).log_probabilities.tolist()
    states = [each.states(tokens, [(1, 3)], layers=[1]).tolist() for each in (model, own)]
    assert states[0] == states[1]


@pytest.mark.parametrize("value", ["text", {"fingerprint": "f"}, [1]])
def test_an_invalid_cache_entry_is_ignored(files, cache, value):
    cache.store(deferred(files, cache, Loader())._cache_key(), value)
    loader = Loader()
    assert deferred(files, cache, loader).precision == "float64"
    assert loader.calls == 1


def test_fingerprint_and_precision_are_stored(files, cache):
    fingerprint = store(files, cache, "bfloat16")
    loader = Loader("bfloat16")
    model = deferred(files, cache, loader)
    assert model.is_known
    assert not deferred(files, None, loader).is_known
    identity = {"model": str(files), "fingerprint": fingerprint, "precision": "bfloat16"}
    assert identify_model(model) == identity
    assert (loader.calls, model.is_loaded) == (0, False)
    assert identify_model(deferred(files, None, loader)) == identity
    assert loader.calls == 1, "without a cache it is loaded"
    assert identify_model(loader.model) == identity | {"model": "counting"}


@pytest.mark.parametrize("attribute", ["fingerprint", "precision"])
def test_another_precision_than_before_is_an_error(files, cache, attribute):
    """Such as with a cache folder that two machines share."""
    store(files, cache, "float32")
    model = deferred(files, cache, Loader("bfloat16", k=2.0))
    _ = getattr(model, attribute)
    with pytest.raises(ModelError, match=r"computes in bfloat16 here.*float32"):
        model.load()
    assert deferred(files, cache, Loader()).precision == "bfloat16", "a second run works"


def test_a_released_model_is_loaded_again(files, cache):
    loader = Loader()
    model = deferred(files, cache, loader)
    model.load()
    model.release()
    assert (model.is_loaded, model.is_known) == (False, True)
    assert (model.fingerprint, model.precision) == (loader.model.fingerprint, "float64")
    assert loader.calls == 1
    assert model.encode(["A wolf."]) == loader.model.encode(["A wolf."])
    assert loader.calls == 2
    model.release()
    loader.model = CountingModel([], k=7.0)
    with pytest.raises(ModelError, match="have changed since"):
        model.load()


def test_all_paths_of_a_folder_are_one_model(files, cache, tmp_path, monkeypatch):
    store(files, cache)
    monkeypatch.chdir(files.parent)
    (tmp_path / "link").symlink_to(files)
    for name in ("model", "./model", "model/", "../" + tmp_path.name + "/model", "link"):
        loader = Loader()
        model = DeferredModel(name, cache=cache, load=loader)
        assert identify_model(model)["model"] == str(files)
        assert (model.name, loader.calls) == (name, 0)


def test_names_without_a_path_are_their_own_location(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / DEFAULT_MODEL).mkdir()
    for name in ("barthes/no-such-model", DEFAULT_MODEL):
        assert DeferredModel(name).location == name


def test_the_number_of_a_device_does_not_matter_but_its_type_and_the_precision_do(files, cache):
    store(files, cache, device="cuda")
    assert deferred(files, cache, Loader(), device="cuda:1").is_known
    for options in ({}, {"device": "cpu"}, {"device": "cuda", "dtype": "bfloat16"}):
        assert not deferred(files, cache, Loader(), **options).is_known
        store(files, cache, **options)
    assert deferred(files, cache, Loader(), device="cuda").is_known, "all of them are stored"


@pytest.mark.parametrize(
    "change",
    [
        lambda files: (files / "weights").write_bytes(b"other"),
        lambda files: os.utime(files / "weights", ns=(1, 1)),
        lambda files: (files / "adapter").write_bytes(b""),
    ],
    ids=["content", "time", "another file"],
)
def test_changed_files_are_read_again(files, cache, change):
    store(files, cache)
    change(files)
    store(files, cache)


def test_other_weights_under_the_same_stamp_are_an_error(files, cache):
    store(files, cache)
    other = Loader(k=2.0)
    model = deferred(files, cache, other)
    _ = model.fingerprint
    with pytest.raises(ModelError, match="have changed since"):
        model.encode(["A wolf."])
    assert deferred(files, cache, Loader()).fingerprint == other.model.fingerprint


def test_a_real_folder_is_identified_without_torch_the_second_time(tmp_path, cache):
    model = DeferredModel(str(save_base(tmp_path / "tiny")), cache=cache)
    expected = [model.fingerprint, model.precision, "False"]
    code = (
        "import sys, pathlib; from barthes.cache import ScoreCache; "
        "from barthes.models.deferred import DeferredModel; "
        "model = DeferredModel(sys.argv[1], cache=ScoreCache(pathlib.Path(sys.argv[2]))); "
        "print(model.fingerprint, model.precision, 'torch' in sys.modules)"
    )
    command = [sys.executable, "-c", code, model.name, tmp_path / "scores.sqlite3"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == expected
