"""Every reader of corpora, of saved results and of runs, given files with something wrong."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import barthes
from barthes.corpora import RocStories, Tripod
from barthes.corpora.tale import read_tale
from barthes.errors import BarthesError
from barthes.runs.result_files import Record
from barthes.runs.text_tables import read_rows
from tests.fuzz.bounds import bounded
from tests.fuzz.mutation import mutate
from tests.fuzz.seeds import CORPORA, CRANE, make_lines, make_table

SECONDS = 5
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]


@pytest.mark.parametrize("kind", CORPORA)
@given(chance=st.randoms(use_true_random=False))
@settings(max_examples=30, suppress_health_check=SLOW)
def test_a_damaged_corpus_is_read_or_refused(kind, chance, tmp_path):
    reader, name, data = CORPORA[kind]
    path = tmp_path / name
    path.write_bytes(mutate(data, chance))
    with bounded(SECONDS):
        try:
            corpus = reader(path)
        except BarthesError:
            return
    assert len(corpus) > 0
    if reader is not RocStories:
        for story in corpus:
            assert len(story.labels) == len(story.grades) == len(story.narrative)


def layer(name, *descriptions):
    return f"<rep id='edu.mit.{name}'>{''.join(descriptions)}</rep>"


SLOW_TALES = {
    "the same layer again and again": CRANE.replace(
        b"</story>",
        layer("parsing.token", *(f"<desc id='x{i}' off='0' len='1'>a</desc>" for i in range(3_000))).encode()
        + layer("parsing.token").encode() * 3_000
        + b"</story>",
    ),
    "a word of a hundred thousand letters": (
        "<story>"
        + layer("story.char", f"<desc id='0' off='0' len='100000'>{'a' * 100_000}</desc>")
        + layer("parsing.token", f"<desc id='1' off='0' len='100000'>{'ab' * 50_000}</desc>")
        + "</story>"
    ).encode(),
    "spaces in the header": CRANE.replace(b"Title", b"Title" + b" " * 100_000 + b"x", 1),
    "spaces in a value": CRANE.replace(b"Title", b"Title: a" + b" " * 100_000 + b"x", 1),
}


@pytest.mark.parametrize("kind", SLOW_TALES)
def test_tales_made_to_be_slow(kind):
    with bounded(SECONDS), contextlib.suppress(BarthesError):
        read_tale(SLOW_TALES[kind], name="crane1.sty")


def test_signs_that_are_never_closed(tmp_path):
    path = tmp_path / "a.csv"
    cell = "[STR_SENT]" * 12_000
    header = ["movie_name", "synopsis_segmented", "tp1", "tp2", "tp3", "tp4", "tp5"]
    path.write_bytes(make_table([header, *[[f"Film_{i}", cell, 0, 0, 0, 0, 0] for i in range(4)]]))
    with bounded(SECONDS), pytest.raises(BarthesError):
        Tripod(path)


PROFILE = barthes.Position().score(barthes.read_text("It rained.\nThe wolf came.", sentences=True))


@given(chance=st.randoms(use_true_random=False))
@settings(max_examples=50, suppress_health_check=SLOW)
def test_a_damaged_profile_is_loaded_or_refused(chance, tmp_path):
    path = tmp_path / "profile.json"
    PROFILE.save(path)
    path.write_bytes(mutate(path.read_bytes(), chance))
    with bounded(SECONDS):
        try:
            profile = barthes.Profile.load(path)
        except BarthesError:
            return
    assert len(profile.scores) == len(profile.narrative)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(data=st.data())
@settings(max_examples=50, suppress_health_check=SLOW)
def test_a_profile_with_other_values_is_loaded_or_refused(tmp_path, data):
    path = tmp_path / "profile.json"
    PROFILE.save(path)
    content = json.loads(path.read_text())
    for key in data.draw(st.lists(st.sampled_from(sorted(content)), min_size=1, max_size=2)):
        content[key] = data.draw(VALUES)
    path.write_text(json.dumps(content))
    try:
        profile = barthes.Profile.load(path)
    except BarthesError:
        return
    assert len(profile.scores) == len(profile.narrative)


TABLES = {
    "a.tsv": make_table([["id", "text"], ["1", "It rained."], ["2", "The wolf came."]], "\t"),
    "a.csv": make_table([["id", "text"], ["1", "It rained,\nand more."], ["2", "The wolf came."]]),
    "a.jsonl": make_lines([{"id": 1, "text": "It rained."}, {"id": "b", "text": "The wolf came."}]),
}


@pytest.mark.parametrize("name", TABLES)
@given(chance=st.randoms(use_true_random=False))
@settings(max_examples=30, suppress_health_check=SLOW)
def test_a_damaged_table_of_texts_is_read_or_refused(name, chance, tmp_path):
    path = tmp_path / name
    path.write_bytes(mutate(TABLES[name], chance))
    with bounded(SECONDS):
        try:
            rows = list(read_rows(path))
        except BarthesError:
            return
    assert all(isinstance(cell, str) for row in rows for cell in row)


@given(chance=st.randoms(use_true_random=False))
@settings(max_examples=80, suppress_health_check=SLOW)
def test_a_damaged_record_is_read_or_refused(chance):
    line = Record("done", "wolf\t1", "f00", {"profiles": [{"notes": [], "scores": [1.5, None]}]}).format()
    with contextlib.suppress(ValueError):
        assert isinstance(Record.parse(mutate(line, chance)), Record)
