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


@pytest.fixture
def storage(tmp_path):
    return open_storage(tmp_path)


@pytest.fixture
def path(tmp_path, storage):
    MANIFEST.save(storage)
    return tmp_path / "manifest.jsonl"


def test_save_and_load_are_equal(storage):
    assert load_manifest(storage) is None
    for manifest in (MANIFEST, replace(MANIFEST, inputs=[*INPUTS, Input("c", "/x/c.txt", "c0de", 1, 1)])):
        manifest.save(storage)
        assert load_manifest(storage) == manifest


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"settings": SETTINGS | {"window": 512}}, "the window: none then, 512 now"),
        ({"settings": SETTINGS | {"methods": ["va", "sd"]}}, "the methods: sd then, va, sd now"),
        ({"versions": {"barthes": "0.2"}}, "barthes: 0.1 then, 0.2 now"),
        ({"inputs": INPUTS[:1]}, "1 of its texts is not among those given now (b)"),
        ({"inputs": [INPUTS[0], replace(INPUTS[1], sha256="0")]}, "1 of its texts is not what it was (b)"),
        (
            {"inputs": [replace(each, sha256="0") for each in INPUTS]},
            "2 of its texts are not what they were (a, b)",
        ),
    ],
)
def test_what_differs_is_named(changes, problem):
    with pytest.raises(OutputError) as caught:
        MANIFEST.check(replace(MANIFEST, **changes), where="run")
    assert problem in str(caught.value)
    assert "choose another folder; what is computed already and still the same comes from the cache" in str(
        caught.value
    )


def test_only_texts_that_failed_may_be_corrected():
    both = replace(MANIFEST, inputs=[replace(each, sha256="0") for each in INPUTS])
    one = replace(MANIFEST, inputs=[INPUTS[0], both.inputs[1]])
    MANIFEST.check(one, where="run", failed={"b"}, retry_failed=True)
    with pytest.raises(OutputError, match=r"1 of its texts is not what it was \(a\)"):
        MANIFEST.check(both, where="run", failed={"b"}, retry_failed=True)
    with pytest.raises(OutputError, match=r"not what it was \(b\)\. .*retry the failed texts"):
        MANIFEST.check(one, where="run", failed={"b"})


def test_texts_may_be_added_and_unreadable_ones_may_become_readable():
    MANIFEST.check(replace(MANIFEST, inputs=[Input("0", "/x/0.txt", "0", 1, 1), *INPUTS]), where="run")
    bad = replace(MANIFEST, inputs=[INPUTS[0], replace(INPUTS[1], sha256=UNREADABLE)])
    bad.check(MANIFEST, where="run")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 2}', b"\xff", b"[" * 100_000])
def test_a_damaged_manifest_is_reported(storage, path, content):
    path.write_bytes(content)
    with pytest.raises(ReadingError, match=r"manifest\.jsonl: it is damaged"):
        load_manifest(storage)


@pytest.mark.parametrize("name", ["manifest.jsonl", "manifest.json"])
def test_another_version_is_reported(storage, tmp_path, name):
    (tmp_path / name).write_text('{"format": 9}')
    with pytest.raises(ReadingError, match=rf"{name}: .* version of Barthes"):
        load_manifest(storage)


def test_a_damaged_list_of_texts_is_reported(storage, path):
    path.write_bytes(path.read_bytes().replace(b"f00", b"f01"))
    with pytest.raises(ReadingError, match="it is damaged"):
        load_manifest(storage)


@pytest.mark.parametrize(
    "changes",
    [
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
    ],
)
def test_a_manifest_by_somebody_else_is_damaged(storage, path, changes):
    header, *lines = path.read_text().splitlines(keepends=True)
    path.write_text(json.dumps(json.loads(header) | changes) + "\n" + "".join(lines))
    with pytest.raises(ReadingError, match="it is damaged"):
        load_manifest(storage)


@pytest.mark.parametrize(
    "line",
    [
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
    ],
)
def test_a_list_by_somebody_else_is_damaged(storage, path, line):
    header = json.loads(path.read_text().splitlines()[0])
    header["sha256"] = hashlib.sha256((line + "\n").encode()).hexdigest()
    path.write_text(json.dumps(header) + "\n" + line + "\n")
    with pytest.raises(ReadingError, match="it is damaged"):
        load_manifest(storage)


def test_a_device_is_not_taken_for_a_manifest(storage, tmp_path):
    (tmp_path / "manifest.jsonl").symlink_to("/dev/zero")
    assert load_manifest(storage) is None
