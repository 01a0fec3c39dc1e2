"""What the page offers to choose from."""

from barthes.web.score_options import Choices
from barthes.web.server import Limits


def test_a_model_that_is_not_here_says_how_much_is_to_be_fetched(monkeypatch, tmp_path):
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path))
    found = {model.name: model for model in Choices().describe(Limits()).models}
    assert found["smollm2-135m"].state == "download needed"
    assert found["smollm2-135m"].megabytes == 93


def test_methods_describe_their_model_and_units():
    found = {each.name: each for each in Choices().describe(Limits()).methods}
    events = [name for name, each in found.items() if "event" in each.units]
    assert events == ["sd", "best", "va", "paa", "readers"]
    assert found["va"].units == ["sentence", "event"]
    assert found["fast"].units == ["sentence", "paragraph", "scene", "chapter"]
    assert {name: found[name].needs_model for name in ("sd", "best", "fast", "tfidf")} == {
        "sd": True, "best": True, "fast": False, "tfidf": False,
    }  # fmt: skip
    assert "position-asc" not in found


def test_methods_have_names_in_words():
    found = {each.name: each.label for each in Choices().describe(Limits()).methods}
    assert list(found)[:3] == ["sd", "best", "fast"]
    assert {name: found[name] for name in ("sd", "tfidf", "sd+tfidf")} == {
        "sd": "sentence deletion", "tfidf": "TF-IDF", "sd+tfidf": "sentence deletion + TF-IDF",
    }  # fmt: skip
    assert not [name for name, label in found.items() if label == name]
