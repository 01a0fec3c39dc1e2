"""The worker's side of the line."""

from __future__ import annotations

import multiprocessing
import threading

from barthes.web import worker
from barthes.web.worker import Task, work
from tests.web.test_results import make_job


def test_a_file_that_fails_in_the_work_is_not_taken_for_a_server_that_is_gone(tmp_path, monkeypatch):
    def fail(task):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(worker, "_read", fail)
    monkeypatch.setattr("signal.signal", lambda *_: None)  # which belongs to the main thread
    ours, theirs = multiprocessing.Pipe()
    thread = threading.Thread(target=work, args=(theirs,))
    thread.start()
    for _ in range(2):  # it lives on
        ours.send(("score", Task(make_job(), tmp_path / "story", tmp_path / "profile", 9)))
        assert ours.recv() == ("phase", "reading")
        kind, problem = ours.recv()
        assert kind == "failed"
        assert "No space left on device" in problem
    ours.close()
    thread.join(10)
    assert not thread.is_alive()
