from __future__ import annotations

import pytest

import barthes
from barthes import scoring
from barthes.errors import NarrativeError
from barthes.models import loading
from barthes.models.counting import CountingModel

STORY = ["The wolf came.", "The wolf ate the sheep.", "It rained."]


def test_a_text_and_its_sentences_and_a_narrative_agree():
    narrative = barthes.Narrative.from_sentences(STORY)
    for story in (narrative, STORY, " ".join(STORY)):
        assert barthes.score(story, method="length").scores == (3.0, 5.0, 2.0)


def test_the_name_of_a_file_is_not_scored_as_a_story(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tale").write_text(" ".join(STORY))
    for name in ("tale", "nowhere/Tale.TXT", tmp_path / "tale"):
        with pytest.raises(
            NarrativeError, match=r"name of a file, not a story\. Use barthes\.score\(barthes"
        ):
            barthes.score(name, method="length")


@pytest.mark.parametrize("text", ["Wolf!", "She opened tale.txt", "x" * 5000, "a\0b", "tale.txt\n"])
def test_short_and_odd_texts_are_stories(text):
    assert len(barthes.score(text, method="length").scores) == 1


def test_blank_entries_are_left_out_with_a_note():
    profile = barthes.score(["A wolf came.", "", "It ate.", " \n"], method="length")
    assert profile.scores == (3.0, 2.0)
    assert profile.narrative.notes == ("Blank entries were left out: 2 of 4.",)
    assert barthes.score(iter(STORY), method="length").narrative.notes == ()


@pytest.mark.parametrize(
    ("story", "given"),
    [
        (5, "int"),
        (None, "NoneType"),
        (["A wolf came.", None], "list with NoneType"),
        (b"A wolf", "bytes with"),
    ],
)
def test_what_is_no_story_is_said(story, given):
    with pytest.raises(TypeError, match=rf"list of sentences .* barthes\.Narrative, not {given}"):
        barthes.score(story, method="length")


@pytest.mark.parametrize("options", [{"model": "gpt2"}, {"window": 64}, {"seed": 1}])
def test_options_that_a_method_would_ignore_are_refused(options):
    with pytest.raises(TypeError, match="has its own"):
        barthes.score(STORY, method=barthes.Length(), **options)
    assert barthes.score(STORY, method=barthes.Length()).method == "length"


@pytest.fixture
def loaded(monkeypatch):
    """The names that were loaded, by a loader that is quick."""
    names: list[str] = []

    def load(name):
        names.append(name)
        return CountingModel(STORY)

    monkeypatch.setattr(loading, "load_model", load)
    scoring._load.cache_clear()
    yield names
    scoring._load.cache_clear()


def test_a_model_is_loaded_once(loaded):
    assert barthes.score(STORY).scores == barthes.score(STORY).scores
    assert loaded == ["smollm2-135m"]
    barthes.score(STORY, model="gpt2")
    barthes.score(STORY, model="gpt2")
    assert loaded == ["smollm2-135m", "gpt2"]
    barthes.score(STORY, model=CountingModel(STORY))
    barthes.score(STORY, method="length")
    assert len(loaded) == 2


def test_a_model_that_has_changed_on_disk_is_loaded_again(loaded, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"old")
    barthes.score(STORY, model=str(tmp_path))
    barthes.score(STORY, model=str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"newer")
    barthes.score(STORY, model=str(tmp_path))
    assert loaded == [str(tmp_path)] * 2
