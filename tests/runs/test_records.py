from __future__ import annotations

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
