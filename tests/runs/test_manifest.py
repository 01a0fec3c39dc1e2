from __future__ import annotations

from dataclasses import replace

import pytest

from barthes.errors import OutputError, ReadingError
from barthes.runs.folder import LocalFolder
from barthes.runs.inputs import UNREADABLE, Input
from barthes.runs.manifest import Manifest, load_manifest

INPUTS = [Input("a", "/x/caf\udce9.txt", "f00", 3, 7), Input("b", "/x/t.csv", "ba5", 4)]
MANIFEST = Manifest({"methods": ["sd"], "window": None}, {"barthes": "0.1"}, INPUTS)


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
    assert "the window: none then, 512 now" in refusal(settings={"methods": ["sd"], "window": 512})
    assert "the methods: sd then, va, sd now" in refusal(settings={"methods": ["va", "sd"], "window": None})
    assert "barthes: 0.1 then, 0.2 now" in refusal(versions={"barthes": "0.2"})
    assert "1 of its texts is not among those given now (b)" in refusal(inputs=INPUTS[:1])
    changed = [INPUTS[0], replace(INPUTS[1], sha256="0")]
    assert "1 of its texts is not what it was (b)" in refusal(inputs=changed)
    assert "give another folder" in refusal(inputs=changed)


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
