"""The folder of a run after a kill at an odd moment: it is still ours, and nothing of others is deleted."""

from __future__ import annotations

import errno
import json
import shutil

import pytest

from barthes.errors import OutputError
from barthes.finetuning.run_folder import RunFolder

RUN = {"seed": 0}
RECORD = {"kind": "fine-tuning", "identity": RUN}


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path)


def names(path):
    return sorted(each.name for each in path.iterdir())


def write(folder, step, *, best=None):
    """A complete checkpoint."""
    folder.checkpoint(step).mkdir(parents=True)
    for name in ("model.safetensors", "optimizer.pt", "trainer_state.json"):
        (folder.checkpoint(step) / name).write_text(str(step))
    assert folder.newest() != step  # not before it is complete
    folder.complete_checkpoint(step, best=best)


def finish(folder, *results):
    folder.open(RUN, restart=False)
    with folder.write_result() as aside:
        for name in results:
            (aside / name).write_text("content")
    folder.finish({"identity": RUN})


def test_a_run_is_begun_resumed_and_finished(folder):
    assert folder.open(RUN, restart=False) is None
    folder.note({"before": 3})
    assert folder.open(RUN, restart=False) is None
    assert folder.notes() == {"identity": RUN, "before": 3}
    finish(folder, "model.safetensors")
    assert folder.open(RUN, restart=False) == RECORD | {"files": ["model.safetensors"]}
    assert names(folder.folder) == ["barthes.json", "model.safetensors"]


def test_the_best_and_the_newest_checkpoint_are_kept(folder):
    assert folder.newest() is None
    for step in (2, 9, 10, 11):
        write(folder, step, best=9 if step > 2 else 2)
    assert folder.newest() == 11
    assert names(folder.checkpoints) == ["checkpoint-11", "checkpoint-9"]
    assert "optimizer.pt" not in names(folder.checkpoint(9))  # only its weights are needed
    assert "model.safetensors" in names(folder.checkpoint(9))
    write(folder, 12, best=12)
    assert names(folder.checkpoints) == ["checkpoint-12"]
    assert "optimizer.pt" in names(folder.checkpoint(12))


def test_half_of_a_checkpoint_is_never_resumed_from(folder):
    folder.open(RUN, restart=False)
    write(folder, 1)
    folder.checkpoint(2).mkdir()  # as a killed process leaves it
    (folder.checkpoint(2) / "optimizer.pt").write_text("half")
    assert folder.newest() == 1
    folder.open(RUN, restart=False)
    assert names(folder.checkpoints) == ["checkpoint-1", "run.json"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (RuntimeError("PytorchStreamWriter failed writing file data/0: file write failed"), "failed writing"),
    ],
)
def test_a_full_disk_leaves_the_checkpoint_before(folder, error, reason):
    write(folder, 1)
    folder.checkpoint(2).mkdir()
    with (
        pytest.raises(OutputError, match=f"a checkpoint .*{reason}.*from step 1"),
        folder.writing("a checkpoint"),
    ):
        raise error
    assert names(folder.checkpoints) == ["checkpoint-1"]


def test_errors_of_torch_about_other_things_are_not_taken_for_a_full_disk(folder):
    with pytest.raises(RuntimeError, match="share memory"), folder.writing("a checkpoint"):
        raise RuntimeError("some tensors share memory")


def test_killed_before_the_first_note(folder):
    """The folder for it is there, and half of the note under another name."""
    folder.checkpoints.mkdir()
    (folder.checkpoints / ".run.json.x7").write_text("{")
    assert folder.open(RUN, restart=False) is None
    assert names(folder.checkpoints) == ["run.json"]


def test_killed_while_the_checkpoints_are_deleted(folder):
    """Gigabytes are not left beside a result, nor a folder that can neither be resumed nor restarted."""
    folder.open(RUN, restart=False)
    folder.checkpoint(3).mkdir()
    (folder.folder / "barthes.json").write_text(json.dumps(RECORD))
    assert folder.open(RUN, restart=False) == RECORD
    assert names(folder.folder) == ["barthes.json"]


def test_the_notes_are_deleted_last(folder, monkeypatch):
    """A kill in between leaves a run that can be restarted."""

    def die(path, **options):
        rmtree(path, **options)
        raise KeyboardInterrupt

    rmtree = shutil.rmtree
    folder.open(RUN, restart=False)
    folder.checkpoint(3).mkdir()
    monkeypatch.setattr("shutil.rmtree", die)
    with pytest.raises(KeyboardInterrupt):
        folder.open({"seed": 1}, restart=True)
    monkeypatch.undo()
    assert names(folder.checkpoints) == ["run.json"]
    assert folder.open({"seed": 1}, restart=True) is None


def test_what_others_wrote_is_not_ours(folder):
    folder.checkpoints.mkdir()
    (folder.checkpoints / "run.json").write_text('{"epochs": 3}')
    (folder.folder / "README.md").write_text("years of work")
    for restart in (False, True):
        with pytest.raises(OutputError, match=r"README\.md"):
            folder.open(RUN, restart=restart)
    assert names(folder.folder) == ["README.md", "checkpoints"]


@pytest.mark.parametrize("own", ["model.safetensors", "spiece.model"])
@pytest.mark.parametrize("other", ["notes.txt", "tokenizer_notes.txt"])
def test_a_restart_deletes_the_run_and_nothing_of_others(folder, own, other):
    """Some tokenizers write files that no other has; half of a record may be left."""
    finish(folder, own)
    (folder.folder / ".barthes.json.x7").write_text("half")
    (folder.folder / other).write_text("what I found")
    with pytest.raises(OutputError, match=other):
        folder.open({"seed": 1}, restart=True)
    assert names(folder.folder) == sorted([".barthes.json.x7", "barthes.json", own, other])
    (folder.folder / other).unlink()
    assert folder.open({"seed": 1}, restart=True) is None
    assert names(folder.folder) == ["checkpoints"]


def test_a_result_that_was_only_half_placed_is_ours(folder):
    folder.open(RUN, restart=False)
    with folder.write_result() as aside:
        (aside / "additional_chat_templates").mkdir()
        (aside / "model.safetensors").write_text("weights")
    assert folder.open(RUN, restart=False) is None  # killed before the record was written
    assert folder.open({"seed": 1}, restart=True) is None
    assert names(folder.folder) == ["checkpoints"]
