"""A job and its progress."""

from __future__ import annotations

import pytest

import barthes
from barthes.web.downloads import make_blank_profile
from barthes.web.job import Job, JobProgress
from tests.web.test_job_store import make_job

STORY = barthes.Narrative.from_sentences(["A wolf came.", "It rained.", "The end."])


def test_a_job_of_a_later_version_can_be_read_and_reset():
    job = make_job()
    assert Job.model_validate(job.model_dump() | {"colour": "green"}) == job
    assert job.end("failed", problem="no").reset() == job


def test_scores_are_reported_once_to_each_client():
    progress = JobProgress()
    progress.profile = make_blank_profile(STORY, make_job(method="sd", model="m"))
    seen = [progress.changes]
    for change in (
        lambda: progress.start_phase("scoring"),
        lambda: progress.update(10, 40),
        lambda: progress.add_score(0, 0.5, [0.1, None]),
    ):
        change()
        seen.append(progress.changes)
    assert seen == sorted(set(seen))
    first = progress.since()
    progress.add_score(1, 0.25, [0.2])
    second = progress.since(first.position)
    assert [each.index for each in first.scored] == [0]
    assert [each.index for each in second.scored] == [1]
    assert [each.index for each in progress.since().scored] == [0, 1]
    assert (progress.since(second.position).scored, progress.since(second.position).scale) == ([], None)
    assert (second.phase, second.done, second.total) == ("scoring", 10, 40)
    assert second.scale == {"low": 0.0, "high": pytest.approx(0.5)}
    assert first.scored[0].model_dump() == {"index": 0, "salience": 0.5, "losses": [0.1, None]}
