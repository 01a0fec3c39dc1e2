from __future__ import annotations

import pytest

from barthes.errors import BarthesError, UnknownNameError
from barthes.runs.settings import Circumstances, RunSettings

NO_MODEL = {"model": None, "fingerprint": None, "precision": None}


def test_methods_are_taken_apart_and_named_alike():
    settings = RunSettings(("SD + TFIDF", "sd", "position"))
    assert settings.methods == ("sd+tfidf", "sd", "position")
    assert settings.single_methods == ("sd", "tfidf", "position")
    assert settings.needs_model
    assert not RunSettings(("length",)).needs_model


@pytest.mark.parametrize("methods", [(), ("sd", "SD")])
def test_no_method_or_one_twice_is_refused(methods):
    with pytest.raises(BarthesError, match="each of them once"):
        RunSettings(methods)


def test_what_does_not_go_together_is_refused():
    with pytest.raises(BarthesError, match="events are scored by va or paa"):
        RunSettings(("sd",), unit="event")
    with pytest.raises(UnknownNameError):
        RunSettings(unit="chapter")
    with pytest.raises(UnknownNameError):
        RunSettings(("sdd",))


def test_what_changes_no_result_is_not_in_the_manifest():
    one, other = RunSettings(part_tokens=1), RunSettings(part_tokens=2)
    assert one.to_dict() == other.to_dict()


def test_the_parser_counts_where_it_is_used():
    assert Circumstances.find(RunSettings(("va",)), NO_MODEL, None).parser.startswith("spacy")
    assert Circumstances.find(RunSettings(("sd",)), NO_MODEL, None).parser is None
    assert {"barthes", "torch", "revision"} <= Circumstances.versions().keys()
