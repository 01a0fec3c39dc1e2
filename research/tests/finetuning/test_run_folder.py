"""The folder of a run after a kill at any moment: it is recognised, and other files are never deleted."""

from __future__ import annotations

import errno
import json

import pytest

from barthes.errors import OutputError
from barthes_research.finetuning.run_folder import RunFolder

RUN = {"seed": 0}
RECORD = {"kind": "fine-tuning", "identity": RUN}


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path)


@pytest.fixture
def begun(folder):
    folder.open(RUN)
    return folder


def names(path):
    return sorted(each.name for each in path.iterdir())


def write(folder, step, *, best=None):
    """Write a complete checkpoint."""
    folder.checkpoint(step).mkdir(parents=True)
    for name in ("model.safetensors", "optimizer.pt", "trainer_state.json"):
        (folder.checkpoint(step) / name).write_text(str(step))
    assert folder.newest() != step  # not before it is complete
    folder.complete_checkpoint(step, best=best)


def finish(folder, *results):
    with folder.write_result() as temporary:
        for name in results:
            (temporary / name).write_text("content")
    folder.finish({"identity": RUN})


def test_a_run_is_started_resumed_and_finished(folder):
    assert folder.open(RUN) is None
    folder.update_state({"before": 3})
    assert folder.open(RUN) is None
    assert folder.state() == {"identity": RUN, "before": 3}
    finish(folder, "model.safetensors")
    assert folder.open(RUN) == RECORD
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


def test_an_incomplete_checkpoint_is_never_resumed_from(begun):
    write(begun, 1)
    begun.checkpoint(2).mkdir()  # as left by a killed process
    (begun.checkpoint(2) / "optimizer.pt").write_text("half")
    assert begun.newest() == 1
    begun.open(RUN)
    assert names(begun.checkpoints) == ["checkpoint-1", "run.json"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (RuntimeError("PytorchStreamWriter failed writing file data/0: file write failed"), "failed writing"),
    ],
)
def test_a_full_disk_leaves_the_previous_checkpoint(folder, error, reason):
    write(folder, 1)
    folder.checkpoint(2).mkdir()
    with (
        pytest.raises(OutputError, match=f"a checkpoint .*{reason}.*from step 1"),
        folder.writing("a checkpoint"),
    ):
        raise error
    assert names(folder.checkpoints) == ["checkpoint-1"]


def test_other_errors_of_torch_are_not_mistaken_for_a_full_disk(folder):
    with pytest.raises(RuntimeError, match="share memory"), folder.writing("a checkpoint"):
        raise RuntimeError("some tensors share memory")


def test_killed_while_the_first_state_is_written(folder):
    folder.checkpoints.mkdir()
    (folder.checkpoints / ".run.json.x7").write_text("{")
    assert folder.open(RUN) is None
    assert names(folder.checkpoints) == ["run.json"]


def test_killed_while_the_checkpoints_of_a_finished_run_are_deleted(begun):
    begun.checkpoint(3).mkdir()
    (begun.folder / "barthes.json").write_text(json.dumps(RECORD))
    assert begun.open(RUN) == RECORD
    assert names(begun.folder) == ["barthes.json"]


def test_files_of_others_are_refused(folder):
    folder.checkpoints.mkdir()
    (folder.checkpoints / "run.json").write_text('{"epochs": 3}')
    (folder.folder / "README.md").write_text("years of work")
    with pytest.raises(OutputError, match=r"README\.md"):
        folder.open(RUN)
    assert names(folder.folder) == ["README.md", "checkpoints"]
