"""How far a job has come."""

from __future__ import annotations

import json

import pytest

import barthes
from barthes.web.course import Course, describe


def test_news_are_told_once_to_each_who_asks():
    course = Course()
    course.narrative = barthes.Narrative.from_sentences(["A wolf came.", "It rained.", "The end."])
    course.enter("scoring")
    course.advance(10, 40)
    course.add((0, 0.5, [0.1, None]))
    first = course.tell()
    course.add((1, 0.25, [0.2]))
    second = course.tell(first.position)
    assert [each[0] for each in first.scored] == [0]
    assert [each[0] for each in second.scored] == [1]
    assert [each[0] for each in course.tell().scored] == [0, 1]
    assert course.tell(second.position).scored == []
    assert (second.phase, second.done, second.total) == ("scoring", 10, 40)
    assert second.scale == {"low": 0.0, "high": pytest.approx(0.5)}
    json.dumps(describe(second), allow_nan=False)


def test_everything_counts_as_a_change():
    course = Course()
    seen = [course.changes]
    for do in (
        lambda: course.enter("reading"),
        lambda: course.advance(1, 2),
        lambda: course.add((0, 1.0, [])),
    ):
        do()
        seen.append(course.changes)
    assert seen == sorted(set(seen))
