from __future__ import annotations

import importlib.util
import io

import pandas as pd
import pytest

from barthes.errors import OutputError
from barthes.narrative import Narrative
from barthes.report.exports import to_parquet
from barthes.salience.profile import Profile
from tests.report.profiles import EVENTS, PROFILE, STORY

pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")


def read(data):
    return pd.read_parquet(io.BytesIO(data))


def test_a_table_of_two_stories():
    other = Profile(Narrative.from_sentences(["A wolf."], title="b"), (1.0,), "sd")
    frame = read(to_parquet([PROFILE, other]))
    assert frame["story"].tolist() == [STORY.title] * 5 + ["b"]
    assert frame["text"][1] == STORY[1].text, "line breaks are kept"
    assert frame["salience"].tolist() == [*PROFILE.scores, 1.0]
    assert frame["salience"].dtype == "float64"
    assert frame["start"].dtype == "int64"
    assert frame["rank"].fillna(0).tolist() == [4, 2, 3, 1, 0, 1], "the last sentence is not ranked"
    assert frame["model"].tolist()[:5] == ["counting"] * 5
    assert frame["model"].isna().tolist() == [False] * 5 + [True]


def test_polars_and_duckdb_read_the_same_table(library, tmp_path):
    path = tmp_path / "tales.parquet"
    path.write_bytes(to_parquet([PROFILE]))
    expected = list(zip([each.text for each in STORY], PROFILE.scores, PROFILE.ranks, strict=True))
    assert library("polars").read_parquet(path).select("text", "salience", "rank").rows() == expected
    found = library("duckdb").sql(f"SELECT text, salience, rank FROM '{path}'")
    assert found.fetchall() == expected


def test_units_are_not_mixed():
    with pytest.raises(ValueError, match="one unit"):
        to_parquet([PROFILE, EVENTS])
    with pytest.raises(ValueError, match="none"):
        to_parquet([])


def test_without_pyarrow_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(OutputError, match="pip install pyarrow"):
        to_parquet([PROFILE])
