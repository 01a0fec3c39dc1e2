"""The models and methods that a server offers."""

from __future__ import annotations

import pytest

from barthes.errors import UnknownNameError
from barthes.jobs.offer import Models, describe_methods


def test_a_model_that_is_not_here_says_how_much_is_to_be_fetched(monkeypatch, tmp_path):
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path))
    found = {model.name: model for model in Models().describe()}
    assert (found["smollm2-135m"].state, found["smollm2-135m"].megabytes) == ("download needed", 93)


@pytest.mark.parametrize("name", ["/etc/passwd", "gpt2", "http://127.0.0.1:8000/v1", "https://example.org#m"])
def test_only_models_of_the_owner_can_be_chosen(name):
    with pytest.raises(UnknownNameError):
        Models(["./mine"]).choose(name, method="sd", unit="sentence")
    assert Models([name]).choose(None, method="sd", unit="sentence") == name
    assert Models([name]).choose(name, method="length", unit="sentence") is None


def test_methods_describe_their_model_and_units():
    found = {each.name: each for each in describe_methods()}
    assert next(iter(found)) == "sd"
    assert {"sd", "va", "paa"} < {name for name, each in found.items() if "event" in each.units}
    assert set(found["va"].units) == {"sentence", "event"}
    assert found["fast"].units == ["sentence", "paragraph", "scene", "chapter"]
    assert {name: found[name].needs_model for name in ("sd", "readers", "fast", "tfidf")} == {
        "sd": True, "readers": True, "fast": False, "tfidf": False,
    }  # fmt: skip
    assert found["sd+tfidf"].label == "sentence deletion + TF-IDF"
    assert not [name for name, each in found.items() if each.label == name]
