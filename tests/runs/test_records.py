from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.runs.records import format_record, parse_record

texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(texts, texts)
def test_a_record_is_one_line_and_reads_back(name, reason):
    line = format_record("failed", name, "f00", {"reason": reason}, detail="sd 0:1/2")
    assert line.count(b"\n") == 1
    record = parse_record(line)
    assert (record.kind, record.id, record.sha256, record.detail) == ("failed", name, "f00", "sd 0:1/2")
    assert record.content == {"reason": reason}


@given(st.data())
def test_any_changed_byte_is_noticed(data):
    line = bytearray(format_record("done", "wolf", "f00", {"scores": [0.1, -2.5]}))
    place = data.draw(st.integers(0, len(line) - 1))
    line[place] ^= data.draw(st.integers(1, 255))
    assert parse_record(bytes(line)) is None


@given(st.integers(0, 60))
def test_a_torn_record_is_noticed(length):
    line = format_record("done", "wolf", "f00", {"scores": [0.1, -2.5]})
    assert parse_record(line[: min(length, len(line) - 1)]) is None


@pytest.mark.parametrize("content", [[], ["reason"], {}, {"reason": None}, {"reason": ["x"]}, "x", 1])
def test_a_failure_by_somebody_else_is_damaged(content):
    assert parse_record(format_record("failed", "a", "f00", content)) is None


def test_results_and_ids_of_another_kind_are_damaged():
    assert parse_record(format_record("done", "a", "f00", [1])) is None
    assert parse_record(format_record("part", "a", "f00", "x")) is None
    assert parse_record(format_record("done", ["a"], "f00", {})) is None
