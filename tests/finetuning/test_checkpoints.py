"""Checkpoints that can be seen are whole; what goes wrong while one is written costs only that one."""

from __future__ import annotations

import errno

import pytest

from barthes.errors import OutputError
from barthes.finetuning.checkpoints import Checkpoints

FILES = ("trainer_state.json", "optimizer.pt", "scheduler.pt", "rng_state.pth", "model.safetensors")


def write(checkpoints, step):
    with checkpoints.write(step) as aside:
        folder = aside / f"checkpoint-{step}"
        folder.mkdir()
        for name in FILES:
            (folder / name).write_text(f"{name} {step}")
            assert checkpoints.newest() != step  # not before it is whole


def write_half(checkpoints, step, error):
    with checkpoints.write(step) as aside:
        (aside / f"checkpoint-{step}").mkdir()
        (aside / f"checkpoint-{step}" / "optimizer.pt").write_text("half")
        raise error


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_newest_is_gone_on_from(tmp_path):
    checkpoints = Checkpoints(tmp_path / "checkpoints")
    assert checkpoints.newest() is None
    for step in (2, 10, 9):
        write(checkpoints, step)
    assert checkpoints.newest() == 10
    assert names(checkpoints.folder) == ["checkpoint-10", "checkpoint-2", "checkpoint-9"]


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), RuntimeError("file write failed")]
)
def test_a_full_disk_leaves_the_one_before(tmp_path, error):
    checkpoints = Checkpoints(tmp_path)
    write(checkpoints, 1)
    with pytest.raises(OutputError) as raised:
        write_half(checkpoints, 2, error)
    assert str(error.args[-1]) in str(raised.value)
    assert "goes on from step 1" in str(raised.value)
    assert names(tmp_path) == ["checkpoint-1"]
    assert checkpoints.newest() == 1


def test_half_of_a_checkpoint_is_never_gone_on_from(tmp_path):
    checkpoints = Checkpoints(tmp_path)
    write(checkpoints, 1)
    half = tmp_path / "unfinished" / "checkpoint-2"  # as a killed process leaves it
    half.mkdir(parents=True)
    (half / "optimizer.pt").write_text("half")
    assert checkpoints.newest() == 1
    write(checkpoints, 3)
    assert names(tmp_path) == ["checkpoint-1", "checkpoint-3"]


def test_the_best_and_the_newest_are_kept(tmp_path):
    checkpoints = Checkpoints(tmp_path)
    for step in (1, 2, 3, 4):
        write(checkpoints, step)
    checkpoints.tidy(best=2)
    assert checkpoints.steps() == [2, 4]
    assert "optimizer.pt" not in names(checkpoints.path(2))  # only its weights are needed
    assert "model.safetensors" in names(checkpoints.path(2))
    assert checkpoints.newest() == 4
    checkpoints.tidy(best=4)
    assert checkpoints.steps() == [4]
    assert names(checkpoints.path(4)) == sorted(FILES)
