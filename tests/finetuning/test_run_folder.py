"""The folder of a run after a kill at an odd moment: it is still ours, and nothing of others is deleted."""

from __future__ import annotations

import json
import shutil

import pytest

from barthes.errors import OutputError, TrainingError
from barthes.finetuning.run_folder import RunFolder

RUN = {"seed": 0}
RECORD = {"kind": "fine-tuning", "identity": RUN}


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path)


def names(path):
    return sorted(each.name for each in path.iterdir())


def test_a_run_is_begun_gone_on_with_and_finished(folder):
    assert folder.open(RUN, restart=False) is None
    folder.note({"before": 3})
    assert folder.open(RUN, restart=False) is None
    assert folder.noted() == {"identity": RUN, "before": 3}
    with folder.place() as aside:
        (aside / "model.safetensors").write_text("weights")
    folder.finish({"identity": RUN})
    assert folder.open(RUN, restart=False) == RECORD | {"files": ["model.safetensors"]}
    assert names(folder.folder) == ["barthes.json", "model.safetensors"]


def test_killed_before_the_first_note(folder):
    """The folder for it is there, and half of the note under another name."""
    folder.checkpoints.folder.mkdir()
    (folder.checkpoints.folder / ".run.json.x7").write_text("{")
    assert folder.open(RUN, restart=False) is None
    assert names(folder.checkpoints.folder) == ["run.json"]


def test_killed_while_tidying_up(folder):
    """Gigabytes are not left beside a result, nor a folder that can neither go on nor be started anew."""
    folder.open(RUN, restart=False)
    folder.checkpoints.path(3).mkdir()
    (folder.folder / "barthes.json").write_text(json.dumps(RECORD))
    assert folder.open(RUN, restart=False) == RECORD
    assert names(folder.folder) == ["barthes.json"]


def test_the_note_goes_last(folder, monkeypatch):
    """A kill in between leaves a run that can be started anew."""

    def die(path, **options):
        rmtree(path, **options)
        raise KeyboardInterrupt

    rmtree = shutil.rmtree
    folder.open(RUN, restart=False)
    folder.checkpoints.path(3).mkdir()
    monkeypatch.setattr("shutil.rmtree", die)
    with pytest.raises(KeyboardInterrupt):
        folder.open({"seed": 1}, restart=True)
    monkeypatch.undo()
    assert names(folder.checkpoints.folder) == ["run.json"]
    assert folder.open({"seed": 1}, restart=True) is None


def test_what_others_wrote_is_not_ours(folder):
    folder.checkpoints.folder.mkdir()
    (folder.checkpoints.folder / "run.json").write_text('{"epochs": 3}')
    (folder.folder / "README.md").write_text("years of work")
    for restart in (False, True):
        with pytest.raises(OutputError, match=r"README\.md"):
            folder.open(RUN, restart=restart)
    assert names(folder.folder) == ["README.md", "checkpoints"]


def test_another_run_is_refused(folder):
    folder.open(RUN, restart=False)
    with pytest.raises(TrainingError, match="seed 0 there and 1 here"):
        folder.open({"seed": 1}, restart=False)


def test_starting_anew_deletes_nothing_where_somebody_keeps_other_things(folder):
    (folder.folder / "barthes.json").write_text(json.dumps(RECORD))
    (folder.folder / "model.safetensors").write_text("weights")
    (folder.folder / "notes.txt").write_text("what I found")
    with pytest.raises(OutputError, match=r"notes\.txt"):
        folder.open({"seed": 1}, restart=True)
    assert names(folder.folder) == ["barthes.json", "model.safetensors", "notes.txt"]
    (folder.folder / "notes.txt").unlink()
    assert folder.open({"seed": 1}, restart=True) is None
    assert names(folder.folder) == ["checkpoints"]


def test_a_file_that_is_called_like_ours_is_not_ours(folder):
    folder.open(RUN, restart=False)
    with folder.place() as aside:
        (aside / "tokenizer.json").write_text("words")
    folder.finish({"identity": RUN})
    (folder.folder / "tokenizer_notes.txt").write_text("what I found")
    with pytest.raises(OutputError, match=r"tokenizer_notes\.txt"):
        folder.open({"seed": 1}, restart=True)
    assert names(folder.folder) == ["barthes.json", "tokenizer.json", "tokenizer_notes.txt"]


def test_whatever_a_run_has_written_is_its_own(folder):
    """Some tokenizers write files that no other has, or folders."""
    folder.open(RUN, restart=False)
    with folder.place() as aside:
        (aside / "spiece.model").write_text("words")
        (aside / "additional_chat_templates").mkdir()
    folder.finish({"identity": RUN})
    (folder.folder / ".barthes.json.x7").write_text("half")
    assert folder.open({"seed": 1}, restart=True) is None
    assert names(folder.folder) == ["checkpoints"]
