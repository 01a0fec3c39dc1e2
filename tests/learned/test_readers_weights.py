"""Weights survive a file; damaged and foreign files are refused."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save_file

from barthes.errors import ModelError
from barthes.learned.readers_weights import FOLDER, load_readers_weights
from tests.learned.training_stories import fit_small, make_stories

WEIGHTS = fit_small()


def test_weights_survive_a_file(tmp_path):
    WEIGHTS.save(tmp_path / "w.safetensors")
    found = load_readers_weights(tmp_path / "w.safetensors")
    assert (found.model, found.kinds) == ("counting", ("early", "late"))
    assert found.estimate_trust("late") == WEIGHTS.estimate_trust("late")
    for story in make_stories(seed=1):
        kind = WEIGHTS.find_kind(story.features)
        np.testing.assert_allclose(
            found.score(story.features, kind), WEIGHTS.score(story.features, kind), atol=1e-5
        )


@pytest.mark.parametrize("damage", ["missing", "cut", "foreign", "nan", "shape"])
def test_damaged_and_foreign_weights_are_refused(tmp_path, damage):
    file = tmp_path / "w.safetensors"
    if damage == "foreign":
        save_file({"weight": np.zeros(3)}, file)
    elif damage == "nan":
        replace(WEIGHTS, heads=WEIGHTS.heads * np.nan).save(file)
    elif damage == "shape":
        replace(WEIGHTS, limits=WEIGHTS.limits[:1]).save(file)
    elif damage == "cut":
        WEIGHTS.save(file)
        file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ModelError, match=r"w\.safetensors.*Install Barthes again"):
        load_readers_weights(file)


def test_the_record_belongs_to_the_weights_of_the_package():
    record = json.loads((FOLDER / "training.json").read_text())
    content = (FOLDER / "weights.safetensors").read_bytes()
    assert record["weights"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert len(content) < 10_000_000
    weights = load_readers_weights()
    assert weights.model == record["model"] == "smollm2-135m"
    assert len(weights.kinds) == 6
    assert len(weights.heads) == 1 + record["settings"]["draws"]
