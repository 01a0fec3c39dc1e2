"""`barthes models`: list, fetch, verify, remove."""

from __future__ import annotations

import hashlib

import pytest
from rich.console import Console

from barthes.cli.console import tabulate
from barthes.models import fetching
from barthes.models.embedded import EMBEDDED, EmbeddedModel
from tests.cli import commands
from tests.tiny_gguf import write_wheel

GGUF = b"GGUF and what follows"
TINY = EmbeddedModel(
    name="tiny",
    description="a tiny model",
    weights="Tiny, 1 bit",
    licence="MIT",
    requirement="tiny-model==1.0",
    member="tiny_model/tiny.gguf",
    sha256=hashlib.sha256(GGUF).hexdigest(),
    size=len(GGUF),
    download_size=2_000_000,
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """One tiny model and an empty cache; what it is converted to is none of the command line's business."""

    def convert(gguf, folder):
        (folder / "model.safetensors").write_bytes(gguf.read_bytes())

    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "cache"))
    for name in list(EMBEDDED):
        monkeypatch.delitem(EMBEDDED, name)
    monkeypatch.setitem(EMBEDDED, "tiny", TINY)
    monkeypatch.setattr("barthes.cli.models.DEFAULT_MODEL", "tiny")
    monkeypatch.setattr(fetching, "convert_gguf", convert)
    return tmp_path / "cache" / "models"


@pytest.fixture
def wheel(tmp_path):
    return str(write_wheel(tmp_path / "tiny.whl", GGUF))


def run(*arguments):
    code, out, err = commands.run("models", *arguments)
    assert code == 0, err
    return out


def refuse(arguments, message):
    commands.check_refused(["models", *arguments], message)


def test_the_list_can_be_cut_into_columns(cache, wheel):
    header = "name\tstate\tsize\tlicence\tpath\n"
    assert run() == f"{header}tiny\tnot fetched\t2 MB\tMIT\t{cache / 'tiny'}\n"
    run("fetch", "--from", wheel)
    assert run() == f"{header}tiny\tfetched\t0 MB\tMIT\t{cache / 'tiny'}\n"
    (cache / "tiny" / "model.safetensors").unlink()
    assert "\tdamaged\t" in run()


@pytest.mark.parametrize("width", [40, 80, 300])
def test_the_table_cuts_no_path_off(width, cache):
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(tabulate(["path"], [[str(cache / "tiny")]]))
    assert "".join(capture.get().split()) == f"path{cache / 'tiny'}"


def test_fetching(cache, wheel, tmp_path):
    refuse(["path", "tiny"], "tiny has not been fetched. Run `barthes models fetch tiny`")
    refuse(["verify", "tiny"], "tiny has not been fetched")
    assert run("verify") == "No model has been fetched.\n"
    other = write_wheel(tmp_path / "other.whl", GGUF[:-1] + b"!")
    refuse(["fetch", "--from", other], TINY.sha256)
    assert "not fetched" in run()
    folder = f"{cache / 'tiny'}\n"
    assert run("fetch", "--from", wheel) == run("fetch") == run("fetch", "tiny") == folder
    assert run("path", "tiny") == folder
    note = f"barthes: note: tiny is already in the cache; {wheel} was not read.\n"
    assert commands.run("models", "fetch", "--from", wheel)[2] == note
    assert run("remove", "tiny") == "tiny was removed.\n"
    assert run("remove", "tiny") == "tiny is not in the cache.\n"
    assert "not fetched" in run()


@pytest.mark.parametrize("name", [[], ["tiny"]])
def test_verifying(name, cache, wheel):
    run("fetch", "--from", wheel)
    assert run("verify", *name) == "tiny: 2 files are intact.\n"
    (cache / "tiny" / "model.safetensors").write_bytes(GGUF[::-1])
    refuse(["verify", *name], "model.safetensors has changed")
    (cache / "tiny" / "LICENSE").unlink()
    refuse(["path", "tiny"], "tiny is damaged (LICENSE is missing)")


@pytest.mark.parametrize("command", ["fetch", "remove", "path", "verify"])
def test_a_wrong_name_gets_a_suggestion(command):
    refuse([command, "tinny"], "Did you mean 'tiny'")
