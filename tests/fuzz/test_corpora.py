"""Damaged corpora, saved results, tables and run files are read or refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import barthes
from barthes.errors import ReadingError
from barthes_research.corpora import RocStories, Tripod
from barthes_research.corpora.tale import read_tale
from tests.fuzz.bounds import attempt
from tests.fuzz.mutation import mutate
from tests.fuzz.seeds import CORPORA, CRANE, FILM, make_table

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
CHANCE = st.randoms(use_true_random=False)


@pytest.mark.parametrize("kind", CORPORA)
@given(chance=CHANCE)
@settings(max_examples=30, suppress_health_check=SLOW)
def test_a_damaged_corpus_is_read_or_refused(kind, chance, tmp_path):
    reader, name, data = CORPORA[kind]
    path = tmp_path / name
    path.write_bytes(mutate(data, chance))
    corpus = attempt(reader, path)
    assert corpus is None or len(corpus) > 0
    if corpus is not None and reader is not RocStories:
        assert all(len(story.labels) == len(story.grades) == len(story.narrative) for story in corpus)


def layer(name, *descriptions):
    return f"<rep id='edu.mit.{name}'>{''.join(descriptions)}</rep>".encode()


MANY = (f"<desc id='x{i}' off='0' len='1'>a</desc>" for i in range(3_000))
AGAIN = layer("parsing.token", *MANY) + layer("parsing.token") * 3_000
LONG = layer("story.char", f"<desc id='0' off='0' len='100000'>{'a' * 100_000}</desc>")
LONG += layer("parsing.token", f"<desc id='1' off='0' len='100000'>{'ab' * 50_000}</desc>")
SLOW_TALES = {
    "the same layer again and again": CRANE.replace(b"</story>", AGAIN + b"</story>"),
    "a word of a hundred thousand letters": b"<story>" + LONG + b"</story>",
    "spaces in the header": CRANE.replace(b"Title", b"Title" + b" " * 100_000 + b"x", 1),
    "spaces in a value": CRANE.replace(b"Title", b"Title: a" + b" " * 100_000 + b"x", 1),
}


@pytest.mark.parametrize("kind", SLOW_TALES)
def test_large_tales_are_read_or_refused_in_time(kind):
    tale = attempt(read_tale, SLOW_TALES[kind], name="crane1.sty")
    assert (None if tale is None else len(tale.narrative)) == (4 if "layer" in kind else None)


def test_unclosed_marks_are_refused(tmp_path):
    cell = "[STR_SENT]" * 12_000
    rows = make_table([FILM, *[[f"Film_{i}", cell, 0, 0, 0, 0, 0] for i in range(4)]])
    (tmp_path / "a.csv").write_bytes(rows)
    assert attempt(Tripod, tmp_path / "a.csv") is None


PROFILE = barthes.Position().score(barthes.read_text("It rained.\nThe wolf came.", sentences=True))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def saved(tmp_path):
    PROFILE.save(tmp_path / "profile.json")
    return (tmp_path / "profile.json").read_bytes()


def load(path, data):
    path.write_bytes(data)
    profile = attempt(barthes.Profile.load, path)
    assert profile is None or len(profile.scores) == len(profile.narrative)


@given(chance=CHANCE)
@settings(max_examples=50, suppress_health_check=SLOW)
def test_a_damaged_profile_is_loaded_or_refused(chance, tmp_path, saved):
    load(tmp_path / "damaged.json", mutate(saved, chance))


@given(data=st.data())
@settings(max_examples=50, suppress_health_check=SLOW)
def test_a_profile_with_other_values_is_loaded_or_refused(tmp_path, saved, data):
    content = json.loads(saved)
    keys = st.sampled_from(sorted(content))
    content |= data.draw(st.dictionaries(keys, VALUES, min_size=1, max_size=2))
    load(tmp_path / "changed.json", json.dumps(content).encode())


@pytest.mark.parametrize(
    "change",
    [{"influences": [[10**400], [1]]}, {"method": None}, {"window": "x"}, {"notes": [1]}, {"story": 7}],
)
def test_a_profile_with_wrong_types_is_refused(tmp_path, saved, change):
    (tmp_path / "changed.json").write_text(json.dumps(json.loads(saved) | change))
    with pytest.raises(ReadingError, match="no readable scores"):
        barthes.Profile.load(tmp_path / "changed.json")


def test_deeply_nested_json_is_refused(tmp_path):
    (tmp_path / "a.json").write_text("[" * 100_000)
    with pytest.raises(ReadingError):
        barthes.Profile.load(tmp_path / "a.json")
