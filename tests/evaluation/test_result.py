from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

import barthes
from barthes.errors import OutputError
from barthes.evaluation.measures import MEASURES
from barthes.evaluation.result import Evaluation, Figure, MethodResult
from barthes.methods import PRESETS

NAN = math.nan
NOTHING = {name: Figure({"a": NAN}) for name in MEASURES}
ROW = MethodResult(
    "sd+tfidf",
    NOTHING | {"map": Figure({"a": 0.375, "b": 0.25, "c": NAN})},
    model="gpt2",
    vs_random={"wilcoxon": 0.01},
    precision="bfloat16",
    p_vs={"tfidf": {"wilcoxon": 0.2, "permutation": math.nan}, "sd+tfidf": None},
)
RANDOM = MethodResult("random", NOTHING)
EVALUATION = Evaluation("ProppLearner", "paper", (ROW, RANDOM), notes=("A note.",), random=0.21)


def test_json_has_the_promised_fields():
    plain = EVALUATION.to_dict()
    assert (plain["corpus"], plain["labels"], plain["notes"]) == ("ProppLearner", "paper", ["A note."])
    assert plain["barthes"] == barthes.__version__
    row = plain["rows"][0]
    promised = {
        "method": "sd+tfidf",
        "model": "gpt2",
        "map": 0.3125,
        "interval": [0.25, 0.375],
        "p_vs_random": 0.01,
        "per_story": {"a": 0.375, "b": 0.25, "c": None},
    }
    assert promised.items() <= row.items()
    assert row["auc"] is None
    assert row["precision"] == "bfloat16"
    assert row["p_vs"] == {"tfidf": {"wilcoxon": 0.2, "permutation": None}, "sd+tfidf": None}
    assert plain["random"] == 0.21
    assert [plain["rows"][1][name] for name in ("map", "interval", "p_vs_random", "auc")] == [None] * 4
    json.dumps(plain, allow_nan=False)
    assert Evaluation("tales", "ours", ()).to_dict()["random"] is None


def test_rows_by_name_and_printing():
    assert len(EVALUATION) == 2
    assert EVALUATION["random"] is RANDOM
    with pytest.raises(KeyError, match=r"no method 'va'; there are: sd\+tfidf, random"):
        EVALUATION["va"]
    assert replace(EVALUATION, rows=(replace(ROW, method=PRESETS["fast"]),))["fast"].map == ROW.map
    lines = str(EVALUATION).splitlines()
    assert lines[0].startswith("ProppLearner (paper labels)")
    assert lines[1] == "sd+tfidf  0.312 [0.250, 0.375], p = 0.010"
    for p, shown in ((0.0499, "p = 0.0499"), (0.00001, "p < 0.001")):
        assert str(replace(EVALUATION, rows=(replace(ROW, vs_random={"wilcoxon": p}),))).endswith(shown)


def test_saving_it(tmp_path):
    EVALUATION.save(tmp_path / "result.json")
    assert json.loads((tmp_path / "result.json").read_text()) == EVALUATION.to_dict()
    with pytest.raises(OutputError):
        EVALUATION.save(tmp_path / "no" / "result.json")
