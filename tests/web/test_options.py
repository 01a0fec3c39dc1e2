"""What the page offers to choose from."""

from barthes.web.limits import Limits
from barthes.web.options import Choices


def test_a_model_that_is_not_here_says_how_much_is_to_be_fetched(monkeypatch, tmp_path):
    """Of an adapter in the package that is its base."""
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path))
    found = {model.name: model for model in Choices().describe(Limits()).models}
    assert found["folktale"].state == found["smollm2-135m"].state == "to be fetched"
    assert found["folktale"].megabytes == found["smollm2-135m"].megabytes == 93
