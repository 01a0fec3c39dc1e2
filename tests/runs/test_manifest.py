from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.errors import BarthesError, OutputError, ReadingError
from barthes.runs.inputs import Input
from barthes.runs.manifest import RunManifest, RunSettings, find_environment, load_manifest
from barthes.runs.storage import open_storage

INPUTS = [
    Input("a", "/tales/a.txt", "5c" * 32, 12, 99),
    Input("caf\udce9", "t.csv", "", 0),
]
MANIFEST = RunManifest(RunSettings(("sd",)).to_dict(), {"precision": "float32", "torch": "2"}, INPUTS)


def test_a_saved_manifest_is_read_back(tmp_path):
    storage = open_storage(tmp_path)
    assert load_manifest(storage) is None
    MANIFEST.save(storage)
    assert load_manifest(storage) == MANIFEST


def test_method_names_are_normalised():
    assert RunSettings(("SD + TFIDF", "sd", "position")).methods == ("sd+tfidf", "sd", "position")
    assert RunSettings(("sd",)).needs_model
    assert not RunSettings(("length",)).needs_model


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"methods": ()}, "each of them once"),
        ({"methods": ("sd", "SD")}, "each of them once"),
        ({"methods": ("length",), "unit": "event"}, "events are scored by"),
        ({"unit": "verse"}, "there is no unit 'verse'"),
        ({"methods": ("sdd",)}, "'sdd'"),
    ],
)
def test_invalid_settings_are_refused(options, problem):
    with pytest.raises(BarthesError, match=problem):
        RunSettings(**options)


def test_what_the_environment_says_is_no_setting():
    one, other = RunSettings(device="cpu"), RunSettings(dtype="float32")
    assert one.to_dict() == other.to_dict()
    assert RunSettings(("length",), model="a").to_dict() == RunSettings(("length",), model="b").to_dict()


def test_the_parser_is_part_of_the_environment_if_it_is_used():
    assert find_environment(RunSettings(("va",)), None)["parser"].startswith("spacy")
    assert find_environment(RunSettings(("sd",), unit="event"), None)["parser"].startswith("spacy")
    assert find_environment(RunSettings(("sd",)), None)["parser"] is None


def test_texts_may_be_added_but_not_missing():
    chosen = MANIFEST.settings
    MANIFEST.check(chosen, [*INPUTS, Input("b", "t.csv", "", 0)], where="run")
    with pytest.raises(OutputError, match=r"run: .*: 1 missing text \(a\)\."):
        MANIFEST.check(chosen, INPUTS[1:], where="run")
    many = RunManifest(chosen, {}, [Input(f"t{i}", "t.csv", "", 0) for i in range(5)])
    with pytest.raises(OutputError, match=r"5 missing texts \(t0, t1, t2 …\)"):
        many.check(chosen, [], where="run")


@pytest.mark.parametrize(
    ("line", "content", "problem"),
    [
        (0, {"format": 1}, "another version"),
        (0, {"format": 3, "settings": {"unit": "verse", "methods": ["sd"]}, "environment": {}}, "damaged"),
        (1, ["a", "b", "c", "d", None], "damaged"),
    ],
)
def test_other_files_are_refused(tmp_path, line, content, problem):
    storage = open_storage(tmp_path)
    MANIFEST.save(storage)
    lines = storage.read("manifest.jsonl").splitlines()
    lines[line] = json.dumps(content).encode()
    storage.write("manifest.jsonl", b"\n".join(lines))
    with pytest.raises(ReadingError, match=problem):
        load_manifest(storage)


@settings(max_examples=50)
@given(st.binary(max_size=200), st.integers(0, 400))
def test_a_damaged_manifest_is_refused_or_valid(tmp_path_factory, noise, place):
    storage = open_storage(tmp_path_factory.mktemp("run"))
    MANIFEST.save(storage)
    data = storage.read("manifest.jsonl")
    storage.write("manifest.jsonl", data[:place] + noise + data[place + len(noise) :])
    with contextlib.suppress(ReadingError):
        assert load_manifest(storage).settings["unit"]
