from __future__ import annotations

import hashlib
import json
import uuid
from dataclasses import replace

import pytest

from barthes.errors import OutputError, ReadingError
from barthes.runs.address import open_folder
from barthes.runs.folder import LocalFolder
from barthes.runs.inputs import UNREADABLE, Input
from barthes.runs.manifest import Manifest, load_manifest

INPUTS = [Input("a", "/x/caf\udce9.txt", "f00", 3, 7), Input("b", "/x/t.csv", "ba5", 4)]
SETTINGS = {"methods": ["sd"], "unit": "sentence", "window": None, "model": "m", "precision": "float32"}
MANIFEST = Manifest(SETTINGS, {"barthes": "0.1"}, INPUTS)


def test_save_and_load_are_equal(tmp_path):
    assert load_manifest(LocalFolder(tmp_path)) is None
    MANIFEST.save(LocalFolder(tmp_path))
    assert load_manifest(LocalFolder(tmp_path)) == MANIFEST


def test_an_older_list_goes(tmp_path):
    MANIFEST.save(LocalFolder(tmp_path))
    more = replace(MANIFEST, inputs=[*INPUTS, Input("c", "/x/c.txt", "c0de", 1, 1)])
    more.save(LocalFolder(tmp_path))
    assert load_manifest(LocalFolder(tmp_path)) == more
    assert len(list(tmp_path.glob("inputs-*"))) == 1


def test_a_save_that_is_interrupted_leaves_the_old_one(tmp_path, monkeypatch):
    folder = LocalFolder(tmp_path)
    MANIFEST.save(folder)
    write = folder.write

    def stop(name, data):
        if name == "manifest.json":
            raise KeyboardInterrupt
        write(name, data)

    monkeypatch.setattr(folder, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        replace(MANIFEST, inputs=INPUTS[:1]).save(folder)
    assert load_manifest(LocalFolder(tmp_path)) == MANIFEST


def refusal(**changes):
    with pytest.raises(OutputError) as caught:
        MANIFEST.check(replace(MANIFEST, **changes), where="run")
    return str(caught.value)


def test_what_differs_is_named():
    assert "the window: none then, 512 now" in refusal(settings=SETTINGS | {"window": 512})
    assert "the methods: sd then, va, sd now" in refusal(settings=SETTINGS | {"methods": ["va", "sd"]})
    assert "barthes: 0.1 then, 0.2 now" in refusal(versions={"barthes": "0.2"})
    assert "1 of its texts is not among those given now (b)" in refusal(inputs=INPUTS[:1])
    changed = [INPUTS[0], replace(INPUTS[1], sha256="0")]
    assert "1 of its texts is not what it was (b)" in refusal(inputs=changed)
    assert "give another folder" in refusal(inputs=changed)
    assert "comes from the cache" in refusal(inputs=changed)
    both = [replace(each, sha256="0") for each in INPUTS]
    assert "2 of its texts are not what they were (a, b)" in refusal(inputs=both)


def test_only_texts_that_failed_may_be_mended():
    both = replace(MANIFEST, inputs=[replace(each, sha256="0") for each in INPUTS])
    one = replace(MANIFEST, inputs=[INPUTS[0], both.inputs[1]])
    MANIFEST.check(one, where="run", failed={"b"}, retry_failed=True)
    with pytest.raises(OutputError, match=r"1 of its texts is not what it was \(a\)"):
        MANIFEST.check(both, where="run", failed={"b"}, retry_failed=True)
    with pytest.raises(OutputError, match=r"not what it was \(b\)\. .*--retry-failed takes them"):
        MANIFEST.check(one, where="run", failed={"b"})


def test_more_texts_are_welcome_and_unreadable_ones_may_get_better():
    MANIFEST.check(replace(MANIFEST, inputs=[Input("0", "/x/0.txt", "0", 1, 1), *INPUTS]), where="run")
    bad = replace(MANIFEST, inputs=[INPUTS[0], replace(INPUTS[1], sha256=UNREADABLE)])
    bad.check(MANIFEST, where="run")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"form": 1}', b'{"form": 9}', b"\xff"])
def test_a_damaged_manifest_is_told(tmp_path, content):
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(ReadingError, match=r"manifest\.json"):
        load_manifest(LocalFolder(tmp_path))


def test_a_damaged_list_is_told(tmp_path):
    MANIFEST.save(LocalFolder(tmp_path))
    [path] = tmp_path.glob("inputs-*")
    path.write_bytes(path.read_bytes().replace(b"f00", b"f01"))
    with pytest.raises(ReadingError, match="list of texts"):
        load_manifest(LocalFolder(tmp_path))


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
        {"inputs": []},
        {"inputs": {"file": "/dev/zero", "sha256": ""}},
        {"inputs": {"file": "../inputs-0123456789abcdef.jsonl", "sha256": ""}},
        {"inputs": {"file": ["x"], "sha256": ""}},
        {"inputs": {}},
    ],
)
def test_a_manifest_by_somebody_else_is_damaged(tmp_path, changes):
    MANIFEST.save(LocalFolder(tmp_path))
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(ReadingError, match=r"manifest\.json: it is damaged"):
        load_manifest(LocalFolder(tmp_path))


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
        "x" * 300_000,
    ],
)
def test_a_list_by_somebody_else_is_damaged(tmp_path, line):
    MANIFEST.save(LocalFolder(tmp_path))
    path = tmp_path / "manifest.json"
    content = json.loads(path.read_text())
    data = (line + "\n").encode()
    content["inputs"]["sha256"] = hashlib.sha256(data).hexdigest()
    path.write_text(json.dumps(content))
    (tmp_path / content["inputs"]["file"]).write_bytes(data)
    with pytest.raises(ReadingError, match="list of texts"):
        load_manifest(LocalFolder(tmp_path))


def test_what_never_ends_is_not_read_to_the_end(tmp_path):
    (tmp_path / "manifest.json").symlink_to("/dev/zero")
    with pytest.raises(ReadingError, match=r"manifest\.json"):
        load_manifest(LocalFolder(tmp_path))


def test_without_locks_another_list_stays():
    """Between two starts in one moment nobody knows whose manifest is written last."""
    folder = open_folder(f"memory://{uuid.uuid4().hex}/run")
    MANIFEST.save(folder)
    before = folder.names()
    with folder.open("manifest.json") as file:
        mine = file.read()
    replace(MANIFEST, inputs=INPUTS[:1]).save(folder)
    folder.write("manifest.json", mine)
    assert load_manifest(folder) == MANIFEST
    assert set(before) < set(folder.names())


def test_a_list_that_is_replaced_while_it_is_looked_for(tmp_path, monkeypatch):
    folder = LocalFolder(tmp_path)
    MANIFEST.save(folder)
    more = replace(MANIFEST, inputs=[*INPUTS, Input("c", "/x/c.txt", "c0de", 1, 1)])
    opened = folder.open

    def meanwhile(name):
        if name != "manifest.json" and len(list(tmp_path.glob("inputs-*"))) == 1:
            monkeypatch.undo()
            more.save(LocalFolder(tmp_path))
        return opened(name)

    monkeypatch.setattr(folder, "open", meanwhile)
    assert load_manifest(folder) == more
