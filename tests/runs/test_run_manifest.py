from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest

from barthes.errors import OutputError, ReadingError
from barthes.runs.inputs import UNREADABLE, Input
from barthes.runs.run_manifest import RunManifest, load_manifest
from barthes.runs.storage import open_storage

INPUTS = [Input("a", "/x/caf\udce9.txt", "f00", 3, 7), Input("b", "/x/t.csv", "ba5", 4)]
SETTINGS = {"methods": ["sd"], "unit": "sentence", "window": None, "model": "m", "precision": "float32"}
MANIFEST = RunManifest(SETTINGS, {"barthes": "0.1"}, INPUTS)
CHANGED = [replace(each, sha256="0") for each in INPUTS]


@pytest.fixture
def storage(tmp_path):
    return open_storage(tmp_path)


@pytest.fixture
def path(tmp_path, storage):
    MANIFEST.save(storage)
    return tmp_path / "manifest.jsonl"


def test_a_saved_manifest_loads_equal(storage):
    assert load_manifest(storage) is None
    for manifest in (MANIFEST, replace(MANIFEST, inputs=[*INPUTS, Input("c", "/x/c.txt", "c0de", 1, 1)])):
        manifest.save(storage)
        assert load_manifest(storage) == manifest


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"settings": SETTINGS | {"window": 512}}, "the window: none then, 512 now"),
        ({"settings": SETTINGS | {"methods": ["va", "sd"]}}, "the methods: sd then, va, sd now"),
        (
            {"settings": SETTINGS | {"fingerprint": "f" * 64}},
            "the model's weights: none then, ffffffffffff… now",
        ),
        ({"versions": {"barthes": "0.2"}}, "barthes: 0.1 then, 0.2 now"),
        ({"inputs": INPUTS[:1]}, "1 missing text (b)"),
        ({"inputs": [INPUTS[0], CHANGED[1]]}, "1 changed text (b)"),
        ({"inputs": CHANGED}, "2 changed texts (a, b)"),
    ],
)
def test_differences_are_named(changes, problem):
    with pytest.raises(OutputError) as caught:
        MANIFEST.check(replace(MANIFEST, **changes), where="run")
    assert problem in str(caught.value)
    assert "choose another folder; scores that are still valid come from the cache" in str(caught.value)


def test_only_failed_texts_may_be_corrected():
    both = replace(MANIFEST, inputs=CHANGED)
    one = replace(MANIFEST, inputs=[INPUTS[0], CHANGED[1]])
    MANIFEST.check(one, where="run", failed={"b"}, retry_failed=True)
    with pytest.raises(OutputError, match=r"1 changed text \(a\)"):
        MANIFEST.check(both, where="run", failed={"b"}, retry_failed=True)
    with pytest.raises(OutputError, match=r"changed text \(b\)\. .*retry the failed texts"):
        MANIFEST.check(one, where="run", failed={"b"})


def test_texts_may_be_added_and_unreadable_ones_may_become_readable():
    MANIFEST.check(replace(MANIFEST, inputs=[Input("0", "/x/0.txt", "0", 1, 1), *INPUTS]), where="run")
    unreadable = replace(MANIFEST, inputs=[INPUTS[0], replace(INPUTS[1], sha256=UNREADABLE)])
    unreadable.check(MANIFEST, where="run")


@pytest.mark.parametrize("name", ["manifest.jsonl", "manifest.json"])
def test_another_version_is_reported(storage, tmp_path, name):
    (tmp_path / name).write_text('{"format": 9}')
    with pytest.raises(ReadingError, match=rf"{name}: .* version of Barthes"):
        load_manifest(storage)


def with_header(data, **changes):
    header, _, lines = data.partition(b"\n")
    return json.dumps(json.loads(header) | changes).encode() + b"\n" + lines


def with_inputs(data, line):
    digest = hashlib.sha256(f"{line}\n".encode()).hexdigest()
    return with_header(data.partition(b"\n")[0], sha256=digest) + f"{line}\n".encode()


CONTENTS = [b"", b"{", b"[]", b'{"format": 2}', b"\xff", b"[" * 100_000]
HEADERS = [
    {"settings": {}},
    {"settings": []},
    {"settings": SETTINGS | {"unit": ["sentence"]}},
    {"settings": SETTINGS | {"methods": "sd"}},
    {"settings": SETTINGS | {"methods": [1]}},
    {"settings": SETTINGS | {"model": ["m"]}},
    {"settings": {name: value for name, value in SETTINGS.items() if name != "precision"}},
    {"versions": []},
    {"versions": {"barthes": 1}},
    {"sha256": None},
]
LINES = [
    '["a"]',
    '["a", "/x", "f00", 3, 7, 8]',
    '[["a"], "/x", "f00", 3, 7]',
    '["a", null, "f00", 3, 7]',
    '["a", "/x", 5, 3, 7]',
    '["a", "/x", "f00", "3", 7]',
    '["a", "/x", "f00", 3, "7"]',
    '{"a": 1}',
    "[" * 5000,
    "x" * 2_000_000,
]
DAMAGES = [
    *(lambda data, content=content: content for content in CONTENTS),
    *(lambda data, changes=changes: with_header(data, **changes) for changes in HEADERS),
    *(lambda data, line=line: with_inputs(data, line) for line in LINES),
    lambda data: data.replace(b"f00", b"f01"),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_or_foreign_manifest_is_reported(storage, path, damage):
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ReadingError, match=r"manifest\.jsonl: it is damaged"):
        load_manifest(storage)


def test_a_device_is_not_read_as_a_manifest(storage, tmp_path):
    (tmp_path / "manifest.jsonl").symlink_to("/dev/zero")
    assert load_manifest(storage) is None
