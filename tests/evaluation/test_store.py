from __future__ import annotations

import json
import math
import os
from dataclasses import replace

import pytest

from barthes.errors import OutputError
from barthes.evaluation.identity import Identity
from barthes.evaluation.store import ScoreStore, are_scores, make_folder, scores_folder

IDENTITY = Identity("tales", "wolf", "a hash", "sd", model="counting", fingerprint="f", annotation="a" * 64)
SCORES = [0.1, -1e-17, 1 / 3]


@pytest.fixture
def store(tmp_path):
    return ScoreStore(tmp_path / "scores")


@pytest.mark.parametrize("values", [SCORES, {"log_probability": -12.5, "tokens": 3}, [[1], [2]], 0, []])
def test_what_is_kept_is_found_again_to_the_last_digit(store, values):
    assert store.fetch(IDENTITY) is None
    store.keep(IDENTITY, values)
    again = ScoreStore(store.folder)
    assert again.fetch(IDENTITY) == values
    assert again.stale == []
    assert (store.kept, again.kept) == (1, 0)


def test_others_do_not_disturb(store):
    store.keep(IDENTITY, SCORES)
    changes = [
        {"story": "king"},
        {"story": "Wolf"},
        {"method": "va"},
        {"window": 64},
        {"part": "2"},
        {"kind": "ordering"},
        {"settings": {"seed": 2}},
        {"settings": {"seed": 3}},
        {"precision": "bfloat16", "fingerprint": "g"},
        {"precision": "float16", "fingerprint": "h"},
        {"annotation": "spacy 3.8.2, en_core_web_sm 3.8.0"},
        {"corpus": "/home/one/mine.tsv"},
        {"corpus": "/home/two/mine.tsv"},
    ]
    for place, change in enumerate(changes):
        other = replace(IDENTITY, **change)
        assert store.fetch(other) is None
        store.keep(other, [float(place)])
    for place, change in enumerate(changes):
        assert store.fetch(replace(IDENTITY, **change)) == [float(place)]
    assert store.fetch(IDENTITY) == SCORES
    assert store.stale == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": "0.0.1"}, "were made by another version of Barthes (0.0.1, now "),
        ({"text": "another"}, "are of another text"),
        ({"revision": 0}, "were made by an earlier revision of the computation"),
        ({"precision": "float32"}, "were made in another precision (float32, now None)"),
        ({"fingerprint": "g"}, "were made with other weights"),
        ({"annotation": "b" * 64}, "rest on another annotation"),
    ],
)
def test_results_of_something_else_are_passed_over_and_said(store, change, reason):
    for story in ("wolf", "king"):
        store.keep(replace(IDENTITY, story=story, **change), SCORES)
        assert store.fetch(replace(IDENTITY, story=story)) is None
    [sentence] = store.stale
    assert sentence.startswith("2 stored results in ")
    assert reason in sentence
    assert sentence.endswith("computed again.")
    store.keep(IDENTITY, [1.0])
    assert ScoreStore(store.folder).fetch(IDENTITY) == [1.0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"identity": {}}',
        b'{"identity": 3, "values": [1]}',
        b"[" * 10**5,
    ],
)
def test_damaged_files_are_passed_over_and_said(store, content):
    store.keep(IDENTITY, SCORES)
    (store.folder / IDENTITY.path).write_bytes(content)
    assert store.fetch(IDENTITY) is None
    assert "1 stored result in " in store.stale[0]
    assert "cannot be read" in store.stale[0]


def test_results_from_before_there_were_revisions(store):
    """They are not damaged, even if their values had another form."""
    store.keep(IDENTITY, SCORES)
    path = store.folder / IDENTITY.path
    content = json.loads(path.read_text())
    del content["identity"]["revision"]
    path.write_text(json.dumps(content))
    assert store.fetch(IDENTITY, check=lambda values: isinstance(values, dict)) is None
    assert "earlier revision" in store.stale[0]


def test_a_newer_parser_takes_the_place_of_the_older(store):
    old, new = (replace(IDENTITY, annotation=f"spacy 3.{minor}, en_core_web_sm 3.8.0") for minor in (7, 8))
    store.keep(old, SCORES)
    assert store.fetch(new) is None
    assert "rest on another annotation" in store.stale[0]


@pytest.mark.parametrize(
    ("values", "right"),
    [
        ([0.1, -2.0], True),
        ([0.1], False),
        ([0.1, None], False),
        ([0.1, 1], False),
        ([0.1, True], False),
        ([0.1, math.inf], False),
        ([0.1, math.nan], False),
        ((0.1, 0.2), False),
        ("ab", False),
        (None, False),
    ],
)
def test_scores_are_finite_numbers_one_a_sentence(values, right):
    assert are_scores(values, 2) is right


def test_a_folder_of_a_user_who_does_not_exist():
    assert ScoreStore("~nosuchuser/scores").folder.as_posix() == "~nosuchuser/scores"


def test_values_that_cannot_be_right_are_damaged(store):
    store.keep(IDENTITY, SCORES)
    assert store.fetch(IDENTITY, check=lambda values: len(values) == 3) == SCORES
    assert store.fetch(IDENTITY, check=lambda values: len(values) == 4) is None
    assert "cannot be read" in store.stale[0]


def test_one_file_a_story_and_nothing_else(store):
    store.keep(IDENTITY, SCORES)
    files = [path for path in store.folder.rglob("*") if path.is_file()]
    assert files == [store.folder / "tales/published-formula/counting/sd/wolf.json"]
    content = json.loads(files[0].read_text())
    assert content["identity"]["model"] == "counting"
    assert content["values"] == SCORES


def test_what_is_not_a_number_is_not_kept(store):
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.keep(IDENTITY, [float("nan")])
    assert not store.folder.exists()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"cannot be made .* Choose a folder"):
        ScoreStore(tmp_path / "file").keep(IDENTITY, SCORES)
    assert ScoreStore(tmp_path / "file").fetch(IDENTITY) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_written_to(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="may not be written to"):
        make_folder(tmp_path)


def test_scores_are_beside_the_models(tmp_path, monkeypatch):
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path))
    assert scores_folder() == tmp_path / "scores"
