"""Saved results with values that no result has: refused in words, before they are shown."""

from __future__ import annotations

import json

import pytest

import barthes
from barthes.errors import ReadingError
from barthes.report.saved_results import load_result

ROW = {"index": 0, "start": 0, "end": 2, "text": "A.", "salience": 1.0}
SHOWN = {"story": "a", "method": "sd", "model": None, "precision": None, "window": None, "notes": []}


@pytest.mark.parametrize("row", [ROW | {"start": 10**15, "end": 10**15 + 2}, ROW | {"salience": 10**400}])
def test_output_with_figures_out_of_all_bounds(tmp_path, row):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(SHOWN | {"sentences": [row]}))
    with pytest.raises(ReadingError, match="no scores that can be read"):
        load_result(path)


@pytest.mark.parametrize(
    "change",
    [{"influences": [[10**400], [1]]}, {"method": None}, {"window": "x"}, {"notes": [1]}, {"story": 7}],
)
def test_a_profile_with_values_of_another_kind(tmp_path, change):
    path = tmp_path / "a.json"
    barthes.Position().score(barthes.read_text("It rained.\nThe wolf came.", sentences=True)).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ReadingError, match="is not a saved profile"):
        barthes.Profile.load(path)


def test_json_nested_too_deep(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("[" * 100_000)
    for load in (load_result, barthes.Profile.load):
        with pytest.raises(ReadingError):
            load(path)
