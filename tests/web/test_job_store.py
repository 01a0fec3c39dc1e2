"""Jobs on disk: whole or not there, found again, and gone when deleted."""

from __future__ import annotations

import pytest

from barthes.errors import BarthesError, OutputError
from barthes.web.job_store import Job, JobStore


def make_job(key="0123456789abcdef", **changes):
    known = {"name": "A wolf", "title": "A wolf", "titled": True, "suffix": ".txt", "method": "length"}
    return Job(**{"id": key} | known | changes)


def accept(results, job, story=b"A wolf came. It rained."):
    upload = results.new_upload()
    upload.write_bytes(story)
    results.accept(job, upload)


def test_saved_jobs_are_loaded(tmp_path):
    results = JobStore(tmp_path / "a" / "b")
    job = make_job(notes=["a note"], title="Größe “<b>”")
    accept(results, job)
    assert JobStore(tmp_path / "a" / "b").load() == [job]
    assert results.story(job).read_bytes() == b"A wolf came. It rained."
    assert not list(results.folder.glob("*.arriving"))
    ended = job.end("finished", seconds=1.5)
    results.save(ended)
    assert results.load() == [ended]


def test_other_things_in_the_folder_are_passed_over(tmp_path):
    results = JobStore(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / ("a" * 16)).mkdir()
    (tmp_path / ("b" * 16)).mkdir()
    (tmp_path / ("b" * 16) / "job.json").write_text("{")
    accept(results, make_job("c" * 16))
    (tmp_path / ("d" * 16)).mkdir()
    (tmp_path / ("d" * 16) / "job.json").write_text((tmp_path / ("c" * 16) / "job.json").read_text())
    assert [job.id for job in results.load()] == ["c" * 16]


def test_deleting_leaves_nothing_and_interrupted_work_is_swept_away(tmp_path):
    results = JobStore(tmp_path)
    job = make_job()
    accept(results, job)
    results.delete(job)
    results.delete(job)
    (tmp_path / ".0123.deleted").mkdir()
    (tmp_path / ".0123.arriving").write_text("half a story")
    JobStore(tmp_path)
    assert not list(tmp_path.iterdir())


def test_two_servers_cannot_share_a_folder(tmp_path):
    results = JobStore(tmp_path)
    with (
        results.lock(),
        pytest.raises(BarthesError, match="another server stores"),
        JobStore(tmp_path).lock(),
    ):
        pass
    with results.lock():
        pass


def test_a_folder_that_cannot_be_created(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="another folder for results"):
        JobStore(tmp_path / "file" / "results")


def test_a_job_of_a_later_version_can_be_read_and_reset():
    job = make_job()
    assert Job.model_validate(job.model_dump() | {"colour": "green"}) == job
    assert job.end("failed", problem="no", option="chapter").reset() == job
