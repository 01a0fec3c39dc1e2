from __future__ import annotations

import pytest

from barthes.errors import BarthesError, ReadingError
from barthes.runs.run_settings import RunSettings, Shard, describe_run, find_versions

NO_MODEL = {"model": None, "fingerprint": None, "precision": None}


def test_method_names_are_normalised():
    settings = RunSettings(("SD + TFIDF", "sd", "position"))
    assert settings.methods == ("sd+tfidf", "sd", "position")
    assert settings.single_methods == ("sd", "tfidf", "position")
    assert RunSettings(("sd-t", "sd-sentence+sd")).single_methods == ("sd",)
    assert settings.needs_model
    assert not RunSettings(("length",)).needs_model


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"methods": ()}, "each of them once"),
        ({"methods": ("sd", "SD")}, "each of them once"),
        ({"methods": ("sd-t",), "unit": "event"}, "events are scored by sd, va, paa or readers"),
        ({"unit": "verse"}, "there is no unit 'verse'"),
        ({"methods": ("sdd",)}, "'sdd'"),
    ],
)
def test_invalid_settings_are_refused(options, problem):
    with pytest.raises(BarthesError, match=problem):
        RunSettings(**options)


def test_settings_that_do_not_affect_scores_are_not_in_the_manifest():
    one, other = RunSettings(part_tokens=1, device="cpu"), RunSettings(part_tokens=2, dtype="float32")
    assert one.to_dict() == other.to_dict()
    assert one.to_dict() != RunSettings(threads=2).to_dict()


def test_the_parser_is_described_if_a_method_uses_it():
    assert describe_run(RunSettings(("va",)), NO_MODEL, None)["parser"].startswith("spacy")
    assert describe_run(RunSettings(("sd",)), NO_MODEL, "cpu") == NO_MODEL | {"device": "cpu", "parser": None}
    assert describe_run(RunSettings(("sd",), unit="event"), NO_MODEL, None)["parser"].startswith("spacy")
    assert {"barthes", "torch", "revision"} <= find_versions().keys()


def test_shards_divide_the_texts():
    assert [Shard.parse(f"{i}/3").choose("abcdefg") for i in (1, 2, 3)] == ["adg", "be", "cf"]
    assert Shard.parse("2/3").name == "2-of-3"


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "a/b", "-1/2", "1/2/3"])
def test_an_invalid_shard_is_refused(text):
    with pytest.raises(ReadingError, match="invalid shard"):
        Shard.parse(text)
