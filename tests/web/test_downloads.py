"""The report of a job, while it runs and after."""

from __future__ import annotations

import pytest

import barthes
from barthes.web.downloads import describe_data, make_blank_profile
from tests.web.test_job_store import make_job

STORY = barthes.Narrative.from_sentences(["A wolf came.", "It rained.", "The end."])


@pytest.mark.parametrize(
    ("method", "name", "unranked"),
    [("best", "readers", set()), ("paper", "sd", {2}), (" SD ", "sd", {2})],
)
def test_a_running_job_has_the_method_that_its_name_stands_for(method, name, unranked):
    profile = make_blank_profile(STORY, make_job(method=method, model="m"))
    assert profile.method == name
    assert profile.info.label != name
    assert set(profile.unranked) == set(describe_data(profile)["unranked"]) == unranked
